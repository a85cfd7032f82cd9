"""``rocmlint stack show``: which ROCm, torch and libraries are here, and whether they fit."""

from __future__ import annotations

import os
import re
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from rocmlint.cli.stack.common import (
    Help,
    add_interpreter_arguments,
    add_output_format,
    interpreter_of,
    not_answered,
    pip_of,
    print_document,
    print_lines,
)
from rocmlint.cli.stack.constraints import add_constraints_arguments, write_asked
from rocmlint.errors import RocmlintError
from rocmlint.stack.blocks import VerdictBlock, blocks, package_of
from rocmlint.stack.checks.driver import unknown
from rocmlint.stack.installed.distributions import is_of_stack, place_of
from rocmlint.stack.show import Stack, read_stack
from rocmlint.text.words import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Iterator, Sequence
    from types import SimpleNamespace

    from rocmlint.stack.verdicts import Verdict

HELP = Help(
    "[--smoke] [--python PYTHON]",
    "Show ROCm, the GPUs, torch and the libraries around it, and whether they are compatible.",
    "exit codes: 0 compatible, 1 a conflict, 3 something is not answered, 2 usage error",
)
_PIP = re.compile(r"\bpip (?:un)?install\b")
_SEEN = frozenset({"built", "observed"})
"""The grades of what fits a ROCm or a GPU, which are no packages."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint stack show``."""
    parser.add_argument(
        "--smoke", action="store_true", help="also import each package, in a child process"
    )
    add_constraints_arguments(parser)
    add_interpreter_arguments(parser)
    add_output_format(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint stack show``."""
    path = flags.constraints or ""
    stack = read_stack(
        interpreter_of(flags), smoke=flags.smoke, constraints=path, project=os.curdir
    )
    if path and stack.torch is not None and not stack.kept.pins:
        message = f"{stack.torch}: it is not for the ROCm here, so {path} was not written"
        raise RocmlintError(message)
    write_asked(flags, stack.environment)
    if flags.output_format == "json":
        return print_document("show", stack.exit_code, **_document(stack))
    print_lines(text_of(stack))
    return stack.exit_code


def _document(stack: Stack) -> dict[str, Any]:
    observed, environment = stack.observed, stack.environment
    torch = stack.torch
    return {
        "python": {"executable": environment.executable, "version": environment.python},
        "rocm": {
            "version": stack.rocm.version or None,
            "source": stack.rocm.chosen.source if stack.rocm.chosen else None,
            "readings": stack.rocm.readings,
        },
        "devices": {
            "names": stack.devices.names,
            "source": stack.devices.source,
            "problems": stack.devices.problems,
        },
        "torch": None
        if torch is None
        else {
            **asdict(torch),
            "release": torch.release,
            "rocm_release": torch.rocm_release,
            "includes_rocm": stack.rocm_of_torch in {"torch", "rocm packages"},
            "rocm_libraries": stack.rocm_of_torch,
            "architectures": observed.architectures if observed else None,
            "devices": observed.devices if observed else None,
        },
        "driver": None
        if stack.driver is None
        else {**asdict(stack.driver), "unknown": _unknown_driver(stack)},
        "packages": {each.name: each.version for each in environment.packages},
        "unreadable": environment.unreadable,
        "unanswered": stack.unanswered,
        "verdicts": stack.verdicts,
    }


def text_of(stack: Stack) -> Iterator[str]:
    """Yield the lines of the answer."""
    head = [
        ("Python", f"{stack.environment.python}  {stack.environment.executable}"),
        *_rocm(stack),
    ]
    head += [*_devices(stack), *_driver(stack), *_torch(stack)]
    yield tabulate(head, tablefmt="plain", disable_numparse=True)
    problems = [f"{each.source} {each.problem}" for each in stack.rocm.problems]
    problems += [*stack.devices.problems, *stack.environment.unreadable]
    yield from (f"  ! {each}" for each in problems)
    yield ""
    packages = [(each.name, each.version, each.installer) for each in stack.environment.packages]
    if packages:
        yield tabulate(packages, ("package", "version", "installed by"), disable_numparse=True)
        yield ""
    yield from _verdicts(stack)


def _rocm(stack: Stack) -> Iterator[tuple[str, str]]:
    rocm = stack.rocm
    if rocm.chosen is None:
        yield "ROCm", "none found"
        return
    yield "ROCm", f"{rocm.version}  ({rocm.chosen.source})"
    for each in rocm.others:
        yield "", f"{each.version}  ({each.source})"


def _devices(stack: Stack) -> Iterator[tuple[str, str]]:
    devices = stack.devices
    if not devices.names:
        yield "GPU", "none found"
    for name, same in groupby(devices.names):
        yield "GPU", f"{len(list(same))} x {name}  ({devices.source})"


def _driver(stack: Stack) -> Iterator[tuple[str, str]]:
    if stack.driver is not None:
        yield "driver", f"{stack.driver}  ({stack.driver.source})"
        yield from (("", each) for each in (_unknown_driver(stack), stack.driver.note) if each)


def _unknown_driver(stack: Stack) -> str:
    torch = stack.torch.rocm_release if stack.torch else ""
    wanted = torch or stack.rocm.release
    return unknown(stack.driver, wanted) if stack.driver and wanted else ""


def _torch(stack: Stack) -> Iterator[tuple[str, str]]:
    torch, observed = stack.torch, stack.observed
    if torch is None:
        yield "torch", "not installed"
        return
    parts = [str(torch).removeprefix("torch ")]
    parts += [
        f"{name} {value}" for name, value in (("HIP", torch.hip), ("CUDA", torch.cuda)) if value
    ]
    parts += ["debug build"] if torch.debug else []
    yield "torch", f"{', '.join(parts)}  ({torch.source})"
    if observed is None or observed.devices is None:
        why = (
            "use --smoke to ask torch"
            if observed is None
            else "unknown: torch did not answer, see below"
        )
        yield "", f"architectures and devices: not read ({why})"
        return
    architectures = " ".join(observed.architectures or ())
    yield "", f"has code for: {architectures or 'unknown (torch sees no GPU)'}"
    yield "", f"sees: {', '.join(observed.devices) or 'no GPU'}"


def _verdicts(stack: Stack) -> Iterator[str]:
    found = blocks(stack.verdicts)
    beside = stack.kept.pip_install().removeprefix("pip install")
    for block in found:
        yield from block.lines(beside)
    apart = {(each.package, each.on) for each in stack.verdicts if each.judgement == "conflict"}
    fits = [each for each in stack.verdicts if each.judgement == "fits"]
    fitting = [each for each in fits if (each.package, each.on) not in apart]
    rows = list(_fitting(fitting))
    if rows:
        yield tabulate(rows, ("compatible", "requires", "found", "evidence"), disable_numparse=True)
        yield ""
    if any(_PIP.search(each.action) for each in stack.verdicts):
        yield from pip_of(stack.environment)
    inside = f" ({len(rows)} of them between packages of the stack)" if rows else ""
    yield (
        f"{_numbers(found, 'conflict')}, {_numbers(found, 'note')}, "
        f"{_numbers(found, 'unknown')}, {len(fitting)} compatible{inside}{_unread(stack)}."
    )
    yield from not_answered(stack.unanswered)


def _numbers(found: Sequence[VerdictBlock], judgement: str) -> str:
    """Count the blocks that are printed, and what is in them where that is more."""
    of_kind = [each for each in found if each.judgement == judgement]
    requirements = sum(len(each.verdicts) for each in of_kind)
    inside = f" ({counted(requirements, 'requirement')})" if requirements > len(of_kind) else ""
    number = counted(of_kind, judgement) if judgement != "unknown" else f"{len(of_kind)} unknown"
    return number + inside


def _unread(stack: Stack) -> str:
    unreadable = stack.environment.unreadable
    return f"; {counted(unreadable, 'package')} could not be read" if unreadable else ""


def _fitting(verdicts: Iterable[Verdict]) -> Iterator[tuple[str, str, str, str]]:
    """Yield a row for each pair that fits; what is required besides the stack is in the JSON."""
    grades: dict[tuple[str, str, str], list[str]] = {}
    for each in verdicts:
        of_packages = is_of_stack(each.package) and (is_of_stack(each.on) or each.grade in _SEEN)
        if of_packages or each.grade == "documented":
            key = (package_of(each), each.requirement, each.found or "")
            grades.setdefault(key, []).append(each.grade)
    for key, found in sorted(grades.items(), key=lambda each: place_of(each[0][0].split(" ")[0])):
        yield (*key, ", ".join(dict.fromkeys(found)))
