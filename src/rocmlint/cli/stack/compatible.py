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
    "Find the newest releases of libraries that fit a torch, and each other, and say why the next "
    "ones do not. uv's resolver answers where uv is installed and has a network, else the metadata "
    "of releases that rocmlint brings; the answer says which, and of what day.",
    "exit codes: 0 every library has a release that fits, 1 one has none, or they do not fit each "
    "other, 3 one is not known, 2 wrong usage or an error",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint stack compatible``."""
    parser.add_argument(
        "packages",
        nargs="*",
        metavar="PACKAGE",
        help=f"as pip takes them (default: {' '.join(LIBRARIES)})",
    )
    parser.add_argument(
        "--torch", metavar="VERSION", help="such as 2.4.1, or 2.4 (default: the installed one)"
    )
    parser.add_argument(
        "--python-version", metavar="VERSION", help="such as 3.11 (default: that of --python)"
    )
    parser.add_argument(
        "--offline", action="store_true", help="answer from what rocmlint brings, without uv"
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
    """Give torch and Python, each as named or as installed. Raises RocmlintError."""
    if flags.torch is not None and flags.python_version is not None:
        return flags.torch, flags.python_version
    environment = read_environment(interpreter_of(flags))
    python = flags.python_version or minor_of(environment.python)
    if flags.torch is not None:
        return flags.torch, python
    torch = read_torch(environment)
    if torch is None:
        message = f"{environment.executable} has no torch; say for which to answer: --torch 2.4.1"
        raise RocmlintError(message)
    return torch.version, python


def _exit_code(answer: Compatible) -> int:
    answers = {each.answer for each in answer.libraries}
    if "none fits" in answers or not answer.together:
        return 1
    return 3 if "unknown" in answers else 0


def _lines(answer: Compatible) -> Iterator[str]:
    by = "as uv resolves them" if answer.source == "uv" else "by the metadata that rocmlint brings"
    yield (
        f"The newest releases that fit torch {answer.torch} on Python {answer.python}, {by} "
        f"({answer.as_of}):"
    )
    yield ""
    rows = [
        (each.package, each.version or each.answer, each.following or "", each.reason)
        for each in answer.libraries
    ]
    yield tabulate(rows, ("library", "newest", "next", "why not the next"), disable_numparse=True)
    yield ""
    if not answer.together:
        yield "Each fits torch, but they do not fit each other: take the newest of one of them."
    yield from answer.notes
    row = rocm_wheels.row(answer.torch)
    if row is not None:
        seen = "" if row.status == "release" else f" (of its {row.status} builds, {row.date})"
        yield f"torch {row.torch} has wheels for ROCm {' and '.join(row.rocm)}{seen}."
    if answer.together:
        yield from _installs(answer)


def _installs(answer: Compatible) -> Iterator[str]:
    """Tell what to type: PyPI has torch's family, and some that pin it, for CUDA only."""
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
