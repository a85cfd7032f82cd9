"""Reading documents that are mostly the same gives what the standard library gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rocmlint.verify.job.shared_json import SharedJson

LONG = [f"package-{number}" for number in range(100)]
DOCUMENTS: list[Any] = [
    {},
    {"versions": LONG, "pid": 1},
    {"versions": LONG, "pid": 12, "nothing": None},
    {"versions": [*LONG, "one more"], "pid": 1.5},
    {"pid": -1, "versions": LONG},
    {"a\\b": 1, 'quo"ted': {"versions": LONG}},
    ["no", "object"],
    "text",
]


@pytest.mark.parametrize("layout", [None, 2], ids=["on one line", "indented"])
def test_every_document_is_what_it_is_alone(layout: int | None) -> None:
    loads = SharedJson().loads
    for each in DOCUMENTS * 2:
        assert loads(json.dumps(each, indent=layout)) == each


def test_the_same_value_of_two_documents_is_one_object() -> None:
    loads = SharedJson().loads
    first: Any = loads(json.dumps({"pid": 1, "versions": LONG}))
    second: Any = loads(json.dumps({"pid": 2, "versions": LONG}))
    assert first["versions"] is second["versions"]


@pytest.mark.parametrize("text", ["", "{", '{"a": 1', '{"a": }', '{"a": 1} x', '{"a" 1}', "[" * 50])
def test_what_is_not_json_is_told_in_the_words_of_the_library(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as alone:
        json.loads(text)
    with pytest.raises(json.JSONDecodeError) as shared:
        SharedJson().loads(text)
    assert str(shared.value) == str(alone.value)


def test_a_value_that_another_begins_with_is_not_taken_for_it() -> None:
    loads = SharedJson().loads
    long = int("1" * 300)
    assert loads(json.dumps({"pid": long})) == {"pid": long}
    assert loads(f'{{"pid": {long}2}}') == {"pid": int(f"{long}2")}
