"""A matrix for people and for programs: a table of text, a JSON document, a page."""

from __future__ import annotations

import html
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from rocmlint.text.json import dumps
from rocmlint.text.visible import GREEN, RED, YELLOW, paint, visible
from rocmlint.verify.result import EXIT_CODES, overall
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.verify.export.matrix import MatrixRow

VERSION = 1
"""Grows when a field of the JSON document changes its meaning or goes."""
_STYLES = {"PASS": GREEN, "WRONG": RED, "FAIL": RED, "PARTIAL": YELLOW, "UNKNOWN": YELLOW}
_HEADERS = ("model", "verdict", "seconds", "why")
_WIDEST = 110


def text(rows: Sequence[MatrixRow], *, color: bool) -> Iterator[str]:
    """Yield a table with a row for each model, and how many models have each verdict."""
    table = [
        (
            visible(each.name),
            paint(each.word, _STYLES[each.word], color=color),
            f"{each.seconds:.0f}",
            visible(_short(each.why)),
        )
        for each in rows
    ]
    yield tabulate(table, _HEADERS, disable_numparse=True) + "\n\n"
    yield ", ".join(f"{many:,} {word}" for word, many in counts(rows).items()) + ".\n"
    unseen = [each.name for each in rows if each.word == "PASS" and not _is_proven(each)]
    if unseen:
        yield f"PASS with an open question: {', '.join(map(visible, unseen))}.\n"


def _is_proven(row: MatrixRow) -> bool:
    return overall(row.results) == "proven"


def _short(why: str) -> str:
    line = (why.strip().splitlines() or [""])[0]
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"


def counts(rows: Sequence[MatrixRow]) -> dict[str, int]:
    """Return how many models have each verdict, the best first."""
    found = Counter(each.word for each in rows)
    return {word: found[word] for word in ("PASS", "PARTIAL", "WRONG", "FAIL", "UNKNOWN")}


def document(rows: Sequence[MatrixRow]) -> str:
    """Return the matrix as JSON; ``docs/schema/export-matrix.json`` describes it."""
    verdict = overall(result for each in rows for result in each.results)
    head = {
        "version": VERSION,
        "tool": {"name": "rocmlint", "version": __version__},
        "verdict": verdict,
        "exit_code": EXIT_CODES[verdict],
        "counts": counts(rows),
    }
    inner = ",\n".join(dumps(_row(each)) for each in rows)
    return f'{dumps(head)[:-1]},\n"models": [\n{inner}\n]}}\n'


def _row(row: MatrixRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "verdict": row.word,
        "why": row.why,
        "seconds": round(row.seconds, 1),
        "with": list(row.notes),
        "exports": [
            {"scenario": each.scenario, "mode": each.mode, "verdict": each.word, "why": each.why}
            for each in row.verdicts
        ],
        "results": [asdict(each) for each in row.results],
    }


_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #ccc; padding: .35rem .6rem }
th, td { text-align: left; vertical-align: top }
td.number { text-align: right }
summary { cursor: pointer }
pre { font-size: 12px; overflow-x: auto; white-space: pre-wrap }
.PASS { color: #11722f } .WRONG, .FAIL { color: #b3141d } .PARTIAL, .UNKNOWN { color: #8a5a00 }
@media (prefers-color-scheme: dark) {
  body { background: #16181d; color: #ddd } th, td { border-color: #444 }
  .PASS { color: #5ccb7f } .WRONG, .FAIL { color: #ff7b81 } .PARTIAL, .UNKNOWN { color: #e5b567 }
}
"""


def page(rows: Sequence[MatrixRow]) -> Iterator[str]:
    """Yield a page of HTML that needs nothing else."""
    summary = ", ".join(f"{many:,} {word}" for word, many in counts(rows).items())
    notes = sorted({each for row in rows for each in row.notes})
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Exports: {summary}</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>Exports</h1>\n<p>{summary}.</p>\n<p>{html.escape('; '.join(notes))}</p>\n"
        "<table><thead><tr><th>Model</th><th>Verdict</th><th>Seconds</th><th>Why</th></tr></thead>"
        "<tbody>\n"
    )
    for each in rows:
        yield _html_row(each)
    yield f"</tbody></table>\n<p>rocmlint {html.escape(__version__)}</p>\n</body></html>\n"


def _html_row(row: MatrixRow) -> str:
    details = "\n".join(
        f"{each.verdict}: {each.claim}: {each.seen}"
        + (f"\n  why: {each.reason}\n  do: {each.action}" if each.reason else "")
        + "".join(f"\n  {it.name}: {it.value}" for it in each.evidence)
        for each in row.results
    )
    why = html.escape(visible(_short(row.why)))
    return (
        f"<tr><td>{html.escape(row.name)}</td><td class={row.word}>{row.word}</td>"
        f"<td class=number>{row.seconds:.0f}</td><td><details><summary>{why or 'details'}</summary>"
        f"<pre>{html.escape(details)}</pre></details></td></tr>\n"
    )
