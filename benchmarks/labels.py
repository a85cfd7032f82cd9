"""Judge rocmlint by labelled places in real code: true ones are heard, others are not warned of."""

import argparse
import ast
import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks import linting
from benchmarks.sources import download

TOLERANCE = 2
UNREADABLE = "ROC900"
CODES = {
    "a": {"ROC101", "ROC104", "ROC106", "ROC113", "ROC117", "ROC119", "ROC120"},
    "b": {"ROC301", "ROC303"},
    "c": {"ROC102", "ROC103", "ROC107", "ROC108", "ROC109", "ROC110", "ROC111", "ROC112"}
    | {"ROC114", "ROC115", "ROC302"},
    "d": {"ROC501", "ROC502", "ROC503", "ROC504"},
    "e": {"ROC401", "ROC402", "ROC403", "ROC404", "ROC405", "ROC406"},
    "f": {"ROC601", "ROC602"},
    "l": {"ROC505", "ROC506"},
    "h": {"ROC701", "ROC709"},
    "k": {"ROC707"},
    "m": {"ROC705", "ROC706"},
    "g": {"ROC603", "ROC610"},
    "i": {"ROC605"},
    "j": {"ROC606", "ROC607"},
    "n": {"ROC104", "ROC207"},
    "o": {"ROC201", "ROC208"},
    "p": {"ROC105"},
    "q": {"ROC204"},
    "r": {"ROC607"},
    "Y1": {"ROC302", "ROC304"},
    "Y10": {"ROC207"},
    "Y2": {"ROC306"},
    "Y3": {"ROC307"},
    "Y4": {"ROC308"},
    "Y6": {"ROC309"},
    "Y7": {"ROC312"},
    "Y8": {"ROC311"},
    "Y9": {"ROC310"},
    "Y11": {"ROC208"},
    "Y12": {"ROC314"},
    "Y5": {"ROC313", "ROC314"},
    "method": {"ROC2"},
    "keyword": {"ROC2"},
    "task": {"ROC2"},
}
"""The codes, or their beginnings, that answer a pattern; other patterns are codes themselves."""
_CODE = re.compile(r"ROC\d+")


@dataclass(frozen=True)
class Place:
    """One row of the label file."""

    source: str
    path: str
    line: str
    pattern: str
    label: str
    reason: str
    tier: str = ""

    @property
    def strong(self) -> bool:
        """Whether a maintainer would change it, so that a note is not enough."""
        return self.wanted and self.tier == "strong"

    @property
    def wanted(self) -> bool:
        """Whether a user wants to see a finding here."""
        return self.label == "TP"

    @property
    def codes(self) -> set[str]:
        """The codes that answer this place, or that must stay away from it."""
        return CODES.get(self.pattern, {self.pattern})

    @property
    def tree(self) -> Path:
        """The source's folder below the corpus; a file without a path lies beside others."""
        kind, _, name = self.source.partition(":")
        if kind == "ghidx" and self._has_no_path:
            return Path(kind)
        return Path(kind, name.replace("/", "+"))

    @property
    def file(self) -> Path:
        """The labelled file below the corpus."""
        name = self.source.partition(":")[2]
        return self.tree / (f"{name}.py" if self._has_no_path else self.path)

    @property
    def _has_no_path(self) -> bool:
        return self.path.startswith("(")


@dataclass(frozen=True)
class Finding:
    """The part of a finding that matters here."""

    code: str
    line: int
    end_line: int
    severity: str

    @property
    def is_note(self) -> bool:
        """Whether it is only a note."""
        return self.severity == "note"

    def is_near(self, line: int) -> bool:
        """Whether this finding spans the line or starts within the tolerance of it."""
        return self.line <= line <= self.end_line or abs(self.line - line) <= TOLERANCE


@dataclass(frozen=True)
class Outcome:
    """A judged place with the findings around it, or None where its file could not be had."""

    place: Place
    near: list[Finding] | None

    @property
    def had(self) -> bool:
        """Whether the labelled file was there."""
        return self.near is not None

    @property
    def heard(self) -> bool:
        """Whether something is found at the place, if only a note."""
        return bool(self.near)

    @property
    def warned(self) -> bool:
        """Whether an error or a warning is found at the place."""
        return any(not each.is_note for each in self.near or ())

    @property
    def passed(self) -> bool:
        """Whether the place is as its label wants it; look-alikes that show the pattern may too."""
        wanted = self.place.wanted
        return self.had and (self.warned if self.place.strong else self.heard) == wanted


Findings = dict[Path, list[Finding]]


def read_places(labels: Path, patterns: set[str]) -> list[Place]:
    """Read the rows of the wanted patterns."""
    with labels.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        fields = ("source", "path", "line", "pattern", "label", "reason")
        places = [
            Place(*(row[field] for field in fields), tier=row.get("tier") or "") for row in rows
        ]
    return [
        place
        for place in places
        if place.pattern in patterns or (patterns >= CODES.keys() and _CODE.match(place.pattern))
    ]


def line_number(place: Place, file: Path) -> int:
    """Return the labelled line; ``cN`` is a character offset."""
    if not place.line.startswith("c"):
        return int(place.line)
    return file.read_text(encoding="utf-8")[: int(place.line[1:])].count("\n") + 1


