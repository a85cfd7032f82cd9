"""``rocmlint stack freeze``: writes the stack down, for ``rocmlint stack survived``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.stack.common import (
    Help,
    add_interpreter_arguments,
    add_output_format,
    interpreter_of,
    not_answered,
    print_document,
    print_lines,
)
from rocmlint.stack.recorded.state import DEFAULT_PATH, State, freeze, write_state
from rocmlint.text.words import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator
    from types import SimpleNamespace

HELP = Help(
    "[FILE] [--python PYTHON]",
    "Record torch's build and all installed packages, to compare with after an install.",
    "exit codes: 0 written, 3 written, but torch is not installed, 2 cannot be written",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint stack freeze``."""
    parser.add_argument(
        "file", nargs="?", default=DEFAULT_PATH, metavar="FILE", help=f"(default: {DEFAULT_PATH})"
    )
    parser.add_argument("--force", action="store_true", help="overwrite a file with other content")
    add_interpreter_arguments(parser)
    add_output_format(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint stack freeze``."""
    state = freeze(interpreter_of(flags))
    write_state(state, flags.file, force=flags.force)
    code = 0 if state.torch else 3
    if flags.output_format == "json":
        return print_document("freeze", code, file=flags.file, state=state)
    print_lines(_text(state, flags.file))
    return code


def _text(state: State, path: str) -> Iterator[str]:
    packages = counted(state.distributions, "package")
    yield f"Wrote {path}: {state.torch or 'no torch'}; {packages}."
    if state.torch is None:
        yield (
            f"torch is not installed in {state.executable}: use --python to name another "
            "interpreter."
        )
    elif state.torch.kind != "HIP":
        yield "This torch is not a ROCm build; it was recorded anyway."
    yield f"After an install: rocmlint stack survived {path}"
    yield from not_answered(() if state.torch else ("which torch to compare with",))
