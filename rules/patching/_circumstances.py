"""Where a replacement stands: what decides on it, what explains it, what takes it back."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice, takewhile
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    compile_lazily,
    dotted_text,
    gives_reason,
    once_per_file,
    spaced,
    walk,
)

if TYPE_CHECKING:
    from rocmlint.rule import AttributePatch, Source

_PRAGMA = compile_lazily(r"^(?:fmt|noqa|nosec|pragma|pylint|pyright|type)\b:?\s*\S*[\s\-]*")
_SHORT = 3
"""Words of a comment that only names what follows."""


def is_explained(source: Source, first: int, last: int) -> bool:
    """Return whether a comment in these lines, both included, gives a reason."""
    comments = source.comments
    index = bisect_left(comments, first, key=lambda comment: comment.line)
    inside = takewhile(lambda comment: comment.line <= last, islice(comments, index, None))
    return any(_gives_reason(comment.body) for comment in inside)


def _gives_reason(body: str) -> bool:
    """Return whether a comment says more than a pragma or a heading, which begins with a sign."""
    said = _PRAGMA.sub("", body)
    return said[:1].isalnum() and (len(said.split()) > _SHORT or gives_reason(said))


def is_undone(node: cst.CSTNode, name: str, source: Source) -> bool:
    """Return whether what is done to ``name`` here is undone when the block around is left.

    So it is in a context manager, in ``with patch.dict(…)`` of ``unittest.mock``, and where a
    ``finally`` of the function names it again.
    """
    for above in source.ancestors(node):
        if isinstance(above, cst.With) and _patches_for_a_while(above):
            return True
        if isinstance(above, cst.FunctionDef) and _restores(above, name):
            return True
        if isinstance(above, cst.ClassDef):
            whole = source.whole_class(node) or above
            return any(
                isinstance(each, cst.FunctionDef) and each.name.value in {"__exit__", "__aexit__"}
                for each in walk(whole)
            )
    return False


def is_taken_back(patch: AttributePatch, source: Source) -> bool:
    """Return whether something else is put there again, in this file or when the block is left."""
    values = _values_of(source.text_of(patch.owner), patch.name, source)
    values = values - {"True", "False", "None", "".join(source.text_of(patch.value).split())}
    return bool(values) or is_undone(patch.node, patch.name, source)


@once_per_file
def _values_of(owner: str, name: str, source: Source) -> frozenset[str]:
    """Return the names that an attribute of an owner is set to."""
    target = rf"(?<![\w.]){spaced(owner)}\s*\.\s*{re.escape(name)}"
    again = rf"{target}\b(?:[ \t]*,[^=\n]*)?[ \t]*=[ \t]*([\w.]+(?:[ \t]*\.[ \t]*\w+)*)[ \t]*$"
    found = re.findall(again, source.code, re.MULTILINE)
    return frozenset("".join(each.split()) for each in found)


def is_conditional(node: cst.CSTNode, source: Source) -> bool:
    """Return whether something around a statement decides on it."""
    conditions = (cst.If, cst.Else, cst.ExceptHandler, cst.Match, cst.While)
    return any(isinstance(above, conditions) for above in source.ancestors(node))


def is_reasoned(node: cst.CSTNode, source: Source) -> bool:
    """Return whether a comment in the lines of a statement, or right above, explains it.

    So does the docstring of a function that is there for it.
    """
    function = source.function(node)
    docstring = function.get_docstring() if function is not None else None
    if docstring is not None and gives_reason(docstring):
        return True
    first, last = source.span(node).line, source.span(node).end_line
    while first > 1 and source.lines[first - 2].strip():
        first -= 1
    return is_explained(source, first, last)


def _patches_for_a_while(block: cst.With) -> bool:
    calls = (each.item for each in block.items if isinstance(each.item, cst.Call))
    names = ((dotted_text(call.func) or "").split(".") for call in calls)
    return any("patch" in each[-2:] for each in names)


def _restores(function: cst.FunctionDef, name: str) -> bool:
    for each in walk(function.body):
        if isinstance(each, cst.Yield):
            return True
        if isinstance(each, cst.Finally) and any(
            isinstance(inner, cst.Name) and inner.value == name for inner in walk(each)
        ):
            return True
    return False
