"""Whether an object is what a file defines, as the file is now, and in the names of that file."""

from __future__ import annotations

import ast
import hashlib
import os
from dataclasses import fields
from functools import cached_property
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from .bound import bound
from .code_at_lookup import BOUND_ARGUMENTS, called, modules_of
from .objects.decorators_and_metaclasses import makers
from .objects.fingerprints import definitions, fingerprint
from .objects.literals import changed_literals
from .objects.on_disk import OnDisk
from .objects.reachable import attributes, functions_of, items, methods, qualified_name, value_at
from .objects.wrappers import Makers
from .source.module_source import ModuleSource, compiled, loader_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from dataclasses import Field
    from types import CodeType, ModuleType

    from .bound import Bound
    from .objects.fingerprints import DefinedCode, Fingerprint
    from .source.bindings import ExpectedName


_FINE = ("wrapped", "opaque")
"""States of names that may be what the source says."""


class CodeFile:
    """A file whose code must run. Raises OSError, and NoSourceError for what does not compile."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, "rb") as file:
            self.source = ModuleSource(path, file.read())
        self.code = compiled(self.source)
        self.defined: dict[Fingerprint, DefinedCode] = {
            each.fingerprint: each for each in definitions(self.code)
        }
        self._is_same: dict[str, bool] = {}

    @cached_property
    def sha256(self) -> str:
        """The hash of what it says now."""
        return hashlib.sha256(self.source.data).hexdigest()

    @cached_property
    def modules(self) -> list[ModuleType]:
        """The modules of the process that were made from it."""
        return list(modules_of(self.is_path))

    def is_path(self, path: str) -> bool:
        """Return whether a path is this file, whatever links lead to it."""
        if path not in self._is_same:
            try:
                self._is_same[path] = os.path.samefile(path, self.path)
            except (OSError, ValueError):
                self._is_same[path] = False
        return self._is_same[path]

    def is_copy(self, path: str) -> bool:
        """Return whether a path is another file with the same content."""
        try:
            with open(path, "rb") as file:
                return not self.is_path(path) and file.read() == self.source.data
        except (OSError, ValueError):
            return False

    def is_home(self, code: CodeType) -> bool:
        """Return whether code says that it is of this file."""
        return self.is_path(code.co_filename)

    def definition(self, code: CodeType) -> DefinedCode | None:
        """Return what the file defines as this code, as it is now; None for any other code."""
        return self.defined.get(fingerprint(code)) if self.is_home(code) else None

    def is_hooked(self) -> bool:
        """Return whether an import hook may have rewritten the code of the file."""
        kinds = {type(loader_of(each)).__name__ for each in self.modules}
        return bool(kinds - {"SourceFileLoader", "zipimporter", "NoneType"})

    def on_disk(self, module: str, *, files: frozenset[str]) -> OnDisk:
        """Return the file as the source of a module of that name."""
        return OnDisk(module, self.source, self.code, None, files | {self.path}, self.defined)

    def foreign_names(self, function: FunctionType) -> list[str]:
        """Return the names for which the code of a function finds something else than its file has.

        Those of a module of the file may have been set to other values, but not to other code.
        """
        space = function.__globals__
        look_in = SimpleNamespace(**{k: v for k, v in list(space.items()) if type(k) is str})
        disk = self.on_disk(
            str(space.get("__name__")), files=frozenset({function.__code__.co_filename})
        )
        found = bound(look_in, disk)
        names = [
            it for each in fields(found) if each.name not in _FINE for it in _names_in(found, each)
        ]
        names += [each for each in self._other_defaults(function) if not names]
        if not any(attributes(each) is space for each in self.modules):
            names += changed_literals(look_in, disk)
        return names

    def _other_defaults(self, function: FunctionType) -> Iterator[str]:
        """Yield the parameters whose defaults are literals in the file, and other values now."""
        line, name = function.__code__.co_firstlineno, function.__code__.co_name
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        for node in ast.walk(ast.parse(self.source.data)):
            if isinstance(node, kinds) and node.name == name:
                if line == min([node.lineno, *(each.lineno for each in node.decorator_list)]):
                    yield from changed_defaults(function, node.args)

    def names_of(self, value: object) -> Iterator[tuple[str, ModuleType]]:
        """Yield the qualified names under which the modules of the file have an object."""
        for module in self.modules:
            for name, each in items(module):
                if each is value or called(each) is value:
                    yield name, module
                if issubclass(type(each), type) and module_is(each, module):
                    for inner, part in items(each):
                        if part is value or called(part) is value:
                            yield f"{name}.{inner}", module

    def is_made_here(self, value: object, name: str, module: ModuleType) -> bool:
        """Return whether what a module of the file has under a name is what the file says of it.

        That is a definition with its decorators, or the arguments that are bound to one.
        """
        files = frozenset({str(getattr(module, "__file__", None) or self.path)})
        disk = self.on_disk(str(module.__name__), files=files)
        expected = {each.name: each for each in disk.bindings.expected}
        if name in expected:
            if not self._is_asked_for(value, expected[name], expected, module):
                return False
            found = bound(module, disk)
            wrong = (_names_in(found, each) for each in fields(found) if each.name != "wrapped")
            return not any(_is_among(names, name) for names in wrong)
        return type(value) in BOUND_ARGUMENTS and self._is_bound_here(value, name, module)

    def _is_asked_for(
        self,
        value: object,
        name: ExpectedName,
        expected: Mapping[str, ExpectedName],
        module: ModuleType,
    ) -> bool:
        """Return whether all that is around a definition is what its decorators put there."""
        for each in functions_of(value):
            if self.definition(each.__code__) is not None:
                return True
            classes = {it.name: it for it in expected.values() if it.is_class}
            if not any(Makers(it).may_make(each) for it in makers(module, name, classes)):
                return False
        return True

    def _is_bound_here(self, value: Any, name: str, module: ModuleType) -> bool:
        """Return whether ``name = partial(function, ...)`` of the file gives this object."""
        call = _assigned(ast.parse(self.source.data), name.split("."))
        if call is None or not call.args or any(each.arg is None for each in call.keywords):
            return False
        *around, _ = name.split(".")
        owner = value_at(module, around) if around else module
        kept = called(value.func)
        if type(kept) is not FunctionType or self.definition(kept.__code__) is None:
            return False
        try:
            arguments = tuple(map(ast.literal_eval, call.args[1:]))
            keywords = {str(it.arg): ast.literal_eval(it.value) for it in call.keywords}
        except ValueError:
            return False
        maker = ast.unparse(call.func).rpartition(".")[2]
        return (
            maker == type(value).__name__
            and self._is_named(call.args[0], kept, (owner, module))
            and repr((value.args, value.keywords)) == repr((arguments, keywords))
        )

    def _is_named(self, node: ast.expr, function: FunctionType, spaces: tuple[object, ...]) -> bool:
        path = ast.unparse(node).split(".")
        return any(called(value_at(space, path)) is function for space in spaces)

    def class_definition(self, value: type) -> str | None:
        """Return the name of the class of the file that a class is, if all its methods are there.

        None for any other class.
        """
        name = qualified_name(value)
        is_defined = any(it.name == name and not it.is_function for it in self.defined.values())
        own = [each.__code__ for each in methods(value)]
        mine = [each for each in own if self.is_home(each)]
        if not is_defined or any(self.definition(each) is None for each in mine):
            return None
        return name if mine or not own else None


def _names_in(found: Bound, field: Field[Any]) -> Iterable[str]:
    names: Iterable[str] = getattr(found, field.name)
    return names


def _is_among(names: Iterable[str], name: str) -> bool:
    """Return whether a name, or a part of it, is among those of a list or mapping of names."""
    return any(each == name or str(each).startswith(f"{name}.") for each in names)


def module_is(value: type, module: ModuleType) -> bool:
    """Return whether a class says that it is of a module."""
    return attributes(value).get("__module__") == module.__name__


def _assigned(tree: ast.Module, path: list[str]) -> ast.Call | None:
    """Return the call whose result is the last that a name is set to, in the body of its scope."""
    body: list[ast.stmt] = tree.body
    for name in path[:-1]:
        classes = [it for it in body if isinstance(it, ast.ClassDef) and it.name == name]
        body = classes[-1].body if classes else []
    found = [
        each.value
        for each in body
        if isinstance(each, ast.Assign)
        and any(isinstance(it, ast.Name) and it.id == path[-1] for it in each.targets)
    ]
    return found[-1] if found and isinstance(found[-1], ast.Call) else None


def changed_defaults(function: FunctionType, arguments: ast.arguments) -> Iterator[str]:
    """Yield the parameters whose defaults are not the literals that the source has for them."""
    live, keywords = function.__defaults__ or (), function.__kwdefaults__ or {}
    if len(live) != len(arguments.defaults):
        yield f"the defaults of {function.__name__}"
        return
    own = [*arguments.posonlyargs, *arguments.args][-len(live) :]
    named = {it.arg: (arguments.defaults[at], live[at]) for at, it in enumerate(own) if live}
    for at, each in enumerate(arguments.kwonlyargs):
        node = arguments.kw_defaults[at]
        if node is not None:
            named[each.arg] = (node, keywords.get(each.arg))
    for name, (node, value) in named.items():
        try:
            literal = ast.literal_eval(node)
        except ValueError:
            continue
        if repr(literal) != repr(value):
            yield f"the default of {name}"
