"""``rocmlint stack show``: which ROCm, torch and libraries are here, and whether they fit."""

from __future__ import annotations

import sys
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from rocmlint.cli.stack.common import (
    Help,
    add_format_argument,
    add_interpreter_arguments,
    interpreter_of,
    print_document,
    print_lines,
)
from rocmlint.cli.stack.constraints import add_constraints_arguments, write_asked
from rocmlint.stack.installed import PACKAGES
from rocmlint.stack.show import Stack, read_stack
from rocmlint.stack.verdicts import ORDER
from rocmlint.text.words import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Iterator, Sequence
    from types import SimpleNamespace

    from rocmlint.stack.verdicts import Verdict

HELP = Help(
    "[--smoke] [--python PYTHON]",
    "Show ROCm, the GPUs, torch and the libraries around it, and whether they are compatible.",
    "exit codes: 0 compatible, 1 a conflict, 3 something is unknown, 2 usage error",
)
_PIP = "pip install "


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint stack show``."""
    parser.add_argument(
        "--smoke", action="store_true", help="also import each package, in a child process"
    )
    add_constraints_arguments(parser)
    add_interpreter_arguments(parser)
    add_format_argument(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint stack show``."""
    path = flags.constraints or ""
    stack = read_stack(interpreter_of(flags), smoke=flags.smoke, constraints=path)
    write_asked(flags, stack.environment)
    if flags.output_format == "json":
        return print_document("show", stack.exit_code, **_document(stack))
    print_lines(_text(stack))
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
            "architectures": observed.architectures if observed else None,
            "devices": observed.devices if observed else None,
        },
        "packages": {each.name: each.version for each in environment.packages},
        "unreadable": environment.unreadable,
        "verdicts": stack.verdicts,
    }


def _text(stack: Stack) -> Iterator[str]:
    head = [
        ("Python", f"{stack.environment.python}  {stack.environment.executable}"),
        *_rocm(stack),
    ]
    head += [*_devices(stack), *_torch(stack)]
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
    told = " ".join(observed.architectures or ())
    yield "", f"has code for: {told or 'unknown (torch sees no GPU)'}"
    yield "", f"sees: {', '.join(observed.devices) or 'no GPU'}"


def _verdicts(stack: Stack) -> Iterator[str]:
    standing = [each for each in stack.verdicts if each.judgement != "fits"]
    missing = [each for each in standing if _is_missing(each)]
    others = [each for each in standing if not _is_missing(each)]
    yield from _pairs([each for each in others if each.judgement == "conflict"])
    beside = stack.kept.pip_install().removeprefix("pip install")
    for package in dict.fromkeys(_package(each) for each in missing):
        its = [each for each in missing if _package(each) == package]
        yield from _lacking(package, its, beside)
    yield from _pairs([each for each in others if each.judgement != "conflict"])
    fitting = [each for each in stack.verdicts if each.judgement == "fits"]
    rows = list(_fitting(fitting))
    if rows:
        yield tabulate(rows, ("fits", "needs", "found", "by"), disable_numparse=True)
        yield ""
    python = stack.environment.executable
    if python != sys.executable and any(_PIP in each.action for each in standing):
        how = (
            f"{python} -m pip" if stack.environment.get("pip") else f"uv pip with --python {python}"
        )
        yield f"pip means the pip of this interpreter: {how}"
    numbers = {each: _count(stack.verdicts, each) for each in ORDER}
    yield (
        f"{counted(numbers['conflict'], 'conflict')}, {counted(numbers['note'], 'note')}, "
        f"{numbers['unknown']} unknown, {numbers['fits']} fit"
        f" ({len(rows)} of them between packages of the stack){_unread(stack)}."
    )


def _unread(stack: Stack) -> str:
    unreadable = stack.environment.unreadable
    return f"; {counted(unreadable, 'package')} could not be read" if unreadable else ""


def _pairs(verdicts: Sequence[Verdict]) -> Iterator[str]:
    pairs = dict.fromkeys((each.judgement, each.package, each.on) for each in verdicts)
    for pair in pairs:
        yield from _in_full([e for e in verdicts if (e.judgement, e.package, e.on) == pair])


def _is_missing(verdict: Verdict) -> bool:
    return verdict.judgement == "conflict" and verdict.grade == "declared" and not verdict.found


def _lacking(package: str, verdicts: Sequence[Verdict], beside: str) -> Iterator[str]:
    """Yield in one piece what a package requires and nobody installed.

    ``beside`` is how a command ends that leaves torch alone.
    """
    yield f"conflict: {package} and a missing package"
    yield f"  {'declared:':<12}it requires {', '.join(each.requirement for each in verdicts)}"
    simple = [_installed_by(each.action, beside) for each in verdicts]
    together = " ".join(filter(None, simple))
    actions = [f"{_PIP}{together}{beside}"] if together else []
    actions += [each.action for each, one in zip(verdicts, simple, strict=True) if not one]
    yield from (f"  {'do:':<12}{action}" for action in dict.fromkeys(actions))
    yield ""


def _installed_by(action: str, beside: str) -> str:
    """Return the one package that an action installs; empty where more is to be said of it."""
    if not action.startswith(_PIP) or not action.endswith(beside):
        return ""
    package = action.removeprefix(_PIP).removesuffix(beside)
    return "" if " " in package else package


def _fitting(verdicts: Iterable[Verdict]) -> Iterator[tuple[str, str, str, str]]:
    """Yield a row for each pair that fits; what is required besides the stack is in the JSON."""
    grades: dict[tuple[str, str, str], list[str]] = {}
    for each in verdicts:
        if each.package in PACKAGES and (
            each.on in PACKAGES or each.grade in {"built", "observed"}
        ):
            key = (_package(each), each.requirement, each.found or "")
            grades.setdefault(key, []).append(each.grade)
    for key, found in sorted(grades.items(), key=lambda each: _place(each[0][0])):
        yield (*key, ", ".join(dict.fromkeys(found)))


def _place(package: str) -> int:
    return PACKAGES.index(package.partition(" ")[0])


def _count(verdicts: Iterable[Verdict], judgement: str) -> int:
    return sum(each.judgement == judgement for each in verdicts)


def _package(verdict: Verdict) -> str:
    return f"{verdict.package} {verdict.version}".rstrip()


def _in_full(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield all that is known of one pair: who says so, why, and once each what to do."""
    first = verdicts[0]
    other = f" and {first.on} {first.found or ''}".rstrip() if first.on else ""
    yield f"{first.judgement}: {_package(first)}{other}"
    for each in verdicts:
        yield f"  {each.grade + ':':<12}{each.reason}"
    for action in dict.fromkeys(each.action for each in verdicts if each.action):
        yield f"  {'do:':<12}{action}"
    yield ""
