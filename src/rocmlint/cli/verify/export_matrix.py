"""``rocmlint verify export --matrix``: many models, one table."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rocmlint.cli.output import in_color
from rocmlint.cli.progress import Progress
from rocmlint.cli.verify.common import interpreter_of
from rocmlint.disk.write import write_atomically
from rocmlint.errors import ConfigError
from rocmlint.verify.export import tables
from rocmlint.verify.export.listed import read
from rocmlint.verify.export.matrix import rows
from rocmlint.verify.report import render
from rocmlint.verify.result import EXIT_CODES, overall

if TYPE_CHECKING:
    from types import SimpleNamespace


def run(flags: SimpleNamespace) -> int:
    """Ask about all models of a file and print a table. Raises ConfigError."""
    if flags.jobs < 1:
        message = f"--jobs {flags.jobs}: must be at least 1"
        raise ConfigError(message)
    if flags.probe:
        message = "--probe is about one model, not about --matrix"
        raise ConfigError(message)
    if flags.html is not None:
        _refuse_wrong_folder(flags.html)
    listed = read(
        flags.matrix,
        {
            "timeout": flags.timeout,
            "memory": flags.memory,
            "strict": flags.strict,
            "both-modes": flags.both_modes,
            "onnx": flags.onnx,
            "plain": flags.plain,
        },
    )
    progress = Progress(shown=True)
    shown = progress.show if sys.stderr.isatty() else None
    try:
        found = list(rows(listed, interpreter_of(flags), flags.jobs, shown))
    finally:
        progress.close()
    results = [result for each in found for result in each.results]
    if flags.output_format == "json":
        sys.stdout.write(tables.document(found))
    elif flags.output_format == "text":
        sys.stdout.writelines(tables.text(found, color=in_color(flags.color, sys.stdout)))
    else:
        sys.stdout.writelines(render(flags.output_format, results, color=False))
    if flags.html is not None:
        _write(flags.html, "".join(tables.page(found)))
    return EXIT_CODES[overall(results)]


def _refuse_wrong_folder(path: str) -> None:
    """Raise ConfigError before the work is done for a page that cannot be written."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        message = f"--html {path}: no such directory: {folder}"
        raise ConfigError(message)


def _write(path: str, text: str) -> None:
    try:
        write_atomically(path, text.encode(errors="backslashreplace"))
    except OSError as error:
        message = f"--html {path}: cannot be written: {error.strerror}"
        raise ConfigError(message) from error
