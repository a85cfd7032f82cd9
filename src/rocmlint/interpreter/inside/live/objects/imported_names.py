"""Whether imported names are what the modules they name have for them."""

from __future__ import annotations

import ast
import re
import sys
from functools import lru_cache
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..source.bindings import bindings, literal_value
from ..source.events import ANY_NAME, dotted
from ..source.module_source import NoSourceError, source_of
from .attribute_writes import stores_of
from .layers import within_reach
from .origin_package import belongs, is_callable, is_made, is_standard, outermost, strangers, top
from .reachable import (
    ABSENT,
    attributes,
    functions_of,
    is_a,
    methods,
    module_of,
    qualified_name,
    value_at,
)

if TYPE_CHECKING:
    from ..source.bindings import Bindings
    from ..source.events import Event, ImportBinding

_DEPTH = 8
"""How many modules hand a name on to each other."""
_SETS_NAMES = re.compile(rb"\bglobals\(|\b__getattr__\b|\bsys\.modules\b|\bsetattr\(|\bexec\(")
"""With one of these a module may have names that its source does not show."""

_IMPORTS = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)
_MAKES_CODE = re.compile(rb"\bexec\(|\beval\(|\bFunctionType\(|\bCodeType\(")


def absolute(module: str, imported: ImportBinding) -> str:
    """Return the module that an import of another one names."""
    if not imported.level:
        return imported.module
    space = attributes(sys.modules.get(module))
    package = space.get("__package__")
    if type(package) is not str:
        package = module if "__path__" in space else module.rpartition(".")[0]
    parts = package.split(".")
    parts = parts[: len(parts) - imported.level + 1]
    return ".".join([*parts, *([imported.module] if imported.module else [])])


def is_brought(module: str, imported: ImportBinding, live: Any, depth: int = _DEPTH) -> bool:
    """Return whether a live value is what an import in a module gives."""
    source = absolute(module, imported)
    if imported.attribute is None:
        return _is_module(source, live)
    holder = sys.modules.get(source)
    inner = sys.modules.get(f"{source}.{imported.attribute}")
    if live is inner and inner is not None:
        return True
    if is_a(live, ModuleType) and _is_module(f"{source}.{imported.attribute}", live):
        return True
    if imported.attribute == ANY_NAME:
        return False
    current = attributes(holder).get(imported.attribute, ABSENT)
    if live is current:
        return is_at_home(source, imported.attribute, live, depth)
    return _is_original(source, imported.attribute, live, depth)


def has_name(module: str, name: str) -> bool:
    """Return whether a module has a name, or its source has a statement that gives it a value."""
    if name in attributes(sys.modules.get(module)):
        return True
    found = source_bindings(module)
    scope = found[1].history[()] if found else {}
    return name in scope or ANY_NAME in scope


def is_around(module: str, imported: ImportBinding, live: Any) -> bool:
    """Return whether a value is something around what an import in a module gives."""
    source, name = absolute(module, imported), imported.attribute
    if name is None or any(belongs(each.co_filename, source) for each in outermost(live)):
        return False

    def is_core(part: object) -> bool:
        code = getattr(part, "__code__", None) if type(part) is FunctionType else None
        return code is not None and code.co_name == name and belongs(code.co_filename, source)

    return within_reach(live, [sys.modules.get(source)], is_core) is not None


def is_at_home(holder: str, name: str, value: Any, depth: int = _DEPTH) -> bool:
    """Return whether a name of a module holds code that its source leads to."""
    if not is_callable(value):
        return True
    codes = outermost(value)
    if codes:
        is_own = any(belongs(each.co_filename, holder) for each in codes)
        if is_own and not any(strangers(value, holder)):
            return True
    elif not is_a(value, BuiltinFunctionType) or _is_builtin_of(value, holder):
        return True
    if is_a(value, type) and _is_class_of(value, holder):
        return True
    return _is_led_to(holder, name, value, depth, current=True)


def _is_class_of(value: type, holder: str) -> bool:
    """Return whether a class is where it says, with code of that package or made for it."""
    module = module_of(value)
    if top(module) != top(holder):
        return False
    if value_at(sys.modules.get(module), qualified_name(value).split(".")) is not value:
        return False
    files = [each.co_filename for each in outermost(value)]
    return any(belongs(each, holder) for each in files) or all(map(is_made, files))


def _is_builtin_of(value: BuiltinFunctionType, holder: str) -> bool:
    module = value.__module__
    return not is_a(module, str) or top(module).strip("_") == top(holder).strip("_")


def _is_original(holder: str, name: str, value: Any, depth: int) -> bool:
    """Return whether a value is what a module had under a name before it was set anew."""
    return _is_led_to(holder, name, value, depth, current=False)


def _is_led_to(holder: str, name: str, value: Any, depth: int, *, current: bool) -> bool:
    """Return whether the source of a module gives, or may give, such a value to a name."""
    if not depth:
        return True
    found = source_bindings(holder)
    if found is None:  # an extension module, or one that a program made
        if is_a(value, BuiltinFunctionType):
            return current or (value.__name__ == name and _is_builtin_of(value, holder))
        return current and not any(strangers(value, holder)) and not _is_python_in_c(holder, value)
    data, known = found
    if name in known.elsewhere or stores_of(holder).sets(holder.rpartition(".")[2], name):
        if not any(strangers(value, holder)):
            return True
    events = [e for e in known.scopes[()].get(name, ()) if e.name != ANY_NAME]
    stars = [e.imported for e in known.scopes[()].get(ANY_NAME, ()) if e.imported]
    if any(_may_give(holder, each, value, depth - 1, current=current) for each in events):
        return True
    for star in stars:
        source = absolute(holder, star)
        if attributes(sys.modules.get(source)).get(name, ABSENT) is value:
            return is_at_home(source, name, value, depth - 1)
    if events:
        return False
    places = [place for place in strangers(value, holder) if not is_made(place[0])]
    made = any(True for _ in strangers(value, holder)) and not places
    return not places and bool(_SETS_NAMES.search(data)) and (not made or makes_code_in(holder))


