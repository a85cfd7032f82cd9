"""The values of a module's names after its import, by its source."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .events import ANY_NAME, by_name, dotted, events_of, final, first_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .events import DefinitionNode, Event, Scope

_ARITHMETIC = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


@dataclass(frozen=True)
class ExpectedName:
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
    """The same of the bases of a class, without their subscripts."""
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
class Bindings:
    """The definitions of a module."""

    expected: tuple[ExpectedName, ...]
    constants: tuple[Constant, ...]
    scopes: Mapping[tuple[str, ...], Scope]
    """By the path of the class; that of the module is empty."""
    history: Mapping[tuple[str, ...], Scope]
    """The same with all events."""
    attributes: Scope
    """By dotted name, what statements outside of functions and classes set as an attribute."""
    entries: Mapping[str, tuple[tuple[ast.expr, ast.expr], ...]]
    """By dotted name, the keys and values that statements of the module put into a table."""
    calls: tuple[ast.Call, ...]
    """The calls that are statements of the module itself."""
    elsewhere: frozenset[str]
    """Dotted names that the module sets by an attribute, or from within a function."""
    used: frozenset[str]
    """The names with attributes that occur anywhere in it."""
    inner_imports: tuple[ast.Import | ast.ImportFrom, ...]
    """The imports that are not statements of the module itself."""
    unsettled: frozenset[str]
    """The classes of which there is more than one definition, and none is chosen."""


@dataclass
class _Reader:
    elsewhere: set[str]
    chosen: Mapping[str, int]
    expected: list[ExpectedName] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    scopes: dict[tuple[str, ...], Scope] = field(default_factory=dict)
    history: dict[tuple[str, ...], Scope] = field(default_factory=dict)
    unsettled: set[str] = field(default_factory=set)

    def scope(self, body: list[ast.stmt], names: tuple[str, ...], *, certain: bool) -> None:
        """Take what the statements of a module or of a class body define."""
        events = [each for each in events_of(body, certain=True) if "." not in each.name]
        finals: dict[str, tuple[Event, ...]] = {}
        where = stored_path(".".join(names)) if names else ()
        self.scopes[where], self.history[where] = finals, by_name(events)
        for name in sorted({each.name for each in events}):
            qualified = ".".join((*names, name))
            path = stored_path(qualified)
            last = final([each for each in events if each.name in (name, ANY_NAME)])
            finals[path[-1]] = tuple(last)
            if qualified in self.elsewhere or name == ANY_NAME:
                continue
            nodes = [each.node for each in last if each.node is not None]
            if len(nodes) == len(last):
                self._definition(qualified, path, nodes, certain=certain and last[0].certain)
            elif len(last) == 1 and last[0].value is not None and certain:
                if last[0].certain:
                    self._constant(path, last[0].value)

    def _definition(
        self, name: str, path: tuple[str, ...], nodes: list[DefinitionNode], *, certain: bool
    ) -> None:
        classes = [each for each in nodes if isinstance(each, ast.ClassDef)]
        if classes and len(nodes) > 1:
            classes = [each for each in classes if each.lineno == self.chosen.get(name)]
            nodes, certain = [*classes], False
            if not classes:
                self.unsettled.add(name)
                return
        self.expected.append(
            ExpectedName(
                name=name,
                path=path,
                lines=frozenset(first_line(each) for each in nodes),
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


def _metaclass(classes: Iterable[ast.ClassDef]) -> Iterator[ast.keyword]:
    for each in classes:
        yield from (part for part in each.keywords if part.arg == "metaclass")


def bindings(source: bytes, chosen: Mapping[str, int] | None = None) -> Bindings:
    """Read what a module defines. Raises SyntaxError and ValueError for what does not parse.

    ``chosen`` has the lines of the definitions that classes are made of, where there are several.
    """
    tree = ast.parse(source)
    reader = _Reader(set(_set_elsewhere(tree, in_functions=b"global " in source)), chosen or {})
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
        _attributes(tree.body),
        _entries(tree.body),
        tuple(
            each.value
            for each in tree.body
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)
        ),
        frozenset(reader.elsewhere),
        frozenset(names - {""}),
        tuple(imports),
        frozenset(reader.unsettled),
    )


def _attributes(body: list[ast.stmt]) -> Scope:
    """Return the events of attributes, those that may have had the last word."""
    found = [each for each in events_of(body, certain=True) if "." in each.name]
    return {name: tuple(final(list(events))) for name, events in by_name(found).items()}


def _entries(body: list[ast.stmt]) -> dict[str, tuple[tuple[ast.expr, ast.expr], ...]]:
    found: dict[str, tuple[tuple[ast.expr, ast.expr], ...]] = {}
    for each in body:
        for target in each.targets if isinstance(each, ast.Assign) else ():
            name = dotted(target.value) if isinstance(target, ast.Subscript) else None
            if isinstance(target, ast.Subscript) and isinstance(each, ast.Assign) and name:
                found[name] = (*found.get(name, ()), (target.slice, each.value))
    return found


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
