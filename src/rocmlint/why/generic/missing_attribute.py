"""``module 'M' has no attribute 'X'``, ``'C' object ...``: gone, or not yet there."""

from __future__ import annotations

import builtins
import os
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

from rocmlint.disk.read import read_small
from rocmlint.published.names import names_of
from rocmlint.text.written import version_of
from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.moved import modules_with, successor
from rocmlint.why.facts.packages.package_names import (
    change_of,
    in_words,
    indexed,
    is_absent,
    module_file,
    release_of,
    requirement_for,
    saw_index,
    table,
)
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.inherited import asks_a_configuration, of_derived
from rocmlint.why.generic.missing_name import explain
from rocmlint.why.generic.other_caller import of_other_caller
from rocmlint.why.generic.parts import (
    in_place,
    innermost,
    made,
    older_remote_code,
    python_of,
    where,
)
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.packages.package_names import NameChange, Release
    from rocmlint.why.generic.parts import OwnedFrame

_OF_MODULE = re.compile(
    r"(?<!initialized )\bmodule ['\"]?(?P<module>[\w.]+)['\"]? has no attribute "
    r"['\"]?(?P<name>\w+)['\"]?"
    r"(?! \((?:most likely|consider))"
)
_OF_CLASS = re.compile(
    r"(?:type object )?['\"](?P<holder>[A-Za-z_]\w*)['\"](?: object)? has no attribute "
    r"['\"](?P<name>\w+)['\"]"
)
_FIRST = ("transformers", "diffusers", "peft", "accelerate", "trl", "huggingface_hub", "torch")
_BELOW = frozenset({"torch", "accelerate", "torchvision"})
"""Packages that transformers calls: the class is not theirs."""
_POST_INIT = Action("or call self.post_init() at the end of __init__, as transformers 5 requires")
_LARGEST = 2_000_000
_WEIGHT = 22


