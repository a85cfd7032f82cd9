"""Arguments that a function does not take or misses: caller and callee are of two versions."""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.disk.read import read_small
from rocmlint.published.names import names_of
from rocmlint.published.replacements import keyword_advice, keyword_replacement
from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.moved import modules_with
from rocmlint.why.facts.packages.package_names import (
    change_of,
    files_take,
    in_words,
    indexed,
    is_absent,
    release_of,
    requirement_for,
    saw_index,
    table,
)
from rocmlint.why.facts.project.definitions import definitions
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.call import FailedCall, call_in, class_on_line
from rocmlint.why.generic.override import added_by_base, of_override, of_own_class
from rocmlint.why.generic.parts import (
    OwnedFrame,
    in_place,
    innermost,
    made,
    where,
)
from rocmlint.why.generic.passed_from_file import file_passed, of_no_release, without, writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.packages.package_names import NameChange, Release
    from rocmlint.why.facts.project.definitions import Definition

_SELVES = ("self", "cls")
_ALIASES = {"nn": "torch.nn", "optim": "torch.optim"}
"""Names by which modules of torch are written everywhere."""
_LARGEST = 2_000_000
_WEIGHT = 24


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a call that does not fit its callee."""
    call = call_in(text)
    if call is None or "<lambda>" in call.callee:
        return
    place = innermost(context)
    own = _own_definition(context, call)
    if own is not None:
        yield _of_project(context, call, own, place)
        return
    yield from _of_package(context, call, place)


# A definition of the project.


def _own_definition(context: Context, call: FailedCall) -> Definition | None:
    """Return the one definition of the project that the message fits; None if not exactly one."""
    callee = call.callee.replace("<locals>.", "")
    place = innermost(context)
    if callee == "__init__" and place is not None and place.owner.kind == "project":
        constructed = class_on_line(context, call.given)
        callee = f"{constructed}.__init__" if constructed.isidentifier() else callee
    if callee in {"__init__", "forward", "__call__", "wrapper", "main"}:
        return None
    if callee.endswith(".__init__"):
        found = [each for each in definitions(context.project, callee) if _fits(each, call)]
    else:
        found = [
            each
            for each in definitions(context.project, callee)
            if not isinstance(each.node, ast.ClassDef) and _fits(each, call)
        ]
    return found[0] if len(found) == 1 else None


def _fits(definition: Definition, call: FailedCall) -> bool:
    names = definition.parameters
    if call.given and not call.is_double:
        return call.given not in names and not definition.takes_any_keyword
    if call.given:
        return call.given in names
    if call.lacking:
        return set(call.lacking) <= set(names)
    node = definition.node
    if isinstance(node, ast.ClassDef) or node.args.vararg is not None or call.counts is None:
        return False
    return len((*node.args.posonlyargs, *node.args.args)) == call.counts[0]


def _of_project(
    context: Context, call: FailedCall, own: Definition, place: OwnedFrame | None
) -> Explanation:
    """Explain a call of what the project defines, such as a method that overrides a library's."""
    at = f"{own.file}:{own.line}"
    context.saw(at, f"def {own.name}({', '.join(own.parameters)})", "this project")
    caller = place.owner if place is not None and place.owner.kind == "package" else None
    is_override = bool(own.bases) and "." in call.callee and call.given and not call.is_double
    since = _since(context, own, call)
    if caller is None and is_override and since is not None:
        release, change = since
        who = (
            f"{release} passes {call.given}: {in_words(change)}"
            if in_words(change)
            else str(release)
        )
    else:
        who = f"{caller} passes it" if caller is not None else ""
    cause = f"{own.name} ({at}) {call.problem}" + (f"; {who}" if who else "")
    if caller is not None and call.given and not call.is_double:
        cause = f"{caller} passes {call.given} to {own.name}, which {at} defines without it"
    method = call.callee.rpartition(".")[2]
    if call.given and not call.is_double and (caller is not None or is_override):
        text = f"add {call.given}=None or **kwargs to the parameters of {method} in {at}"
        if is_override:
            text += ", and pass it on to super()"
    elif call.given and not call.is_double:
        text = f"leave {call.given} out of the call, or add it to {method} in {at}"
    elif call.lacking:
        text = f"pass {', '.join(call.lacking)} to {own.name}, or give them defaults in {at}"
    elif call.counts and caller is not None and own.bases:
        added = ", ".join(added_by_base(context, own))
        text = f"take the arguments of {caller.name}'s own {method} in {at}"
        text = f"add {added} to the parameters of {method} in {at}" if added else text
        cause = f"{caller} passes more arguments to {own.name} ({at}) than it takes"
        is_override = True
    else:
        text = f"make the call and {own.name} in {at} agree"
    return made(
        context,
        "signature",
        cause,
        weight=_WEIGHT + 60,
        where=f"{at} (this project): change this definition"
        if caller is not None or is_override
        else where(place),
        actions=(Action(text),),
        message=call.message,
    )


