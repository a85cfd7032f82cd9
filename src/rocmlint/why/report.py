"""An answer as text of at most twelve lines, and as JSON."""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from rocmlint.text.json import dumps
from rocmlint.text.secrets import without_tokens
from rocmlint.text.visible import visible
from rocmlint.text.words import shortened
from rocmlint.why.facts.packages.patched import is_patched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Answer, Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.log.log_data import Log, LogFrame, Raised

SCHEMA = 1
_MOST_LINES = 12
_WIDTH = 100
_ERROR = re.compile(r"(?i)\b(?:error|fatal|fault|fail(?:ed|ure)?|abort(?:ed|ing)?|cannot|denied)\b")
_MOST_EXCEPTIONS, _MOST_FRAMES = 50, 20
_HASHED = 3
"""The frames of packages, from the innermost, whose file is compared with its RECORD."""


def lines_of(answer: Answer) -> list[str]:
    """Return the answer for people: at most twelve lines, each safe to print."""
    rows = [_head(answer), *_body(answer)]
    return [visible(without_tokens(each)) for each in rows[:_MOST_LINES]]


def _head(answer: Answer) -> str:
    explained = answer.explanation
    message = answer.raised.text if answer.raised else explained.message if explained else ""
    message = message or next(filter(_ERROR.search, answer.log.lines), "").strip()
    first = shortened(message.partition("\n")[0], _WIDTH) or "no error was found in this text"
    entry = f" ({explained.entry})" if explained else ""
    rank = answer.raised.rank if answer.raised else None
    where = "" if rank is None else f"rank {rank}: "
    return f"why: {where}{first}  {answer.verdict}{entry}"


def _body(answer: Answer) -> Iterator[str]:
    explained = answer.explanation
    if explained is None:
        yield from _rows("facts", [f"{e.fact}: {e.value}  ({e.source})" for e in answer.gathered])
        if answer.tracker:
            yield from _rows("report", [answer.tracker])
        return
    yield from _rows("cause", [explained.cause])
    yield from _rows("where", [explained.where] if explained.where else [])
    facts = [f"{e.fact}: {e.value}  ({e.source})" for e in explained.evidence]
    yield from _rows("evidence", facts[:3])
    yield from _rows("do", [each.text for each in explained.actions][:3])
    yield from _rows("confirm", [explained.confirm] if explained.confirm else [])
    missing = [f"{e.fact}: {e.command}" if e.command else e.fact for e in explained.missing]
    yield from _rows("not read", missing[:2])
    also = [f"{each.entry}: {each.cause}" for each in answer.alternatives]
    yield from _rows("or", also[:2])


def _rows(name: str, lines: list[str]) -> Iterator[str]:
    for index, line in enumerate(lines):
        yield f"  {name if not index else '':<9} {' '.join(line.split())}"


def json_of(answer: Answer, context: Context) -> str:
    """Return the answer as JSON (docs/schema/why.json)."""
    explained = answer.explanation
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "input": {
            "sha256": answer.log.sha256,
            "bytes": answer.log.size,
            "cut": answer.log.cut,
            "exceptions": list(islice(_exceptions(answer.log, context), _MOST_EXCEPTIONS)),
        },
        "verdict": answer.verdict,
        "exit_code": answer.exit_code,
        "explanation": None if explained is None else _explanation(explained),
        "alternatives": [_explanation(each) for each in answer.alternatives],
        "facts": [asdict(each) for each in answer.gathered],
        "tracker": answer.tracker or None,
    }
    return dumps(_without_tokens(document), indent=2)


def _without_tokens(value: Any) -> Any:
    if isinstance(value, str):
        return without_tokens(value)
    if isinstance(value, dict):
        return {key: _without_tokens(each) for key, each in value.items()}
    return [_without_tokens(each) for each in value] if isinstance(value, (list, tuple)) else value


def _explanation(explained: Explanation) -> dict[str, Any]:
    return {
        "entry": explained.entry,
        "verdict": explained.verdict,
        "message": explained.message,
        "cause": explained.cause,
        "where": explained.where or None,
        "evidence": [asdict(each) for each in explained.evidence],
        "missing_facts": [asdict(each) for each in explained.missing],
        "actions": [
            {"command" if each.is_command else "edit": each.text, "safe": each.safe}
            for each in explained.actions
        ],
        "confirm": {"command": explained.confirm} if explained.confirm else None,
        "rules": list(explained.rules),
        "references": list(explained.references),
        "tables": [explained.table] if explained.table else [],
    }


def _exceptions(log: Log, context: Context) -> Iterator[dict[str, Any]]:
    for number, chain in enumerate(log.chains):
        for each in chain.raised:
            yield {"chain": number, **_exception(each, context)}


def _exception(raised: Raised, context: Context) -> dict[str, Any]:
    shown = raised.frames[-_MOST_FRAMES:]
    of_packages = [each for each in shown if context.owner(each).kind == "package"]
    hashed = set(of_packages[-_HASHED:])
    return {
        "type": raised.type,
        "message": raised.message,
        "rank": raised.rank,
        "line": raised.line,
        "frames": [_frame(each, context, is_hashed=each in hashed) for each in shown],
    }


def _frame(frame: LogFrame, context: Context, *, is_hashed: bool) -> dict[str, Any]:
    owner = context.owner(frame)
    return {
        "file": frame.file,
        "line": frame.line,
        "function": frame.function or None,
        "kind": owner.kind,
        "owner": owner.name or None,
        "version": owner.version or None,
        "patched": is_patched(frame, context.packages) if is_hashed else None,
    }
