"""The code object of one rewritten function, with the lines of the file before."""

from __future__ import annotations

import ast
from types import CodeType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.models.control_flow.rewrite import Rewritten


def function_code(
    rewritten: Rewritten, function: str, filename: str, line: int | None = None
) -> CodeType:
    """Return the code of a function of the rewritten text, by its qualified name.

    Its free variables have the names of those before (perhaps in another order, and
    ``__class__`` is among them for zero-argument ``super()``), so that a closure can be made of
    the old cells by name. Its lines are those of the text before, for tracebacks and debuggers.
    ``line`` is the ``co_firstlineno`` before, needed where several functions have the name.
    Raises LookupError where the text has no such function, or several.
    """
    tree = ast.parse(rewritten.text)
    if rewritten.origins:
        _relocate(tree, rewritten)
    module = compile(tree, filename, "exec", dont_inherit=True)
    parts = [each for each in function.split(".") if each != "<locals>"]
    found = list(_codes(module, parts))
    if line is not None:
        found = [each for each in found if each.co_firstlineno == line]
    if len(found) != 1:
        message = f"{len(found) or 'no'} functions with the name {function} in {filename}"
        raise LookupError(message)
    return found[0]


def _codes(code: CodeType, parts: Sequence[str]) -> Iterator[CodeType]:
    if not parts:
        yield code
        return
    for each in code.co_consts:
        if isinstance(each, CodeType) and each.co_name == parts[0]:
            yield from _codes(each, parts[1:])


def _relocate(tree: ast.Module, rewritten: Rewritten) -> None:
    """Move the nodes to where they stem from; of generated ones only the line is known."""
    before, after = rewritten.before.split("\n"), rewritten.text.split("\n")
    kept = [before[line - 1] == text for line, text in zip(rewritten.origins, after, strict=True)]
    for node in ast.walk(tree):
        if not isinstance(
            node, (ast.expr, ast.stmt, ast.excepthandler, ast.arg, ast.keyword, ast.alias)
        ):
            continue
        first, last = node.lineno, node.end_lineno or node.lineno
        start, end = rewritten.origins[first - 1], rewritten.origins[last - 1]
        if kept[first - 1] and kept[last - 1] and end >= start:
            node.lineno, node.end_lineno = start, end
        else:
            node.lineno = node.end_lineno = start
            node.col_offset = node.end_col_offset = 0
