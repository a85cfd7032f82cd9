"""What the source of a module says that its names are once it is imported."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    DefinitionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ARITHMETIC = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
ANY_NAME = "*"
"""What ``from ... import *`` gives a value to."""


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
    bases: tuple[str | None, ...] = ()
    """The same of the bases of a class, without what stands in brackets."""
    metaclass: str | None = None
    has_metaclass: bool = False
    has_starred: bool = False
    """Whether some of the bases or keywords are not written out."""


@dataclass(frozen=True)
class Constant:
    """An attribute that is assigned a literal once."""

    path: tuple[str, ...]
    line: int
    value: Any


@dataclass(frozen=True)
class Imported:
    """What an import brings: a module, or with ``attribute`` a name of it."""

    module: str
    """As it is written, without the dots of ``level``."""
    level: int = 0
    attribute: str | None = None


@dataclass(frozen=True)
class Event:
    """A name gets a value, certainly or perhaps: one of node, value and import, or unknown."""

    name: str
    node: DefinitionNode | None
    certain: bool
    value: ast.expr | None = None
    imported: Imported | None = None


Scope = Mapping[str, "tuple[Event, ...]"]
"""The names of a module or of a class body, each with the events that may have the last word."""


@dataclass(frozen=True)
class Bindings:
    """What a module defines."""

    expected: tuple[Expected, ...]
    constants: tuple[Constant, ...]
    scopes: Mapping[tuple[str, ...], Scope]
    """By the path of the class; that of the module is empty."""
    history: Mapping[tuple[str, ...], Scope]
    """The same with all events."""
    elsewhere: frozenset[str]
    """Dotted names that the module sets by an attribute, or from within a function."""
    used: frozenset[str]
    """The names with attributes that stand anywhere in it."""
    inner_imports: tuple[ast.Import | ast.ImportFrom, ...]
    """The imports that are not statements of the module itself."""


@dataclass
class _Reader:
    elsewhere: set[str]
    expected: list[Expected] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    scopes: dict[tuple[str, ...], Scope] = field(default_factory=dict)
    history: dict[tuple[str, ...], Scope] = field(default_factory=dict)

    def scope(self, body: list[ast.stmt], names: tuple[str, ...], *, certain: bool) -> None:
        """Take what the statements of a module or of a class body define."""
        events = list(_events(body, certain=True))
        finals: dict[str, tuple[Event, ...]] = {}
        where = stored_path(".".join(names)) if names else ()
        self.scopes[where], self.history[where] = finals, _by_name(events)
        for name in sorted({each.name for each in events}):
            qualified = ".".join((*names, name))
            path = stored_path(qualified)
            final = _final([each for each in events if each.name in (name, ANY_NAME)])
            finals[path[-1]] = tuple(final)
            if qualified in self.elsewhere or name == ANY_NAME:
                continue
            nodes = [each.node for each in final if each.node is not None]
            if len(nodes) == len(final):
                self._definition(qualified, path, nodes, certain=certain and final[0].certain)
            elif len(final) == 1 and final[0].value is not None and certain:
                if final[0].certain:
                    self._constant(path, final[0].value)

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
                    dotted(call.func if isinstance(call, ast.Call) else call)
                    for each in nodes
                    for call in each.decorator_list
                ),
                bases=tuple(
                    dotted(base.value if isinstance(base, ast.Subscript) else base)
                    for each in classes
                    for base in each.bases
                ),
                metaclass=next((dotted(each.value) for each in _metaclass(classes)), None),
                has_metaclass=any(True for _ in _metaclass(classes)),
                has_starred=any(
                    isinstance(part, ast.Starred) or getattr(part, "arg", "") is None
                    for each in classes
                    for part in (*each.bases, *each.keywords)
                ),
            )
        )
        for each in classes:
            self.scope(each.body, tuple(name.split(".")), certain=certain)

    def _constant(self, path: tuple[str, ...], literal: ast.expr) -> None:
        try:
            value = literal_value(literal)
        except ValueError:
            return
        self.constants.append(Constant(path, literal.lineno, value))


def literal_value(expression: ast.expr) -> Any:
    """Return the value of a literal, or of arithmetic on some. Raises ValueError for others."""
    try:
        if all(isinstance(each, _ARITHMETIC) for each in ast.walk(expression)):
            code = compile(ast.Expression(expression), "", "eval")
            return eval(code, {"__builtins__": {}})  # noqa: S307 - numbers, strings and operators
        return ast.literal_eval(expression)
    except Exception as error:
        raise ValueError from error


def _by_name(events: Iterable[Event]) -> Scope:
    found: dict[str, tuple[Event, ...]] = {}
    for each in events:
        found[each.name] = (*found.get(each.name, ()), each)
    return found


def _metaclass(classes: Iterable[ast.ClassDef]) -> Iterator[ast.keyword]:
    for each in classes:
        yield from (part for part in each.keywords if part.arg == "metaclass")


def bindings(source: bytes) -> Bindings:
    """Read what a module defines. Raises SyntaxError and ValueError for what does not parse."""
    tree = ast.parse(source)
    reader = _Reader(set(_set_elsewhere(tree, in_functions=b"global " in source)))
    reader.scope(tree.body, (), certain=True)
    names, imports = set(), []
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.Attribute):
            names.add(dotted(node) or "")
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and node.col_offset:
            imports.append(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = []  # of a large program it would fill the memory
    return Bindings(
        tuple(reader.expected),
        tuple(reader.constants),
        reader.scopes,
        reader.history,
        frozenset(reader.elsewhere),
        frozenset(names - {""}),
        tuple(imports),
    )


def _final(events: list[Event]) -> list[Event]:
    """Return the events that may have had the last word, the earliest first."""
    final: list[Event] = []
    for each in reversed(events):
        final.insert(0, each)
        if each.certain:
            break
    return final


def _events(body: Iterable[ast.stmt], *, certain: bool) -> Iterator[Event]:
    """Yield what happens to the names of one scope, in order."""
    for statement in body:
        if isinstance(statement, _DEFINITIONS):
            yield from _stored_in(statement.decorator_list, certain=certain)
            yield Event(statement.name, statement, certain)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            for alias in statement.names:
                name = (alias.asname or alias.name).partition(".")[0]
                imported = _imported(statement, alias)
                yield Event(name, None, certain and name != ANY_NAME, imported=imported)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            yield from _assigned(statement, certain=certain)
        else:
            yield from _nested(statement, certain=certain)


def _imported(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> Imported:
    if isinstance(statement, ast.ImportFrom):
        return Imported(statement.module or "", statement.level, alias.name)
    return Imported(alias.name if alias.asname else alias.name.partition(".")[0])


def _assigned(statement: ast.Assign | ast.AnnAssign, *, certain: bool) -> Iterator[Event]:
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else statement.targets
    if len(targets) == 1 and isinstance(targets[0], ast.Name):
        yield from _stored_in([statement.value] if statement.value else [], certain=certain)
        yield Event(targets[0].id, None, certain, statement.value)
    else:
        yield from _stored_in([statement], certain=certain)


def _nested(statement: ast.stmt, *, certain: bool) -> Iterator[Event]:
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


def _stored_in(nodes: Iterable[ast.AST], *, certain: bool, below: bool = True) -> Iterator[Event]:
    """Yield the names that expressions and targets set or delete, and what handlers bind."""
    for node in nodes:
        for each in ast.walk(node) if below else _heads(node):
            if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
                yield Event(each.id, None, certain)
            elif isinstance(getattr(each, "name", None), str):  # `except ... as`, `case ... as`
                yield Event(each.name, None, certain)  # type: ignore[attr-defined]
            elif isinstance(getattr(each, "rest", None), str):  # `case {**rest}`
                yield Event(each.rest, None, certain)  # type: ignore[attr-defined]


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
            name = dotted(node)
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


def dotted(node: ast.expr) -> str | None:
    """Return a name with its attributes as it is written; None for what is not one."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None
