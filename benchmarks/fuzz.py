"""Change real files at random: nothing crashes, no shortcut misses, no edit is wrong."""

import argparse
import ast
import json
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from benchmarks.mutants import TOKEN, WORD, Mutant, Seed, neutral, wild
from rocmlint.change.change import ChangedText
from rocmlint.change.fix import fix_text
from rocmlint.config.settings import Settings
from rocmlint.disk.disk import Disk
from rocmlint.findings import Edit, Finding
from rocmlint.formats import format_of, is_notebook, is_python
from rocmlint.lint.check import check
from rocmlint.lint.first_sight import Opened
from rocmlint.lint.linter import Linter
from rocmlint.lint.scan import Scanner
from rocmlint.lint.selection import enabled_rules
from rocmlint.source.decoding import text_of
from rocmlint.source.python import Source
from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.text.blanks import PythonText
from rocmlint.text.text import Text

FIXTURES = Path(__file__).parents[1] / "fixtures"
LONGEST = 4_000
LONGEST_SEED = 1_200
"""Characters; larger files say no more, and take long."""
SAMPLES = 20
"""How many files of each kind of failure are kept."""

LINTER = Linter(Settings(preview=True), Disk(text_of))
RULES = enabled_rules(LINTER.settings)
SCANNER = Scanner(RULES)


class Tally:
    """What was tried, and what went wrong."""

    def __init__(self, keep: Path | None) -> None:
        """Take the folder for samples."""
        self.counts: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.slowest = (0.0, "")
        self._kept: Counter[str] = Counter()
        self._keep = keep

    def failed(self, what: str, seed: Seed, text: str, why: str) -> None:
        """Count a failure; keep the file."""
        self.failures[what] += 1
        self.keep(what, seed, text, why)

    def keep(self, what: str, seed: Seed, text: str, why: str) -> None:
        """Keep a sample."""
        self._kept[what] += 1
        number = self._kept[what]
        if self._keep is not None and number <= SAMPLES:
            name = f"{re.sub(r'[^a-z]+', '_', what.lower())}_{number}"
            sample = {"path": seed.path, "why": why, "before": seed.text, "text": text}
            self._keep.mkdir(parents=True, exist_ok=True)
            (self._keep / f"{name}.json").write_text(json.dumps(sample, indent=1))

    def timed(self, started: float, seed: Seed) -> None:
        """Note how long the slowest took."""
        self.slowest = max(self.slowest, (time.perf_counter() - started, seed.path))


# Seeds


def seeds(trees: Sequence[Path]) -> tuple[list[Seed], list[Seed]]:
    """Return Python files and the others; of Python, single statements with findings."""
    python: list[Seed] = []
    others: list[Seed] = []
    for path in (each for tree in trees for each in sorted(tree.rglob("*"))):
        known = is_python(str(path)) or is_notebook(str(path)) or format_of(str(path)) is not None
        if not known or not path.is_file():
            continue
        data = path.read_bytes()
        longest = LONGEST * (10 if is_python(str(path)) else 1)
        seen = LINTER.first_sight(str(path), data)
        if len(data) > longest or not isinstance(seen, Opened):
            continue
        try:
            if is_notebook(str(path)):
                others.append(Seed(str(path), data.decode()))
            elif not is_python(str(path)):
                others.append(Seed(str(path), text_of(str(path), data)))
            elif found(seed := Seed(str(path), text_of(str(path), data))):
                python += statements(seed)
        except (SyntaxError, ValueError):
            continue
    return python, others


def statements(seed: Seed) -> Iterator[Seed]:
    """Yield the top-level statements in which something is found, each below the imports."""
    try:
        body = ast.parse(seed.text).body
    except SyntaxError:
        return  # wrong on purpose
    lines = seed.text.split("\n")
    imports: list[str] = []
    for node in body:
        first = min(each.lineno for each in [node, *getattr(node, "decorator_list", [])])
        text = "\n".join(lines[first - 1 : node.end_lineno])
        made = Seed(seed.path, "\n".join([*imports, text, ""]))
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.append(text)
        if len(made.text) <= LONGEST_SEED and found(made):
            yield made


@lru_cache(maxsize=100_000)
def found(seed: Seed) -> list[Finding]:
    """Return what is found in a file as it is."""
    return list(LINTER.lint_text(*seed).findings)


@lru_cache(maxsize=100_000)
def outcome_of(seed: Seed) -> ChangedText:
    """Fix a file as it is."""
    return fix_text(*seed, found(seed), lambda text: found_in(seed, text), unsafe=True)


def settled(seed: Seed) -> list[str]:
    """Return the codes of what the fixes of a file settle."""
    return [each.code for each in outcome_of(seed).settled]


