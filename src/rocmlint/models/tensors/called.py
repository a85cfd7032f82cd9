"""What calls give: of functions and methods of the file, of imported ones, of other objects."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.tensors import calls
from rocmlint.models.tensors.objects import SELF, Objects
from rocmlint.models.tensors.refine import key_of
from rocmlint.models.tensors.torch_names import (
    MODULES_WITH_SEVERAL,
    ONLY_OF_TENSORS,
    is_tensor_attribute,
)
from rocmlint.models.tensors.value_facts import (
    CONFIG,
    NUMPY,
    PYTHON,
    TENSOR,
    UNKNOWN,
    VALUE,
    Held,
    Kind,
    is_container,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocmlint.models.tensors.definitions import Definitions, Function

    Env = dict[str, Held]


class Calls:
    """Works out what calls give."""

    def __init__(
        self,
        definitions: Definitions,
        objects: Objects,
        held_by: Callable[[ast.expr, Env], Held],
    ) -> None:
        """Take what the file defines, and what says what the parts of a call hold."""
        self._definitions = definitions
        self._objects = objects
        self._held_by = held_by

    def of(self, node: ast.Call, env: Env) -> Held:
        """Return what a call gives, and remember what its arguments hold."""
        given = [self._held_by(each, env) for each in node.args]
        named = {each.arg: self._held_by(each.value, env) for each in node.keywords}
        dotted = self._definitions.dotted(node.func)
        if dotted and not is_shadowed(node.func, env):
            return self._of_imported(dotted, node, given)
        if isinstance(node.func, ast.Attribute):
            return self._of_method_call(node, node.func, given, named, env)
        called = self._held_by(node.func, env)
        if called.kind is Kind.UNKNOWN and isinstance(node.func, ast.Name):
            found = calls.of_builtin(node.func.id, node, given)
            return UNKNOWN if found is None else found
        return self._of_called(called, given, named, node)

    def _of_imported(self, dotted: str, node: ast.Call, given: list[Held]) -> Held:
        if dotted.startswith("torch."):
            return calls.of_torch(dotted, node, given)
        if dotted in {"rocmlint.export.cond", "rocmlint.export.map_rows"}:
            return TENSOR  # what control_flow writes, so that rewriting twice changes nothing
        if dotted == "rocmlint.export.while_loop":
            return calls.TENSORS
        if dotted.startswith("einops."):
            return calls.of_einops(dotted, given)
        if dotted.startswith("numpy."):
            return calls.of_numpy(given)
        if dotted.startswith(("math.", "os.", "re.", "warnings.", "logging.")):
            return VALUE if any(each.depends for each in given) else PYTHON
        return CONFIG if dotted.endswith("Config") else UNKNOWN

    def _of_called(
        self, called: Held, given: list[Held], named: dict[str | None, Held], node: ast.Call
    ) -> Held:
        """Return what a call of something that is known gives."""
        what, _, name = called.of.partition(" ")
        if what == "def":
            return self._returned(self._definitions.by_name.get(name), given, named, node)
        if what == "type":
            return self._made(name)
        if what == "object":
            owner = self._definitions.classes.get(name)
            forward = self._definitions.method(owner, "forward")
            forward = forward or self._definitions.method(owner, "__call__")
            return self._returned(forward, given, named, node)
        if what == "module":
            several = name in MODULES_WITH_SEVERAL
            return calls.TENSORS if several else TENSOR
        return UNKNOWN

    def _made(self, name: str) -> Held:
        owner = self._definitions.classes[name]
        forward = self._definitions.method(owner, "forward")
        return Held(Kind.PYTHON if forward else Kind.UNKNOWN, of=f"object {name}")

    def _of_method_call(
        self,
        node: ast.Call,
        func: ast.Attribute,
        given: list[Held],
        named: dict[str | None, Held],
        env: Env,
    ) -> Held:
        name = func.attr
        if isinstance(func.value, ast.Call) and calls.is_super(func.value):
            method = self._definitions.method(self._objects.owner, name, above=True)
            return self._returned(method, given, named, node)
        held = self._held_by(func.value, env)
        if held.kind is Kind.TENSOR:
            found = calls.of_method(held, name, node) if is_tensor_attribute(name) else UNKNOWN
            return found._replace(gate=held.gate) if found.depends else found
        if held is SELF or held.of.startswith("object "):
            owner = self._objects.owner if held is SELF else self._objects.class_of(held)
            method = self._definitions.method(owner, name)
            if method is not None:
                return self._returned(method, given, named, node)
            return self._of_called(self._objects.own_attribute(held, name), given, named, node)
        if is_container(held):
            more = calls.grown(held, name, given)
            if more is not None and key_of(func.value):
                env[key_of(func.value)] = more._replace(of=held.of)
            return calls.of_container(held, name, given)
        return self._of_other_method(held, name, node, given, named)

    def _of_other_method(
        self,
        held: Held,
        name: str,
        node: ast.Call,
        given: list[Held],
        named: dict[str | None, Held],
    ) -> Held:
        if held.kind is Kind.VALUE:
            return VALUE
        if held.of == "numpy":
            return NUMPY
        if held.kind is Kind.UNKNOWN:
            if name in {"item", "tolist"}:
                return VALUE if name == "item" else calls.VALUES
            if name in ONLY_OF_TENSORS:
                return TENSOR
            only = self._definitions.only_method(name)
            return self._returned(only, given, named, node) if only is not None else UNKNOWN
        if held.of == "config" or (held.kind is Kind.PYTHON and not held.of):
            return PYTHON if not any(each.depends for each in given) else UNKNOWN
        return UNKNOWN

    def _returned(
        self,
        function: Function | None,
        given: list[Held],
        named: dict[str | None, Held],
        node: ast.Call,
    ) -> Held:
        """Return what a function of the file gives; what it is given is noted."""
        if function is None:
            return UNKNOWN
        if not any(isinstance(each, ast.Starred) for each in node.args):
            function.note(given, named)
        return UNKNOWN if function.returned is None else function.returned


def is_shadowed(node: ast.expr, env: Env) -> bool:
    """Check whether the first of dotted names is a local one, and no module."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in env
