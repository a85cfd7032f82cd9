"""What people say of each finding in the corpus: useful, shrug or wrong, and why."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from benchmarks.ecosystem.runs import Found, Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

KEPT = Path(__file__).parent / "judgements.tsv"
AROUND = 6
"""How many lines above and below a finding its reader sees."""
Word = Literal["useful", "shrug", "wrong"]
WORDS: tuple[Word, ...] = get_args(Word)
"""What a finding may be: worth a change, true but nobody would act, not true."""


class JudgementError(Exception):
    """A row of judgements cannot be used; the message names it."""


@dataclass(frozen=True, order=True)
class Judgement:
    """One row; path, line and code are there for readers."""

    package: str
    path: str
    line: int
    code: str
    fingerprint: str
    judgement: str
    reason: str

    @property
    def key(self) -> Key:
        """What it is about."""
        return Key(self.package, self.fingerprint)


COLUMNS = [each.name for each in fields(Judgement)]


def read(path: Path) -> dict[Key, Judgement]:
    """Read the file. Raises JudgementError."""
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = [Judgement(line=int(row.pop("line")), **row) for row in reader]
    judged = {each.key: each for each in rows}
    if len(judged) < len(rows):
        message = f"{path.name} judges a finding twice"
        raise JudgementError(message)
    return judged


def write(judged: Iterable[Judgement], path: Path) -> None:
    """Write the file, sorted by place."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\t".join(COLUMNS) + "\n")
        for each in sorted(judged):
            file.write("\t".join(map(str, asdict(each).values())) + "\n")


def pending(found: Iterable[Found], judged: Mapping[Key, Judgement]) -> list[Found]:
    """Return the findings that nobody has judged."""
    return [each for each in found if each.key not in judged]


def stale(found: Iterable[Found], judged: Mapping[Key, Judgement]) -> list[Judgement]:
    """Return the judgements about what is no longer found."""
    keys = {each.key for each in found}
    return [each for key, each in judged.items() if key not in keys]


def judge(rows: str, found: Iterable[Found]) -> Iterator[Judgement]:
    """Yield the judgements in rows of package, fingerprint, judgement and reason, tab-separated.

    Raises JudgementError where a row has another form or is about nothing that was found.
    """
    by_key = {each.key: each for each in found}
    for row in rows.splitlines():
        if not row.strip():
            continue
        parts = [each.strip() for each in row.split("\t")]
        if len(parts) != len(Key._fields) + 2 or parts[2] not in WORDS or not parts[3]:
            message = f"not a package, fingerprint, {'/'.join(WORDS)} and reason: {row!r}"
            raise JudgementError(message)
        package, fingerprint, word, reason = parts
        finding = by_key.get(Key(package, fingerprint))
        if finding is None:
            message = f"nothing is found that has the fingerprint {fingerprint} in {package}"
            raise JudgementError(message)
        place = (finding.package, finding.path, finding.line, finding.code)
        yield Judgement(*place, fingerprint, word, reason)


def for_reader(
    found: Iterable[Found], trees: Mapping[str, Path], old: Sequence[Judgement]
) -> Iterator[str]:
    """Yield findings by rule with their code, their help and the start of the row to fill in."""
    ordered = sorted(found, key=lambda each: (each.code, each.package, each.path, each.line))
    for code, findings in groupby(ordered, lambda each: each.code):
        several = list(findings)
        yield f"## {code} {several[0].name}: {len(several)} not judged\n"
        for finding in several:
            yield f"{finding.place}: {finding.severity}"
            yield from (f"  {text}" for text in (finding.message, finding.help) if text)
            yield from frame(finding, trees[finding.package])
            for each in old:
                if (each.package, each.path, each.code) == (finding.package, finding.path, code):
                    yield f"  line {each.line} was {each.judgement}: {each.reason}"
            yield f"{finding.package}\t{finding.fingerprint}\t\n"


def frame(finding: Found, tree: Path) -> Iterator[str]:
    """Yield the lines around a finding, those that it spans with a mark."""
    text = (tree / finding.path).read_text(encoding="utf-8", errors="replace")
    if finding.cell is not None:
        source = json.loads(text)["cells"][finding.cell - 1]["source"]
        text = source if isinstance(source, str) else "".join(source)
    lines = text.splitlines()
    first, last = finding.line - AROUND, finding.end_line + AROUND
    for number in range(max(first, 1), min(last, len(lines)) + 1):
        mark = ">" if finding.line <= number <= finding.end_line else " "
        yield f"{mark} {number:5} | {lines[number - 1]}".rstrip()
