"""``rocmlint export check``: whether patched classes still fit the library that they patch."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rocmlint.cli.parser import add_output_format
from rocmlint.cli.verbs import Help
from rocmlint.models.patches.kinds import KINDS
from rocmlint.text.json import dumps
from rocmlint.text.visible import at_line_start, visible
from rocmlint.text.words import counted
from rocmlint.version import __version__

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator
    from types import SimpleNamespace

    from rocmlint.cli.export.patch_check import PatchReport
    from rocmlint.models.patches.problems import Place, Problem

VERSION = 1
"""Of the JSON: grows when a field changes its meaning or goes; new fields may come without."""
_KINDS = "\n".join(f"  {name:20} {each.gravity:8} {each.meaning}" for name, each in KINDS.items())
HELP = Help(
    "[PATH ...] [--against VERSION|DIRECTORY|WHEEL] [--lock]",
    "Check whether patched classes and functions still fit the library that they patch. "
    "Neither is imported.",
    f"kinds of problems, as _PATCH_ALLOWS_ and JSON name them:\n{_KINDS}\n\n"
    "exit codes: 0 no problems, 1 errors or warnings, 2 usage error, or something could not be "
    "checked",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint export check``."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and directories (default: .)"
    )
    parser.add_argument(
        "--against",
        metavar="VERSION",
        help="the version to read: 5.8.1, transformers==5.8.1 (downloaded if it is not "
        "installed), a directory with the package, or a wheel",
    )
    parser.add_argument(
        "--lock",
        action="store_true",
        help="write fingerprints of all replaced code to rocmlint-export.lock",
    )
    parser.add_argument(
        "--python",
        metavar="PYTHON",
        help="an interpreter or virtual environment with the libraries; it is not run "
        "(default: environment of the configuration, else the active one, else .venv)",
    )
    parser.add_argument("--notes", action="store_true", help="also list notes")
    add_output_format(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint export check``. Raises RocmlintError."""
    from rocmlint.cli.export.against import clean_up  # noqa: PLC0415 - --help needs none of it
    from rocmlint.cli.export.patch_check import check_paths  # noqa: PLC0415

    try:
        report = check_paths(
            flags.paths or ["."], python=flags.python, against=flags.against, lock=flags.lock
        )
    finally:
        clean_up()
    for each in report.errors:
        print(visible(f"error: {each}"), file=sys.stderr)
    if flags.output_format == "json":
        print(dumps(_document(report), indent=2))
    else:
        print("\n".join(_text(report, notes=flags.notes)))
    return report.exit_code


# Text


def _text(report: PatchReport, *, notes: bool) -> Iterator[str]:
    for library in report.libraries:
        where = f"{library.directory} ({library.source})"
        yield visible(f"{library.package} {library.version} in {where}")
    yield from (visible(f"note: {each}") for each in report.notes)
    shown = [each for each in report.problems if notes or each.gravity != "note"]
    for each in shown:
        yield ""
        yield from _problem(each)
    yield from [""] * bool(report.libraries or shown)
    yield from _summary(report, notes=notes)


def _problem(problem: Problem) -> Iterator[str]:
    place = problem.place
    at = at_line_start(f"{place.path}:{place.line}:{place.column}")
    yield visible(f"{at}: {problem.gravity}: {problem.message} [{problem.kind}]")
    if problem.help:
        yield visible(f"  {problem.help}")
    about = f"  {problem.patch} replaces {problem.target}" if problem.target else ""
    if problem.original is not None:
        about += f", {problem.original.path}:{problem.original.line}"
    if about:
        yield visible(about)


def _summary(report: PatchReport, *, notes: bool) -> Iterator[str]:
    counts = {
        gravity: sum(each.gravity == gravity for each in report.problems)
        for gravity in ("error", "warning", "note")
    }
    if not report.files:
        yield from ["There are no patches to check."] * (not report.errors)
        return
    checked = f"{counted(report.replacements, 'replacement')} in {counted(report.files, 'file')}"
    said = ", ".join(counted(counts[each], each) for each in ("error", "warning"))
    more = f", {counted(counts['note'], 'note')}" if counts["note"] else ""
    more += " (--notes lists them)" if counts["note"] and not notes else ""
    allowed = f", {len(report.allowed):,} allowed" if report.allowed else ""
    yield f"{checked}: {said}{more}{allowed}."
    if report.unread:
        some = ", ".join(report.unread[:3]) + (", …" if len(report.unread) > 3 else "")
        yield visible(f"Without a Python source, not checked: {len(report.unread):,} ({some}).")
    if report.locked:
        yield visible(f"Wrote {report.locked}.")


# JSON


def _document(report: PatchReport) -> dict[str, object]:
    return {
        "version": VERSION,
        "tool": {"name": "rocmlint", "version": __version__},
        "verb": "check",
        "exit_code": report.exit_code,
        "libraries": [vars(each) for each in report.libraries],
        "files": report.files,
        "replacements": report.replacements,
        "problems": [_plain(each) for each in report.problems],
        "allowed": [_plain(each) for each in report.allowed],
        "unread": list(report.unread),
        "notes": list(report.notes),
        "errors": list(report.errors),
        "lock": report.locked or None,
    }


def _plain(problem: Problem) -> dict[str, object]:
    return {
        "kind": problem.kind,
        "severity": problem.gravity,
        "code": problem.rule or None,
        "patch": problem.patch or None,
        "target": problem.target or None,
        "about": problem.about or None,
        "message": problem.message,
        "help": problem.help,
        **_place(problem.place),
        "original": None if problem.original is None else _place(problem.original),
    }


def _place(place: Place) -> dict[str, object]:
    return vars(place)
