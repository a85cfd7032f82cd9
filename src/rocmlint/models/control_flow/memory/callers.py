"""Where the functions of a file are called from, as far as the file shows it."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.memory.calls import PLAIN_METHODS
from rocmlint.models.control_flow.memory.effects import Summaries
from rocmlint.models.tensors.torch_names import is_tensor_attribute, words
from rocmlint.python.scopes import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.models.control_flow.scope import Scope
    from rocmlint.models.control_flow.tree import Tree

_RUN_BY_OBJECTS = frozenset({"forward", "__call__"})
"""Methods that run where an object is called."""
_OF_MODULES = words(
    """
    apply buffers children cpu cuda eval extra_repr float half load_state_dict modules
    named_buffers named_children named_modules named_parameters parameters post_init
    register_buffer register_module register_parameter requires_grad_ state_dict to train zero_grad
    """
)
"""Methods of modules that do not run them."""


class Callers:
    """The calls of the functions of a file."""

    def __init__(self, tree: Tree) -> None:
        """Take the file."""
        self._tree = tree
        self.summaries = Summaries(tree)

    def of(self, scope: Scope) -> Iterator[tuple[Scope, ast.Call, bool]]:
        """Yield the calls that may run a function, each with the function it is in.

        The last value says whether the call also runs something else.
        """
        function = scope.node
        decorators = {ast.unparse(_called(each)) for each in function.decorator_list}
        is_value = function.name in self._values
        for caller, call, targets in self._calls:
            if caller.node.name == "__init__":
                continue  # it makes the model, and does not run it
            if targets is None:
                found = self._may_run(call, function.name) or (
                    (is_value or caller.is_within(decorators)) and self._is_object(call)
                )
            else:
                found = function in targets or _names(call, function.name)
            if found:
                yield caller, call, targets is not None and len(targets) > 1

    def has_hooks(self, scope: Scope) -> bool:
        """Return whether hooks of modules get what a function gives."""
        return scope.node.name == "forward" and any(
            "forward" in name and name.endswith("_hook") for name in self._called_methods
        )

    @cached_property
    def _called_methods(self) -> frozenset[str]:
        return frozenset(
            call.func.attr for _, call, _ in self._calls if isinstance(call.func, ast.Attribute)
        )

    @cached_property
    def _values(self) -> frozenset[str]:
        """The names that are read without being called: whoever has the value can call it."""
        called = {call.func for _, call, _ in self._calls}
        found = set()
        for node in ast.walk(self._tree.inference.tree):
            if node in called or not isinstance(getattr(node, "ctx", None), ast.Load):
                continue
            if isinstance(node, (ast.Name, ast.Attribute)):
                found.add(node.id if isinstance(node, ast.Name) else node.attr)
        return frozenset(found)

    def _may_run(self, call: ast.Call, name: str) -> bool:
        """Check whether a call of something unknown may run a function of this name."""
        if name in _RUN_BY_OBJECTS and self._is_object(call):
            return True
        return _names(call, name)

    def _is_object(self, call: ast.Call) -> bool:
        """Check whether what is called may be an object of a class of the file."""
        match call.func:
            case ast.Attribute(value=ast.Name(), attr=name):
                return name not in _OF_MODULES | PLAIN_METHODS and not is_tensor_attribute(name)
            case ast.Attribute() | ast.Subscript() | ast.Call():
                return True
            case ast.Name(id=name):
                return name not in self.summaries.called.defined
        return False

    @cached_property
    def _calls(self) -> list[tuple[Scope, ast.Call, tuple[object, ...] | None]]:
        """All calls in functions, with what they run; None where the file does not show it."""
        found: list[tuple[Scope, ast.Call, tuple[object, ...] | None]] = []
        for node in ast.walk(self._tree.inference.tree):
            if not isinstance(node, ast.Call):
                continue
            scope = self._tree.function_around(node)
            if scope is None or not self._is_in_body(node):
                continue
            called = self.summaries.called
            targets: tuple[object, ...] | None
            if called.dotted(scope, node.func):
                targets = ()
            else:
                known = called.targets.of(scope, node)
                targets = None if known is None else tuple(known)
            found.append((scope, node, targets))
        return found

    def _is_in_body(self, node: ast.AST) -> bool:
        """Check whether a node is in a function, and not in its decorators or defaults."""
        inner, around = node, self._tree.parent(node)
        while around is not None and not isinstance(around, FUNCTIONS):
            inner, around = around, self._tree.parent(around)
        return around is not None and inner in around.body


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _names(call: ast.Call, name: str) -> bool:
    """Check whether a call names a function, or gives it to another one."""
    given = (call.func, *call.args, *(each.value for each in call.keywords))
    return any(
        (isinstance(each, ast.Attribute) and each.attr == name)
        or (isinstance(each, ast.Name) and each.id == name)
        for each in given
    )
