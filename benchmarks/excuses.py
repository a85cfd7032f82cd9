"""Count which excuses keep candidates of rules back in some repositories.

python -m benchmarks.excuses FOLDER... > excuses.tsv

Each FOLDER is one repository, linted with all rules, whatever its configuration says. Prints a line
for each excuse of each rule, also for those that never hold: rule, excuse, how often it held, in
how many repositories, and where first. An excuse is asked only where none before it holds.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.config.configuration import Configuration
from rocmlint.lint.run import Options, run
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.findings import Excused


class Row(NamedTuple):
    """How often one excuse of a rule held."""

    rule: str
    excuse: str
    held: int
    repositories: int
    example: str

    def __str__(self) -> str:
        """Write the row with tabs between its columns."""
        return "\t".join(map(str, self))


def main(arguments: Sequence[str] | None = None) -> int:
    """Lint the repositories and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.excuses",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="one repository each")
    folders: list[str] = parser.parse_args(arguments).folders
    print("\t".join(Row._fields))
    for row in rows((folder, excused_in(folder)) for folder in folders):
        print(row)
    return 0


def excused_in(folder: str) -> Sequence[Excused]:
    """Return what the excuses of all rules keep back in a repository."""
    options = {"preview": True, "profile": "export", "select": ["ALL"]}
    configuration = Configuration(options, isolated=True)
    return run([folder], configuration.settings_for, Options(excused=True)).excused


def rows(of_each: Iterable[tuple[str, Sequence[Excused]]]) -> Iterator[Row]:
    """Yield a row for each excuse of each rule, and for the kinds of file that rules skip."""
    counts: Counter[tuple[str, str]] = Counter()
    folders: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    examples: dict[tuple[str, str], str] = {}
    for folder, excused in of_each:
        for each in excused:
            key = each.code, each.excuse
            counts[key] += 1
            folders[key].add(folder)
            inside = os.path.relpath(each.path, os.path.dirname(os.path.abspath(folder)))
            examples.setdefault(key, f"{inside}:{each.shown}")
    known = [(rule.code, it.__name__) for rule in load_rules(()) for it in rule.excuses]
    for key in sorted({*known, *counts}):
        yield Row(*key, counts[key], len(folders[key]), examples.get(key, ""))


if __name__ == "__main__":
    sys.exit(main())
