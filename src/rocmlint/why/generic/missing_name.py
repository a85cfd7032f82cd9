"""``cannot import name 'X' from 'M'``: which release has it, and who asks for it."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING

from rocmlint.text.written import minor_release
from rocmlint.why.answer import Action
from rocmlint.why.facts.names import (
    alike,
    change_of,
    files_have,
    history_of,
    moved_to,
    release_of,
    requirement_for,
    saw_index,
    table,
    told,
)
from rocmlint.why.generic.parts import in_place, innermost, install, made, python_of, where
from rocmlint.why.generic.shadowed import is_foreign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from rocmlint.published.names import History
    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.names import Change, Release

ENTRY = "missing-name"
_MESSAGE = re.compile(
    r"cannot import name ['\"‘](?P<name>\w+)['\"’]"
    r"(?: from ['\"‘](?P<module>[\w.]+)['\"’](?: \((?P<path>[^()\n]+)\))?)?"
)
_PARTIAL = "partially initialized"
WEIGHT = 20


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a name that a module of a package lacks."""
    found = _MESSAGE.search(text) if "cannot import name" in text else None
    if found is None or _PARTIAL in text[found.start() : found.end() + 60]:
        return
    path = found["path"] or ""
    module = found["module"] or _imported_from(context, found["name"])
    if not module or path == "unknown location" or is_foreign(path, module, context):
        return
    yield from explain(context, ENTRY, module, found["name"], found[0])


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
    dotted, release = f"{module}.{name}", release_of(context, module)
    if release.is_missing:
        return
    history = history_of(dotted)
    change = change_of(history, release.version)
    if change.is_told:
        yield _told(context, entry, dotted, release, change, message)
    elif change.is_there and history is not None and release.version is not None:
        yield from _refuted(context, entry, dotted, release, history, message)
    elif release.version is not None:
        yield from _from_files(context, entry, dotted, release, message)


def _told(
    context: Context, entry: str, dotted: str, release: Release, change: Change, message: str
) -> Explanation:
    """Explain it by the index."""
    module, _, name = dotted.rpartition(".")
    saw_index(context, dotted, change)
    new_module = moved_to(dotted, release.version) if release.version is not None else ""
    new = f"import {name} from {new_module}, if it does the same" if new_module else ""
    lacks = "does not have" if change.gone else "does not have yet"
    version = str(release) if release.version else f"the installed {release}"
    wanted = requirement_for(release.name, change)
    where_asked = "" if module.count(".") == 0 else f" in {module}"
    is_certain = release.version is not None or bool(context.frames)
    return made(
        context,
        entry,
        f"{version} {lacks} {name}{where_asked}: {told(change)}{_asked_by(context)}",
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
    """The index has the name in this minor release: the traceback outranks it."""
    if files_have(context, dotted):
        return
    module, _, name = dotted.rpartition(".")
    proven = _proven(history, release.version)
    if proven is None or release.version is None or proven == release.version:
        return
    context.saw(dotted, f"there in {proven}, not read in {release.version}", table())
    yield made(
        context,
        entry,
        f"{release} does not have {name} by this traceback; {release.name} {proven} has it: a patch"
        " release changed it",
        weight=WEIGHT,
        sure=False,
        where=where(innermost(context)),
        actions=(install(context, f"{release.name}=={proven}"),),
        confirm=_confirm(context, module, name),
        missing=(release.unread,),
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
    near = alike(context, dotted)
    home = moved_to(dotted, release.version) if release.version is not None else ""
    place = innermost(context)
    asker = place.owner if place is not None and place.owner.kind == "package" else None
    is_other = asker is not None and asker.name != release.name
    actions = []
    if near:
        actions.append(Action(f"use {near[0]}, if that is meant"))
    if home:
        actions.append(Action(f"import {name} from {home}, if it does the same"))
    if is_other:
        text = f"install releases of {asker and asker.name} and {release.name} that fit each other"
        actions.append(Action(text))
    elif not actions:
        actions.append(Action(f"install the {release.name} that this code was written for"))
    hint = f"; it has {', '.join(near)}" if near else ""
    where_asked = "" if module.count(".") == 0 else f" in {module}"
    yield made(
        context,
        entry,
        f"the installed {release} has no {name}{where_asked}{hint}{_asked_by(context)}",
        weight=WEIGHT,
        sure=has is False,
        where=where(place),
        actions=tuple(actions),
        confirm=_confirm(context, module, name),
        missing=(release.unread,),
        message=message,
    )


def _asked_by(context: Context) -> str:
    """Return whose code asks for it, where that is another package or remote code."""
    place = innermost(context)
    if place is None or place.owner.kind not in {"package", "hub"}:
        return ""
    return f"; {place.owner} asks for it" if place.owner.name else ""


def _confirm(context: Context, module: str, name: str) -> str:
    code = f"from {module} import {name}"
    return f"{python_of(context)} -c {shlex.quote(code)}"
