"""``rocmlint stack update``: fetches newer tables from the package indexes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.cli.progress import Progress
from rocmlint.cli.stack.common import (
    Help,
    add_output_format,
    print_document,
    print_lines,
    seconds,
)
from rocmlint.published import tables
from rocmlint.published.ages import ABOUT
from rocmlint.published.rocm_wheels import SERVER
from rocmlint.stack.indexes.fetch import IndexReader
from rocmlint.stack.indexes.index_config import ConfiguredIndex, find_certificates, find_index
from rocmlint.stack.update import (
    FETCHED,
    NOT_FETCHED,
    TableSources,
    Updated,
    fetched_paths,
    reset,
    update,
)
from rocmlint.text.secrets import without_password
from rocmlint.text.words import counted, few

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterator, Sequence
    from types import SimpleNamespace

HELP = Help(
    "[--index-url URL] [--pytorch-url URL] [--only TABLE ...] [--timeout SECONDS] [--reset]",
    "Fetch what package indexes have that the shipped tables do not: new releases and what "
    "they require, and ROCm wheels of torch, PyTorch's and AMD's. The tables are kept in the "
    "user's data directory, and only the verbs of rocmlint stack use them: findings do not "
    "change.",
    "exit codes: 0 all was read, 3 something could not be read, and is unchanged, 2 nothing "
    "could be read or written, or usage error",
)
_SECONDS = 300.0
_SHOWN = 12


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint stack update``."""
    parser.add_argument(
        "--index-url",
        metavar="URL",
        help="the package index (default: that of pip or uv, else PyPI)",
    )
    parser.add_argument(
        "--pytorch-url",
        metavar="URL",
        default=SERVER,
        help=f"the base URL of PyTorch's indexes (default: {SERVER})",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=_SECONDS,
        metavar="SECONDS",
        help=f"time limit for the whole update (default: {_SECONDS:g})",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=tuple(FETCHED),
        default=tuple(FETCHED),
        help="fetch only these tables",
    )
    parser.add_argument("--reset", action="store_true", help="delete the fetched tables instead")
    add_output_format(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint stack update``."""
    as_json = flags.output_format == "json"
    if flags.reset:
        deleted = reset()
        if as_json:
            return print_document("update", 0, directory=tables.data_folder(), deleted=deleted)
        print_lines(f"Deleted {each}" for each in deleted)
        print_lines(() if deleted else ("There are no fetched tables.",))
        return 0
    index = ConfiguredIndex(flags.index_url, "--index-url") if flags.index_url else find_index()
    progress = Progress(shown=True)
    reader = IndexReader(flags.timeout, certificates=find_certificates())
    try:
        sources = TableSources(index.url, flags.pytorch_url)
        done = update(reader, sources, flags.only, _counting(progress))
    finally:
        progress.close()
    code = 3 if any(each.problems for each in done) else 0
    if as_json:
        return print_document(
            "update",
            code,
            index=without_password(index.url),
            directory=tables.data_folder(),
            tables=done,
            not_fetched=NOT_FETCHED,
        )
    print_lines(_text(done, index))
    return code


def _counting(progress: Progress) -> Callable[[str], None]:
    """Return what shows how many packages were asked for."""
    asked: list[str] = []

    def show(package: str) -> None:
        asked.append(package)
        progress.show(f"{counted(asked, 'package')} read, {package}")

    return show


def _text(done: Sequence[Updated], index: ConfiguredIndex) -> Iterator[str]:
    yield f"Packages from {without_password(index.url)} ({index.source})."
    for each in done:
        yield ""
        yield f"{ABOUT[each.table]}: {_became(each)}"
        if each.new:
            yield f"  new: {few(each.new, _SHOWN)}"
        shown = each.problems[:_SHOWN]
        yield from (f"  ! {problem}" for problem in shown)
        if len(each.problems) > len(shown):
            yield f"  ! and {counted(len(each.problems) - len(shown), 'more problem')}"
    yield ""
    yield "Not in any index; a newer rocmlint has newer ones (pip install --upgrade rocmlint):"
    for table, reason in NOT_FETCHED.items():
        yield f"  {ABOUT[table]}: {reason}"
    if any(map(os.path.exists, fetched_paths())):
        yield ""
        yield f"Kept in {tables.data_folder()}; rocmlint stack update --reset deletes them."


def _became(each: Updated) -> str:
    if not each.reached:
        return f"nothing could be read; the table of {each.before} is kept"
    if each.problems:
        problems = counted(each.problems, "problem")
        return f"of {each.date}, except for what could not be read and is unchanged ({problems})"
    if each.date == each.before and not each.new:
        return f"nothing newer than {each.before}"
    return f"updated from {each.before} to {each.date}"
