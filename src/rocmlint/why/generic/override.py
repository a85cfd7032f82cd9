"""A library passes an argument to a method that another package or a model's own code overrides."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

from rocmlint.published.names import names_of
from rocmlint.text.written import version_of
from rocmlint.why.answer import Action
from rocmlint.why.facts.frames import Owner
from rocmlint.why.facts.packages.moved import modules_with
from rocmlint.why.facts.packages.package_names import indexed, module_file, release_of
from rocmlint.why.facts.packages.requirements import required_by
from rocmlint.why.facts.project.definitions import definitions_in
from rocmlint.why.facts.project.inheritance import derived
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.call import class_on_line
from rocmlint.why.generic.parts import (
    OwnedFrame,
    install,
    later_importer,
    made,
    older_remote_code,
    where,
)
from rocmlint.why.log.log_data import LogFrame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.project.definitions import Definition
    from rocmlint.why.generic.call import FailedCall

_WEIGHT = 24


class _Override(NamedTuple):
    """Who overrides a method, and where; ``place`` is empty where the file was not read."""

    owner: Owner
    place: str = ""
    line: int = 0


def of_override(context: Context, call: FailedCall, place: OwnedFrame) -> Iterator[Explanation]:
    """Explain a method of a class that the calling package does not define itself."""
    holder, _, method = call.callee.rpartition(".")
    if place.owner.kind == "hub":
        yield from _of_remote_code(context, call, place)
        return
    known = names_of(place.distribution.replace("-", "_")) if place.distribution else None
    release = version_of(place.owner.version)
    if known is None or release is None or not holder or method == "__init__":
        return
    if modules_with(known.package, holder, release):
        return
    passed = call.given or "more arguments"
    remote = next((each for each in map(context.owner, context.frames) if each.kind == "hub"), None)
    if remote is not None:
        yield older_remote_code(
            context,
            "signature",
            f"{remote} is older than {place.owner}, which passes {passed} to {call.callee}",
            weight=_WEIGHT,
            remote=remote,
            message=call.message,
        )
        return
    override = _override_of_package(context, call, known.package)
    if override is not None:
        yield _of_package(context, call, place, override, passed)
        return
    text = f"add {call.given}=None or **kwargs to the parameters of {method} in {holder}"
    if not call.given:
        text = f"take the arguments of {known.package}'s own {method} in {holder}"
    yield made(
        context,
        "signature",
        f"{place.owner} passes {passed} to {call.callee}, and {holder}, which is not part of"
        f" it, overrides {method} without that",
        weight=_WEIGHT,
        sure=False,
        where=f"the definition of {holder}",
        actions=(
            Action(text),
            Action(f"if a package defines {holder}: the release of it that fits"),
        ),
        missing=(UnreadFact(f"the definition of {holder}", f"grep -rn 'class {holder}' ."),),
        message=call.message,
    )


def _override_of_package(context: Context, call: FailedCall, library: str) -> _Override | None:
    """Return the one other indexed package that has the class, and its method by its file."""
    holder = call.callee.rpartition(".")[0].rpartition(".")[2]
    found = []
    for package in indexed():
        if package == library or context.packages.get(package) is None:
            continue
        release = release_of(context, package)
        modules = modules_with(package, holder, release.version)
        if modules:
            owner = Owner("package", release.name, str(release.version))
            files = dict.fromkeys(module_file(context, each) for each in modules)
            found.append(_in_files(owner, [each for each in files if each], call))
    return found[0] if len(found) == 1 else None


def _in_files(owner: Owner, files: list[str], call: FailedCall) -> _Override:
    for path in files:
        for each in definitions_in(path, call.callee.rpartition(".")[2]):
            if each.name.endswith(call.callee) and lacks(each, call):
                return _Override(owner, path, each.line)
    return _Override(owner)


def lacks(definition: Definition, call: FailedCall) -> bool:
    """Return whether a definition does not take what a message says was passed."""
    node = definition.node
    if isinstance(node, ast.ClassDef):
        return False
    if call.given:
        return call.given not in definition.parameters and not definition.takes_any_keyword
    positional = len((*node.args.posonlyargs, *node.args.args))
    return call.counts is not None and node.args.vararg is None and positional == call.counts[0]


def added_by_base(context: Context, own: Definition) -> tuple[str, ...]:
    """Return the parameters that the method of a library's class has and its override lacks."""
    method = own.name.rpartition(".")[2]
    for base in own.bases:
        for package in indexed():
            if context.packages.get(package) is None:
                continue
            version = release_of(context, package).version
            for module in modules_with(package, base, version):
                path = module_file(context, module)
                for each in definitions_in(path, f"{base}.{method}") if path else ():
                    return tuple(name for name in each.parameters if name not in own.parameters)
    return ()


