"""Comment lines read as the code that they were: single statements, arguments, and prose."""

from __future__ import annotations

import ast
import textwrap
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily, syntax_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.rule import Comment, File

Code = ast.stmt | ast.keyword

_LONGEST_BLOCK = 60
_LONGEST_STATEMENT = 16
_CONTINUES = ("else:", "elif ", "except", "finally:")
_SETTING = compile_lazily(
    r"(?:(?:export|(?P<image>ENV)|set|-|-e)\s+)?(?P<name>[A-Z][A-Z\d_]+)"
    r"(?:\s?[=:]\s?|(?(image)\s|(?!)))[\"']?(?P<value>[\w.-]+)[\"']?[\s;\\]*"
)
"""A variable that a script, an image or a service sets: ``export A=1``, ``ENV A=1``, ``- A=1``."""


@dataclass(frozen=True)
class Passage:
    """Comments that are one statement, or some arguments, together; or one line of prose.

    ``code`` is empty for prose. Dictionary items, and variables that a script sets, stand as the
    arguments that they resemble.
    """

    comments: tuple[Comment, ...]
    code: tuple[Code, ...]

    @property
    def first(self) -> int:
        """The line of the file that it begins on."""
        return self.comments[0].line

    @property
    def last(self) -> int:
        """The line of the file that it ends on."""
        return self.comments[-1].line

    @property
    def text(self) -> str:
        """What stands behind the ``#``, without the indent that all lines share."""
        return _text(self.comments)


def passages_around(comment: Comment, source: File) -> Sequence[Passage]:
    """Read the comment lines that stand together with this one; a trailing comment stands alone.

    Nothing where they are too many: what is meant there is not a single line.
    """
    from rocmlint.rule import Source  # noqa: PLC0415 - few scripts have any

    block = _block(comment, source)
    if len(block) > _LONGEST_BLOCK:
        return ()
    if isinstance(source, Source):
        return _passages(block)
    return [Passage((each,), _setting(each.body)) for each in block]


def _setting(text: str) -> tuple[Code, ...]:
    """Read the text of a comment of a script as a variable that is set."""
    found = _SETTING.fullmatch(text)
    if found is None:
        return ()
    value = ast.Constant(found["value"], lineno=1, col_offset=0)
    return (ast.keyword(arg=found["name"], value=value, lineno=1, col_offset=0),)


def _block(comment: Comment, source: File) -> tuple[Comment, ...]:
    """Return the unbroken run of comments with a line of their own, or the first of very many."""
    comments = source.comments
    first = last = bisect_left(comments, comment.line, key=lambda each: each.line)
    while last - first <= _LONGEST_BLOCK and _stand_together(
        comments[max(0, first - 1) : first + 1]
    ):
        first -= 1
    while last - first <= _LONGEST_BLOCK and _stand_together(comments[last : last + 2]):
        last += 1
    return tuple(comments[first : last + 1])


def _stand_together(comments: Sequence[Comment]) -> bool:
    """Return whether these are two comments on lines of their own, one below the other."""
    lines = [each.line for each in comments if each.own_line]
    return len(lines) == 2 and lines[0] + 1 == lines[1]


@lru_cache(maxsize=8)
def _passages(block: tuple[Comment, ...]) -> tuple[Passage, ...]:
    found: list[Passage] = []
    start = 0
    while start < len(block):
        end, code = _read(block, start)
        found.append(Passage(block[start:end], tuple(code)))
        start = end
    return tuple(found)


def _read(block: Sequence[Comment], start: int) -> tuple[int, Sequence[Code]]:
    """Read the passage that begins at a line; give where it ends, and its code."""
    unclosed = 0
    for end in range(start + 1, min(len(block), start + _LONGEST_STATEMENT) + 1):
        line = block[end - 1].body
        unclosed += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        code = parse(_text(block[start:end])) if unclosed <= 0 or end == start + 1 else []
        if code:
            return _with_body(block, start, end, code)
        is_empty = end > start + 1 and (not line or line.startswith("#"))
        if not (unclosed > 0 or is_empty or line.endswith((":", "\\"))):
            break
    return start + 1, ()


def _with_body(
    block: Sequence[Comment], start: int, end: int, code: Sequence[Code]
) -> tuple[int, Sequence[Code]]:
    """Add the lines that go on with a compound statement, as many as can be read."""
    last = end
    while last < len(block) and _belongs_to(block[last], block[start]):
        last += 1
    for longer in range(last, end, -1):
        whole = parse(_text(block[start:longer]))
        if len(whole) == 1:
            return longer, whole
    return end, code


def _belongs_to(line: Comment, first: Comment) -> bool:
    """Return whether a line goes on with the compound statement that another begins."""
    return indent_of(line) > indent_of(first) or line.body.startswith(_CONTINUES)


def indent_of(comment: Comment) -> int:
    """Count the blanks between ``#`` and the text."""
    inside = comment.text.lstrip("#")
    return len(inside) - len(inside.lstrip())


def _text(comments: Sequence[Comment]) -> str:
    return textwrap.dedent("\n".join(each.text.lstrip("#") for each in comments))


def parse(text: str) -> list[Code]:
    """Read text as one statement, or as arguments or items; empty where it is neither."""
    statements = [] if text.rstrip().endswith(",") else _parse(text)
    if len(statements) == 1:
        return [each for each in statements if _says_something(each)]
    for opening, closing in (("_(", "\n)"), ("{", "\n}")):
        found = _parse(opening + text + closing)
        if len(found) == 1 and isinstance(found[0], ast.Expr):
            arguments = _arguments(found[0].value)
            if arguments:
                return arguments
    return []


def _parse(text: str) -> list[ast.stmt]:
    module = syntax_tree(text)
    return [] if module is None else module.body


def _says_something(statement: ast.stmt) -> bool:
    """Return whether a statement is meant as code: prose may parse as names and annotations."""
    if isinstance(statement, ast.AnnAssign):
        return statement.value is not None
    return not isinstance(statement, ast.Expr) or isinstance(statement.value, (ast.Call, ast.Await))


def _arguments(value: ast.expr) -> list[Code]:
    if isinstance(value, ast.Call) and not value.args:
        return list(value.keywords)
    if isinstance(value, ast.Dict):
        return [
            ast.keyword(arg=key.value, value=item, lineno=key.lineno, col_offset=key.col_offset)
            for key, item in zip(value.keys, value.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        ]
    return []
