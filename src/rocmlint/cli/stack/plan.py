"""``rocmlint stack plan``: prints what a move to another ROCm takes, and does none of it."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from tabulate import tabulate

from rocmlint.cli.stack.chosen import HERE, add_gpu_argument, add_index_argument
from rocmlint.cli.stack.common import (
    Help,
    add_interpreter_arguments,
    add_output_format,
    interpreter_of,
    lines,
    managed,
    print_document,
    print_lines,
)
from rocmlint.errors import RocmlintError
from rocmlint.gpus.devices import find_devices
from rocmlint.stack.installed.distributions import minor_of, read_environment
from rocmlint.stack.migration import plan
from rocmlint.stack.upgrade.project_files import read_project
from rocmlint.stack.wheels.install import COMPANIONS, NoWheelsError, Wanted
from rocmlint.stack.wheels.wheel_sources import choose, index, index_at

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Sequence
    from types import SimpleNamespace

    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.stack.installed.distributions import Environment
    from rocmlint.stack.migration import Plan
    from rocmlint.stack.upgrade.pins import Obstacle
    from rocmlint.stack.wheels.install import Wheels

HELP = Help(
    "--to ROCM [--torch VERSION] [--python PYTHON] [PATH ...]",
    "Plan the upgrade (or downgrade) of an environment to another ROCm version: which "
    "packages to remove, install and rebuild, what in the project's files blocks it, and "
    "how to roll back. Nothing is changed; the installed packages are recorded in a file "
    "first.",
    "exit codes: 0 a plan without blockers, 1 something blocks it, 2 there are no such "
    "wheels, usage error or other error",
)
_STANDS_AGAINST = 1


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint stack plan``."""
    interpreter = interpreter_of(flags)
    wheels = _wheels(flags, interpreter)
    pins, unread = read_project(flags.paths or ["."])
    freeze = None if flags.no_freeze else flags.freeze or f"stack-before-rocm{wheels.rocm}.txt"
    made = plan(
        flags.to,
        torch=flags.torch,
        pins=pins,
        freeze=freeze,
        interpreter=interpreter,
        wheels=wheels,
    )
    notes = managed(read_environment(interpreter)) if made.commands else ()
    made = replace(made, obstacles=(*unread, *made.obstacles), notes=(*made.notes, *notes))
    code = _STANDS_AGAINST if made.obstacles else 0
    if flags.output_format == "json":
        return print_document("plan", code, plan=made)
    print_lines(_plan_lines(made))
    return code


def _wheels(flags: SimpleNamespace, interpreter: Interpreter) -> Wheels:
    """Return the wheels to move to, as ``install-command`` chooses them for the same machine.

    Raises NoWheelsError with this verb's flag.
    """
    environment = read_environment(interpreter)
    wanted = Wanted(
        flags.to,
        torch=flags.torch,
        companions=tuple(each for each in COMPANIONS if environment.get(each)),
        gpus=tuple(flags.gpu or find_devices().architectures),
        every=bool(flags.gpu),
        system=HERE,
        python=minor_of(environment.python),
    )
    if flags.index_url:
        return index_at(flags.index_url, wanted)
    try:
        return _as_installed(wanted, environment) or _chosen(wanted)
    except NoWheelsError as error:
        message = str(error).replace("--rocm ", "--to ")
        raise NoWheelsError(message) from None


def _as_installed(wanted: Wanted, environment: Environment) -> Wheels | None:
    """Return the wheels of the release that is installed; None if it has none or one is named.

    It stays where the same source has it that has the newest.
    """
    installed = environment.get("torch")
    if wanted.torch or installed is None or installed.parsed is None:
        return None
    with suppress(RocmlintError):  # it has no wheels there, or is a build of one's own
        found = _chosen(replace(wanted, torch=installed.parsed.public))
        if found.source == "pytorch" or found.source == _chosen(wanted).source:
            return found
    return None


def _chosen(wanted: Wanted) -> Wheels:
    """Return PyTorch's wheels or AMD's. Raises NoWheelsError.

    That PyTorch has none of a companion, or for this Python, is a blocker of the plan.
    """
    try:
        source, why = choose(wanted)
    except NoWheelsError:
        with suppress(NoWheelsError):
            if choose(replace(wanted, python=""))[0] == "pytorch":
                return index(replace(wanted, companions=(), python=""), "pytorch")
        raise
    found = index(replace(wanted, companions=()), source)
    return replace(found, notes=(*why, *found.notes))


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint stack plan``."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and directories of the project (default: .)"
    )
    parser.add_argument("--to", required=True, metavar="ROCM", help="such as 7.1")
    parser.add_argument(
        "--torch",
        metavar="VERSION",
        help="such as 2.11 (default: the installed version, or else the newest for this ROCm)",
    )
    add_gpu_argument(parser)
    add_index_argument(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--freeze",
        metavar="FILE",
        help="where to record the installed packages; existing files are kept (default: "
        "stack-before-rocmVERSION.txt)",
    )
    where.add_argument(
        "--no-freeze", action="store_true", help="do not record the installed packages"
    )
    add_interpreter_arguments(parser)
    add_output_format(parser)


def _plan_lines(made: Plan) -> Iterator[str]:
    yield f"{made.python}: from {made.before}"
    yield f"to torch {made.torch} for ROCm {made.rocm} ({made.index_url})"
    if made.freeze:
        yield f"the installed packages are recorded in {os.path.relpath(made.freeze)}"
    yield from (f"note: {each}" for each in made.notes)
    yield ""
    if made.changes:
        rows = [
            (each.action, each.package, _versions(each.before, each.after), each.why)
            for each in made.changes
        ]
        yield lines(
            tabulate(
                rows,
                ("change", "package", "version", "why"),
                tablefmt="plain",
                disable_numparse=True,
            )
        )
    else:
        yield "nothing to change"
    if made.obstacles:
        yield "\nblockers:"
        for each in made.obstacles:
            yield from _obstacle_lines(each)
    yield from _block("commands, in this order:", made.commands)
    yield from _block("check the result:", made.proofs if made.commands else ())
    yield from _block("roll back:", made.rollback)


def _versions(before: str, after: str) -> str:
    return " -> ".join(each for each in (before, after) if each) if before != after else before


def _obstacle_lines(obstacle: Obstacle) -> Iterator[str]:
    yield f"  {obstacle.where}: {obstacle.what}" if obstacle.what else f"  {obstacle.where}"
    yield f"    why: {obstacle.why}"
    yield f"    do: {obstacle.do}"


def _block(title: str, words: Sequence[str]) -> Iterator[str]:
    if words:
        yield f"\n{title}"
        yield from (f"  {each}" for each in words)
