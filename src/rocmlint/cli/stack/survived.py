"""``rocmlint stack survived``: whether torch is still the build that was written down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.stack.common import (
    Help,
    add_interpreter_arguments,
    add_output_format,
    interpreter_of,
    managed,
    not_answered,
    print_document,
    print_lines,
)
from rocmlint.cli.stack.constraints import add_constraints_arguments, write_asked, write_lines
from rocmlint.errors import ConfigError
from rocmlint.stack.installed.distributions import read_environment
from rocmlint.stack.recorded.state import DEFAULT_PATH, constraints_of_state, read_state
from rocmlint.stack.survival import ChangedPackage, Survival, survived
from rocmlint.text.words import counted, few

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Sequence
    from types import SimpleNamespace

HELP = Help(
    "[FILE] [--python PYTHON]",
    "After an install, check whether torch is still the ROCm build that rocmlint stack freeze "
    "recorded.",
    "exit codes: 0 it is, 1 it is not, 3 something could not be compared, 2 usage error",
)
_SHOWN = 8


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint stack survived``."""
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help=f"written by rocmlint stack freeze (default: {DEFAULT_PATH})",
    )
    add_constraints_arguments(parser)
    add_interpreter_arguments(parser)
    add_output_format(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint stack survived``."""
    path = flags.file or DEFAULT_PATH
    frozen = read_state(path)
    if frozen is None and flags.file:
        message = f"{path}: no such file; create it with rocmlint stack freeze {path}"
        raise ConfigError(message)
    environment = read_environment(interpreter_of(flags))
    if frozen is not None and frozen.torch is not None:
        of = f"{frozen.executable}, recorded {frozen.made}"
        write_lines(flags, constraints_of_state(frozen), of)
    else:
        write_asked(flags, environment)
    answer = survived(environment, frozen, constraints=flags.constraints or "")
    if flags.output_format == "json":
        return print_document(
            "survived",
            answer.exit_code,
            file=path if frozen else None,
            made=frozen.made if frozen else None,
            before=frozen.torch if frozen else None,
            torch=answer.torch,
            damage=answer.damage,
            unread=answer.unread,
            suspects=answer.suspects,
            commands=answer.commands,
            contradictions=answer.contradictions,
            others=answer.others,
            elsewhere=answer.elsewhere or None,
        )
    print_lines(_text(answer, path, flags.constraints))
    if answer.commands:
        print_lines(managed(environment))
    return answer.exit_code


def _text(answer: Survival, path: str, constraints: str | None) -> Iterator[str]:
    frozen = answer.frozen
    if frozen is not None and frozen.torch is not None:
        yield f"then  {frozen.torch}  ({path}, {frozen.made})"
    yield f"now   {answer.torch or 'torch is not installed'}"
    if answer.elsewhere:
        yield f"note: {path} was recorded for {answer.elsewhere}; if that is a different"
        yield "environment, the differences below are between the two environments"
    yield ""
    yield _verdict(answer)
    yield from (f"  {each}" for each in answer.damage + answer.unread)
    yield from _part("cause", answer.suspects)
    yield from _part("roll back", answer.commands)
    if answer.contradictions:
        yield ""
        yield "conflicts after the rollback (pip check):"
        for each in answer.contradictions:
            yield f"  {each.package}: {each.why}"
            yield f"    do: {each.command}"
    if answer.commands and not constraints and frozen is not None and frozen.torch is not None:
        yield ""
        yield "To keep this build, pin it with rocmlint stack survived --constraints"
        yield "constraints.txt and install with -c constraints.txt."
    if answer.others:
        changed = few([_change(each) for each in answer.others], _SHOWN)
        yield ""
        yield f"{counted(answer.others, 'other package')} changed: {changed}"
    yield from not_answered(() if answer.damage else answer.unread)


def _verdict(answer: Survival) -> str:
    is_rocm = answer.torch is not None and answer.torch.kind == "HIP"
    if answer.damage and answer.frozen and answer.keeps_torch:
        there = "torch is the recorded build" if answer.torch else "torch is not installed"
        return f"{there}, but packages that belong to it or to ROCm have changed:"
    if answer.damage and answer.elsewhere:
        return "torch is not the recorded build:"
    if answer.damage:
        return "torch did not survive:" if answer.frozen else "there is no ROCm build of torch:"
    if answer.unread:
        known = "torch is a ROCm build. " if is_rocm else ""
        return f"{known}Whether it is the recorded build is unknown:"
    if is_rocm:
        return "torch survived: it is the recorded ROCm build."
    return "torch is the recorded build, which is not a ROCm build."


def _part(name: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield f"{name}:"
        yield from (f"  {each}" for each in lines)


def _change(changed: ChangedPackage) -> str:
    return f"{changed.name} {changed.before or 'new'} -> {changed.now or 'gone'}"