def _of_package(
    context: Context, call: FailedCall, place: OwnedFrame, override: _Override, passed: str
) -> Explanation:
    """Explain it by the package that overrides the method: it is the older one."""
    owner, library = override.owner, version_of(place.owner.version)
    its_own = OwnedFrame(LogFrame(override.place, override.line), owner)
    if override.place:
        context.saw(f"{override.place}:{override.line}", f"{call.callee} without it", str(owner))
    later = later_importer(its_own, place.distribution, library)
    text = f"upgrade {owner.name}" + (
        f": {later} is from after {place.owner}" if later else f" to a release for {place.owner}"
    )
    unread = UnreadFact(f"{call.callee} of {owner}", f"python -m pip show -f {owner.name}")
    return made(
        context,
        "signature",
        f"{place.owner} passes {passed} to {call.callee} of {owner}, which overrides it without"
        " that: it is for an older one",
        weight=_WEIGHT + 2,
        sure=bool(override.place),
        where=where(its_own) if override.place else str(owner),
        actions=(Action(text), Action(f"or install the {place.owner.name} that it is for")),
        missing=() if override.place else (unread,),
        message=call.message,
    )


def _of_remote_code(context: Context, call: FailedCall, place: OwnedFrame) -> Iterator[Explanation]:
    """Explain a call of remote code that the library does not take."""
    holder = call.callee.partition(".")[0]
    release = release_of(context, "transformers")
    if release.version is None or not modules_with("transformers", holder, release.version):
        return
    yield older_remote_code(
        context,
        "signature",
        f"{call.callee} of {release} {call.problem}; {place.owner} was written for another release",
        weight=_WEIGHT,
        remote=place.owner,
        message=call.message,
    )


def of_own_class(context: Context, call: FailedCall, place: OwnedFrame) -> Iterator[Explanation]:
    """Explain a class that a package builds on a library's, called without what it requires."""
    name = class_on_line(context) if call.callee == "__init__" else call.callee.split(".")[0]
    found = derived(context, name) if name and call.lacking else None
    if found is None or place.owner.kind != "package" or found.owner.name != place.owner.name:
        return
    installed = context.packages.get(place.owner.name)
    asked = list(required_by(installed)) if installed is not None else []
    wanted = [
        str(each.specifier) for each in asked if canonicalize_name(each.name) == found.release.name
    ]
    base = found.base.rpartition(".")[2]
    context.saw(found.place, f"class {name}({base})", str(found.owner))
    release = found.release
    fitting = install(context, f"{release.name}{wanted[0]}") if wanted and wanted[0] else None
    yield made(
        context,
        "signature",
        f"{name} of {found.owner}, built on {base} of {release}, {call.problem}, which the call"
        f" does not pass: it is for another {release.name}",
        weight=_WEIGHT,
        sure=False,
        where=f"{os.path.basename(found.path)}:{found.definition.line} ({found.owner}):"
        " not this project's code",
        actions=(
            fitting or Action(f"install the {release.name} that {found.owner} was written for"),
            Action(f"or upgrade {found.owner.name}"),
        ),
        missing=(
            UnreadFact(
                f"which {release.name} {found.owner} is for",
                f"python -m pip show {place.owner.name}",
            ),
        ),
        message=call.message,
    )
