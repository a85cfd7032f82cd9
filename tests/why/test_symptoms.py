"""The laws of the built-in entries of ``rocmlint why``, and a planted entry that breaks each."""

from __future__ import annotations

import re
import string
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.errors import ConfigError
from rocmlint.rule.registry import load_rules
from rocmlint.why.entries.load import FOLDER, built_in, read
from rocmlint.why.entries.symptom import symptom_of
from rocmlint.why.examples import failures
from rocmlint.why.facts.all import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.entries.symptom import Symptom
    from rocmlint.why.entries.template import Template

SYMPTOMS = built_in(NAMES)
CODES = {rule.code for rule in load_rules()}
LONGEST = 160
LINE = 3_900
"""Characters of a line that a log keeps, about."""
MOST_GROWTH = 3.0
"""By how much twice the text may take longer, at most: four times would be quadratic."""
NOTHING = 0.05
"""Seconds in which nothing can be measured."""
MOST_SECONDS = 1.0
"""For eight lines that begin the message again and again."""
FORBIDDEN = {
    "loads files that may run code": r"weights_only\s*=\s*False",
    "links a library under another name": r"\bln\s+-\w*s\w*\b.*\.so\b",
    "forces what was refused": r"--force(?!-reinstall\b)[\w-]*",
    "pretends to be another GPU": r"HSA_OVERRIDE_GFX_VERSION\s*=",
    "installs whatever is newest": (
        r"\bpip3?\s+install\b(?=.*\s(?:-U|--upgrade)\b)(?!.*(?:[=<>~]=?\d|[=<>~]=?\{))"
    ),
}
"""What no advice may contain, and why."""


def advices(symptom: Symptom) -> Iterator[str]:
    for case in symptom.cases:
        yield from (*case.do, *case.run)


def sentences(symptom: Symptom) -> Iterator[str]:
    yield symptom.title
    for case in symptom.cases:
        yield from (case.cause, case.where, *case.do)


def length(sentence: str) -> int:
    """Return about how long it is on a terminal: what is filled in counts as eight characters."""
    parts = string.Formatter().parse(sentence)
    return sum(len(text) + 8 * (name is not None) for text, name, *_ in parts)


