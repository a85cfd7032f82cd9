"""``rocmlint verify model config``: the keys of a file against those of its schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import (
    add_usual_arguments,
    finish,
    help_of,
    interpreter_of,
    refuse_wrong_factory,
)
from rocmlint.verify.model.config import check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "FILE --schema PKG.MOD:DATACLASS [--section NAME] [--no-defaults]",
    "Check that a JSON, TOML or YAML file has the keys of a dataclass (or pydantic or attrs "
    "class): none is missing, unknown, of another type, or has another default in the code. "
    "Imports the module of the schema.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify model config``."""
    parser.add_argument("file", metavar="FILE", help="a .json, .toml, .yaml or .yml file")
    parser.add_argument(
        "--schema", required=True, metavar="PKG.MOD:DATACLASS", help="what the file configures"
    )
    parser.add_argument(
        "--section", default="", metavar="NAME", help="compare only this part of the file (a.b)"
    )
    parser.add_argument(
        "--no-defaults",
        action="store_true",
        help="every key must be in the file, also one with a default in the code",
    )
    add_usual_arguments(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify model config``."""
    refuse_wrong_factory(flags.schema)
    section = [each for each in flags.section.split(".") if each]
    results = check(
        interpreter_of(flags), flags.file, flags.schema, section, strict=flags.no_defaults
    )
    return finish(results, flags)
