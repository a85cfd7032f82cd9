"""The tests of ``if`` around a node, and the attributes that code sets in other objects."""

from __future__ import annotations

import libcst as cst
import pytest

from rocmlint.source.attribute_patches import attribute_patches
from rocmlint.source.conditions import conditions
from rocmlint.source.python import Source
from rocmlint.syntax.walk import walk


def source_of(text: str) -> Source:
    return Source("job.py", text, place="job.py")


def conditions_around(text: str) -> list[tuple[str, bool]]:
    """Return the conditions of the call ``here()``."""
    source = source_of(text)
    (call,) = (
        each
        for each in walk(source.module)
        if isinstance(each, cst.Call) and source.text_of(each) == "here()"
    )
    return [(source.text_of(each.test), each.holds) for each in conditions(call, source)]


@pytest.mark.parametrize(
    ("text", "around"),
    [
        ("here()\n", []),
        ("if a:\n    here()\n", [("a", True)]),
        ("if a:\n    pass\nelse:\n    here()\n", [("a", False)]),
        ("if a:\n    pass\nelif b:\n    here()\n", [("b", True), ("a", False)]),
        ("x = here() if a else 0\n", [("a", True)]),
        ("x = 0 if a else here()\n", [("a", False)]),
        ("if here():\n    pass\n", []),
        ("if a:\n    def f():\n        if b:\n            here()\n", [("b", True), ("a", True)]),
    ],
)
def test_conditions_are_given_from_the_inside_and_with_what_they_must_say(
    text: str, around: list[tuple[str, bool]]
) -> None:
    assert conditions_around(text) == around


@pytest.mark.parametrize(
    ("text", "patches"),
    [
        ("a.b.c = d\n", [("a.b", "c", "d")]),
        ("a.b = c.d = e\n", [("a", "b", "e"), ("c", "d", "e")]),
        ('setattr(a, "b", c)\n', [("a", "b", "c")]),
        ("setattr(a, name, c)\n", []),
        ("a = b\n", []),
        ('getattr(a, "b", c)\n', []),
    ],
)
def test_attributes_that_are_set_from_outside(
    text: str, patches: list[tuple[str, str, str]]
) -> None:
    source = source_of(text)
    found = [
        (source.text_of(each.owner), each.name, source.text_of(each.value))
        for node in walk(source.module)
        if isinstance(node, (cst.Assign, cst.Call))
        for each in attribute_patches(node)
    ]
    assert found == patches
