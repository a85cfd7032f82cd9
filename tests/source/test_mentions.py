"""Where names begin an expression, found once for a file."""

from __future__ import annotations

import pytest

from rocmlint.lazy import compile_lazily
from rocmlint.source.mentions import mentions, occurs
from rocmlint.source.python import Source

CODE = "torch = load('torch')  # torch\nx.torch = torch.nn, mytorch, torch2, [torch]\n"


@pytest.mark.parametrize(
    ("name", "offsets"), [("torch", [0, 41, 69]), ("x", [31]), ("nn", []), ("load", [8])]
)
def test_a_name_is_mentioned_in_code_where_it_is_no_attribute_and_no_part(
    name: str, offsets: list[int]
) -> None:
    source = Source("a.py", CODE)

    assert list(mentions(name, source)) == offsets


def test_an_expression_occurs_in_the_whole_text_of_a_file() -> None:
    source = Source("a.py", CODE)

    assert occurs(compile_lazily("# torch"), source)
    assert not occurs(compile_lazily("flash"), source)
