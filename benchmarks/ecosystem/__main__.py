"""Compare two versions of rocmlint on real packages, or check that each finding is judged.

python -m benchmarks.ecosystem --work FOLDER BASE HEAD
python -m benchmarks.ecosystem --work FOLDER --check | --pending | --judge FILE | --prune

BASE and HEAD are revisions of this repository, or ``.`` for the installed rocmlint, which the
other ways use. The exit code is 1 where a finding is not judged or a judgement is about nothing
that is still found, and 75 where the package index cannot be reached.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.ecosystem import corpus, judgements
from benchmarks.ecosystem.differences import report
from benchmarks.ecosystem.runs import installed, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.ecosystem.runs import Found


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, get the corpus and do what is asked."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ecosystem",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("revisions", nargs="*", metavar="BASE HEAD", help="two versions to compare")
    parser.add_argument("--work", type=Path, required=True, help="folder for packages and versions")
    parser.add_argument("--downloads", type=Path, help="folder that keeps what is downloaded")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--check", action="store_true", help="fail on a finding that is not judged")
    way.add_argument("--pending", action="store_true", help="print what is not judged, with code")
    way.add_argument("--judge", type=Path, metavar="FILE", help="add rows as --pending begins them")
    way.add_argument("--prune", action="store_true", help="drop judgements of what is not found")
    options = parser.parse_args(arguments)
    asked = options.check or options.pending or options.judge or options.prune
    if len(options.revisions) != (0 if asked else 2):
        parser.error("give BASE and HEAD, or one of --check, --pending, --judge and --prune")
    try:
        return carry_out(options)
    except corpus.UnreachableError as error:
        sys.stderr.write(f"{error}\n")
        return os.EX_TEMPFAIL
    except (corpus.CorpusError, judgements.JudgementError) as error:
        raise SystemExit(str(error)) from error


def carry_out(options: argparse.Namespace) -> int:
    """Get the corpus, and compare two versions or look at one; return the exit code.

    Raises UnreachableError, CorpusError and JudgementError.
    """
    work: Path = options.work.resolve()
    packages = corpus.listed(corpus.LISTED)
    trees = corpus.unpacked(packages, work, corpus.from_index(), options.downloads)
    if options.revisions:
        versions = [installed(each, work) for each in options.revisions]
        base, head = (run(version, program, trees) for version, program in versions)
        say(report(base, head, judgements.read(judgements.KEPT)))
        return 0
    version, program = installed(".", work)
    return answer(options, run(version, program, trees).found, trees)


def answer(options: argparse.Namespace, found: Sequence[Found], trees: Mapping[str, Path]) -> int:
    """Check the judgements, print what lacks one, or change them; return the exit code."""
    judged = judgements.read(judgements.KEPT)
    open_, old = judgements.pending(found, judged), judgements.stale(found, judged)
    if options.judge:
        rows = options.judge.read_text(encoding="utf-8")
        added = {each.key: each for each in judgements.judge(rows, found)}
        judgements.write({**judged, **added}.values(), judgements.KEPT)
        say([f"{len(added)} judged"])
        return 0
    if options.prune:
        judgements.write((each for each in judged.values() if each not in old), judgements.KEPT)
        say([f"{len(old)} judgements of what is no longer found are dropped"])
        return 0
    if options.pending:
        say(judgements.for_reader(open_, trees, old))
        return 0
    say(f"not judged: {each}" for each in open_)
    say(f"no longer found: {each.package}/{each.path}:{each.line}: {each.code}" for each in old)
    say([f"{len(judged)} judgements, {len(open_)} findings without one, {len(old)} too many"])
    return 1 if open_ or old else 0


def say(lines: Iterable[str]) -> None:
    """Print lines as they come."""
    for line in lines:
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
