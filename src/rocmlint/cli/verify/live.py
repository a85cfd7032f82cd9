"""``rocmlint verify live``: imports modules and compares their functions with the source."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import (
    add_usual_arguments,
    finish,
    help_of,
    interpreter_of,
    shown_progress,
)
from rocmlint.errors import ConfigError
from rocmlint.text.visible import visible
from rocmlint.verify.live.imported import RAN, check
from rocmlint.verify.manifest.read import read

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Iterator
    from types import SimpleNamespace

    from rocmlint.verify.result import Result

_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_CALL = re.compile(rf"{_MODULE.pattern}:{_MODULE.pattern}")

HELP = help_of(
    "MODULE ... [--manifest FILE] [--executed --call PKG.MOD:FUNC]",
    "Import modules in a child process and check whether the code that runs is the source "
    "on disk (with a manifest: the source in the manifest).",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify live``."""
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="as in an import statement")
    parser.add_argument(
        "--manifest",
        metavar="FILE",
        help="the modules of a patch and their expected content, or the functions that are "
        "replaced and the files that define the new ones",
    )
    parser.add_argument(
        "--executed", action="store_true", help="report which functions ran during --call"
    )
    parser.add_argument(
        "--call",
        metavar="PKG.MOD:FUNC",
        help="the function to run for --executed, without arguments",
    )
    add_usual_arguments(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify live``."""
    _refuse(flags)
    manifest = read(flags.manifest) if flags.manifest else None
    with shown_progress() as progress:
        results = list(check(interpreter_of(flags), flags.modules, manifest, flags.call, progress))
    code = finish(results, flags)
    if flags.output_format == "text":
        sys.stdout.writelines(_executed(results))
    return code


def _executed(results: Iterable[Result]) -> Iterator[str]:
    """Yield which functions ran of what is proven; the report has those of the rest."""
    for each in results:
        lists = [named for named in each.evidence if named.name in RAN]
        if each.verdict == "proven" and lists:
            yield f"\n{visible(each.subject)}\n"
            for named in lists:
                yield f"  {named.name}: {', '.join(map(visible, named.value.splitlines()))}\n"


def _refuse(flags: SimpleNamespace) -> None:
    """Raise ConfigError for what cannot be asked."""
    if not flags.modules and not flags.manifest:
        message = "nothing to check: name modules, or a file with --manifest"
        raise ConfigError(message)
    if flags.executed != bool(flags.call):
        message = "--executed and --call must be used together: --executed --call PKG.MOD:FUNC"
        raise ConfigError(message)
    for each in flags.modules:
        if not _MODULE.fullmatch(each):
            message = (
                f"{each!r} is not a valid module name: write it as in an import statement "
                "(package.module)"
            )
            raise ConfigError(message)
    if flags.call and not _CALL.fullmatch(flags.call):
        message = f"--call {flags.call}: must be PKG.MOD:FUNC"
        raise ConfigError(message)