@lru_cache(maxsize=100_000)
def tree_of(text: str) -> str | None:
    """Return what Python reads, without places; None for what it refuses."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def found_in(seed: Seed, text: str) -> Sequence[Finding]:
    """Lint a changed text as if it were the file."""
    return LINTER.lint_text(seed.path, text).findings


# Checking


def look(seed: Seed, mutant: Mutant, tally: Tally) -> Sequence[Finding]:
    """Check all that holds for any file, and give what is found."""
    text = mutant.text
    try:
        analysis = LINTER.lint(seed.path, mutant.data)
    except Exception as error:  # noqa: BLE001 - this is what we look for
        tally.failed("exception", seed, text, f"{type(error).__name__}: {error}")
        return ()
    for problem in analysis.problems:
        tally.failed("internal error", seed, text, problem)
    tally.counts["findings"] += len(analysis.findings)
    read = decoded(seed, mutant)
    if read is not None and not is_notebook(seed.path):
        for finding in analysis.findings:
            for problem in misplaced(finding, Text(read.text)):
                tally.failed("wrong place", seed, text, f"{problem}: {finding}")
    return analysis.findings


def decoded(seed: Seed, mutant: Mutant) -> Mutant | None:
    """Return the mutant as it is read from disk; None where it cannot be decoded."""
    try:
        return Mutant(text_of(seed.path, mutant.data), mutant.changes)
    except (SyntaxError, ValueError):
        return None


def misplaced(finding: Finding, text: Text) -> Iterator[str]:
    """Yield what of a finding lies outside the text, or replaces what the rule did not mean."""
    last = len(text.lines)
    edits = finding.fix.edits if finding.fix else ()
    places: list[Finding | Edit] = [finding, *edits]
    for place in places:
        if not (1 <= place.line <= place.end_line <= last + 1 and place.column >= 1):
            yield "outside"
        elif place.line <= last and place.column > len(text.lines[place.line - 1]) + 1:
            yield "behind the line"
    for edit in edits:
        if edit.was is not None:
            end = offset(text, edit.end_line, edit.end_column)
            there = text.text[offset(text, edit.line, edit.column) : end]
            if without_blanks(there) != without_blanks(edit.was):
                yield f"{there!r}"


def offset(text: Text, line: int, column: int) -> int:
    """Return the offset of a place, which may lie behind the last line."""
    return text.offset_of(line) + column - 1 if line <= len(text.lines) else len(text.text)


def without_blanks(code: str) -> str:
    """Leave out what changes nothing between tokens."""
    return "".join(code.replace("\\\n", "").split())


def compare_shortcuts(seed: Seed, mutant: Mutant, tally: Tally) -> None:
    """Check that with and without shortcuts the same is found."""
    text = mutant.text
    if PythonText(text).is_oddly_spaced:
        tally.counts["looked at without shortcuts"] += 1
        return
    try:
        whole = Source(seed.path, text, whole=True, project=LINTER.project_of(seed.path))
        expected = check(whole, RULES, shortcuts=False)
    except UnparsableError:
        return
    tally.counts["compared with and without shortcuts"] += 1
    cut = Source(seed.path, text, project=LINTER.project_of(seed.path))
    given = check(cut, SCANNER.scan_python(text.encode()).rules)
    if given != expected:
        tally.failed("shortcut", seed, text, f"{sorted(shown(given) ^ shown(expected))}")


def shown(findings: Sequence[Finding]) -> set[str]:
    """Return findings in short."""
    return {f"{each.code} {each.line}:{each.column} {each.message}" for each in findings}


def compare_places(seed: Seed, mutant: Mutant, findings: Sequence[Finding], tally: Tally) -> None:
    """Check that the findings of the original stand where their code stands now."""
    before, after = Text(seed.text), Text(mutant.text)
    expected = sorted(
        (each.code, mutant.moved(before.offset_of(each.line) + each.column - 1))
        for each in found(seed)
    )
    given = sorted((each.code, after.offset_of(each.line) + each.column - 1) for each in findings)
    tally.counts["places compared"] += 1
    lines = [(code, *after.place_of(at)) for code, at in sorted({*given} ^ {*expected})]
    if Counter(given) - Counter(expected):
        tally.failed("place", seed, mutant.text, f"{lines}")
    elif given != expected:  # some rules search for what stands around a finding
        tally.counts["files with fewer findings"] += 1
        tally.keep("fewer findings", seed, mutant.text, f"{lines}")


def fix(seed: Seed, mutant: Mutant, tally: Tally, *, same: bool) -> None:
    """Check that fixes end, keep what parses, and do what they do in the original."""
    text = mutant.text
    if is_notebook(seed.path):
        return
    try:
        first = found_in(seed, text)
        outcome = fix_text(seed.path, text, first, lambda new: found_in(seed, new), unsafe=True)
        left = outcome.left
        again = fix_text(
            seed.path, outcome.text, left, lambda new: found_in(seed, new), unsafe=True
        )
    except Exception as error:  # noqa: BLE001 - this is what we look for
        tally.failed("exception in a fix", seed, text, f"{type(error).__name__}: {error}")
        return
    if outcome.text != text:
        tally.counts["texts fixed"] += 1
        tally.counts["findings fixed"] += len(outcome.settled)
    if outcome.problem is not None and tree_of(text) is not None:
        tally.failed("fix refused", seed, text, outcome.problem)
    if again.text != outcome.text:
        tally.failed("fixing twice", seed, text, f"{outcome.text!r} {again.text!r}")
    if is_python(seed.path) and tree_of(text) is not None and tree_of(outcome.text) is None:
        tally.failed("fixed into what does not parse", seed, text, outcome.text)
    if same and without_blanks(outcome.text) != without_blanks(outcome_of(seed).text):
        # Where code goes on over more lines, some rules give no fix: that is no wrong one.
        more = Counter(each.code for each in outcome.settled) - Counter(settled(seed))
        fewer = len(outcome.settled) < len(settled(seed)) and not more
        if fewer:
            tally.counts["texts with fewer fixes"] += 1
        else:
            tally.failed("wrong edit", seed, text, outcome.text)


# Running


def fuzz_python(files: list[Seed], number: int, dice: random.Random, tally: Tally) -> None:
    """Try Python files: two of three keep their meaning."""
    for index in counted(number, "Python"):
        seed = dice.choice(files)
        same, mutant = drawn(seed, dice, wildly=index % 3 == 2)
        started = time.perf_counter()
        findings = look(seed, mutant, tally)
        try:
            read = decoded(seed, mutant)
            if read is not None:
                compare_shortcuts(seed, read, tally)
            if read is not None and same:
                compare_places(seed, read, findings, tally)
        except Exception as error:  # noqa: BLE001 - this is what we look for
            tally.failed("exception", seed, mutant.text, f"{type(error).__name__}: {error}")
        tally.counts["Python files that mean the same" if same else "other Python files"] += 1
        tally.timed(started, seed)


def drawn(seed: Seed, dice: random.Random, *, wildly: bool) -> tuple[bool, Mutant]:
    """Draw a mutant, and say whether Python reads the same in it."""
    if wildly:
        return False, wild(seed, dice, TOKEN)
    for _ in range(20):
        mutant = neutral(seed, dice)
        if mutant.text != seed.text and tree_of(mutant.text) == tree_of(seed.text) is not None:
            return True, mutant
    return False, wild(seed, dice, TOKEN)


def fuzz_formats(files: list[Seed], number: int, dice: random.Random, tally: Tally) -> None:
    """Try files beside Python."""
    for _ in counted(number, "other formats"):
        seed = dice.choice(files)
        mutant = wild(seed, dice, WORD)
        started = time.perf_counter()
        look(seed, mutant, tally)
        tally.counts["files of other formats"] += 1
        tally.timed(started, seed)


def fuzz_fixes(
    python: list[Seed], others: list[Seed], number: int, dice: random.Random, tally: Tally
) -> None:
    """Try fixes: mostly of Python files that mean the same."""
    python, others = ([each for each in files if fixable(each)] for files in (python, others))
    for index in counted(number, "fixes"):
        seed = dice.choice(others if others and index % 6 == 5 else python)
        same = False
        if is_python(seed.path):
            same, mutant = drawn(seed, dice, wildly=index % 6 == 4)
        else:
            mutant = wild(seed, dice, WORD)
        started = time.perf_counter()
        read = decoded(seed, mutant)
        if read is not None:
            fix(seed, read, tally, same=same)
        tally.counts["files to fix"] += 1
        tally.timed(started, seed)


def fixable(seed: Seed) -> bool:
    """Return whether a file has something to fix."""
    return any(each.fix is not None for each in found(seed))


def counted(number: int, what: str) -> Iterator[int]:
    """Count, and say now and then how far."""
    for index in range(number):
        if index % 1000 == 0:
            print(f"{what}: {index} of {number}", file=sys.stderr)
        yield index


def main() -> int:
    """Run from the command line; 1 where something went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("python", "formats", "fixes", "seed"):
        parser.add_argument(f"--{name}", type=int, default=0, metavar="N")
    parser.add_argument("--tree", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where samples are kept")
    flags = parser.parse_args()
    tally, dice = Tally(flags.keep), random.Random(flags.seed)  # noqa: S311 - no secrets
    python, others = seeds([FIXTURES, *flags.tree])
    print(f"seeds: {len(python)} Python files, {len(others)} others")
    jobs: tuple[Callable[[], None], ...] = (
        lambda: fuzz_python(python, flags.python, dice, tally),
        lambda: fuzz_formats(others, flags.formats, dice, tally),
        lambda: fuzz_fixes(python, others, flags.fixes, dice, tally),
    )
    for job in jobs:
        job()
    for title, counts in (("tried", tally.counts), ("FAILED", tally.failures)):
        for what, number in sorted(counts.items()):
            print(f"{title}: {what}: {number:,}")
    print(f"slowest: {tally.slowest[0]:.1f} s, {tally.slowest[1]}")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