@lru_cache(maxsize=128)
def imported_packages(data: bytes) -> frozenset[str]:
    """Return the packages that a source imports, anywhere in it."""
    return frozenset(each.decode() for each in _IMPORTS.findall(data))


def makes_code_in(module: str) -> bool:
    """Return whether a module runs text as code, by the words of its source."""
    found = source_bindings(module)
    return found is not None and _makes_code(found[0])


@lru_cache(maxsize=128)
def _makes_code(data: bytes) -> bool:
    return _MAKES_CODE.search(data) is not None


def _is_python_in_c(holder: str, value: Any) -> bool:
    """Return whether a module without Python code has a function that is Python code."""
    file = attributes(sys.modules.get(holder)).get("__file__")
    is_c = type(file) is not str or not file.endswith(".py")
    return is_c and any(not belongs(each.co_filename, holder) for each in outermost(value))


def _may_give(holder: str, event: Event, value: Any, depth: int, *, current: bool) -> bool:
    """Return whether an event of a module gives, or may give, a value."""
    known = _known(holder)
    if event.imported is not None:
        return is_brought(holder, event.imported, value, depth)
    if event.node is not None:
        if event.node.decorator_list:
            return _is_decorated(holder, event.node, value)
        return _is_definition(holder, event.node, value)
    if event.value is None:
        return True
    if not is_callable(value):
        return current or _may_be(event.value, value)
    other = dotted(event.value)
    if other is not None and "." not in other:
        events = known.scopes[()].get(other, ())
        if events:
            return any(
                _may_give(holder, each, value, depth - 1, current=current)
                for each in events
                if depth
            )
    packages = {holder, *(packages_in(holder, known, event.value))}
    return not any(
        not (is_made(file) and isinstance(event.value, ast.Call))
        for file, _ in strangers(value, *packages)
    )


def packages_in(holder: str, known: Bindings, value: ast.AST) -> set[str]:
    """Return the modules that the names in an expression come from."""
    found = set()
    for node in ast.walk(value):
        if isinstance(node, ast.Name):
            for event in known.scopes[()].get(node.id, ()):
                if event.imported is not None:
                    found.add(absolute(holder, event.imported))
            live: Any = attributes(sys.modules.get(holder)).get(node.id)
            if is_a(live, type):
                found.add(module_of(live))
            elif type(live) is FunctionType:
                found.add(str(live.__module__))
    return found


def _is_decorated(
    holder: str, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, value: Any
) -> bool:
    """Return whether decorators may have made a value of a definition of a module.

    It runs code of them, or of what their modules import; where it has functions of the module,
    the definition is one of these.
    """
    known = _known(holder)
    makers = {each for it in node.decorator_list for each in packages_in(holder, known, it)}
    sources = filter(None, map(source_bindings, makers))
    around = {holder, *makers, *(each for data, _ in sources for each in imported_packages(data))}
    if any(not is_made(file) for file, _ in strangers(value, *around)):
        return False
    file = source_of(sys.modules[holder]).path
    own = [each for each in functions_of(value) if each.__code__.co_filename == file]
    return not own or any(_is_definition(holder, node, each) for each in own)


def _is_definition(holder: str, node: ast.AST, value: Any) -> bool:
    """Return whether a value is made of a ``def`` or a ``class`` of a module, as it seems."""
    name = getattr(node, "name", "")
    file = source_of(sys.modules[holder]).path
    if isinstance(node, ast.ClassDef):
        if not issubclass(type(value), type) or qualified_name(value) != name:
            return False
        own = {each.__code__.co_filename for each in methods(value)}
        is_empty = not any(isinstance(each, ast.FunctionDef) for each in node.body)
        if top(module_of(value)) == top(holder):
            return is_empty or file in own
        others = own - {file}  # what a package shows as its own says that it is of that one
        return file in own and all(is_standard(each) or is_made(each) for each in others)
    return type(value) is FunctionType and (
        value.__code__.co_name == name and value.__code__.co_filename == file
    )


def _may_be(expression: ast.expr, value: Any) -> bool:
    try:
        literal = literal_value(expression)
    except ValueError:
        return True
    return type(literal) is type(value) and (not literal or repr(literal) == repr(value))


def _is_module(name: str, live: Any) -> bool:
    """Return whether a value is the module of a name, or was it before it was replaced."""
    found = sys.modules.get(name)
    package, _, last = name.rpartition(".")
    if live is (found or attributes(sys.modules.get(package)).get(last, ABSENT)):
        return True
    space = attributes(live)
    if getattr(space.get("__spec__"), "name", None) != name:
        return False
    functions = [each for each in list(space.values()) if type(each) is FunctionType]
    return not functions or any(each.__globals__ is space for each in functions)


def _known(module: str) -> Bindings:
    found = source_bindings(module)
    return found[1] if found else _bindings(b"")


def source_bindings(module: str) -> tuple[bytes, Bindings] | None:
    """Return the source of a loaded module and what it defines; None where it has none."""
    try:
        source = source_of(sys.modules[module])
        return source.data, _bindings(source.data)
    except (KeyError, NoSourceError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=128)
def _bindings(data: bytes) -> Bindings:
    return bindings(data)
