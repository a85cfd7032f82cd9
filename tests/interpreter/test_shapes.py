"""Shapes of JSON."""

from __future__ import annotations

import pytest

from rocmlint.interpreter.shapes import is_shaped

SHAPE = {"name": str, "lines": [str], "files": {str: (str, type(None))}, "inner": {"one": int}}
GOOD = {"name": "a", "lines": ["b"], "files": {"c": None}, "inner": {"one": 1}, "more": 2}


def test_a_value_with_all_fields_and_more_has_the_shape() -> None:
    assert is_shaped(GOOD, SHAPE)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {**GOOD, "name": 1},
        {**GOOD, "lines": "b"},
        {**GOOD, "lines": [1]},
        {**GOOD, "files": {"c": 1}},
        {**GOOD, "files": ["c"]},
        {**GOOD, "inner": {}},
    ],
)
def test_a_value_that_lacks_a_field_or_has_another_type_does_not(value: object) -> None:
    assert not is_shaped(value, SHAPE)
