"""Whether code is ready for a name that is not there: it catches, or asks first."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    compile_lazily,
    dotted_text,
    last_name,
    once_per_file,
    statements,
    walk,
)
from rocmlint.syntax.unparsable import UnparsableError

from .uses import PACKAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.rule import Source
    from rocmlint.syntax.partial_parse import Piece

    from .missing import MissingUse

_CAUGHT = frozenset(
    {
        *("ImportError", "ModuleNotFoundError", "AttributeError", "TypeError", "RuntimeError"),
        *("NameError", "Exception", "BaseException"),
    }
)
_MOST_MODULES = 20
"""Modules that are parsed to learn where a function is used."""
_ANY = "|".join(PACKAGES)
_ASKS = compile_lazily(
    r"version|available|installed|support|compat|legacy|deprecated"
    r"|TYPE_CHECKING|find_spec|sys\.modules|importlib|\b_?has_|\b_?have_"
    r"|(?:^|_)(?:lt|le|gt|ge|lte|gte|eq|before|since)_?v?\d"
    r"|_(?:older|newer|less|greater|at_least|at_most)\b|_(?:older|newer|less|greater)_"
    r"|[\"'][<>=!~ ]*\d+\.\d"
    rf"|(?:{_ANY})_?\w*(?:old|new|\d)|_v\d|\bv\d+\b",
    re.IGNORECASE,
)
"""What stands in an expression that asks for a version, a package or a name."""
_PATH = compile_lazily(r"[\"'][^\"'\n]*(?:/|\.[A-Za-z]{2,5}[\"'])[^\"'\n]*[\"']?")
"""A path in quotes, whose words ask for nothing."""
_ASKS_EXACTLY = compile_lazily(r"\b(?:hasattr|getattr|signature|__dict__|dir)\b")
_SKIPS = compile_lazily(r"skip|xfail|require|version|available|importorskip", re.IGNORECASE)
_LEAVES = frozenset({"exit", "_exit", "quit", "skip", "fail"})
_DEMANDS = compile_lazily(
    r"\b(?:require|check|assert|ensure|verify)_\w*version\w*\s*\(|importorskip\s*\("
)
_TOP_LEVEL_CHECK = compile_lazily(
    r"(?:if|assert|pytest|pytestmark|require|check)\b|\w+_version\w*\s*\("
)


def is_guarded(found: MissingUse, source: Source) -> bool:
    """Code that catches the error, or asks before for a version or for what is available."""
    return is_guarded_node(found.node, source)


@once_per_file
def is_guarded_node(node: cst.CSTNode, source: Source) -> bool:
    """Return whether something around or above a place decides on what is there, or catches it."""
    if _is_guarded_here(node, source) or _has_top_level_guard(node, source):
        return True
    return any(_is_used_under_guards(name, source) for name in _definitions(node, source))


def is_bound(node: cst.CSTNode, source: Source) -> bool:
    """Return whether the file binds the name that ``name.name.name`` begins with."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name) and bool(source.bindings(node.value, node))


def is_ready(found: MissingUse, source: Source) -> bool:
    """Code that catches the error, or asks first for a version or for what is there.

    Names count that the file looks up somewhere as text, with `hasattr`, `getattr` or `signature`.
    """
    quoted = rf"[\"']{re.escape(found.name)}[\"']"
    lines = (each for each in source.lines if found.name in each)
    is_asked_for = any(_ASKS_EXACTLY.search(each) and re.search(quoted, each) for each in lines)
    return is_asked_for or is_guarded(found, source)


def _is_guarded_here(node: cst.CSTNode, source: Source) -> bool:
    below = node
    for above in source.ancestors(node):
        if isinstance(above, (cst.Try, cst.TryStar)) and _catches(above, below, node):
            return True
        if isinstance(above, (cst.If, cst.IfExp, cst.While)) and below is not above.test:
            if asks(above.test, source, of=node):
                return True
        if isinstance(above, cst.Assert) or (
            isinstance(above, cst.BooleanOperation) and below is above.right
        ):
            if asks(getattr(above, "test", above), source, of=node):
                return True
        if isinstance(above, cst.With) and any(_suppresses(each.item) for each in above.items):
            return True
        if isinstance(above, cst.IndentedBlock) and _left_before(above.body, below, node, source):
            return True
        if isinstance(above, (cst.FunctionDef, cst.ClassDef)) and any(
            _SKIPS.search(_code_of(each.decorator)) for each in above.decorators
        ):
            return True
        below = above
    return False


