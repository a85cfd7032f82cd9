"""Parts of functions other than code: defaults, globals, the cells of their closures."""

from __future__ import annotations

import ast
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ..objects.decorators_and_metaclasses import resolved
from ..objects.fingerprints import fingerprint
from ..objects.literals import holds
from ..objects.origin_package import is_callable, is_made
from ..objects.reachable import ABSENT, attributes, functions_of, is_a, qualified_name, value_at
from ..objects.source_names import SourceNames
from ..source.bindings import literal_value
from ..source.events import dotted
from .difference import Alteration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..objects.on_disk import OnDisk
    from ..source.events import Event

    Node = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def kept(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the functions of a module that keep something else than the source gives them."""
    lines = {(each.name, each.line): print_ for print_, each in disk.defined.items()}
    for path, scope in disk.bindings.scopes.items():
        owner = value_at(space, path)
        names = SourceNames(space, disk, path, owner)
        for name, events in scope.items():
            nodes = [each.node for each in events if each.node is not None]
            live = attributes(owner).get(name, ABSENT)
            for node in nodes:
                if isinstance(node, ast.ClassDef) or live is ABSENT:
                    continue
                line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                qualified = ".".join((*path, name))
                wanted = lines.get((".".join((*path, node.name)), line))
                for function in functions_of(live):
                    if wanted is not None and fingerprint(function.__code__) == wanted:
                        yield from _of_function(function, node, qualified, names)
                        break
    yield from _without_name(space, disk)
    yield from _closures(space, disk)
    yield from _generated(space, disk)


def _without_name(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the functions without a name, in what the source assigns, with other defaults."""
    for path, name, parts in _given(disk):
        nodes = [it for part in parts for it in ast.walk(part) if isinstance(it, ast.Lambda)]
        if not nodes:
            continue
        names = SourceNames(space, disk, path, value_at(space, path))
        for function in functions_of(value_at(space, (*path, *name.split(".")))):
            code = function.__code__
            found = disk.defined.get(fingerprint(code))
            if found is None or found.is_named:
                continue
            # Several on one line with the same code differ in their defaults only.
            same = [it for it in nodes if it.lineno == found.line and _takes(code, it)]
            others = [[*_other_defaults(function, each, names)] for each in same]
            if others and all(others):
                qualified = ".".join((*path, f"{name}({others[0][0]})"))
                yield Alteration(qualified, "default", code.co_filename, code.co_firstlineno)


def _takes(code: CodeType, node: ast.Lambda) -> bool:
    """Return whether code has the parameters of a function without a name."""
    given = node.args
    wanted = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return [*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]] == wanted


def _given(disk: OnDisk) -> Iterator[tuple[tuple[str, ...], str, list[ast.AST]]]:
    """Yield names by the path of their scope, with all that the source makes their values of."""
    bindings = disk.bindings
    for path, scope in (*bindings.scopes.items(), ((), bindings.attributes)):
        for name, events in scope.items():
            nodes = [each.node for each in events if each.node is not None]
            made = [part for each in nodes for part in each.decorator_list]
            made += [
                part
                for each in nodes
                if not isinstance(each, ast.ClassDef)
                for part in (*each.args.defaults, *each.args.kw_defaults)
                if part is not None
            ]
            yield path, name, [*made, *(it.value for it in events if it.value is not None)]
    for name, pairs in bindings.entries.items():
        yield (), name, [value for _, value in pairs]


