"""``rocmlint verify manifest``: writes down what the files of a patch are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import help_of
from rocmlint.text.words import counted
from rocmlint.verify.manifest import as_toml, make, write

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "OVERLAY --package NAME==VERSION",
    "Write a manifest of the files that are copied over an installed package: paths and sha256.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify manifest``."""
    parser.add_argument("overlay", metavar="OVERLAY", help="the directory with the patch's files")
    parser.add_argument(
        "--package",
        required=True,
        metavar="NAME==VERSION",
        help="the installed package that is patched, and the version that the patch is made for",
    )
    parser.add_argument(
        "--folder",
        metavar="NAME",
        help="the directory that the package is imported from (default: its name, with _ for -)",
    )
    parser.add_argument(
        "--output", metavar="FILE", help="where to write the manifest (default: stdout)"
    )


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify manifest``."""
    manifest = make(flags.overlay, flags.package, flags.folder)
    if flags.output is None:
        sys.stdout.write(as_toml(manifest))
        return 0
    write(flags.output, manifest)
    print(f"{flags.output}: {counted(manifest.files, 'file')} of {manifest.package}")
    return 0