def asks(
    test: cst.CSTNode, source: Source, hops: int = 2, *, of: cst.CSTNode | None = None
) -> bool:
    """Return whether a condition asks for a version, or whether something is there.

    ``of`` is the call that is judged: what says only that its own import went well does not count.
    """
    if isinstance(test, cst.Call) and last_name(test.func) in {"isinstance", "issubclass"}:
        return False
    names = [each for each in walk(test) if isinstance(each, cst.Name)]
    says = {each.value for each in names if _says_it_is_imported(each, of, source)}
    text = _PATH.sub("", _code_of(test))
    text = re.sub(rf"\b(?:{'|'.join(map(re.escape, says))})\b", "", text) if says else text
    if _ASKS.search(text) or _ASKS_EXACTLY.search(text):
        return True
    return hops > 0 and any(
        _stands_for_question(each, source, hops, of) for each in names if each.value not in says
    )


def _code_of(node: cst.CSTNode) -> str:
    """Return the code of a small node: to find the place of one takes as long as for all."""
    return cst.Module([]).code_for_node(node)


def _says_it_is_imported(name: cst.Name, of: cst.CSTNode | None, source: Source) -> bool:
    """Return whether a flag is set where a call's own name is imported, in one ``try``."""
    if not isinstance(of, cst.Call):
        return False
    own = source.bindings((dotted_text(of.func) or "").partition(".")[0], of)
    tried = {_try_around(each.node, source) for each in own} - {None}
    found = {_try_around(each.node, source) for each in source.bindings(name.value, name)}
    return bool(found) and found <= tried


def _try_around(node: cst.CSTNode, source: Source) -> cst.CSTNode | None:
    return next((each for each in source.ancestors(node) if isinstance(each, cst.Try)), None)


def _stands_for_question(name: cst.Name, source: Source, hops: int, of: cst.CSTNode | None) -> bool:
    definition = source.definition(name.value)
    if isinstance(definition, cst.FunctionDef):
        return bool(_ASKS.search(source.text_of(definition.body)))
    for binding in source.bindings(name.value, name):
        if any(
            isinstance(above, (cst.Try, cst.TryStar)) and any(map(_is_caught, above.handlers))
            for above in source.ancestors(binding.node)
        ):
            return True
        if binding.kind == "value" and binding.value is not None:
            if asks(binding.value, source, hops - 1, of=of):
                return True
    return False


def _catches(above: cst.Try | cst.TryStar, below: cst.CSTNode, node: cst.CSTNode) -> bool:
    return below is not above.finalbody and any(
        _is_caught(each) and not _tries_again(each, node) for each in above.handlers
    )


def _tries_again(handler: cst.ExceptHandler | cst.ExceptStarHandler, node: cst.CSTNode) -> bool:
    """Return whether a handler calls the same function, with other data: not an alternative."""
    if not isinstance(node, cst.Call) or last_name(handler.type) != "RuntimeError":
        return False
    called = dotted_text(node.func)
    return any(
        isinstance(each, cst.Call) and dotted_text(each.func) == called
        for each in walk(handler.body)
    )


