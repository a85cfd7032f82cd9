"""What the source of a module says that its names are once it is imported."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    DefinitionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ANY_NAME = "*"


@dataclass(frozen=True)
class Expected:
    """An attribute that must be made of one of some definitions of the source.

    Only where the source decides it: what may also be assigned, imported or deleted is left out.
    """

    name: str
    """The qualified name."""
    path: tuple[str, ...]
    """The attributes that lead to it from the module, private names as classes store them."""
    lines: frozenset[int]
    """The first line of each definition that it may be."""
    certain: bool
    """Whether it must exist."""
    is_class: bool
    decorators: tuple[str | None, ...]
    """The dotted names of all decorators; None for what is not a name."""


@dataclass(frozen=True)
class Constant:
    """An attribute that is assigned a literal once."""

    path: tuple[str, ...]
    line: int
    value: Any


@dataclass(frozen=True)
class Bindings:
    """What a module defines."""

    expected: tuple[Expected, ...]
    constants: tuple[Constant, ...]


@dataclass(frozen=True)
class _Event:
    """A name gets a value, certainly or perhaps; without a node the value is unknown."""

    name: str
    node: DefinitionNode | None
    certain: bool
    literal: ast.expr | None = None


@dataclass
class _Reader:
    elsewhere: set[str]
    """Dotted names that the module sets by an attribute, or from within a function."""
    expected: list[Expected] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)

    def scope(self, body: list[ast.stmt], names: tuple[str, ...], *, certain: bool) -> None:
        """Take what the statements of a module or of a class body define."""
        events = list(_events(body, certain=True))
        for name in sorted({each.name for each in events} - {_ANY_NAME}):
            qualified = ".".join((*names, name))
            path = stored_path(qualified)
            if qualified in self.elsewhere:
                continue
            final = _final([each for each in events if each.name in (name, _ANY_NAME)])
            nodes = [each.node for each in final if each.node is not None]
            if len(nodes) == len(final):
                self._definition(qualified, path, nodes, certain=certain and final[0].certain)
            elif len(final) == 1 and final[0].literal is not None and certain:
                self._constant(path, final[0].literal)

    def _definition(
        self, name: str, path: tuple[str, ...], nodes: list[DefinitionNode], *, certain: bool
    ) -> None:
        classes = [each for each in nodes if isinstance(each, ast.ClassDef)]
        if classes and len(nodes) > 1:
            return
        self.expected.append(
            Expected(
                name=name,
                path=path,
                lines=frozenset(_first_line(each) for each in nodes),
                certain=certain,
                is_class=bool(classes),
                decorators=tuple(
                    _dotted(call.func if isinstance(call, ast.Call) else call)
                    for each in nodes
                    for call in each.decorator_list
                ),
            )
        )
        for each in classes:
            self.scope(each.body, tuple(name.split(".")), certain=certain)

    def _constant(self, path: tuple[str, ...], literal: ast.expr) -> None:
        try:
            value = ast.literal_eval(literal)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return
        self.constants.append(Constant(path, literal.lineno, value))


def bindings(source: bytes) -> Bindings:
    """Read what a module defines. Raises SyntaxError and ValueError for what does not parse."""
    tree = ast.parse(source)
    reader = _Reader(set(_set_elsewhere(tree, in_functions=b"global " in source)))
    reader.scope(tree.body, (), certain=True)
    return Bindings(tuple(reader.expected), tuple(reader.constants))


def _final(events: list[_Event]) -> list[_Event]:
    """Return the events that may have had the last word, the earliest first."""
    final: list[_Event] = []
    for each in reversed(events):
        final.insert(0, each)
        if each.certain:
            break
    return final


def _events(body: Iterable[ast.stmt], *, certain: bool) -> Iterator[_Event]:
    """Yield what happens to the names of one scope, in order."""
    for statement in body:
        if isinstance(statement, _DEFINITIONS):
            yield from _stored_in(statement.decorator_list, certain=certain)
            yield _Event(statement.name, statement, certain)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            for alias in statement.names:
                name = (alias.asname or alias.name).partition(".")[0]
                yield _Event(name, None, certain and name != _ANY_NAME)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            yield from _assigned(statement, certain=certain)
        else:
            yield from _nested(statement, certain=certain)


def _assigned(statement: ast.Assign | ast.AnnAssign, *, certain: bool) -> Iterator[_Event]:
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else statement.targets
    if len(targets) == 1 and isinstance(targets[0], ast.Name):
        yield from _stored_in([statement.value] if statement.value else [], certain=certain)
        yield _Event(targets[0].id, None, certain, statement.value)
    else:
        yield from _stored_in([statement], certain=certain)


def _nested(statement: ast.stmt, *, certain: bool) -> Iterator[_Event]:
    """Yield the events of a statement that holds others; whether they happen is not known."""
    for _, value in ast.iter_fields(statement):
        parts = value if isinstance(value, list) else [value]
        for part in parts:
            if isinstance(part, ast.stmt):
                yield from _events([part], certain=False)
            elif isinstance(getattr(part, "body", None), list):  # a handler of try, a case of match
                yield from _stored_in([part], certain=False, below=False)
                yield from _events(part.body, certain=False)
            elif isinstance(part, ast.AST):
                simple = not hasattr(statement, "body")
                yield from _stored_in([part], certain=certain and simple)


def _stored_in(nodes: Iterable[ast.AST], *, certain: bool, below: bool = True) -> Iterator[_Event]:
    """Yield the names that expressions and targets set or delete, and what handlers bind."""
    for node in nodes:
        for each in ast.walk(node) if below else _heads(node):
            if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
                yield _Event(each.id, None, certain)
            elif isinstance(getattr(each, "name", None), str):  # `except ... as`, `case ... as`
                yield _Event(each.name, None, certain)  # type: ignore[attr-defined]
            elif isinstance(getattr(each, "rest", None), str):  # `case {**rest}`
                yield _Event(each.rest, None, certain)  # type: ignore[attr-defined]


def _heads(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a handler or a case, and what stands before its body."""
    yield node
    for name, value in ast.iter_fields(node):
        if name != "body" and isinstance(value, ast.AST):
            yield from ast.walk(value)


def _set_elsewhere(tree: ast.Module, *, in_functions: bool) -> Iterator[str]:
    """Yield the names declared global and, outside of functions, the attributes that are set."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and not inside:
            name = _dotted(node)
            if name is not None:
                yield name
        inside = inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if in_functions or not inside:
            waiting.extend((each, inside) for each in ast.iter_child_nodes(node))


def stored_path(name: str) -> tuple[str, ...]:
    """Return the attributes that lead to a qualified name; classes keep private names as others."""
    path, around = [], ""
    for part in name.split("."):
        path.append(_stored(part, around))
        around = part
    return tuple(path)


def _stored(name: str, around: str) -> str:
    owner = around.lstrip("_")
    private = name.startswith("__") and not name.endswith("__")
    return f"_{owner}{name}" if private and owner else name


def _first_line(node: DefinitionNode) -> int:
    """Return the line where the code object begins: that of the first decorator."""
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _dotted(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None
