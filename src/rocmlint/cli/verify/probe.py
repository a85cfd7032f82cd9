"""``rocmlint verify probe``: what a small operation runs."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import add_usual_arguments, finish, help_of, interpreter_of
from rocmlint.cli.verify.trace import add_index_arguments, index_of
from rocmlint.verify.trace.origin import LIBRARIES
from rocmlint.verify.trace.probe import BRANCHES, Operation, judge, probe

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

_DEFAULT = Operation("")
_TIMEOUT = 300
"""Seconds: a first call may compile kernels."""

HELP = help_of(
    "sdpa|linear|PKG.MOD:FUNC [--expect BRANCH|LIBRARY] [flags] [PATH ...]",
    "Run a small operation in a child process of --python, and report which attention "
    "branch, which operators and which libraries' kernels ran.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify probe``."""
    parser.add_argument(
        "operation",
        type=_operation,
        metavar="sdpa|linear|PKG.MOD:FUNC",
        help="torch's attention or linear on random tensors, or a function without "
        "arguments, which is imported and called once",
    )
    parser.add_argument(
        "--expect",
        choices=(*BRANCHES, *LIBRARIES),
        help="the attention branch or the library whose kernels should run (default: any "
        "branch but math)",
    )
    parser.add_argument(
        "--dtype", default=_DEFAULT.dtype, help=f"of sdpa and linear (default: {_DEFAULT.dtype})"
    )
    parser.add_argument(
        "--shape",
        type=_shape,
        default=_DEFAULT.shape,
        metavar="B,H,L,D",
        help="batch, heads, length and head dimension (default: "
        f"{','.join(map(str, _DEFAULT.shape))}); linear is B x L rows of H x D",
    )
    parser.add_argument(
        "--device",
        default=_DEFAULT.device,
        help="cuda, cuda:1 or cpu (default: a GPU if there is one)",
    )
    parser.add_argument(
        "--backend",
        action="append",
        choices=BRANCHES,
        help="allow only this attention branch; can be repeated",
    )
    add_index_arguments(parser)
    add_usual_arguments(parser, _TIMEOUT)


def _operation(text: str) -> str:
    module, colon, path = text.partition(":")
    names = [*module.split("."), *path.split(".")]
    if text not in {"sdpa", "linear"} and not (
        colon and all(each.isidentifier() for each in names)
    ):
        message = f"{text!r} is not sdpa, linear or a function such as package.module:function"
        raise ArgumentTypeError(message)
    return text


def _shape(text: str) -> tuple[int, ...]:
    try:
        shape = tuple(int(each) for each in text.split(","))
    except ValueError:
        shape = ()
    if len(shape) != 4 or min(shape) < 1:
        message = f"{text!r} is not a valid B,H,L,D, such as 1,4,128,64"
        raise ArgumentTypeError(message)
    return shape


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify probe``."""
    operation = Operation(
        flags.operation, flags.dtype, flags.shape, flags.device, tuple(flags.backend or ())
    )
    probed = probe(interpreter_of(flags), operation)
    return finish(judge(probed, lambda: index_of(flags), flags.expect), flags)