def _is_caught(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    if handler.type is None:
        return True
    return any(
        isinstance(each, (cst.Name, cst.Attribute)) and last_name(each) in _CAUGHT
        for each in walk(handler.type)
    )


def _suppresses(item: cst.BaseExpression) -> bool:
    name = last_name(item.func) if isinstance(item, cst.Call) else None
    return name is not None and ("suppress" in name or "raises" in name.lower())


def _left_before(
    body: Iterable[cst.BaseStatement], below: cst.CSTNode, node: cst.CSTNode, source: Source
) -> bool:
    """Return whether a statement above this one leaves the block where something is not there."""
    for statement in body:
        if statement is below:
            return False
        if isinstance(statement, cst.If) and _leaves(statement):
            if asks(statement.test, source, of=node):
                return True
        if isinstance(statement, cst.SimpleStatementLine) and any(
            isinstance(each, (cst.Assert, cst.Expr)) and _demands(each, source)
            for each in statement.body
        ):
            return True
    return False


def _demands(statement: cst.Assert | cst.Expr, source: Source) -> bool:
    if isinstance(statement, cst.Assert):
        return asks(statement.test, source)
    return _has_demands(source) and bool(_DEMANDS.search(source.text_of(statement)))


@once_per_file
def _has_demands(source: Source) -> bool:
    return _DEMANDS.search(source.text.replace("\\\n", "  ")) is not None


def _leaves(statement: cst.If) -> bool:
    body = statements(statement.body)
    last = body[-1] if body else None
    if isinstance(last, cst.Expr) and isinstance(last.value, cst.Call):
        return last_name(last.value.func) in _LEAVES
    return isinstance(last, (cst.Return, cst.Raise, cst.Continue, cst.Break))


def _has_top_level_guard(node: cst.CSTNode, source: Source) -> bool:
    """Return whether a statement of the module above this one leaves it, or demands a version."""
    own = source.pieces.statement_at(source.offset_of(source.span(node).line))
    for block in source.pieces.statements:
        if block.start >= own.start:
            return False
        code = source.code[block.start : block.end].lstrip()
        if not _TOP_LEVEL_CHECK.match(code) or not (_ASKS.search(code) or _SKIPS.search(code)):
            continue
        for statement in source.pieces.statement(block).module.body:
            if _left_before((statement,), node, node, source) or _marks(statement):
                return True
    return False


def _marks(statement: cst.BaseStatement) -> bool:
    """Return whether this is ``pytestmark = pytest.mark.skipif(…)``."""
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(each, cst.Assign) and dotted_text(each.targets[0].target) == "pytestmark"
        for each in statement.body
    )


def _definitions(node: cst.CSTNode, source: Source) -> Iterator[str]:
    """Yield the functions and classes around a node that run only where their names are used."""
    for above in source.ancestors(node):
        if isinstance(above, (cst.FunctionDef, cst.ClassDef)):
            name = above.name.value
            if not name.startswith(("__", "test")) and name != "forward":
                yield name


def _is_used_under_guards(name: str, source: Source) -> bool:
    """Return whether a function is used, and only where something decides on it.

    Of a function that its own file does not use, the other modules of the package are looked at.
    """
    if _ASKS.search(name):
        return True
    answer = _uses_are_guarded(name, source)
    if answer is None and isinstance(source.definition(name), cst.FunctionDef):
        answers = [_uses_are_guarded(name, each) for each in _mentioning(name, source)]
        return True in answers and False not in answers
    return answer is True


def _mentioning(name: str, source: Source) -> list[Source]:
    """Return the modules of the package that have a word; none where that are too many to read."""
    from rocmlint.rule import Source  # noqa: PLC0415 - a type for the others

    if source.package is None:
        return []
    top, folder = source.package
    found = source.modules_with(os.path.join(folder, top), (re.escape(name),))
    if len(found) > _MOST_MODULES:
        return []
    return [Source(path, source.read(path), project=source.project) for path in found]


def _uses_are_guarded(name: str, source: Source) -> bool | None:
    """Return whether each use of a function in one file is guarded; None where there is none."""
    used = re.compile(rf"(?<!def )(?<!class )\b{re.escape(name)}\b")
    seen: set[Piece] = set()
    is_used = False
    for match in used.finditer(source.code):
        try:
            piece = source.pieces.around(match.start())
        except UnparsableError:
            return False
        for each in _uses_in(piece, name, source) if piece not in seen else ():
            is_used = True
            if not _is_guarded_here(each, source):
                return False
        seen.add(piece)
    return is_used or None


def _uses_in(piece: Piece, name: str, source: Source) -> Iterator[cst.Name]:
    for each in walk(piece.module):
        if isinstance(each, cst.Name) and each.value == name:
            above = source.parent(each)
            if not isinstance(above, (cst.FunctionDef, cst.ClassDef, cst.ImportAlias)):
                yield each
