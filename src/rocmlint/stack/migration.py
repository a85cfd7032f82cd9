"""The move of an environment to another ROCm or torch as a checked plan, which changes nothing."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

from rocmlint.errors import RocmlintError
from rocmlint.interpreter.ask import Interpreter
from rocmlint.published import requirements
from rocmlint.stack.advice.rollback import write_rollback
from rocmlint.stack.installed.bitsandbytes import NAME as BITSANDBYTES
from rocmlint.stack.installed.distributions import is_of_torch, minor_of, read_environment
from rocmlint.stack.installed.rocm import Rocm, find_rocm
from rocmlint.stack.installed.torch_build import read_torch
from rocmlint.stack.resolution.asked import has_wheels, no_wheels
from rocmlint.stack.upgrade.changes import (
    PackageChange,
    compiled,
    orphans,
    upgrades,
)
from rocmlint.stack.upgrade.pins import Obstacle, obstacles, wishes
from rocmlint.stack.upgrade.rebuilds import bitsandbytes, has_source, without_source
from rocmlint.stack.upgrade.sdk import (
    DEVEL,
    carried,
    lost,
    stays,
    without_compiler,
    without_rocm,
)
from rocmlint.stack.upgrade.steps import Steps
from rocmlint.stack.versions import major_minor, read_torch_version
from rocmlint.stack.wheels.install import (
    COMPANIONS,
    NoWheelsError,
    companion,
    index_url,
    labelled,
    torch_release,
    unproven,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from packaging.specifiers import SpecifierSet

    from rocmlint.stack.installed.distributions import Environment
    from rocmlint.stack.upgrade.changes import Misfit
    from rocmlint.stack.upgrade.pins import Pin
    from rocmlint.stack.wheels.install import Wheels


@dataclass(frozen=True)
class Plan:
    """The planned changes, in the order in which they are made."""

    rocm: str
    torch: str
    """The release, without the label of its build."""
    index_url: str
    python: str
    before: str
    """The torch that is there now, in words."""
    changes: tuple[PackageChange, ...]
    obstacles: tuple[Obstacle, ...]
    """The obstacles: the plan holds when these are gone."""
    freeze: str | None
    """The file from which the present state can be restored."""
    commands: tuple[str, ...]
    proofs: tuple[str, ...]
    """The commands that show afterwards whether it worked."""
    rollback: tuple[str, ...]
    notes: tuple[str, ...] = ()


def plan(  # noqa: PLR0913 - each is a flag of its own, and all but the first have defaults
    rocm: str,
    *,
    torch: str | None = None,
    pins: Iterable[Pin] = (),
    freeze: str | None = None,
    interpreter: Interpreter | None = None,
    wheels: Wheels | None = None,
) -> Plan:
    """Plan the move of an environment to a ROCm version.

    ``wheels`` are those to take in place of PyTorch's (:mod:`rocmlint.stack.wheels.wheel_sources`).

    Without ``torch`` the release that is installed stays, if the ROCm version has wheels of it,
    else it is the newest that has. ``pins`` are what the project's files say. With ``freeze``, a
    path, the present state is written there first (see :func:`write_rollback`); nothing else is
    changed.

    Raises RocmlintError: NoWheelsError, InterpreterError, or where the file cannot be written.
    """
    interpreter = interpreter or Interpreter()
    move = _read(wheels or index_url(rocm), torch, interpreter)
    written = None if freeze is None else write_rollback(move.environment, freeze)
    return _plan_of(move, sorted(pins, key=lambda each: (each.path, each.line)), written)


class _Move(NamedTuple):
    """A planned move: an environment, asked through its interpreter, and the torch it gets."""

    environment: Environment
    interpreter: Interpreter
    wheels: Wheels
    release: str


def _read(wheels: Wheels, torch: str | None, interpreter: Interpreter) -> _Move:
    environment = read_environment(interpreter)
    return _Move(environment, interpreter, wheels, _release(wheels, torch, environment))


def _plan_of(move: _Move, pins: Sequence[Pin], written: str | None) -> Plan:
    """Return the changes and their obstacles. ``written`` is the file of the way back."""
    environment, interpreter, wheels, release = move
    packages, missing = _packages(environment, release, wheels)
    targets = {name: Version(labelled(name, each, wheels.rocm)) for name, each in packages}
    minor = minor_of(environment.python)
    beside = _beside(environment)
    changes, misfits, unbuilt = _changes(environment, targets, wheels, wishes(pins, minor))
    removed = {each.package for each in changes if each.action == "remove"}
    after = {**targets, **_moved(changes)}
    against = (
        *_of_python(release, wheels, environment),
        *missing,
        *(_of_misfit(each, release) for each in misfits),
        *unbuilt,
        *without_rocm(environment, removed, wheels),
        *(without_compiler(changes, wheels, minor) if beside.chosen is None else ()),
        *obstacles(pins, after, wheels.rocm, wheels.url, minor),
    )
    steps = Steps(environment)
    return Plan(
        wheels.rocm,
        release,
        wheels.url,
        environment.executable,
        str(read_torch(environment) or "no torch"),
        changes,
        against,
        written,
        tuple(steps.forward(changes, packages, wheels)),
        _proofs(interpreter.python),
        tuple(steps.back(changes, written)),
        (
            *wheels.notes,
            *_unproven(wheels, release),
            *_notes(environment, changes, wheels.rocm, beside),
        ),
    )


def _unproven(wheels: Wheels, release: str) -> tuple[str, ...]:
    return unproven(release) if wheels.source == "pytorch" and wheels.is_known else ()


def _release(wheels: Wheels, torch: str | None, environment: Environment) -> str:
    if wheels.packages:
        return dict(wheels.packages)["torch"]
    if not wheels.is_known:
        named = read_torch_version(torch) if torch else None
        if named is None or len(named.release) < 3:
            message = f"which torch {wheels.url} has is not known: name one, as in --torch 2.15.0"
            raise RocmlintError(message)
        return named.public
    installed = environment.get("torch")
    if torch is None and installed is not None and installed.parsed is not None:
        with suppress(RocmlintError):  # it has no wheels there, or is a build of one's own
            return torch_release(wheels.rocm, installed.parsed.public)
    return torch_release(wheels.rocm, torch, minor_of(environment.python))


def _packages(
    environment: Environment, torch: str, wheels: Wheels
) -> tuple[list[tuple[str, str]], list[Obstacle]]:
    """Return what comes from the index: torch, and those of its companions that are installed."""
    packages, missing, there = [("torch", torch)], [], dict(wheels.packages)
    for name in COMPANIONS:
        installed = environment.get(name)
        if installed is None:
            continue
        try:
            packages.append((name, there.get(name) or companion(name, torch, wheels.rocm)))
        except NoWheelsError as error:
            do = f"uninstall {name}, or choose another ROCm or torch version (--to, --torch)"
            missing.append(Obstacle(f"package {name}", str(installed), str(error), do))
    return packages, missing


def _changes(
    environment: Environment,
    targets: Mapping[str, Version],
    wheels: Wheels,
    wished: Mapping[str, SpecifierSet],
) -> tuple[tuple[PackageChange, ...], list[Misfit], list[Obstacle]]:
    """Return all changes: what goes, what comes, what moves along, what is compiled anew."""
    there = {
        name for name, version in targets.items() if _version(environment, name) == str(version)
    }
    removed = _removed(environment, targets, there, wheels)
    gone = {each.package for each in removed}
    installed = [
        PackageChange("install", name, "", str(version), "the build for this ROCm")
        for name, version in targets.items()
        if name not in there
    ]
    native = {} if "torch" in there else compiled(environment, wheels.rocm)
    wheel = None if "torch" in there else bitsandbytes(environment, wheels.rocm, targets)
    planned = dict(targets)
    if isinstance(wheel, PackageChange):
        planned[BITSANDBYTES] = Version(wheel.after)
    moved, misfits = upgrades(environment, planned, native, wished)
    if isinstance(wheel, PackageChange):
        moved = [wheel, *(each for each in moved if each.package != BITSANDBYTES)]
    rebuilt = [_rebuilt(environment, name, why, moved) for name, why in native.items()]
    others = [each for each in moved if each.package not in native]
    unbuilt = _unbuilt(environment, rebuilt, wheels.rocm)
    removed += [_without(each) for each in rebuilt if each.package in unbuilt]
    built = [each for each in rebuilt if each.package not in unbuilt]
    against = [*unbuilt.values(), *([wheel] if isinstance(wheel, Obstacle) else [])]
    return (*removed, *installed, *carried(gone, wheels), *others, *built), misfits, against


def _removed(
    environment: Environment,
    targets: Mapping[str, Version],
    there: Collection[str],
    wheels: Wheels,
) -> list[PackageChange]:
    why = "it belongs to the torch that is removed"
    if environment.get("torch") is None:
        why = "it belongs to the old ROCm"
    found = [
        PackageChange("remove", each.name, each.version, "", why)
        for each in environment.distributions
        if is_of_torch(each.name)
        and each.name not in there
        and not ("torch" in there and each.name not in targets)
        and not stays(each, targets, wheels)
    ]
    why = "only the CUDA build of torch needs it"
    of_cuda = orphans(environment, {each.package for each in found})
    return [
        *found,
        *(PackageChange("remove", each.name, each.version, "", why) for each in of_cuda),
    ]


def _unbuilt(
    environment: Environment, rebuilt: Iterable[PackageChange], rocm: str
) -> dict[str, Obstacle]:
    """Return what cannot be built anew, as far as is known, by name."""
    found = ((environment.get(each.package), each.after) for each in rebuilt)
    return {
        package.name: without_source(package, rocm)
        for package, after in found
        if package is not None and not has_source(package, after)
    }


def _without(change: PackageChange) -> PackageChange:
    return PackageChange("remove", change.package, change.before, "", change.why)


def _rebuilt(
    environment: Environment, name: str, why: str, moved: Sequence[PackageChange]
) -> PackageChange:
    before = _version(environment, name)
    found = next((each for each in moved if each.package == name), None)
    if found is None:
        return PackageChange("rebuild", name, before, before, why)
    return PackageChange("rebuild", name, before, found.after, f"{found.why}; {why}")


def _moved(changes: Iterable[PackageChange]) -> dict[str, Version]:
    moved = (each for each in changes if each.action in {"upgrade", "downgrade", "rebuild"})
    return {each.package: Version(each.after) for each in moved if each.after != each.before}


def _version(environment: Environment, name: str) -> str:
    installed = environment.get(name)
    return installed.version if installed else ""


def _of_python(torch: str, wheels: Wheels, environment: Environment) -> Iterator[Obstacle]:
    """Judge the Python by PyTorch's wheels; AMD's were chosen for it."""
    minor = minor_of(environment.python)
    if wheels.source != "pytorch" or not wheels.is_known or has_wheels(Version(torch), minor):
        return
    why = no_wheels(Version(torch), minor)
    do = "create an environment with a supported Python, or choose an older torch with --torch"
    yield Obstacle(environment.executable, f"Python {environment.python}", why, do)


def _of_misfit(misfit: Misfit, torch: str) -> Obstacle:
    known = requirements.releases(misfit.package)
    other = (
        "no release of it is compatible with"
        if known
        else "rocmlint knows no release of it that is compatible with"
    )
    why = f"{misfit.why}, and {other} torch {torch}"
    do = f"uninstall {misfit.package}, or choose another torch with --torch"
    return Obstacle(f"package {misfit.package}", misfit.requirement, why, do)


def _proofs(python: str) -> tuple[str, ...]:
    asked = "" if python == sys.executable else f" --python {shlex.quote(python)}"
    verbs = ("stack show", "verify kernels", "stack freeze --force")
    return tuple(f"rocmlint {each}{asked}" for each in verbs)


def _notes(
    environment: Environment, changes: Sequence[PackageChange], rocm: str, beside: Rocm
) -> Iterator[str]:
    yield from _of_rocm(changes, rocm, beside)
    for part in lost(changes):
        what = "compile" if part == DEVEL else "profile"
        yield (
            f"{part} is removed, and the index of the new torch does not have it: "
            f"to {what} anything afterwards, install ROCm {rocm}"
        )
    cache = os.environ.get("TORCH_EXTENSIONS_DIR") or os.path.expanduser(
        "~/.cache/torch_extensions"
    )
    if changes and os.path.isdir(cache):
        yield f"{cache} has extensions that were compiled for the current torch: delete it"
    for each in environment.unreadable:
        yield f"not considered: {each}"


def _beside(environment: Environment) -> Rocm:
    """Return the ROCm of the machine without wheels: those belong to torch, and have no driver."""
    found = find_rocm(environment=environment).readings
    return Rocm(tuple(each for each in found if each.kind != "wheel"))


def _of_rocm(changes: Sequence[PackageChange], rocm: str, beside: Rocm) -> Iterator[str]:
    if beside.chosen is None or beside.release == major_minor(rocm):
        return
    of = "the driver belongs"
    built = [each.package for each in changes if each.action == "rebuild"]
    if built and not any((each.action, each.package) == ("install", DEVEL) for each in changes):
        of = f"the driver and the compiler for {', '.join(built)} belong"
    yield (
        f"ROCm {beside.version} is installed here ({beside.chosen.source}): torch's wheels include "
        f"the libraries of {rocm}, but {of} to the installed ROCm"
    )