def lint(tree: Path, arguments: Sequence[str]) -> Findings:
    """Run rocmlint once with paths of one source tree, and options."""
    findings: Findings = defaultdict(list)
    for found in linting.lint(tree, *arguments)["findings"]:
        finding = Finding(*(found[each] for each in ("code", "line", "end_line", "severity")))
        findings[(tree / found["path"]).resolve()].append(finding)
    return findings


def lint_corpus(
    places: Iterable[Place], corpus: Path, options: Sequence[str], *, whole: bool
) -> Findings:
    """Lint each source tree that is there: its labelled files, or all of it."""
    files: dict[Path, set[str]] = defaultdict(set)
    for place in places:
        if (corpus / place.file).is_file():
            files[place.tree].add(str(place.file.relative_to(place.tree)))
    findings: Findings = {}
    with ThreadPoolExecutor(max_workers=2) as pool:
        paths = (["."] if whole else sorted(names) for names in files.values())
        arguments = ([*options, *each] for each in paths)
        for part in pool.map(lint, (corpus / tree for tree in files), arguments):
            findings.update(part)
    return findings


def judge(place: Place, places: Iterable[Place], corpus: Path, findings: Findings) -> Outcome:
    """Collect the findings that speak for or against one place."""
    file = corpus / place.file
    if not file.is_file():
        return Outcome(place, None)
    found = findings.get(file.resolve(), [])
    near = [finding for finding in found if answers(finding, place, file)]
    if not place.wanted:
        wanted = [other for other in places if other.wanted and other.file == place.file]
        near = [
            finding
            for finding in near
            if not any(answers(finding, other, file) for other in wanted)
        ]
        near += [finding for finding in found if finding.code == UNREADABLE]
    return Outcome(place, near)


def answers(finding: Finding, place: Place, file: Path) -> bool:
    """Whether a finding is about the place."""
    if not finding.code.startswith(tuple(place.codes)):
        return False
    line = line_number(place, file)
    return finding.is_near(line) or line in imports_around(finding.line, file)


def imports_around(line: int, file: Path) -> set[int]:
    """Return the first lines of the imports that span a line: labels name these."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return set()
    return {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and node.lineno <= line <= (node.end_lineno or 0)
    }


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return a Markdown table with one line a pattern and one for all."""
    lines = [
        "| pattern | strong warned of | all heard | TN not warned of | TN silent | not had |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name in [*sorted({outcome.place.pattern for outcome in outcomes}), "all"]:
        rows = [each for each in outcomes if each.had and name in {each.place.pattern, "all"}]
        wanted = [each for each in rows if each.place.wanted]
        others = [each for each in rows if not each.place.wanted]
        cells = [
            share([each.warned for each in wanted if each.place.strong]),
            share([each.heard for each in wanted]),
            share([not each.warned for each in others]),
            share([not each.heard for each in others]),
            str(sum(name in {each.place.pattern, "all"} and not each.had for each in outcomes)),
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def share(passed: Sequence[bool]) -> str:
    """Return how many of the places passed."""
    return f"{sum(passed)}/{len(passed)} ({sum(passed) / len(passed):.0%})" if passed else "-"


def listing(outcome: Outcome) -> str:
    """Return one line about a place that did not pass, with the reviewer's reason."""
    place = outcome.place
    where = f"[{place.pattern}] {place.source} {place.path}:{place.line}: {place.reason}"
    if outcome.near is None:
        return f"not had {place.label} {where}"
    found = ", ".join(f"{each.code} {each.severity} in line {each.line}" for each in outcome.near)
    if place.wanted:
        return f"{f'only a note ({found})' if outcome.heard else 'missed'} {where}"
    return f"{'false alarm' if outcome.warned else 'look-alike'} ({found}) {where}"


def main() -> None:
    """Read the command line, lint the corpus and print what was found and what was not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=Path, required=True, help="the tab-separated labels")
    parser.add_argument("--corpus", type=Path, required=True, help="the folder with the sources")
    parser.add_argument("--pattern", default=",".join(CODES), help="patterns, comma-separated")
    parser.add_argument("--download", action="store_true", help="get the sources not there yet")
    parser.add_argument("--whole", action="store_true", help="lint whole trees, not labelled files")
    parser.add_argument("--preview", action="store_true", help="enable the rules in preview too")
    arguments = parser.parse_args()
    patterns = set(arguments.pattern.split(","))
    if unknown := patterns - CODES.keys():
        parser.error(f"no codes for {', '.join(sorted(unknown))}; known are {', '.join(CODES)}")
    corpus: Path = arguments.corpus.resolve()
    places = read_places(arguments.labels, patterns)
    if arguments.download:
        for source, tree in sorted({(place.source, place.tree) for place in places}):
            download(source, corpus / tree)
    options = ["--preview"] if arguments.preview else []
    findings = lint_corpus(places, corpus, options, whole=arguments.whole)
    outcomes = [judge(place, places, corpus, findings) for place in places]
    sys.stdout.write(f"{summary(outcomes)}\n\nA finding counts for a line when it spans the line, ")
    sys.stdout.write(f"starts within {TOLERANCE} lines of it, or stands in the import there.\n\n")
    for outcome in outcomes:
        if not outcome.passed:
            sys.stdout.write(f"{listing(outcome)}\n")


if __name__ == "__main__":
    main()