def _since(
    context: Context, own: Definition, call: FailedCall
) -> tuple[Release, NameChange] | None:
    """Return since when the library's own method takes what an override lacks, if that is known."""
    method = call.callee.rpartition(".")[2]
    for base in own.bases:
        for package in indexed():
            known = names_of(package)
            if known is None or context.packages.get(package) is None:
                continue
            release = release_of(context, package)
            if release.version is None:
                continue
            modules = modules_with(package, base, release.version)
            if modules:
                history = known.keyword(f"{modules[0]}.{base}.{method}", call.given)
                return release, change_of(history, release.version)
    return None


# A definition of a package.


class Callee(NamedTuple):
    """A function of a package: its full name where it is known, and the release."""

    dotted: str
    release: Release


def _of_package(
    context: Context, call: FailedCall, place: OwnedFrame | None
) -> Iterator[Explanation]:
    imported = _imported(context, call, place)
    told_ = [each for each in _candidates(context, call, imported) if _change(each, call).explains]
    owners = {each.release.name for each in told_}
    if told_ and call.given and not call.is_double:
        is_of_package = place is not None and place.distribution.replace("-", "_") in indexed()
        is_proven = imported is not None or is_of_package
        yield _by_index(context, call, told_[0], place, is_one=len(owners) == 1 and is_proven)
        return
    unknown = _of_no_release(context, call, imported, place)
    if unknown is not None:
        yield unknown
    elif imported is not None:
        yield from _by_import(context, call, imported, place)
    elif place is not None and not call.is_double:
        older = list(of_override(context, call, place)) if not call.lacking else []
        yield from older or of_own_class(context, call, place)


def _of_no_release(
    context: Context, call: FailedCall, imported: Callee | None, place: OwnedFrame | None
) -> Explanation | None:
    """Explain a keyword from a file that no release of the package which reads it takes."""
    if place is None or not file_passed(place):
        return None
    for each in _candidates(context, call, imported):
        if each.release.name == place.distribution:
            return of_no_release(
                context, place, each.dotted, each.release, call.given, call.message
            )
    return None


def _candidates(context: Context, call: FailedCall, imported: Callee | None) -> Iterator[Callee]:
    """Yield what may be called: what the caller imports by that name, else what the index has."""
    if not call.given or call.is_double:
        return
    if imported is not None and imported.dotted.partition(".")[0] in indexed():
        yield imported
        return
    if imported is not None:
        return
    parts = call.callee.split(".")
    if parts[-1] == "__init__":
        parts = parts[:-1] or class_on_line(context, call.given).split(".")[-1:]
    if not parts or parts[0].startswith("_") or parts == ["forward"]:
        return
    for package in indexed():
        known = names_of(package)
        if known is None or is_absent(context, package):
            continue
        release = release_of(context, package)
        if release.version is None:
            continue
        modules = modules_with(package, parts[0], release.version)
        if modules:
            yield Callee(".".join((modules[0], *parts)), release)


def _change(callee: Callee, call: FailedCall) -> NameChange:
    known = names_of(callee.dotted.partition(".")[0])
    history = known.keyword(callee.dotted, call.given) if known is not None else None
    return change_of(history, callee.release.version)


def _by_index(
    context: Context, call: FailedCall, callee: Callee, place: OwnedFrame | None, *, is_one: bool
) -> Explanation:
    change, release = _change(callee, call), callee.release
    name = call.callee
    if name == "__init__":
        name = callee.dotted.rpartition(".")[2]
    holder = name.partition(".")[0]
    is_one = is_one and not any(True for _ in definitions(context.project, holder))
    context.evidence.clear()  # of what the other packages have, nothing matters
    release_of(context, callee.dotted)
    saw_index(context, f"{callee.dotted}({call.given}=)", change)
    caller = place.owner if place is not None and place.owner.name else None
    is_other = place is not None and place.distribution != release.name
    by = f"; {caller} passes it" if caller is not None and is_other else ""
    new = _without(callee, call.given) if change.gone else ""
    file = file_passed(place) if not is_other else ""
    by = f"; {writer(file, change)}" if file else by
    actions = in_place(context, change, release, requirement_for(release.name, change), new)
    return made(
        context,
        "signature",
        f"{name} of {release} does not take {call.given}: {in_words(change)}{by}",
        weight=_WEIGHT + 4,
        sure=is_one,
        where=where(place),
        actions=(*actions, *((without(file, call.given),) if file else ())),
        missing=(release.unread,),
        rules=("ROC205",),
        table=table(),
        message=call.message,
    )


