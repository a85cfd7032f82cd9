"""``rocmlint export rewrite``: control flow on tensors, rewritten so that an export keeps it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rocmlint.cli.parser import add_output_format
from rocmlint.cli.verbs import Help
from rocmlint.models.control_flow.refusals import KINDS
from rocmlint.text.json import dumps
from rocmlint.text.visible import at_line_start, visible
from rocmlint.text.words import counted
from rocmlint.version import __version__

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator
    from types import SimpleNamespace

    from rocmlint.cli.export.rewriting import FileRewrite
    from rocmlint.models.control_flow.rewrite import Statement

VERSION = 1
"""Of the JSON: grows when a field changes its meaning or goes; new fields may come without."""
_REASONS = "\n".join(f"  {kind:28} {meaning}" for kind, meaning in KINDS.items())
HELP = Help(
    "[PATH | PACKAGE.MODULE:CLASS ...] [--diff | --write] [--dump DIR]",
    "Rewrite branches, checks and loops that depend on tensors, so that torch.export keeps them. "
    "Nothing is imported, and without --write no file is changed.",
    f"reasons to refuse:\n{_REASONS}\n\n"
    "exit codes: 0 nothing to rewrite, or written; 1 something to rewrite; 2 usage error, or a "
    "file that cannot be read, parsed or written",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint export rewrite``."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files and directories, or a class or function as PACKAGE.MODULE:NAME (default: .)",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--diff", action="store_true", help="print the changes as a diff")
    what.add_argument("--write", action="store_true", help="write the changes to the files")
    parser.add_argument(
        "--dump",
        metavar="DIR",
        help="write each changed function there: before, after, and the difference",
    )
    parser.add_argument(
        "--plain-torch",
        action="store_true",
        help="call torch.cond and torch._check_value rather than rocmlint.export, also in eager",
    )
    parser.add_argument(
        "--unreached",
        action="store_true",
        help="also rewrite what no forward() of the file calls",
    )
    parser.add_argument("--refused", action="store_true", help="also list what is refused, and why")
    parser.add_argument(
        "--python",
        metavar="PYTHON",
        help="an interpreter or virtual environment with PACKAGE; it is not run "
        "(default: that of rocmlint)",
    )
    add_output_format(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint export rewrite``. Raises RocmlintError."""
    from rocmlint.cli.export.rewriting import rewrite_paths  # noqa: PLC0415 - --help needs none

    files, problems = rewrite_paths(flags)
    changed = [each for each in files if each.is_changed]
    code = 2 if problems else int(bool(changed) and not flags.write)
    if flags.output_format == "json":
        print(dumps(_document(files, problems, code), indent=2))
        return code
    if flags.diff:
        from rocmlint.change.change import diff  # noqa: PLC0415 - only for --diff
        from rocmlint.cli.output import in_color  # noqa: PLC0415
        from rocmlint.report.diff import write_diff  # noqa: PLC0415

        for each in changed:
            color = in_color("auto", sys.stdout, exact=True)
            write_diff(diff(each.change), sys.stdout, color=color)
    out = sys.stderr if flags.diff else sys.stdout
    for line in _text(files, problems, flags):
        print(line, file=out)
    return code


def _text(files: list[FileRewrite], problems: list[str], flags: SimpleNamespace) -> Iterator[str]:
    yield from (visible(f"error: {each}") for each in problems)
    for file in files:
        for each in file.statements:
            if each.is_rewritten and not flags.diff:
                yield _line(file, each, f"{each.what} in {each.function} is rewritten")
            elif not each.is_rewritten and flags.refused:
                yield _line(
                    file,
                    each,
                    f"{each.what} in {each.function} is refused: {each.detail} [{each.reason}]",
                )
    found = [each for file in files for each in file.statements]
    rewritten = sum(each.is_rewritten for each in found)
    number = sum(each.is_changed for each in files)
    verb = "Rewrote" if flags.write else "Would rewrite"
    refused = len(found) - rewritten
    more = " (--refused lists them)" if refused and not flags.refused else ""
    yield (
        f"{verb} {counted(rewritten, 'statement')} in {counted(number, 'file')}; "
        f"refused {refused:,}{more}."
    )


def _line(file: FileRewrite, statement: Statement, said: str) -> str:
    return visible(f"{at_line_start(f'{file.path}:{statement.line}')}: {said}")


def _document(files: list[FileRewrite], problems: list[str], code: int) -> dict[str, object]:
    return {
        "version": VERSION,
        "tool": {"name": "rocmlint", "version": __version__},
        "verb": "rewrite",
        "exit_code": code,
        "files": [
            {
                "path": each.path,
                "changed": each.is_changed,
                "written": each.is_written,
                "functions": list(each.functions),
                "statements": [statement.as_json() for statement in each.statements],
            }
            for each in files
            if each.statements
        ],
        "errors": problems,
    }
