"""For which ROCm a verb of stack works: the one that is named, else the one that is found."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rocmlint.errors import RocmlintError
from rocmlint.interpreter.ask import Interpreter
from rocmlint.stack.installed import read_environment
from rocmlint.stack.rocm import find_rocm
from rocmlint.stack.torch_build import read_torch
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable
    from types import SimpleNamespace


def add_rocm_arguments(parser: ArgumentParser) -> None:
    """Add which ROCm, and whether its nightly builds are meant."""
    parser.add_argument(
        "--rocm", metavar="VERSION", help="such as 7.1 (default: the installed ROCm)"
    )
    parser.add_argument("--nightly", action="store_true", help="nightly builds instead of releases")


def rocm_of(flags: SimpleNamespace) -> tuple[str, tuple[str, ...]]:
    """Return the version of ROCm, and what to tell of where it was read. Raises RocmlintError."""
    if flags.rocm is not None:
        return flags.rocm, ()
    asked = Interpreter(getattr(flags, "python", None) or sys.executable)
    environment = read_environment(asked)
    rocm = find_rocm(environment=environment)
    if rocm.chosen is None:
        said = "".join(f"; {each.source} {each.problem}" for each in rocm.problems)
        torch = read_torch(environment)
        built = torch.rocm_release if torch else ""
        said += f"; torch {torch.version} was built for ROCm {built}" if torch and built else ""
        message = f"no ROCm was found{said}; name the version: --rocm {built or '7.1'}"
        raise RocmlintError(message)
    others = [f"{each.source} reports {each.version}" for each in rocm.others]
    found = f"ROCm {rocm.version} was read from {rocm.chosen.source}"
    return rocm.version, (found, *others)


def tell(notes: Iterable[str]) -> None:
    """Print notes beside the answer, so that a program that takes the answer sees none of them."""
    for each in notes:
        print(visible(f"note: {each}"), file=sys.stderr)
