"""Count the cases that try to fool ``rocmlint verify``: which verdicts on them are right.

    python -m benchmarks.verdicts [--jobs N]

Runs every test marked ``verdict`` and prints a table of their areas. The exit code is 1 if a
verdict is falsely proven or falsely contradicted, or more than 5 % of an area are needlessly
unproven.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from pathlib import Path

COLUMNS = ("right", "false proven", "false contradicted", "needlessly unproven", "no verdict")
NEEDLESS = 0.05
"""The largest part of the cases of an area that may be needlessly unproven."""


def column(truth: str | None, verdict: str | None) -> str:
    """Return the column of the table in which a case is counted."""
    if truth is None or verdict not in {"proven", "contradicted", "unproven"}:
        return "no verdict"
    if verdict == "proven":
        return "right" if truth == "holds" else "false proven"
    if verdict == "contradicted":
        return "right" if truth == "broken" else "false contradicted"
    return "needlessly unproven" if truth == "holds" else "right"


def counted(report: Path) -> dict[str, Counter[str]]:
    """Return how many cases of each area are in each column. Raises ParseError."""
    areas: dict[str, Counter[str]] = defaultdict(Counter)
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest has just written it
        if case.find("skipped") is not None:
            continue
        said = {each.get("name"): each.get("value") for each in case.iter("property")}
        is_failed = case.find("failure") is not None or case.find("error") is not None
        if "area" not in said and not is_failed:
            continue  # it holds what the cases rest on
        area = said.get("area") or "(not judged)"
        areas[area][column(said.get("truth"), said.get("verdict"))] += 1
    return areas


def is_good(counts: Counter[str]) -> bool:
    """Return whether no verdict of an area is false, and few are needlessly unproven."""
    needless = counts["needlessly unproven"]
    wrong = counts.total() - counts["right"] - needless
    return not wrong and needless <= NEEDLESS * counts.total()


def table(areas: dict[str, Counter[str]]) -> str:
    """Return the table of the areas, and of all of them together."""
    rows = [*sorted(areas.items()), ("all", sum(areas.values(), Counter()))]
    lines = ["| area | cases | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 2) + "|"]
    for name, counts in rows:
        cells = (name, counts.total(), *(counts[each] for each in COLUMNS))
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> int:
    """Run the cases and print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", default="auto", help="how many run at once (default: auto)")
    jobs = parser.parse_args().jobs
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-m", "verdict", "tests/verify", "-n", jobs]
        subprocess.run([*command, f"--junitxml={report}"], stdout=sys.stderr, check=False)
        areas = counted(report)
    sys.stdout.write(table(areas) + "\n")
    return 0 if all(map(is_good, areas.values())) else 1


if __name__ == "__main__":
    sys.exit(main())