def broken_laws(symptom: Symptom) -> Iterator[str]:
    """Yield the laws that an entry breaks."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", symptom.id):
        yield "the id is not in kebab-case"
    if symptom.title == symptom.id:
        yield "has no title"
    if not symptom.references:
        yield "has no reference"
    yield from (
        f"not a public reference: {each}"
        for each in symptom.references
        if not re.fullmatch(r"https://[\w.-]+\.\w+/\S+", each)
    )
    if not symptom.examples:
        yield "has no example"
    if not symptom.near_misses:
        yield "has no near miss"
    yield from failures(symptom)
    yield from (f"no such rule: {each}" for each in symptom.rules if each not in CODES)
    for advice in advices(symptom):
        for why, pattern in FORBIDDEN.items():
            if re.search(pattern, advice) and not re.match(r"(?:do not|never|unset)\b", advice):
                yield f"{why}: {advice}"
    yield from (f"too long: {each}" for each in sentences(symptom) if length(each) > LONGEST)
    if any(not (case.do or case.run) for case in symptom.cases):
        yield "a case says nothing to do"


def text_full_of(template: Template, between: str, lines: int) -> str:
    """Return a text in which the template begins again and again and never ends."""
    pieces = [text for text, *_ in string.Formatter().parse(template.text)]
    begin = between.join(pieces[:-1] if len(pieces) > 1 and pieces[-1] else pieces)
    begin = begin.replace("\n", " ") + between
    line = (begin * (LINE // len(begin) + 1))[:LINE]
    end = template.literal if template.literal not in line else ""
    return f"{line}\n" * lines + f"\n\n{end}\n"


def seconds(template: Template, lines: int) -> float:
    texts = [text_full_of(template, between, lines) for between in (" 1 ", "1.")]
    started = time.process_time()
    for text in texts:
        template.find(text)
    return time.process_time() - started


def is_slow(template: Template) -> bool:
    """Return whether twice the text takes more than twice the time, each of three times."""
    return all(_grows(template) for _ in range(3))


def _grows(template: Template) -> bool:
    before = seconds(template, 2)
    for lines in (4, 8):
        if before > MOST_SECONDS * lines / 16:
            return True
        now = seconds(template, lines)
        if now < NOTHING or now < MOST_GROWTH * before:
            return now > MOST_SECONDS
        before = now
    return True


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda each: each.id)
def test_each_entry_keeps_the_laws(symptom: Symptom) -> None:
    assert list(broken_laws(symptom)) == []


def test_no_id_and_no_title_is_used_twice() -> None:
    for names in ([each.id for each in SYMPTOMS], [each.title for each in SYMPTOMS]):
        assert [name for name, times in Counter(names).items() if times > 1] == []


def test_two_entries_for_one_message_have_conditions() -> None:
    """Otherwise both fit each time, and neither is known."""
    texts = Counter(
        (" ".join(template.text.split()), symptom.exception)
        for symptom in SYMPTOMS
        if any(case.when is None for case in symptom.cases)
        for template in symptom.match
    )
    assert [text for text, times in texts.items() if times > 1] == []


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda each: each.id)
def test_templates_take_time_in_proportion_to_the_text(symptom: Symptom) -> None:
    assert [each.text for each in symptom.match if is_slow(each)] == []


def test_every_file_is_read() -> None:
    files = sorted(Path(FOLDER).glob("*.toml"))
    assert {each.source for each in SYMPTOMS} == {str(path) for path in files}


# What the laws find


GOOD: dict[str, Any] = {
    "id": "gone-name",
    "title": "a name that is gone",
    "match": ["{name:word} is gone"],
    "cause": "{name} is gone",
    "do": ["use another name"],
    "references": ["https://example.org/issues/1"],
    "rules": ["ROC204"],
    "examples": ["RuntimeError: x is gone"],
    "near_misses": ["RuntimeError: x is back"],
}
BAD: dict[str, dict[str, Any]] = {
    "the id is not in kebab-case": {"id": "Gone_name"},
    "has no title": {"title": ""},
    "has no reference": {"references": []},
    "not a public reference: http://example.org/x": {"references": ["http://example.org/x"]},
    "has no example": {"examples": []},
    "has no near miss": {"near_misses": []},
    "does not match its example 'RuntimeError: x is there'": {
        "examples": ["RuntimeError: x is there"]
    },
    "matches its near miss 'ValueError: y is gone'": {"near_misses": ["ValueError: y is gone"]},
    "no such rule: ROC999": {"rules": ["ROC999"]},
    "loads files that may run code: pass weights_only=False": {"do": ["pass weights_only=False"]},
    "links a library under another name: ln -s libx.so.7 libx.so.6": {
        "run": ["ln -s libx.so.7 libx.so.6"]
    },
    "forces what was refused: amdgpu-install --force": {"run": ["amdgpu-install --force"]},
    "pretends to be another GPU: export HSA_OVERRIDE_GFX_VERSION=10.3.0": {
        "run": ["export HSA_OVERRIDE_GFX_VERSION=10.3.0"]
    },
    "installs whatever is newest: pip install -U transformers": {
        "run": ["pip install -U transformers"]
    },
    f"too long: {'x' * 161}": {"cause": "x" * 161},
    "a case says nothing to do": {"do": []},
}
FINE: tuple[dict[str, Any], ...] = (
    {},
    {"run": ["pip install -U 'transformers<5'", "unset HSA_OVERRIDE_GFX_VERSION"], "do": []},
    {"run": ["pip install --force-reinstall torch=={version('torch')}"]},
    {"exception": ["RuntimeError"], "near_misses": ["ValueError: y is gone"]},
    {"cause": "{name} " + "x" * 140},
)


def planted(change: dict[str, Any]) -> Symptom:
    return symptom_of({**GOOD, **change}, "planted.toml", NAMES)


@pytest.mark.parametrize(("law", "change"), BAD.items())
def test_a_planted_entry_breaks_one_law(law: str, change: dict[str, Any]) -> None:
    assert list(broken_laws(planted(change))) == [law]


@pytest.mark.parametrize("change", FINE)
def test_an_entry_that_keeps_all_laws(change: dict[str, Any]) -> None:
    assert list(broken_laws(planted(change))) == []


def test_a_template_of_two_names_without_text_between_them_is_found_to_be_slow() -> None:
    texts = ["x{a:word}.{b:word} is gone"]
    (template,) = planted({"match": texts, "cause": "gone"}).match
    assert is_slow(template)


@pytest.mark.parametrize(("power", "slow"), [(1, False), (2, True)])
def test_a_template_whose_time_grows_with_the_square_is_found_to_be_slow(
    power: int, slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (template,) = planted({"match": ["is {a} gone {b} there"], "cause": "gone"}).match
    monkeypatch.setitem(globals(), "seconds", lambda _, lines: NOTHING * lines**power)
    assert is_slow(template) is slow


@pytest.mark.parametrize(
    "text",
    [
        "symptom = 1",
        "other = 1",
        "other = 1\n[[symptom]]",
        "[[symptom]]",
        "[[symptom]]\nid = 'a'\nmatch = '{}'\ncause = 'x'",
        "[[symptom]]\nid = 'a'\nmatch = 'x {a:shape}'\ncause = 'x'",
        "[[symptom]]\nid = 'a'\nmatch = 'x'\ncause = 'x'\nwhen = 'open(1)'",
        "[[symptom]]\nid = 'a'\nmatch = 'x'\ncause = '{__import__(1)}'",
        "[[symptom]]\nid = 'a'\nmatch = 'x'\ncause = 'x'\nwords = 'x'",
        "[[symptom]]\nid = 'a'\nmatch = 'x'\ncause = 'x'\n" * 2,
        "[[symptom",
    ],
)
def test_a_bad_file_is_one_clear_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "symptoms.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        read(str(path), NAMES)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
