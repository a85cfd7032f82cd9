"""The results of ``rocmlint verify`` and ``rocmlint stack show`` as parts of a page."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rocmlint.report.formats.html.elements import NOTHING, Html, element, joined, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rocmlint.report.attached import Attached

_VERDICTS = {"contradicted": "error", "proven": "good", "unproven": "warning"}
_JUDGEMENTS = {"conflict": "error", "note": "warning", "fits": "good", "unknown": "warning"}
_STYLES = {**_VERDICTS, **_JUDGEMENTS}
"""How verdicts are shown; what is no verdict counts as the last."""


def sections(documents: Sequence[Attached]) -> Html:
    """Return a section for each document."""
    parts = {"verify": _verify, "stack": _stack}
    return joined(*(parts[each.kind](each) for each in documents))


def _verify(document: Attached) -> Html:
    results = _objects(document.content.get("results"))
    count = Counter(_word(each.get("verdict"), _VERDICTS) for each in results)
    listed = joined(*map(_result, results)) or element("p", text("There was nothing to check."))
    return _section(document, count, listed)


def _result(result: Mapping[str, Any]) -> Html:
    verdict = _word(result.get("verdict"), _VERDICTS)
    facts = [(name, result.get(key)) for name, key in (("seen", "seen"), ("why", "reason"))]
    facts += [("do", result.get("action")), ("evidence", result.get("strength"))]
    facts += [
        (_str(each.get("name")), each.get("value")) for each in _objects(result.get("evidence"))
    ]
    claim = element("span", text(_str(result.get("claim"))), class_="claim")
    subject = element("span", text(f"{_str(result.get('subject'))} "), class_="subject")
    return _folded(verdict, _VERDICTS[verdict], joined(subject, claim), _facts(facts))


def _stack(document: Attached) -> Html:
    content = document.content
    verdicts = _objects(content.get("verdicts"))
    count = Counter(_word(each.get("judgement"), _JUDGEMENTS) for each in verdicts)
    standing = [each for each in verdicts if each.get("judgement") != "fits"]
    return _section(document, count, _facts(_installed(content)), *map(_pair, standing))


def _installed(content: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    python, rocm, torch = (_object(content.get(each)) for each in ("python", "rocm", "torch"))
    yield (
        "Python",
        _spaced(python.get("version"), python.get("executable")),
    )
    yield "ROCm", _with_source(rocm.get("version"), rocm.get("source"), "none found")
    devices = _object(content.get("devices"))
    names = Counter(map(_str, _list(devices.get("names"))))
    gpus = ", ".join(f"{number} x {name}" for name, number in names.items())
    yield "GPU", _with_source(gpus, devices.get("source"), "none found")
    yield "torch", _with_source(torch.get("version"), torch.get("source"), "not installed")
    for name, version in sorted(_object(content.get("packages")).items()):
        if name != "torch":
            yield name, version
    for problem in (*_list(devices.get("problems")), *_list(content.get("unreadable"))):
        yield "problem", problem


def _with_source(value: object, source: object, otherwise: str) -> str:
    return f"{_str(value)} ({_str(source)})" if value else otherwise


def _pair(verdict: Mapping[str, Any]) -> Html:
    judgement = _word(verdict.get("judgement"), _JUDGEMENTS)
    package = _spaced(verdict.get("package"), verdict.get("version"))
    on = _spaced(verdict.get("on"), verdict.get("found"))
    subject = element("span", text(f"{package} and {on}" if on else package), class_="subject")
    facts = [(name, verdict.get(key)) for name, key in (("why", "reason"), ("do", "action"))]
    facts += [("requires", verdict.get("requirement")), ("grade", verdict.get("grade"))]
    return _folded(judgement, _JUDGEMENTS[judgement], subject, _facts(facts))


def _section(document: Attached, count: Mapping[str, int], *inside: Html) -> Html:
    """Return a section that is folded: what it comes to is in its first line."""
    name = document.kind
    head = element("h2", text(name.capitalize()), id=f"{name}-heading")
    badges = [
        joined(text(" "), _badge(f"{count[verdict]:,} {verdict}", style))
        for verdict, style in _STYLES.items()
        if count[verdict]
    ]
    summary = joined(head, *badges, element("code", text(document.path)))
    body = element("details", element("summary", summary), *inside)
    return element("section", body, class_=f"attached {name}", aria_labelledby=f"{name}-heading")


def _badge(words: str, style: str) -> Html:
    return element("span", text(words), class_=f"badge {style}")


def _folded(verdict: str, style: str, summary: Html, inside: Html) -> Html:
    is_open = "" if style == "good" else "open"
    head = element("summary", _badge(verdict, style), text(" "), summary)
    return element("details", head, inside, class_="result", open=is_open)


def _facts(facts: Iterable[tuple[str, object]]) -> Html:
    rows = [
        element("div", element("dt", text(name)), element("dd", text(_str(value))))
        for name, value in facts
        if value
    ]
    return element("dl", *rows, class_="facts") if rows else NOTHING


# What a document has, whatever that is: a person may have edited it


def _str(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _spaced(*values: object) -> str:
    return " ".join(filter(None, map(_str, values)))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, Any]]:
    return [each for each in _list(value) if isinstance(each, dict)]


def _word(value: object, known: Mapping[str, str]) -> str:
    return value if isinstance(value, str) and value in known else list(known)[-1]