def _without(callee: Callee, keyword: str) -> str:
    """Return what to write in a call that no longer takes a keyword."""
    return _instead(callee, keyword) or f"leave {keyword} out of the call"


def _instead(callee: Callee, keyword: str) -> str:
    """Return what took a keyword's place, as the package's own code says it; or nothing."""
    new = keyword_replacement(callee.dotted, keyword)
    if new is not None:
        return f"write {new}= instead of {keyword}="
    known, release = keyword_advice(callee.dotted, keyword), callee.release.version
    if known is None or release is None or (known.since and release < Version(known.since)):
        return ""
    return known.text


def _lacks_by_index(callee: Callee, keyword: str) -> bool:
    """Return whether the index proves that the release does not take a keyword."""
    known, release = names_of(callee.dotted.partition(".")[0]), callee.release.version
    history = known.keyword(callee.dotted, keyword) if known is not None else None
    return history is not None and release is not None and history.at(release) is False


def _imported(context: Context, call: FailedCall, place: OwnedFrame | None) -> Callee | None:
    """Return what the caller's file imports by the name of the callee."""
    if place is None:
        return None
    names = call.callee.split(".")
    if names[-1] == "__init__":
        names = names[:-1] or class_on_line(context, call.given).split(".")
    path = place.frame.file
    if not os.path.isabs(path):
        path = os.path.join(context.project, path)
    for first in names[:1]:
        dotted = _import_of(path, first) or _import_in(place.frame.code, first)
        dotted = dotted or (_ALIASES.get(first, "") if names[1:] else "")
        if dotted:
            release = release_of(context, dotted)
            if release.is_missing:
                return None
            return Callee(".".join((dotted, *names[1:])), release)
    return None


def _import_in(line: str, name: str) -> str:
    """Return the full name of a call that the line of a frame writes out: ``peft.get_model(``."""
    found = re.search(rf"\b([a-z]\w*(?:\.\w+)*\.{re.escape(name)})\(", line)
    return found[1] if found is not None and not found[1].startswith(_SELVES) else ""


def _import_of(path: str, name: str) -> str:
    try:
        tree = ast.parse(read_small(path, _LARGEST))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                if (each.asname or each.name) == name:
                    return f"{node.module}.{each.name}"
    return ""


def _by_import(
    context: Context, call: FailedCall, callee: Callee, place: OwnedFrame | None
) -> Iterator[Explanation]:
    """Explain it by who owns the callee and who calls it, of any package."""
    release = callee.release
    if release.version is None or place is None:
        return
    lacks = None
    if call.given and not call.is_double:
        lacks = files_take(context, callee.dotted, call.given)
        if lacks:
            return
    if lacks is False:
        context.saw(callee.dotted, f"has no parameter {call.given}", "the installed files")
    caller = place.owner
    name = call.callee if call.callee != "__init__" else callee.dotted.rpartition(".")[2]
    is_package = caller.kind == "package" and canonicalize_name(caller.name) != release.name
    who = f"{caller} calls it" if caller.name else f"{os.path.basename(place.frame.file)} calls it"
    problem = f"{name} of the installed {release} {call.problem}; {who} for another release"
    instead = _instead(callee, call.given) if call.given and not call.is_double else ""
    is_certain = bool(instead) and lacks is not True and _lacks_by_index(callee, call.given)
    if instead:
        saw_index(context, f"{callee.dotted}({call.given}=)", _change(callee, call))
        problem = f"{name} of {release} no longer takes {call.given}; {who} for an older release"
    pair = f"{release.name} and {caller.name}" if is_package else release.name
    text = f"install the {pair} that this call was written for"
    if release.name == "torch" and call.given:  # it keeps what it once took
        text = f"install a newer {pair}: torch takes more keywords from release to release"
    is_ours = caller.kind not in {"package", "hub"}
    if is_ours and not instead:
        text += ", or correct the call"
    unread = UnreadFact(f"which releases of {release.name} take this call")
    yield made(
        context,
        "signature",
        problem,
        weight=_WEIGHT,
        sure=is_certain,
        where=where(place),
        actions=(*((Action(instead),) if is_ours and instead else ()), Action(text)),
        missing=(release.unread, *(() if is_certain else (unread,))),
        message=call.message,
    )
