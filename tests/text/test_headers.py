"""The first lines of the blocks around a place."""

from __future__ import annotations

import pytest

from rocmlint.text.headers import headers_above

CASES = {
    "for a in b:\n    if c:\n        HERE": ["if", "for"],
    "async def a(\n    b,\n):\n    with c:\n\n        HERE": ["with", "def"],
    "def a():\n    if b:\n        c\n    else:\n        HERE": ["else", "def"],
    "def a():\n    for b in c:\n        d\n    HERE": ["def"],
    "if (a\n  or b):\n    HERE": ["", ""],
    "for a in b: HERE": [""],
    "for a in (\n    b\n):\n    HERE": [""],
    "def a():\n    b = [\n        HERE\n    ]": ["", "def"],
    "def a():\n\tHERE": ["", "def"],
    "class A:\n    try:\n        a\n    except B:\n        HERE": ["except", "class"],
    "HERE": [],
}


@pytest.mark.parametrize("code", CASES)
def test_headers_are_those_of_the_blocks_around_a_place(code: str) -> None:
    found = [each.keyword for each in headers_above(code, code.index("HERE"))]
    assert found == CASES[code]
