"""``rocmlint verify manifest``: writes down what the files of a patch are."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import add_interpreter_arguments, help_of, interpreter_of
from rocmlint.config.configuration import Configuration
from rocmlint.errors import ConfigError
from rocmlint.lint.run import Options
from rocmlint.lint.run import run as lint
from rocmlint.text.visible import visible
from rocmlint.text.words import counted
from rocmlint.verify.claims.context import ClaimContext
from rocmlint.verify.claims.proposals import proposals
from rocmlint.verify.manifest.read import Manifest, as_toml, make, write

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

    from rocmlint.verify.manifest.function_entries import ManifestFunction

HELP = help_of(
    "[OVERLAY --package NAME==VERSION] [--functions PATH ...]",
    "Write a manifest of the files that are copied over an installed package (paths and sha256), "
    "or of the functions that a program replaces (names, and the files that define the new ones).",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify manifest``."""
    parser.add_argument(
        "overlay", nargs="?", metavar="OVERLAY", help="the directory with the patch's files"
    )
    parser.add_argument(
        "--package",
        metavar="NAME==VERSION",
        help="the installed package that is patched, and the version that the patch is made for",
    )
    parser.add_argument(
        "--folder",
        metavar="NAME",
        help="the directory that the package is imported from (default: its name, with _ for -)",
    )
    parser.add_argument(
        "--functions",
        nargs="+",
        metavar="PATH",
        help="files and directories whose code replaces functions of installed packages: write a "
        "[[function]] for each; nothing is run",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to write the manifest (default: stdout)"
    )
    add_interpreter_arguments(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify manifest``."""
    if flags.overlay is None and flags.functions is None:
        message = "name OVERLAY with --package, or --functions PATH"
        raise ConfigError(message)
    if (flags.overlay is None) != (flags.package is None):
        message = "OVERLAY and --package must be used together"
        raise ConfigError(message)
    manifest = Manifest("", "", ())
    if flags.overlay is not None:
        manifest = make(flags.overlay, flags.package, flags.folder)
    functions = () if flags.functions is None else _functions(flags)
    manifest = Manifest(manifest.package, manifest.requires, manifest.files, functions)
    if flags.output is None:
        sys.stdout.write(as_toml(manifest))
        return 0
    write(flags.output, manifest)
    if manifest.files:
        print(f"{flags.output}: {counted(manifest.files, 'file')} of {manifest.package}")
    if functions:
        print(f"{flags.output}: {counted(functions, 'function')}")
        print(f"next: rocmlint verify run --manifest {flags.output} -- python PROGRAM")
    return 0


def _functions(flags: SimpleNamespace) -> tuple[ManifestFunction, ...]:
    """Return an entry for each replacement in the paths. Raises ConfigError if there is none."""
    settings = Configuration({}).settings_for
    outcome = lint(flags.functions, settings, Options(claims=True))
    folder = os.path.dirname(os.path.abspath(flags.output or "manifest.toml"))
    wanted = [each for each in outcome.claims if each.kind == "replacement" and each.given]
    targets = tuple(dict.fromkeys((each.subject, each.given) for each in wanted))
    found = list(proposals(wanted, ClaimContext(interpreter_of(flags), targets=targets), folder))
    for problem in [*outcome.problems, *outcome.remarks, *outcome.unread]:
        sys.stderr.write(f"{visible(problem)}\n")
    for each in found:
        if each.function is None:
            place = f"{each.claim.path}:{each.claim.line}"
            what = f"{each.claim.subject}:{each.claim.given} is left out: {each.problem}"
            sys.stderr.write(f"{visible(place)}: {visible(what)}\n")
    functions = tuple(each.function for each in found if each.function is not None)
    if not functions:
        message = f"{' '.join(flags.functions)}: no function of an installed package is replaced"
        raise ConfigError(message)
    return functions
