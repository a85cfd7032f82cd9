"""Why a toggle may be in a comment: a reason that the file gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.rule import Text, gives_reason

from ._commented_code import passages_around

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.rule import File

    from ._commented_code import Passage
    from ._disabled import Disabled

_LONG_EXPLANATION = 20


def is_explained(found: Disabled, source: File) -> bool:
    """Comments with a reason in or beside them, or with a long explanation, not a heading.

    A reason beside a call holds for the same call elsewhere in the file.
    """
    copies = _copies(found, source)
    return any(_has_reason(here, passages, source) for here, passages in copies)


def _copies(found: Disabled, source: File) -> Iterator[tuple[Passage, Sequence[Passage]]]:
    """Yield the passage of a toggle, and those of the same call in other comments of the file."""
    yield found.here, found.passages
    node = found.toggle.node
    if not isinstance(node, ast.Expr):
        return
    same = ast.dump(node)
    for comment in source.comments:
        if found.toggle.key not in comment.body or comment in found.here.comments:
            continue
        passages = passages_around(comment, source)
        for each in passages:
            if comment in each.comments and same in map(ast.dump, each.code):
                yield each, passages


def _has_reason(here: Passage, passages: Sequence[Passage], source: File) -> bool:
    others = [each.text for each in passages if each is not here]
    inside = [each.body for each in Text(here.text).comments]
    beside = [
        each.body
        for each in source.comments
        if each.line in {here.first - 1, here.last + 1} and not each.own_line
    ]
    text = "\n".join([*others, *inside, *beside])
    prose = " ".join(each.text for each in passages if not each.code)
    return (
        gives_reason(text)
        or any(letter.isalpha() for letter in text if not letter.isascii())
        or len(prose.split()) > _LONG_EXPLANATION
    )
