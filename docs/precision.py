"""How many findings of each rule are worth a change: counted in the judgements of the corpus."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

ECOSYSTEM = Path(__file__).parents[1] / "benchmarks" / "ecosystem"
WORDS = ("useful", "shrug", "wrong")


def precision_table(folder: Path = ECOSYSTEM) -> str:
    """Return a table with one line for each rule that finds something in the corpus."""
    return "\n".join(_lines(folder / "judgements.tsv"))


def corpus_table(folder: Path = ECOSYSTEM) -> str:
    """Return a table of the corpus: its packages, and the versions of each."""
    versions: dict[str, list[str]] = {}
    for row in rows(folder / "corpus.tsv"):
        versions.setdefault(row["name"], []).append(row["version"])
    lines = [f"| {name} | {', '.join(several)} |" for name, several in versions.items()]
    return "\n".join(["| package | versions |", "|---|---|", *lines])


def rows(path: Path) -> list[dict[str, str]]:
    """Read a tab-separated file with a header."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def _lines(path: Path) -> Iterator[str]:
    judged = rows(path)
    counts = Counter((row["code"], row["judgement"]) for row in judged)
    names = {rule.code: f"[{rule.name}](rules/{rule.name}.md)" for rule in load_rules()}
    yield "| rule | | findings | useful | shrug | wrong | useful |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for code in sorted({row["code"] for row in judged}):
        yield _line(code, names.get(code, ""), [counts[code, word] for word in WORDS])
    totals = Counter(row["judgement"] for row in judged)
    yield _line("all", "", [totals[word] for word in WORDS])


def _line(title: str, name: str, counts: list[int]) -> str:
    share = f"{counts[0] / sum(counts):.0%}" if any(counts) else ""
    return f"| {title} | {name} | {sum(counts)} | {' | '.join(map(str, counts))} | {share} |"
