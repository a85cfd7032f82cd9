"""The entry point: chooses the verb, and turns whatever happens into an exit code."""

from __future__ import annotations

import errno
import gc
import os
import sys
from contextlib import suppress
from importlib import import_module

from rocmlint.errors import RocmlintError

VERBS = {
    "check": "lint code that runs on ROCm (the default)",
    "doctor": "check this machine, the environment and the project on one page",
    "why": "explain an error message, a traceback or a log",
    "diff": "report only the findings that a branch adds",
    "verify": "prove which files, code and kernels a job really runs",
    "stack": "report which ROCm, PyTorch and library versions are compatible",
    "export": "check the code of models that are exported with torch.export",
    "rule": "explain a rule, or search the rules",
    "config": "list the configuration options, or explain one",
    "server": "run the language server, for editors",
    "completion": "print a shell completion script",
    "clean": "remove caches",
    "version": "print the version",
    "help": "print this message, or the help of a verb (help check)",
}
"""Each is a module or package next to this one, with a function ``main``."""

HABITS = {"explain": "rule CODE", "lint": "check", "fix": "check --fix"}
"""Names that other tools have for a verb, and its name here."""
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
        code = _main(sys.argv[1:])
    finally:
        gc.freeze()
    if code == INTERRUPTED:
        # At its end Python may meet a pool of processes that is half gone, and would tell of it.
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(code)
    return code


def _main(arguments: list[str]) -> int:
    _prepare_streams()
    try:
        code = _run(*_verb_of(arguments))
        sys.stdout.flush()
    except RocmlintError as error:
        return _failed(f"error: {error}")
    except KeyboardInterrupt:
        return _interrupted()
    except OSError as error:
        # What is still in the buffer would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return BROKEN_PIPE if _is_broken_pipe(error) else _failed(f"error: {error}")
    except Exception as error:  # noqa: BLE001 - the last place to tell what happened
        # Before 3.12 Python wraps whatever happens while it makes a class.
        if isinstance(error.__cause__, KeyboardInterrupt):
            return _interrupted()
        import traceback  # noqa: PLC0415

        _failed(traceback.format_exc().rstrip())
        return _failed(f"internal error, please report it: {type(error).__name__}: {error}")
    return code


def _verb_of(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the verb and what follows it. Raises RocmlintError for a word that is neither path."""
    first = arguments[0] if arguments else ""
    if first in VERBS:
        return first, arguments[1:]
    if first in {"-h", "--help"}:
        return "help", []
    # What has a dot or a slash is meant as a path: linting the others says that it is missing.
    is_word = first[:1].isalnum() and first.replace("-", "").replace("_", "").isalnum()
    if is_word and not os.path.lexists(first):
        _refuse_unknown(first)
    return "check", arguments


def _refuse_unknown(word: str) -> None:
    """Raise RocmlintError for a word that is neither a verb nor a path, unless files have it."""
    from rocmlint.lint.discovery.discover import is_linted  # noqa: PLC0415 - only mistakes pay for it

    if not is_linted(word):  # such as Dockerfile
        message = f"no such verb or path {word!r}{_meant(word)}"
        raise RocmlintError(message)


def _meant(word: str) -> str:
    """Return the end of a message: the command that was meant, if one is near."""
    from rocmlint.config.option import did_you_mean  # noqa: PLC0415 - only mistakes pay for it
    from rocmlint.lint.selection import ALL, selectors  # noqa: PLC0415
    from rocmlint.rule.registry import load_rules  # noqa: PLC0415

    if word in HABITS:
        return f"; did you mean `rocmlint {HABITS[word]}`?"
    for name in (word, word.upper()):
        if name != ALL and name in selectors(load_rules()):
            return f"; did you mean `rocmlint rule {name}`?"
    return did_you_mean(word, [*VERBS, *os.listdir()], 0.6)


def _is_broken_pipe(error: OSError) -> bool:
    """Return whether nobody reads what is printed any more; Windows calls that EINVAL."""
    of_windows = sys.platform == "win32" and error.errno == errno.EINVAL and not error.filename
    return isinstance(error, BrokenPipeError) or of_windows


def _prepare_streams() -> None:
    """Let no printing stop a run: to a closed stream, or of characters that a terminal lacks.

    What Windows sends to a file or a pipe is UTF-8 too, unless the user says otherwise.
    """
    as_utf_8 = sys.platform == "win32" and "PYTHONIOENCODING" not in os.environ
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            encoding = "utf-8" if as_utf_8 and not stream.isatty() else None
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _run(verb: str, arguments: list[str]) -> int:
    try:
        return int(import_module(f"rocmlint.cli.{verb}").main(arguments))
    except SystemExit as leaving:  # argparse after --help and --version
        return int(leaving.code or 0)


def _interrupted() -> int:
    _failed("interrupted")
    return INTERRUPTED


def _failed(message: str) -> int:
    from rocmlint.text.secrets import without_credentials  # noqa: PLC0415 - only mistakes

    try:
        print(without_credentials(message), file=sys.stderr)
    except OSError:  # nobody is there to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return WRONG
