"""``rocmlint verify export``: whether an exported program computes what its model computes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rocmlint.cli.progress import Progress
from rocmlint.cli.verify.common import (
    add_usual_arguments,
    finish,
    help_of,
    interpreter_of,
    refuse_wrong_factory,
)
from rocmlint.errors import ConfigError
from rocmlint.verify.export.judge import verdicts_of
from rocmlint.verify.export.question import ExportQuestion, asked, probed

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "PKG.MOD:FACTORY",
    "Export a model with torch.export and compare the program with the model, at several sizes "
    "and in processes that share nothing. Runs the code of FACTORY, which returns (model, inputs) "
    "or (model, inputs, dynamic_shapes); --config DIRECTORY needs none.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify export``."""
    parser.add_argument(
        "factory",
        nargs="?",
        metavar="PKG.MOD:FACTORY",
        help="called without arguments; inputs are a dictionary, a tuple, or a list of these, one "
        "for each size",
    )
    parser.add_argument(
        "--config",
        metavar="DIRECTORY",
        help="instead of a factory: a Hugging Face directory with a config.json; the model is "
        "built with random weights",
    )
    parser.add_argument(
        "--matrix", metavar="FILE", help="instead of a factory: a TOML file that lists models"
    )
    parser.add_argument("--strict", action="store_true", help="export with strict=True")
    parser.add_argument("--both-modes", action="store_true", help="export with and without strict")
    parser.add_argument(
        "--onnx", action="store_true", help="compare torch.onnx.export and onnxruntime too"
    )
    parser.add_argument(
        "--plain", action="store_true", help="without a session: no registrations, no patches"
    )
    parser.add_argument(
        "--probe", action="store_true", help="list the lines that read a value from a tensor"
    )
    parser.add_argument(
        "--memory", type=float, metavar="GB", help="how much a process may allocate"
    )
    add_usual_arguments(parser, timeout=600)
    group = parser.add_argument_group("with --matrix")
    group.add_argument(
        "-j", "--jobs", type=int, default=1, metavar="N", help="models at a time (default: 1)"
    )
    group.add_argument("--html", metavar="FILE", help="write a page with the table")


def run(flags: SimpleNamespace) -> int:
    """Export, compare, and print the results; return the exit code. Raises ConfigError."""
    if sum(map(bool, (flags.factory, flags.config, flags.matrix))) != 1:
        message = "name one model: PKG.MOD:FACTORY, --config DIRECTORY, or several: --matrix FILE"
        raise ConfigError(message)
    if flags.strict and flags.both_modes:
        message = "--strict is part of --both-modes; use one of them"
        raise ConfigError(message)
    if flags.matrix:
        from rocmlint.cli.verify import export_matrix  # noqa: PLC0415 - only for many models

        return export_matrix.run(flags)
    if flags.html is not None:
        message = "--html needs --matrix"
        raise ConfigError(message)
    question = question_of(flags)
    progress = Progress(shown=True)
    shown = progress.show if sys.stderr.isatty() else None
    try:
        if flags.probe:
            from rocmlint.verify.export.sites import results  # noqa: PLC0415 - only if asked

            return finish(results(probed(question, interpreter_of(flags), shown)), flags)
        facts = asked(question, interpreter_of(flags), shown)
    finally:
        progress.close()
    found = verdicts_of(facts, question.name)
    return finish([result for each in found for result in each.results], flags)


def question_of(flags: SimpleNamespace) -> ExportQuestion:
    """Return what is asked about one model. Raises ConfigError."""
    if flags.factory:
        refuse_wrong_factory(flags.factory)
    elif not os.path.isfile(os.path.join(flags.config, "config.json")):
        message = f"--config {flags.config}: not a directory with a config.json"
        raise ConfigError(message)
    modes = (False, True) if flags.both_modes else (flags.strict,)
    return ExportQuestion(flags.factory, flags.config, modes, flags.onnx, flags.plain, flags.memory)
