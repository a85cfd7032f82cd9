"""A page as text of at most 40 lines, and as JSON (docs/schema/doctor.json)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rocmlint.doctor.causes import counts
from rocmlint.text.json import dumps
from rocmlint.text.secrets import without_logins
from rocmlint.text.visible import BOLD, GREEN, RED, YELLOW, paint, visible
from rocmlint.text.words import counted, shortened
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.doctor.causes import Cause, Page

VERSION = 1
"""Of the JSON: grows when a field changes its meaning or goes; new fields may come without."""
MOST_LINES = 40
_RIGHT, _OPEN = 4, 6
"""How many lines are for what is right, and for what could not be determined."""
_LONGEST = 220
_COLORS = {"error": RED, "warning": YELLOW, "unknown": YELLOW}
_VERDICTS = {0: ("right", GREEN), 1: ("wrong", RED), 3: ("not provable here", YELLOW)}


def lines_of(page: Page, *, verbose: bool, color: bool) -> list[str]:
    """Return the lines for people, each safe to print; all of them where ``verbose``."""
    head = [*_head(page), ""]
    tail = [*_tail(page, verbose=verbose), _end(page, color=color)]
    blocks = [list(_block(n, each, page, color=color)) for n, each in enumerate(page.causes, 1)]
    body: list[str] = []
    for number, (cause, block) in enumerate(zip(page.causes, blocks, strict=True)):
        if verbose:
            body += [*block, *_evidence(cause)]
        elif len(head) + len(body) + len(block) + len(tail) + 1 < MOST_LINES:
            body += block
        else:
            left = len(blocks) - number
            body.append(f"and {counted(left, 'more cause')}: rocmlint doctor -v")
            break
    return [*head, *body, *([""] if body else []), *tail]


def _head(page: Page) -> Iterator[str]:
    yield f"project  {_clean(page.project)}"
    for name, value in page.facts.items():
        yield f"{name:<8} {_clean(value)}"
    if page.ran is not None:
        ran = page.ran
        command = shortened(" ".join(ran.command), 80)
        said = f"{command}: {ran.ended}, {counted(ran.processes, 'Python process')}"
        yield f"{'ran':<8} {_clean(said)}"
        for each in ran.watched:
            yield f"{'':<8} watched: {_clean(each)}"


def _block(number: int, cause: Cause, page: Page, *, color: bool) -> Iterator[str]:
    word = paint(cause.severity, BOLD, _COLORS[cause.severity], color=color)
    yield f"{number}. {word}  {_clean(cause.subject)}: {_clean(_short(cause.problem, page))}"
    rows = [("where", _clean(_short(str(each), page))) for each in cause.where]
    rows += [("do", _safe(each)) for each in cause.do]
    before = ""
    for name, value in rows:
        yield f"   {name if name != before else '':<6} {value}"
        before = name


def _evidence(cause: Cause) -> Iterator[str]:
    for each in cause.evidence:
        for line in each.value.split("\n"):
            yield f"          {_clean(each.name)}: {_clean(line)}"
    if cause.confirm:
        yield f"   confirm {_safe(cause.confirm)}"


def _tail(page: Page, *, verbose: bool) -> Iterator[str]:
    for name, found, most in (
        ("right", page.found.right, _RIGHT),
        ("open", page.found.unanswered, _OPEN),
    ):
        lines = list(dict.fromkeys(found))
        kept = lines if verbose or len(lines) <= most else lines[: most - 1]
        if len(kept) < len(lines):
            kept = [*kept, f"and {len(lines) - len(kept)} more (-v)"]
        for index, each in enumerate(kept):
            yield f"{name if not index else '':<8} {_clean(_short(each, page))}"


def _end(page: Page, *, color: bool) -> str:
    found = counts(page.causes)
    verdict, style = _VERDICTS[page.exit_code]
    numbers = [
        f"{number} unknown" if each == "unknown" else counted(number, each)
        for each, number in found.items()
        if number
    ]
    numbers += [f"{len(set(page.found.unanswered))} open"] if page.found.unanswered else []
    numbers += [f"{len(page.found.right)} right"]
    return f"{paint(verdict, BOLD, style, color=color)}: {', '.join(numbers)}"


def _short(text: str, page: Page) -> str:
    """Return a text with paths relative to the environment that the head names."""
    prefix = page.prefix.rstrip("/\\")
    return text.replace(f"{prefix}/", "").replace(f"{prefix}\\", "") if len(prefix) > 1 else text


def _clean(text: str) -> str:
    """Return a text on one line of some length."""
    return _safe(shortened(text, _LONGEST))


def _safe(text: str) -> str:
    """Return a text to be printed, whole: a command that is cut would do something else."""
    return visible(without_logins(text))


def json_of(page: Page) -> str:
    """Return the page as JSON."""
    content = {
        "project": page.project,
        "interpreter": {
            "path": page.chosen.path,
            "reason": page.chosen.reason,
            "is_own": page.chosen.is_own,
            "prefix": page.prefix or None,
        },
        "facts": page.facts,
        "causes": [_of_cause(each) for each in page.causes],
        "right": list(dict.fromkeys(page.found.right)),
        "unanswered": list(dict.fromkeys(page.found.unanswered)),
        "ran": None if page.ran is None else asdict(page.ran),
    }
    return _document(page.exit_code, content)


def json_of_error(message: str) -> str:
    """Return an error as JSON."""
    return _document(2, {"error": message})


def _document(code: int, content: dict[str, Any]) -> str:
    about = {"version": VERSION, "tool": {"name": "rocmlint", "version": __version__}}
    return dumps(_plain({**about, "exit_code": code, **content}), indent=2)


def _of_cause(cause: Cause) -> dict[str, Any]:
    return {
        "id": cause.id,
        "severity": cause.severity,
        "area": cause.area,
        "subject": cause.subject,
        "problem": cause.problem,
        "where": [{"path": each.path, "what": each.what or None} for each in cause.where],
        "do": cause.do,
        "confirm": cause.confirm or None,
        "evidence": [asdict(each) for each in cause.evidence],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return without_logins(value) if isinstance(value, str) else value
