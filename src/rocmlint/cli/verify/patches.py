"""``rocmlint verify patches``: judges the files on disk that an import would execute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import add_usual_arguments, finish, help_of, interpreter_of
from rocmlint.errors import ConfigError
from rocmlint.verify.manifest.read import read
from rocmlint.verify.patches.patches import check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "--manifest FILE [--python PYTHON]",
    "Check whether an import would execute the files of a manifest. Nothing is imported.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify patches``."""
    parser.add_argument(
        "--manifest", required=True, metavar="FILE", help="written by rocmlint verify manifest"
    )
    add_usual_arguments(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify patches``."""
    manifest = read(flags.manifest)
    if not manifest.files:
        message = (
            f"{flags.manifest}: contains only functions, which a running program replaces: "
            f"rocmlint verify run --manifest {flags.manifest} -- COMMAND"
        )
        raise ConfigError(message)
    return finish(check(manifest, interpreter_of(flags)), flags)
