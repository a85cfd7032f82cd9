"""``rocmlint stack compatible``: the newest libraries that fit a torch, and why no newer ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tabulate import tabulate

from rocmlint.cli.stack.chosen import HERE
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
from rocmlint.gpus.devices import find_devices
from rocmlint.published import rocm_wheels
from rocmlint.stack.advice.beside import Advice, Here, advice
from rocmlint.stack.advice.keeping import KeptBuilds, kept, kept_versions, takes_its_torch
from rocmlint.stack.compatible import LIBRARIES, Compatible, compatible
from rocmlint.stack.installed.distributions import Environment, minor_of, read_environment
from rocmlint.stack.installed.rocm import find_rocm
from rocmlint.stack.installed.torch_build import read_torch
from rocmlint.stack.versions import labelled_rocm, read_torch_version
from rocmlint.stack.wheels.install import COMPANIONS, Wanted
from rocmlint.stack.wheels.offered import indexes_of
from rocmlint.text.written import version_of

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator
    from types import SimpleNamespace

    from rocmlint.stack.installed.torch_build import TorchBuild

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
    add_constraints_arguments(parser)
    add_interpreter_arguments(parser)
    add_output_format(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint stack compatible``."""
    asked = _asked(flags)
    answer = compatible(
        asked.torch,
        flags.packages or LIBRARIES,
        python=asked.python,
        there=_there(asked.environment) if asked.environment else (),
        ask_uv=not flags.offline,
        timeout=flags.timeout,
    )
    write_asked(flags, asked.environment)
    keep, build = _kept(asked, answer.torch)
    keep = replace(keep, constraints=flags.constraints or "")
    here = Here(_machine(asked, keep, answer.python), build, asked.environment is not None)
    advised = advice(answer, keep, here)
    code = _exit_code(answer)
    if flags.output_format == "json":
        return print_document(
            "compatible",
            code,
            compatible=answer,
            rocm_wheels=rocm_wheels.rocm_for(answer.torch),
            advice=advised,
        )
    print_lines(_lines(answer, advised))
    if asked.environment is not None and advised.has_commands:
        print_lines(pip_of(asked.environment))
    return code


class _Asked(NamedTuple):
    """For which torch and Python, and the environment that has this torch; None for another."""

    torch: str
    python: str
    environment: Environment | None


def _asked(flags: SimpleNamespace) -> _Asked:
    """Return torch and Python, each as named or as installed. Raises RocmlintError."""
    if flags.torch is not None and flags.python_version is not None and flags.python is None:
        return _Asked(flags.torch, flags.python_version, None)
    environment = read_environment(interpreter_of(flags))
    python = flags.python_version or minor_of(environment.python)
    torch = read_torch(environment)
    if flags.torch is not None:
        is_it = torch is not None and _is_meant(flags.torch, torch.version)
        return _Asked(flags.torch, python, environment if is_it else None)
    if torch is None:
        message = f"{environment.executable} has no torch; name a version: --torch 2.10"
        raise RocmlintError(message)
    return _Asked(torch.version, python, environment)


def _there(environment: Environment) -> list[str]:
    """Return the packages that stay; a torchvision for another torch would be replaced by pip."""
    return [
        each.name
        for each in environment.distributions
        if each.name not in COMPANIONS or takes_its_torch(each, environment)
    ]


def _is_meant(asked: str, installed: str) -> bool:
    """Return whether an installed torch is the one that is named, or of its minor version."""
    wanted, there = read_torch_version(asked), version_of(installed)
    if there is None or wanted.local is not None:
        return wanted == there
    return there.release[: len(wanted.release)] == wanted.release and wanted.pre == there.pre


def _kept(asked: _Asked, chosen: str) -> tuple[KeptBuilds, TorchBuild | None]:
    """Return the torch that commands leave alone: as installed, as named, or of any build."""
    if asked.environment is not None:
        found = kept(asked.environment)
        if found.torch.partition("+")[0] == chosen:
            return found, read_torch(asked.environment)
    named = read_torch_version(asked.torch)
    return kept_versions([("torch", str(named) if named.public == chosen else chosen)]), None


def _machine(asked: _Asked, keep: KeptBuilds, python: str) -> Wanted:
    """Return what ``install-command`` would find here; a ROCm only where torch's is not known."""
    is_known = asked.environment is None or labelled_rocm(keep.torch)
    rocm = "" if is_known else find_rocm(environment=asked.environment).version
    gpus = find_devices().architectures
    return Wanted(rocm, gpus=gpus, every=False, system=HERE, python=python)


def _exit_code(answer: Compatible) -> int:
    answers = {each.answer for each in answer.libraries}
    if "none fits" in answers or not answer.together:
        return 1
    return 3 if "unknown" in answers else 0


def _lines(answer: Compatible, advised: Advice) -> Iterator[str]:
    by = "as resolved by uv" if answer.source == "uv" else "from the metadata in rocmlint"
    yield (
        f"The newest releases compatible with torch {answer.torch} on Python {answer.python}, "
        f"{by} ({answer.as_of}):"
    )
    yield ""
    rows = [
        (
            each.package,
            each.version or each.answer.removesuffix(" fits"),
            each.following or "",
            each.reason,
        )
        for each in answer.libraries
    ]
    yield tabulate(rows, ("library", "newest", "newer", "why not newer"), disable_numparse=True)
    yield ""
    if not answer.together:
        yield (
            "Each is compatible with torch, but they are not compatible with each other: change "
            "what is asked of one of them."
        )
    open_ones = [each for each in answer.libraries if each.answer == "unknown"]
    yield from not_answered(each.reason or each.package for each in open_ones)
    yield from answer.notes
    indexes = indexes_of(answer.torch)
    if indexes:
        yield f"{indexes}."
    yield from _typed(advised)


def _typed(advised: Advice) -> Iterator[str]:
    """Yield what to type: what is safe in one command, and each of the rest with the reason."""
    yield from advised.notes
    if advised.command:
        yield advised.command
    for each in advised.apart:
        yield f"{each.pin}: {each.why}"
        yield from (f"  {way}" for way in each.ways)
        yield from (f"  {place}" for place in each.places)
        if each.command:
            yield f"  do: {each.command}"
