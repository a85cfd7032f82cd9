"""The entry point: chooses the verb, and turns whatever happens into an exit code."""

from __future__ import annotations

import gc
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
    if arguments is not None:
        return _main(arguments)
    # What a run makes lives until its end. To look again and again for what could be freed costs
    # a tenth of a start, and so does looking once more when Python ends.
    gc.set_threshold(100_000, 50, 50)
    try:
        return _main(sys.argv[1:])
    finally:
        gc.freeze()


def _main(arguments: list[str]) -> int:
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
    except OSError as error:
        # What is still in the buffer would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return BROKEN_PIPE if isinstance(error, BrokenPipeError) else _failed(f"error: {error}")
    except Exception as error:  # noqa: BLE001 - the last place to tell what happened
        import traceback  # noqa: PLC0415

        traceback.print_exc()
        return _failed(f"internal error, please report it: {type(error).__name__}: {error}")
    return code


def _run(verb: str, arguments: list[str]) -> int:
    try:
        return int(import_module(f"rocmlint.cli.{verb}").main(arguments))
    except SystemExit as leaving:  # argparse after --help and --version
        return int(leaving.code or 0)


def _failed(message: str) -> int:
    print(message, file=sys.stderr)
    return WRONG
