"""``rocmlint stack compatible``: the newest libraries that fit a torch, and why no newer ones."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tabulate import tabulate

from rocmlint.cli.stack.common import (
    Help,
    add_format_argument,
    add_interpreter_arguments,
    interpreter_of,
    print_document,
    print_lines,
)
from rocmlint.errors import RocmlintError
from rocmlint.published import rocm_wheels
from rocmlint.stack.compatible import LIBRARIES, Compatible, compatible
from rocmlint.stack.installed import TORCH_FAMILY, minor_of, read_environment
from rocmlint.stack.remedy import rocm_build
from rocmlint.stack.torch_build import read_torch

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator
    from types import SimpleNamespace

HELP = Help(
    "[--torch VERSION] [flags] [PACKAGE ...]",
    "Find the newest releases of libraries that are compatible with a torch version and "
    "with each other, and explain why newer releases are not. uv resolves the versions if "
    "it is installed and has network access; otherwise the metadata that ships with "
    "rocmlint is used. The output names the source and its date.",
    "exit codes: 0 every library has a compatible release, 1 a library has none, or the "
    "libraries are not compatible with each other, 3 a library is unknown, 2 usage error "
    "or other error",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint stack compatible``."""
    parser.add_argument(
        "packages",
        nargs="*",
        metavar="PACKAGE",
        help=f"requirements, as for pip (default: {' '.join(LIBRARIES)})",
    )
    parser.add_argument(
        "--torch", metavar="VERSION", help="such as 2.4.1, or 2.4 (default: the installed version)"
    )
    parser.add_argument(
        "--python-version",
        metavar="VERSION",
        help="such as 3.11 (default: the version of --python)",
    )
    parser.add_argument(
        "--offline",
        action="store_true",
        help="use the metadata that ships with rocmlint instead of uv",
    )
    add_interpreter_arguments(parser)
    add_format_argument(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint stack compatible``."""
    torch, python = _asked(flags)
    answer = compatible(
        torch,
        flags.packages or LIBRARIES,
        python=python,
        ask_uv=not flags.offline,
        timeout=flags.timeout,
    )
    code = _exit_code(answer)
    if flags.output_format == "json":
        wheels = rocm_wheels.rocm_for(answer.torch)
        return print_document("compatible", code, compatible=answer, rocm_wheels=wheels)
    print_lines(_lines(answer))
    return code


def _asked(flags: SimpleNamespace) -> tuple[str, str]:
    """Return torch and Python, each as named or as installed. Raises RocmlintError."""
    if flags.torch is not None and flags.python_version is not None:
        return flags.torch, flags.python_version
    environment = read_environment(interpreter_of(flags))
    python = flags.python_version or minor_of(environment.python)
    if flags.torch is not None:
        return flags.torch, python
    torch = read_torch(environment)
    if torch is None:
        message = f"{environment.executable} has no torch; name a version: --torch 2.4.1"
        raise RocmlintError(message)
    return torch.version, python


def _exit_code(answer: Compatible) -> int:
    answers = {each.answer for each in answer.libraries}
    if "none fits" in answers or not answer.together:
        return 1
    return 3 if "unknown" in answers else 0


def _lines(answer: Compatible) -> Iterator[str]:
    by = "as resolved by uv" if answer.source == "uv" else "from the metadata in rocmlint"
    yield (
        f"The newest releases compatible with torch {answer.torch} on Python {answer.python}, "
        f"{by} ({answer.as_of}):"
    )
    yield ""
    rows = [
        (each.package, each.version or each.answer, each.following or "", each.reason)
        for each in answer.libraries
    ]
    yield tabulate(rows, ("library", "newest", "next", "why nothing newer"), disable_numparse=True)
    yield ""
    if not answer.together:
        yield (
            "Each is compatible with torch, but not with the others: use the newest "
            "release of only one of them."
        )
    yield from answer.notes
    row = rocm_wheels.row(answer.torch)
    if row is not None:
        seen = "" if row.status == "release" else f" (of its {row.status} builds, {row.date})"
        yield f"torch {row.torch} has wheels for ROCm {' and '.join(row.rocm)}{seen}."
    if answer.together:
        yield from _installs(answer)


def _installs(answer: Compatible) -> Iterator[str]:
    """Yield what to type: PyPI has torch's family, and some that pin it, for CUDA only."""
    pins = []
    for each in answer.libraries:
        if not each.version:
            continue
        name, _, extras = each.package.partition("[")
        others = [word for word in extras.rstrip("]").split(",") if word not in {"", "torch"}]
        if name in rocm_wheels.BUILT_FOR_CUDA:
            yield rocm_build(f"{name}=={each.version}")
        elif name in TORCH_FAMILY:
            yield f"{name}: rocmlint stack install-command prints the command for its ROCm build"
        else:
            chosen = f"[{','.join(others)}]" if others else ""
            pins.append(f"{name}{chosen}=={each.version}")
    if pins:
        yield f"pip install {shlex.join(pins)}"