class AttributeHolder(NamedTuple):
    """A class of this name in an indexed package, and when it has the attribute."""

    dotted: str
    release: Release
    change: NameChange


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain an attribute that a module, a class or an object lacks."""
    text = near(text, "has no attribute")
    found = _OF_MODULE.search(text)
    if found is not None:
        unimported = _submodule(context, found)
        if unimported is not None:
            yield unimported
        else:
            module, name = found["module"], found["name"]
            yield from explain(context, "missing-attribute", module, name, found[0])
        return
    found = _OF_CLASS.search(text)
    if found is not None and found["holder"][:1].isupper() and "module '" not in found[0]:
        yield from _of_class(context, found["holder"], found["name"], found[0])


def _submodule(context: Context, found: re.Match[str]) -> Explanation | None:
    """Explain an attribute that is a module of the package, which nobody imported."""
    dotted = f"{found['module']}.{found['name']}"
    path = module_file(context, dotted)
    if context.is_elsewhere or not path:
        return None
    context.saw(dotted, "is a module", path)
    return made(
        context,
        "module-not-imported",
        f"{dotted} is a module that has not been imported: {found['module']} does not import it",
        weight=_WEIGHT,
        where=where(innermost(context)),
        actions=(Action(f"write import {dotted} where it is used"),),
        confirm=f"{python_of(context)} -c {shlex.quote(f'import {dotted}')}",
        message=found[0],
    )


def _of_class(context: Context, holder: str, attribute: str, message: str) -> Iterator[Explanation]:
    of_configuration = asks_a_configuration(context)
    holders = [
        each
        for package in (() if of_configuration else _packages(context))
        for each in _holders(context, package, holder, attribute)
    ]
    inherited = list(of_derived(context, holder, attribute, message)) if not holders else []
    if inherited or of_configuration:
        yield from inherited
        return
    if not holders:
        of_remote_code = list(_of_remote_code(context, holder, attribute, message))
        yield from of_remote_code or of_other_caller(context, holder, attribute, message)
        return
    first = holders[0]
    if not first.change.gone and not message.startswith("type object"):
        return  # an object may get it when it is made, which the index does not see
    owners = {each.release.name for each in holders}
    context.evidence.clear()  # of what the other packages have, nothing matters
    release_of(context, first.dotted)
    saw_index(context, f"{first.dotted}.{attribute}", first.change)
    place, release = innermost(context), first.release
    is_alone = len(owners) == 1 and not _is_in_project(context, holder)
    is_proven = is_alone and _uses(context, first.dotted.partition(".")[0])
    version = str(release) if release.version else f"the installed {release}"
    yet = "" if first.change.gone else " yet"
    module, _, name = first.dotted.rpartition(".")
    code = f'from {module} import {name}; print(hasattr({name}, "{attribute}"))'
    asks = place.owner if place is not None and place.owner.kind in {"package", "hub"} else None
    tail = f"; {asks} asks for it" if asks is not None and asks.name else ""
    yield made(
        context,
        "missing-attribute",
        f"{holder} of {version} does not have {attribute}{yet}: {in_words(first.change)}{tail}",
        weight=_WEIGHT,
        sure=is_proven,
        where=where(place),
        actions=in_place(
            context,
            first.change,
            release,
            requirement_for(release.name, first.change),
            _edit(first, attribute),
        ),
        confirm=f"{python_of(context)} -c {shlex.quote(code)}",
        missing=(release.unread, None if is_proven else _unread_class(holder)),
        rules=("ROC204",),
        table=table(),
        message=message,
    )


def _of_remote_code(
    context: Context, holder: str, attribute: str, message: str
) -> Iterator[Explanation]:
    """Explain an attribute that the library asks of a class of remote code or another package."""
    place = innermost(context)
    if place is None or place.distribution != "transformers":
        return
    version = version_of(place.owner.version)
    is_of_python = holder == "NoneType" or hasattr(builtins, holder)
    if version is None or is_of_python or modules_with("transformers", holder, version):
        return
    torch = release_of(context, "torch").version
    if modules_with("torch", holder, torch):  # such as DistributedDataParallel
        return
    remote = next((each for each in map(context.owner, context.frames) if each.kind == "hub"), None)
    if remote is None:
        yield from _of_other_package(context, place, holder, attribute, message)
        return
    yield older_remote_code(
        context,
        "missing-attribute",
        f"{place.owner} asks {holder} for {attribute}; {remote} is older and does not define it",
        weight=_WEIGHT,
        remote=remote,
        message=message,
    )


def _of_other_package(
    context: Context, place: OwnedFrame, holder: str, attribute: str, message: str
) -> Iterator[Explanation]:
    """Explain an attribute that transformers asks of a class that builds on its classes."""
    owners = list(map(context.owner, context.frames))
    built = [each for each in owners if each.kind == "package" and each.name not in _BELOW]
    other = next((each for each in reversed(built) if each.name != place.owner.name), None)
    whose = str(other) if other is not None else "this project"
    named = other.name if other is not None else f"the code of {holder}"
    yield made(
        context,
        "missing-attribute",
        f"{place.owner} asks {holder} for {attribute}; {whose} was written for another release",
        weight=_WEIGHT,
        sure=False,
        where=where(place),
        actions=(
            Action(f"upgrade {named}, or install the transformers that it was written for"),
            *((_POST_INIT,) if "tied_weights" in attribute else ()),
        ),
        missing=(_unread_class(holder),),
        message=message,
    )


def _unread_class(holder: str) -> UnreadFact:
    return UnreadFact(f"which package {holder} is from", f"print({holder}.__module__)")


def _uses(context: Context, package: str) -> bool:
    """Return whether a frame is in the package, in remote code, or in a file that imports it."""
    word = re.compile(rf"^\s*(?:from|import)\s+{re.escape(package)}\b", re.MULTILINE)
    for frame in context.frames:
        owner = context.owner(frame)
        is_its = canonicalize_name(owner.name) == canonicalize_name(package)
        if owner.kind == "hub" or is_its:
            return True
        if owner.kind == "project":
            try:
                data = read_small(os.path.join(context.project, frame.file), _LARGEST)
            except (OSError, ValueError):
                continue
            if word.search(data.decode("utf-8", "replace")):
                return True
    return False


def _packages(context: Context) -> Iterator[str]:
    """Yield the indexed packages: those of the frames first, then those that are installed."""
    known = indexed()
    owners = (context.owner(each) for each in reversed(context.frames))
    framed = [canonicalize_name(each.name).replace("-", "_") for each in owners if each.name]
    for each in dict.fromkeys((*framed, *_FIRST, *known)):
        if each in known:
            yield each


def _holders(
    context: Context, package: str, holder: str, attribute: str
) -> Iterator[AttributeHolder]:
    """Yield the class of this name that a package exports, if its history explains the message."""
    known = names_of(package)
    if known is None or is_absent(context, package):
        return
    release = release_of(context, package)
    version = release.version
    seen = set()
    for module in modules_with(package, holder, version)[:12]:
        dotted = f"{module}.{holder}"
        defined = known.defined_as(dotted, version or known.versions[-1]) or dotted
        if defined in seen:
            continue
        seen.add(defined)
        change = change_of(known.member(dotted, attribute), version)
        if change.explains:
            yield AttributeHolder(dotted, release, change)
            return


def _edit(holder: AttributeHolder, attribute: str) -> str:
    """Return an edit where the class is the project's to use in another way."""
    if holder.change.gone is None:
        return ""
    release = holder.release.version
    new = successor(f"{holder.dotted}.{attribute}", release) if release is not None else ""
    return new or f"do without {attribute}: look into {holder.dotted} for what does its work now"


def _is_in_project(context: Context, holder: str) -> bool:
    """Return whether the project defines a class of this name: it may be the one that is meant."""
    from rocmlint.why.facts.project.definitions import definitions  # noqa: PLC0415 - it reads the project

    return any(True for _ in definitions(context.project, holder))
