"""Common parts of all checks of a model: which model is meant, and where a picture goes."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rocmlint.cli.progress import Progress
from rocmlint.cli.verify.common import add_usual_arguments, interpreter_of, refuse_wrong_factory
from rocmlint.errors import ConfigError
from rocmlint.verify.model.subject import Asking, ModelSubject

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

PICTURES = (".svg", ".png")


def add_model_arguments(parser: ArgumentParser, *, device: bool = True) -> None:
    """Add which model is meant, the interpreter, and how results are printed."""
    parser.add_argument(
        "factory",
        nargs="?",
        metavar="PKG.MOD:FACTORY",
        help="called without arguments; returns a model, a processor, (model, processor), "
        "(model, inputs), or a dictionary of them",
    )
    parser.add_argument(
        "--config",
        metavar="DIRECTORY",
        help="instead of a factory: a Hugging Face directory with a config.json; the model is "
        "built with random weights",
    )
    if device:
        parser.add_argument(
            "--device", metavar="DEVICE", help="move the model there (default: where it is built)"
        )
    add_usual_arguments(parser, timeout=600)


def add_plot_argument(parser: ArgumentParser, what: str) -> None:
    """Add where a picture is written."""
    parser.add_argument(
        "--plot", metavar="FILE", help=f"draw {what} into an .svg or .png file (needs matplotlib)"
    )


def positive(text: str) -> int:
    """Read a number of at least 1. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        message = f"{text!r} is not a whole number of at least 1"
        raise ArgumentTypeError(message)
    return int(text)


def asking_of(flags: SimpleNamespace) -> Asking:
    """Return who is asked about which model. Raises ConfigError."""
    if bool(flags.factory) == bool(flags.config):
        message = "name one model: either PKG.MOD:FACTORY or --config DIRECTORY"
        raise ConfigError(message)
    if flags.factory:
        refuse_wrong_factory(flags.factory)
    elif not os.path.isfile(os.path.join(flags.config, "config.json")):
        message = f"--config {flags.config}: not a directory with a config.json"
        raise ConfigError(message)
    folder = os.path.abspath(flags.config) if flags.config else None
    subject = ModelSubject(flags.factory, folder, getattr(flags, "device", None))
    progress = Progress(shown=True)
    return Asking(interpreter_of(flags), subject, progress.show if sys.stderr.isatty() else None)


def refuse_wrong_plot(path: str | None) -> None:
    """Raise ConfigError before any work is done for a picture that cannot be drawn."""
    if path is None:
        return
    if not path.lower().endswith(PICTURES):
        message = f"--plot {path}: must end with {' or '.join(PICTURES)}"
        raise ConfigError(message)
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        message = f"--plot {path}: no such directory: {folder}"
        raise ConfigError(message)
    if find_spec("matplotlib") is None:
        message = f"--plot {path}: needs matplotlib; pip install 'rocmlint[plots]'"
        raise ConfigError(message)
