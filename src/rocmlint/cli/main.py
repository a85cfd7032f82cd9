"""The entry point: chooses the verb, and turns whatever happens into an exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from rocmlint.errors import RocmlintError

VERBS = {
    "check": "find what goes wrong on ROCm (the default)",
    "rule": "explain a rule",
    "config": "list the options of the configuration",
    "completion": "print the completion for a shell",
}
"""Each is a module beside this one with a function ``main``."""

WRONG = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


def main(arguments: list[str] | None = None) -> int:
    """Run the command and give its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    verb, *rest = arguments if arguments and arguments[0] in VERBS else ["check", *arguments]
    # Code may hold characters that the terminal cannot show; that is no reason to stop.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(verb, rest)
        sys.stdout.flush()
    except RocmlintError as error:
        return _failed(f"error: {error}")
    except KeyboardInterrupt:
        _failed("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # What is still in the buffer would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:
        if "--verbose" in rest:
            raise
        return _failed(
            f"internal error, please report it: {type(error).__name__}: {error} "
            "(--verbose shows where)"
        )
    return code


def _run(verb: str, arguments: list[str]) -> int:
    try:
        return int(import_module(f"rocmlint.cli.{verb}").main(arguments))
    except SystemExit as leaving:  # argparse after --help and --version
        return int(leaving.code or 0)


def _failed(message: str) -> int:
    print(message, file=sys.stderr)
    return WRONG