def _generated(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield what dataclasses and named tuples have for other defaults than their source."""
    for path, scope in disk.bindings.scopes.items():
        for name, events in scope.items():
            node = events[0].node if len(events) == 1 else None
            owner = value_at(space, (*path, name))
            if not isinstance(node, ast.ClassDef) or not is_a(owner, type):
                continue
            for method in ("__init__", "__new__"):
                made = attributes(owner).get(method)
                made = made.__func__ if type(made) is staticmethod else made
                if type(made) is FunctionType and is_made(made.__code__.co_filename):
                    for field in _other_fields(made, node):
                        yield Alteration(".".join((*path, f"{name}({field})")), "default")


def _other_fields(made: FunctionType, node: ast.ClassDef) -> Iterator[str]:
    """Yield the fields of a class whose defaults are other literals in a method made for them."""
    code, defaults = made.__code__, made.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    first = len(names) - len(defaults)
    given = {names[first + index]: each for index, each in enumerate(defaults)}
    given.update(made.__kwdefaults__ or {})
    for each in node.body:
        field = each.target if isinstance(each, ast.AnnAssign) else None
        if isinstance(each, ast.AnnAssign) and each.value and isinstance(field, ast.Name):
            try:
                literal = literal_value(each.value)
            except ValueError:
                continue
            if field.id in given and not holds(given[field.id], literal, in_class=False):
                yield field.id


def _of_function(
    function: FunctionType,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    name: str,
    names: SourceNames,
) -> Iterator[Alteration]:
    file, line = function.__code__.co_filename, function.__code__.co_firstlineno
    space = names.space
    own = attributes(space)
    if "__builtins__" in own and type(own) is dict and function.__globals__ is not own:
        if type(space).__name__ != "SimpleNamespace":
            yield Alteration(name, "globals", file, line)
    for parameter in _other_defaults(function, node, names):
        yield Alteration(f"{name}({parameter})", "default", file, line)
    if _is_of_another_class(function, name):
        yield Alteration(name, "closure", file, line)


def _other_defaults(function: FunctionType, node: Node, names: SourceNames) -> Iterator[str]:
    """Yield the parameters whose default is not that of the source."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    live = function.__defaults__ or ()
    if len(live) != len(node.args.defaults):
        yield "..."
        return
    if live:
        for index, argument in enumerate(arguments[-len(live) :]):
            if not _is_default(node.args.defaults[index], live[index], names):
                yield argument.arg
    keywords = function.__kwdefaults__ or {}
    named = {each.arg: node.args.kw_defaults[n] for n, each in enumerate(node.args.kwonlyargs)}
    expected = {name: each for name, each in named.items() if each is not None}
    if keywords.keys() != expected.keys():
        yield "..."
        return
    for name, expression in expected.items():
        if not _is_default(expression, keywords[name], names):
            yield name


def _is_default(expression: ast.expr, live: Any, names: SourceNames) -> bool:
    """Return whether a default is what its expression gives, as far as that can be known."""
    literal = names.literal(expression)
    if literal is not ABSENT:
        return holds(live, literal, in_class=False)
    name = dotted(expression)
    if name is None:
        return names.is_value(expression, live)
    value = names.resolved(name)
    if value is not ABSENT and not is_callable(value):
        return True
    is_one = (
        value is ABSENT or value is live or (is_callable(live) and _have_same_name(value, live))
    )
    return is_one and names.is_named(name, live)


def _have_same_name(one: Any, other: Any) -> bool:
    """Return whether two functions or classes have the same name: one may be the older."""
    names = [
        qualified_name(each) if issubclass(type(each), type) else getattr(each, "__qualname__", "")
        for each in (one, other)
    ]
    return names[0] == names[1]


def _is_of_another_class(function: FunctionType, name: str) -> bool:
    """Return whether ``super()`` and ``__class__`` mean another class than the one around it."""
    for variable, cell in _cells(function):
        if variable == "__class__":
            try:
                owner = cell.cell_contents
            except ValueError:  # the class is not made yet
                return False
            around = name.rpartition(".")[0].rpartition(".")[2]
            last = qualified_name(owner).rpartition(".")[2] if is_a(owner, type) else ""
            return bool(last) and last.lstrip("_") != around.lstrip("_")
    return False


def _closures(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the functions made by a call with literals that keep other values of them."""
    for path, scope in disk.bindings.scopes.items():
        for name, events in scope.items():
            call = _made_by(events[0]) if len(events) == 1 else None
            live = value_at(space, (*path, name))
            if call is None or type(live) is not FunctionType:
                continue
            factory = resolved(space, dotted(call.func))
            if type(factory) is FunctionType:
                for variable in _other_cells(live, factory, call):
                    place = live.__code__.co_filename, live.__code__.co_firstlineno
                    yield Alteration(f"{'.'.join((*path, name))}({variable})", "closure", *place)


def _made_by(event: Event) -> ast.Call | None:
    """Return the call that gives a name its value: an assigned one, or the outermost decorator."""
    value = event.node.decorator_list[:1] if event.node is not None else [event.value]
    return value[0] if value and isinstance(value[0], ast.Call) else None


def _other_cells(live: FunctionType, factory: FunctionType, call: ast.Call) -> Iterator[str]:
    """Yield the variables of a closure that are not the literals of the call that made it."""
    code = factory.__code__
    if any(isinstance(each, ast.Starred) for each in call.args):
        return
    if not any(each is live.__code__ for each in _inner(code)):
        return
    given = {code.co_varnames[n]: each for n, each in enumerate(call.args[: code.co_argcount])}
    given.update({each.arg: each.value for each in call.keywords if each.arg})
    set_again = _stored(code)
    for variable, cell in _cells(live):
        if variable in given and variable not in set_again:
            try:
                literal = literal_value(given[variable])
                value = cell.cell_contents
            except ValueError:
                continue
            if not holds(value, literal, in_class=False):
                yield variable


def _inner(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of the functions in a function, at any depth."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _inner(each)


def _cells(function: FunctionType) -> Iterator[tuple[str, CellType]]:
    """Yield the variables of a closure."""
    for index, cell in enumerate(function.__closure__ or ()):
        yield function.__code__.co_freevars[index], cell


def _stored(code: CodeType) -> set[str]:
    """Return the variables that a function, or one inside it, sets again."""
    from dis import get_instructions  # noqa: PLC0415 - slow to import, and seldom needed

    found = {each.argval for each in get_instructions(code) if each.opname == "STORE_DEREF"}
    for each in _inner(code):
        found |= {one.argval for one in get_instructions(each) if one.opname == "STORE_DEREF"}
    return found
