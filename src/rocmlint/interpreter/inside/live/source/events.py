"""Effects of the statements of a source on names, in order, and in which branches."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    DefinitionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
ANY_NAME = "*"
"""The name that ``from ... import *`` binds."""


@dataclass(frozen=True)
class ImportBinding:
    """The object of an import: a module, or with ``attribute`` a name of it."""

    module: str
    """As it is written, without the dots of ``level``."""
    level: int = 0
    attribute: str | None = None


@dataclass(frozen=True)
class BranchGuard:
    """A statement that has others in it, the part of it that holds one, and that one."""

    statement: ast.stmt
    part: ast.AST | str
    """A handler, or the name of a field."""
    child: ast.AST


@dataclass(frozen=True)
class Event:
    """A name gets a value, certainly or perhaps: one of node, value and import, or unknown."""

    name: str
    node: DefinitionNode | None
    certain: bool
    value: ast.expr | None = None
    imported: ImportBinding | None = None
    guards: tuple[BranchGuard, ...] = ()
    """The statements around it, the outermost first."""
    reached: bool = True
    """Whether it certainly happens where all parts that it is in are run."""
    line: int = 0
    deletes: bool = False


Scope = Mapping[str, "tuple[Event, ...]"]
"""The names of a module or of a class body, each with the events that may have the last word."""


def events_of(body: Iterable[ast.stmt], *, certain: bool) -> Iterator[Event]:
    """Yield what happens to the names of one scope, in order; those of attributes are dotted."""
    for statement in body:
        for each in _of_statement(statement, certain=certain):
            yield each if each.line else replace(each, line=statement.lineno)


def _of_statement(statement: ast.stmt, *, certain: bool) -> Iterator[Event]:
    if isinstance(statement, _DEFINITIONS):
        yield from _stored_in(statement.decorator_list, certain=certain)
        yield Event(statement.name, statement, certain)
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            name = (alias.asname or alias.name).partition(".")[0]
            imported = _imported(statement, alias)
            yield Event(name, None, certain and name != ANY_NAME, imported=imported)
    elif isinstance(statement, ast.Assign):
        yield from _stored_in([statement.value], certain=certain)
        for target in statement.targets:
            yield from _assigned(target, statement.value, certain=certain)
    elif isinstance(statement, ast.AnnAssign):
        if statement.value is not None:
            yield from _stored_in([statement.value], certain=certain)
            yield from _assigned(statement.target, statement.value, certain=certain)
    elif isinstance(statement, ast.Expr) and _is_setattr(statement.value):
        owner, name, value = statement.value.args  # type: ignore[attr-defined]
        yield Event(f"{dotted(owner)}.{name.value}", None, certain, value)
    else:
        yield from _nested(statement, certain=certain)


def _is_setattr(value: ast.expr) -> bool:
    """Return whether it is a call of ``setattr`` with a known owner and name."""
    if not isinstance(value, ast.Call) or dotted(value.func) != "setattr" or value.keywords:
        return False
    is_named = len(value.args) == 3 and isinstance(value.args[1], ast.Constant)
    return is_named and type(value.args[1].value) is str and dotted(value.args[0]) is not None  # type: ignore[attr-defined]


def _imported(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> ImportBinding:
    if isinstance(statement, ast.ImportFrom):
        return ImportBinding(statement.module or "", statement.level, alias.name)
    return ImportBinding(alias.name if alias.asname else alias.name.partition(".")[0])


def _assigned(target: ast.expr, value: ast.expr, *, certain: bool) -> Iterator[Event]:
    """Yield what an assignment gives to one of its targets."""
    pairs = (ast.Tuple, ast.List)
    name = _target(target)
    if name is not None:
        yield Event(name, None, certain, value)
    elif isinstance(target, pairs) and isinstance(value, pairs) and _are_pairs(target, value):
        for each, part in zip(target.elts, value.elts):  # noqa: B905 - Python 3.9
            yield from _assigned(each, part, certain=certain)
    else:
        yield from _stored_in([target], certain=certain)


def _target(target: ast.expr) -> str | None:
    """Return the name that a target sets; dotted for an attribute, None for what has no name."""
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Call):
        key = getattr(target.slice, "value", None)
        is_module = dotted(target.value.func) == "globals" and isinstance(key, str)
        return key if is_module else None
    return dotted(target)


def _are_pairs(target: ast.Tuple | ast.List, value: ast.Tuple | ast.List) -> bool:
    parts = (*target.elts, *value.elts)
    return len(target.elts) == len(value.elts) and not any(
        isinstance(each, ast.Starred) for each in parts
    )


def _nested(statement: ast.stmt, *, certain: bool) -> Iterator[Event]:
    """Yield the events of a statement that holds others; whether they happen is not known."""
    for name, value in ast.iter_fields(statement):
        parts = value if isinstance(value, list) else [value]
        for part in parts:
            if isinstance(part, ast.stmt):
                yield from _guarded(BranchGuard(statement, name, part), part)
            elif isinstance(getattr(part, "body", None), list):  # a handler of try, a case of match
                yield from _stored_in([part], certain=False, below=False)
                for each in part.body:
                    yield from _guarded(BranchGuard(statement, part, each), each)
            elif isinstance(part, ast.AST):
                simple = not hasattr(statement, "body")
                yield from _stored_in([part], certain=certain and simple)


def _guarded(guard: BranchGuard, statement: ast.stmt) -> Iterator[Event]:
    for each in events_of([statement], certain=True):
        reached = each.certain or (bool(each.guards) and each.reached)
        yield replace(each, certain=False, reached=reached, guards=(guard, *each.guards))


def _stored_in(nodes: Iterable[ast.AST], *, certain: bool, below: bool = True) -> Iterator[Event]:
    """Yield the names that expressions and targets set or delete, and what handlers bind."""
    for node in nodes:
        for each in ast.walk(node) if below else _heads(node):
            if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
                yield Event(each.id, None, certain, deletes=isinstance(each.ctx, ast.Del))
            elif isinstance(getattr(each, "name", None), str):  # `except ... as`, `case ... as`
                yield Event(each.name, None, certain)  # type: ignore[attr-defined]
            elif isinstance(getattr(each, "rest", None), str):  # `case {**rest}`
                yield Event(each.rest, None, certain)  # type: ignore[attr-defined]


def _heads(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a handler or a case, and the expressions before its body."""
    yield node
    for name, value in ast.iter_fields(node):
        if name != "body" and isinstance(value, ast.AST):
            yield from ast.walk(value)


def by_name(events: Iterable[Event]) -> Scope:
    """Return the events of each name."""
    found: dict[str, tuple[Event, ...]] = {}
    for each in events:
        found[each.name] = (*found.get(each.name, ()), each)
    return found


def final(events: list[Event]) -> list[Event]:
    """Return the events that may have had the last word, the earliest first."""
    final: list[Event] = []
    for each in reversed(events):
        final.insert(0, each)
        if each.certain:
            break
    return final


def dotted(node: ast.expr) -> str | None:
    """Return a name with its attributes as it is written; None for what is not one."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def first_line(node: DefinitionNode) -> int:
    """Return the line where the code object begins: that of the first decorator."""
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])
