"""``cannot import name 'X' from 'M'``: which release has it, and who asks for it."""

from __future__ import annotations

import difflib
import os
import re
import shlex
from typing import TYPE_CHECKING

from rocmlint.published.fitting import shown
from rocmlint.text.written import minor_release
from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.moved import moved_to, successor
from rocmlint.why.facts.packages.package_names import (
    alike,
    change_of,
    files_have,
    history_of,
    imported_release,
    in_words,
    module_file,
    names_of_file,
    requirement_for,
    saw_index,
    table,
)
from rocmlint.why.facts.packages.patched import is_patched
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.of_build import of_build
from rocmlint.why.generic.parts import (
    asking,
    in_place,
    innermost,
    install,
    made,
    naming_file,
    pip,
    python_of,
    unmet_demand,
    where,
)
from rocmlint.why.generic.reader import near
from rocmlint.why.generic.shadowed import is_foreign, is_own
from rocmlint.why.log.log_data import LogFrame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from rocmlint.published.names import History
    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.packages.package_names import NameChange, Release

ENTRY = "missing-name"
_MESSAGE = re.compile(
    r"cannot import name ['\"](?P<name>\w+)['\"]"
    r"(?: from ['\"](?P<module>[\w.]+)['\"](?: \((?P<path>[^()\n]+)\))?)?"
)
_PARTIAL = "partially initialized"
WEIGHT = 20


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a name that a module of a package lacks."""
    text = near(text, "cannot import name")
    found = _MESSAGE.search(text)
    if found is None or _PARTIAL in text[found.start() : found.end() + 60]:
        return
    path = found["path"] or ""
    module = found["module"] or _imported_from(context, found["name"])
    if not module or path == "unknown location" or is_foreign(path, module, context):
        return
    if path and is_own(path, context):
        yield from _of_project(path, module, found["name"], context, found[0])
        return
    yield from explain(context, ENTRY, module, found["name"], found[0])


def _of_project(
    path: str, module: str, name: str, context: Context, message: str
) -> Iterator[Explanation]:
    """Explain a name that a module of the project lacks."""
    names = sorted(names_of_file(path))
    if not names or name in names:
        return
    near = difflib.get_close_matches(name, names, 2, 0.7)
    context.saw(path, f"does not define {name}", "this project")
    hint = f"; it has {', '.join(near)}" if near else ""
    yield made(
        context,
        ENTRY,
        f"{path}, which is imported as {module}, does not define {name}{hint}",
        weight=WEIGHT,
        where=where(innermost(context)),
        actions=(
            Action(f"import {near[0]}, or define {name} in it" if near else f"define {name}"),
        ),
        message=message,
    )


def _imported_from(context: Context, name: str) -> str:
    """Return the module of an import, where only the line of the innermost frame shows it."""
    place = innermost(context)
    line = place.frame.code if place is not None else ""
    found = re.match(r"from ([\w.]+) import ", line)
    return found[1] if found is not None and re.search(rf"\b{re.escape(name)}\b", line) else ""


def explain(
    context: Context, entry: str, module: str, name: str, message: str
) -> Iterator[Explanation]:
    """Explain that a module of an installed package lacks a name."""
    dotted, release = f"{module}.{name}", imported_release(context, module)
    history = history_of(dotted)
    change = change_of(history, release.version)
    demanded = unmet_demand(context, release)
    if demanded is not None:
        yield _unmet(context, entry, dotted, release, change, demanded, message)
    elif (built := _by_build(context, entry, dotted, release, change, message)) is not None:
        yield built
    elif change.explains:
        yield _by_index(context, entry, dotted, release, change, message)
    elif change.is_there and history is not None and release.version is not None:
        yield from _refuted(context, entry, dotted, release, history, message)
    elif release.version is not None:
        yield from _from_files(context, entry, dotted, release, message)


def _by_build(  # noqa: PLR0913, PLR0917 - the parts of an explanation
    context: Context, entry: str, dotted: str, release: Release, change: NameChange, message: str
) -> Explanation | None:
    """Explain it by the build, unless the index knows that the release itself lacks the name."""
    if change.explains or files_have(context, dotted):
        return None
    return of_build(context, entry, release, dotted, message)


def _unmet(  # noqa: PLR0913, PLR0917 - the parts of an explanation
    context: Context,
    entry: str,
    dotted: str,
    release: Release,
    change: NameChange,
    demanded: SpecifierSet,
    message: str,
) -> Explanation:
    """Explain it by what the asking package requires: another release than the installed one."""
    module, _, name = dotted.rpartition(".")
    package = asking(context)
    by = f"{package[0]} {package[1]}" if package is not None else "what imports it"
    saw_index(context, dotted, change)
    context.saw(by, f"requires {release.name}{shown(demanded)}", "its metadata")
    return made(
        context,
        entry,
        f"{release} does not have {name}; {by} asks for it and requires {release.name}"
        f"{shown(demanded)}",
        weight=WEIGHT + 2,
        where=where(innermost(context)),
        actions=(install(context, f"{release.name}{shown(demanded)}"),),
        confirm=_confirm(context, module, name),
        missing=(release.unread,),
        rules=("ROC203",),
        message=message,
    )


def _by_index(  # noqa: PLR0913, PLR0917 - the parts of an explanation
    context: Context, entry: str, dotted: str, release: Release, change: NameChange, message: str
) -> Explanation:
    """Explain it by the index."""
    module, _, name = dotted.rpartition(".")
    saw_index(context, dotted, change)
    new = ""
    if release.version is not None and change.gone is not None:
        new = successor(dotted, release.version)
    elif change.is_by_then:
        pass  # the index begins later: it does not say what this release has
    elif release.version is not None and (home := moved_to(dotted, release.version)):
        new = f"import {name} from {home}, if it does the same"
    version = str(release) if release.version else f"the installed {release}"
    wanted = requirement_for(release.name, change)
    where_asked = "" if module.count(".") == 0 else f" in {module}"
    yet = "" if change.gone or change.is_by_then else " yet"
    is_certain = (release.version is not None or bool(context.frames)) and not change.is_by_then
    by = _asked_by(context, release)
    return made(
        context,
        entry,
        f"{version} does not have {name}{where_asked}{yet}: {in_words(change)}{by}",
        weight=WEIGHT,
        sure=is_certain,
        where=where(innermost(context)),
        actions=in_place(context, change, release, wanted, new),
        confirm=_confirm(context, module, name),
        missing=(release.unread,),
        rules=("ROC204",),
        table=table(),
        message=message,
    )


def _refuted(  # noqa: PLR0913, PLR0917 - as above
    context: Context,
    entry: str,
    dotted: str,
    release: Release,
    history: History,
    message: str,
) -> Iterator[Explanation]:
    """Explain it where the index has the name in this minor release: the traceback outranks it.

    A file as it was installed, which lacks the name, proves that this patch release lacks it; one
    that is not as it was installed proves a mixed installation. Without either the files disagree
    with their release.
    """
    if files_have(context, dotted):
        return
    module, _, name = dotted.rpartition(".")
    proven = _proven(history, release.version)
    if proven is None or release.version is None or proven == release.version:
        return
    path = module_file(context, module)
    is_changed = is_patched(LogFrame(path, 0), context.packages) if path else None
    context.saw(
        dotted, f"there in {proven}; for {release.version} the traceback refutes it", table()
    )
    if is_changed is not None:
        said = "differs from its RECORD" if is_changed else "is as its RECORD says"
        context.saw(path, said, "the installed files")
    is_mixed = bool(path) and (
        is_changed or (is_changed is None and os.path.basename(path) == "__init__.py")
    )
    cause = f"{release} does not have {name} by this traceback; {release.name} {proven} has it"
    if is_mixed:
        cause += ": a broken or mixed installation"
        wanted = f"{release.name}=={release.version}"
        action = pip(context, "install", "--force-reinstall", "--no-deps", wanted)
    else:
        action = install(context, f"{release.name}=={proven}")
    code = f"import {module.partition('.')[0]} as m; print(m.__version__, m.__file__)"
    command = f"{python_of(context)} -c {shlex.quote(code)}"
    yield made(
        context,
        entry,
        cause,
        weight=WEIGHT,
        sure=False,
        where=where(innermost(context)),
        actions=(action,),
        confirm=_confirm(context, module, name),
        missing=(release.unread, UnreadFact(f"which {release.name} is imported", command)),
        table=f"{table()}, which knows {proven} and disagrees for {release.version}",
        message=message,
    )


def _proven(history: History, release: Version | None) -> Version | None:
    minor = minor_release(release) if release is not None else ""
    return next((each for each in history.versions if minor_release(each) == minor), None)


def _from_files(
    context: Context, entry: str, dotted: str, release: Release, message: str
) -> Iterator[Explanation]:
    """Explain it by the installed files, of any package."""
    module, _, name = dotted.rpartition(".")
    has = files_have(context, dotted)
    if has:
        return
    context.saw(dotted, "not there" if has is False else "not found", "the installed files")
    near = alike(context, dotted, release.version)
    home = moved_to(dotted, release.version) if release.version is not None else ""
    place = innermost(context)
    asker = place.owner if place is not None and place.owner.kind == "package" else None
    is_other = asker is not None and asker.name != release.name
    actions = []
    is_ours = place is None or place.owner.kind != "package"
    if near and is_ours:
        actions.append(Action(f"use {near[0]}, if that is meant"))
    if home and is_ours:
        actions.append(Action(f"import {name} from {home}, if it does the same"))
    if is_other:
        text = f"install a {asker and asker.name} that is compatible with {release}"
        actions.append(Action(text))
    elif not actions:
        text = f"correct the name; only if another release has it, install that {release.name}"
        actions.append(Action(text))
    hint = f"; it has {', '.join(near)}" if near else ""
    where_asked = "" if module.count(".") == 0 else f" in {module}"
    yield made(
        context,
        entry,
        f"the installed {release} has no {name}{where_asked}{hint}{_asked_by(context, release)}",
        weight=WEIGHT,
        sure=has is False,
        where=where(place),
        actions=tuple(actions),
        confirm=_confirm(context, module, name),
        missing=(release.unread,),
        message=message,
    )


def _asked_by(context: Context, release: Release) -> str:
    """Return whose code asks for it, where that is another package or remote code."""
    place = innermost(context)
    if place is None or place.owner.kind not in {"package", "hub"}:
        return ""
    file = naming_file(context)
    if place.distribution == release.name:
        return f"; {file} of the checkpoint names it" if file else ""
    if file:
        return f"; {place.owner} asks for it, as {file} of the checkpoint names it"
    return f"; {place.owner} asks for it" if place.owner.name else ""


def _confirm(context: Context, module: str, name: str) -> str:
    code = f"from {module} import {name}"
    return f"{python_of(context)} -c {shlex.quote(code)}"
