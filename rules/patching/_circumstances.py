"""Where a replacement stands: what decides on it, what explains it, what takes it back."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice, takewhile
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    argument,
    compile_lazily,
    conditions,
    dotted_text,
    gives_reason,
    once_per_file,
    spaced,
    statements,
    string_value,
    walk,
)

from ._patches import local_definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import AttributePatch, Source

_SHORT = 3
"""Words of a comment that is a pragma, or that only names what follows."""
_ANOTHER_CHECK = compile_lazily(
    r"_?(?:HAS|HAVE|has|have)_\w+|\w+_(?:AVAILABLE|available|INSTALLED|installed)"
)


def is_explained(source: Source, first: int, last: int) -> bool:
    """Return whether a comment in these lines, both included, gives a reason."""
    comments = source.comments
    index = bisect_left(comments, first, key=lambda comment: comment.line)
    inside = takewhile(lambda comment: comment.line <= last, islice(comments, index, None))
    return any(_gives_reason(comment.body) for comment in inside)


def _gives_reason(body: str) -> bool:
    """Return whether a comment is a sentence: a pragma is shorter, a heading begins with a sign."""
    return body[:1].isalnum() and (len(body.split()) > _SHORT or gives_reason(body))


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


def is_for_cuda_only(node: cst.CSTNode, source: Source) -> bool:
    """Return whether this hangs on ``torch.version.cuda``: that is for availability-ignores-hip."""
    return any(
        isinstance(above, cst.If)
        and any(dotted_text(each) == "torch.version.cuda" for each in walk(above.test))
        for above in source.ancestors(node)
    )


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


def is_answered_elsewhere(node: cst.CSTNode, name: str, source: Source) -> bool:
    """Return whether yes is true: it was imported, another check said so, no such check exists."""
    if _is_imported_before(node, name, source) or _is_verified_before(node, name, source):
        return True
    for test in (each.test for each in conditions(node, source) if each.holds):
        negated = [each.expression for each in walk(test) if isinstance(each, cst.UnaryOperation)]
        if any(_asks_for(each, name) for each in negated):
            return True
        names = (each.value for each in walk(test) if isinstance(each, cst.Name))
        if not negated and any(_ANOTHER_CHECK.fullmatch(each) for each in names):
            return True
    function = source.function(node)
    return function is not None and any(
        isinstance(each, cst.If)
        and _asks_for(each.test, name)
        and any(isinstance(inner, cst.Return) for inner in statements(each.body))
        for each in walk(function.body)
    )


def _is_imported_before(node: cst.CSTNode, name: str, source: Source) -> bool:
    """Return whether ``import x``, ``load_x()`` or ``own_x.install()`` above tells so."""
    package = re.escape(re.sub(r"^_?(?:is_)?|_available$", "", name))
    loads = re.compile(
        rf"(?:import|from)\s+{package}\b|(?:\w+\s*\.\s*)*(?:import|load|require)_{package}\s*\("
        rf"|(?:\w+\s*\.\s*)*\w*_?{package}\s*\.\s*(?:install|inject|provide|register|setup)\w*\s*\("
        rf"|(?:\w+\s*\.\s*)*(?:install|inject|provide|register|setup)_(?:\w+_)?{package}\w*\s*\("
    )
    return any(loads.match(source.text_of(each).lstrip()) for each in _above(node, source))


def _is_verified_before(node: cst.CSTNode, name: str, source: Source) -> bool:
    """Return whether the code above leaves where the package of a check cannot be imported.

    So does ``try: import x`` with a handler that returns, and ``if not works(): return`` if that
    imports it, or is of a module of the project.
    """
    package = re.sub(r"^_?(?:is_)?|(?:_\d+)?_available$", "", name)
    for each in _before(node, source):
        if isinstance(each, cst.Try) and all(_leaves(handler.body) for handler in each.handlers):
            if _imports(each.body, package):
                return True
        elif isinstance(each, cst.If) and each.orelse is None and _leaves(each.body):
            asked = each.test.expression if isinstance(each.test, cst.UnaryOperation) else None
            if isinstance(asked, cst.Call) and _verifies(asked, package, source):
                return True
    return False


def _verifies(call: cst.Call, package: str, source: Source) -> bool:
    definition = local_definition(call.func, source)
    if definition is not None:
        return _imports(definition, package)
    origin = source.resolve(call.func) or ""
    return "." in origin and (origin.startswith(".") or source.is_first_party(origin.split(".")[0]))


def _leaves(block: cst.BaseSuite) -> bool:
    return isinstance(next(reversed(statements(block)), None), (cst.Return, cst.Raise))


def _imports(code: cst.CSTNode, package: str) -> bool:
    """Return whether code imports a package or an extension of it, also by its name as text."""
    names = [
        *(each.module for each in walk(code) if isinstance(each, cst.ImportFrom)),
        *(each.name for each in walk(code) if isinstance(each, cst.ImportAlias)),
    ]
    texts = [string_value(each) for each in walk(code) if isinstance(each, cst.SimpleString)]
    found = [*(dotted_text(each) for each in names if each is not None), *texts]
    return any(each is not None and each.startswith(package) for each in found)


def _above(node: cst.CSTNode, source: Source) -> Iterator[cst.SimpleStatementLine]:
    """Yield the simple statements before this one in the blocks around, up to the function."""
    yield from (each for each in _before(node, source) if isinstance(each, cst.SimpleStatementLine))


def _before(node: cst.CSTNode, source: Source) -> Iterator[cst.BaseStatement]:
    """Yield the statements before this one in the blocks around, up to the function."""
    below = node
    for above in source.ancestors(node):
        if isinstance(above, cst.FunctionDef):
            return
        if isinstance(above, cst.IndentedBlock):
            for each in above.body:
                if each is below:
                    break
                if isinstance(each, cst.BaseStatement):
                    yield each
        below = above


def _asks_for(test: cst.CSTNode, name: str) -> bool:
    """Return whether this is ``hasattr(…, name)``."""
    if not isinstance(test, cst.Call) or dotted_text(test.func) != "hasattr":
        return False
    return string_value(argument(test, 1, None)) == name


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
