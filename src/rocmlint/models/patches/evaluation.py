"""What expressions about versions come to: ``Version(transformers.__version__) >= …``."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any, Protocol

from rocmlint.models.patches.namespace import Binding, Judge, Namespace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from packaging.version import Version

    from rocmlint.python.scopes import FunctionNode

UNKNOWN: Any = object()
"""The value of an expression that cannot be told."""
_DEEPEST = 12
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_SPELLED: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_PARSERS = {"packaging.version.Version", "packaging.version.parse"}
_INSTALLED = {"importlib.metadata.version", "importlib_metadata.version"}
_TYPES_ONLY = {"typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING"}
_AT_LEAST = {
    "transformers.utils.import_utils.is_torch_greater_or_equal": "torch",
    "transformers.utils.is_torch_greater_or_equal": "torch",
}
"""Functions of libraries that are asked whether a version is installed, of which package."""
_COMPARED = {
    "accelerate.utils.is_torch_version": "torch",
    "accelerate.utils.is_transformers_version": "transformers",
    "diffusers.utils.is_torch_version": "torch",
    "diffusers.utils.is_transformers_version": "transformers",
}
"""Likewise, asked with an operator: ``is_torch_version(">=", "2.6")``."""


class Library(Judge, Protocol):
    """What is asked of the libraries that expressions name."""

    def version(self, package: str) -> Version | None:
        """Return the version of a top-level package, None where it is unknown."""

    def has(self, dotted: str, member: str) -> bool | None:
        """Return whether something has an attribute; None: cannot tell."""

    def values(self, dotted: str) -> tuple[tuple[ast.AST, Namespace], ...]:
        """Return what a name is bound to, each with the names around it."""


def dotted_name(node: ast.AST, names: Namespace) -> str | None:
    """Return the full name of what an expression names, as its imports tell."""
    if isinstance(node, ast.Attribute):
        base = dotted_name(node.value, names)
        return None if base is None else f"{base}.{node.attr}"
    if not isinstance(node, ast.Name):
        return None
    bindings = names.look_up(node.id)
    if not bindings:
        return None
    of_import = {each.dotted for each in bindings}
    if len(of_import) == 1 and bindings[0].dotted:
        return bindings[0].dotted
    in_module = names.module.name and _is_of_module(node.id, bindings, names)
    return f"{names.module.name}.{node.id}" if in_module else None


def _is_of_module(name: str, bindings: tuple[Binding, ...], names: Namespace) -> bool:
    """Return whether bindings are those of the module, not of a function inside."""
    while names.outer is not None:
        names = names.outer
    return names.names.get(name) == bindings and all(each.node is not None for each in bindings)


class Evaluator:
    """Evaluates what can be told from versions and names alone."""

    def __init__(self, library: Library) -> None:
        """Take what knows the versions and names of packages."""
        self._library = library

    def truth(self, node: ast.expr, names: Namespace) -> bool | None:
        """Return whether a condition holds; None: cannot tell."""
        value = self.value(node, names)
        if value is UNKNOWN:
            return None
        return bool(value)

    def value(self, node: ast.AST | None, names: Namespace, depth: int = _DEEPEST) -> Any:
        """Return what an expression comes to, lists and tuples with UNKNOWN inside."""
        if node is None or not depth:
            return UNKNOWN
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return [self.value(each, names, depth - 1) for each in node.elts]
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._named(node, names, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            value = self.value(node.operand, names, depth - 1)
            return UNKNOWN if value is UNKNOWN else not value
        if isinstance(node, ast.BoolOp):
            return self._boolean(node, names, depth)
        if isinstance(node, ast.Compare):
            return self._compared(node, names, depth)
        if isinstance(node, ast.IfExp):
            test = self.value(node.test, names, depth - 1)
            if test is UNKNOWN:
                return UNKNOWN
            return self.value(node.body if test else node.orelse, names, depth - 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            one, other = (self.value(each, names, depth - 1) for each in (node.left, node.right))
            return one + other if isinstance(one, list) and isinstance(other, list) else UNKNOWN
        return self._called(node, names, depth) if isinstance(node, ast.Call) else UNKNOWN

    def _named(self, node: ast.expr, names: Namespace, depth: int) -> Any:
        if isinstance(node, ast.Name):
            if node.id == "TYPE_CHECKING":
                return _is_lazy(names)
            bindings = names.look_up(node.id) or ()
            if any(each.node is not None for each in bindings):
                return self._same([self.value(each.node, names, depth - 1) for each in bindings])
        dotted = dotted_name(node, names)
        if dotted is None:
            return UNKNOWN
        if dotted in _TYPES_ONLY:
            return _is_lazy(names)
        package, _, attribute = dotted.partition(".")
        if attribute == "__version__":
            version = self._library.version(package)
            return UNKNOWN if version is None else str(version)
        found = self._library.values(dotted)
        return self._same([self.value(each, around, depth - 1) for each, around in found])

    def _same(self, values: list[Any]) -> Any:
        first = values[0] if values else UNKNOWN
        return first if all(each is first or each == first for each in values) else UNKNOWN

    def _boolean(self, node: ast.BoolOp, names: Namespace, depth: int) -> Any:
        is_and = isinstance(node.op, ast.And)
        values = [self.value(each, names, depth - 1) for each in node.values]
        for each in values:
            if each is not UNKNOWN and bool(each) is not is_and:
                return each
        return UNKNOWN if UNKNOWN in values else values[-1]

    def _compared(self, node: ast.Compare, names: Namespace, depth: int) -> Any:
        values = [self.value(each, names, depth - 1) for each in (node.left, *node.comparators)]
        if any(each is UNKNOWN or _has_unknown(each) for each in values):
            return UNKNOWN
        pairs = zip(node.ops, values, values[1:], strict=False)
        try:
            return all(_COMPARISONS[type(op)](one, other) for op, one, other in pairs)
        except (TypeError, ValueError):
            return UNKNOWN

    def _called(self, node: ast.Call, names: Namespace, depth: int) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "hasattr" and len(node.args) == 2:
            owner = dotted_name(node.args[0], names)
            member = self.value(node.args[1], names, depth - 1)
            if owner is None or not isinstance(member, str):
                return UNKNOWN
            has = self._library.has(owner, member)
            return UNKNOWN if has is None else has
        dotted = dotted_name(node.func, names)
        if dotted is None:
            return UNKNOWN
        given = [self.value(each, names, depth - 1) for each in node.args]
        if any(each is UNKNOWN for each in given):
            return UNKNOWN
        known = self._known(dotted, given)
        return self._own(dotted, node, given, depth) if known is UNKNOWN else known

    def _known(self, dotted: str, given: list[Any]) -> Any:
        """Evaluate the functions that everybody uses to ask for versions."""
        if dotted in _PARSERS and len(given) == 1:
            return _version(given[0])
        if dotted in _INSTALLED and len(given) == 1 and isinstance(given[0], str):
            version = self._library.version(given[0])
            return UNKNOWN if version is None else str(version)
        if dotted in _AT_LEAST and given:
            return self._against(_AT_LEAST[dotted], ">=", given[0])
        if dotted in _COMPARED and len(given) == 2:
            return self._against(_COMPARED[dotted], given[0], given[1])
        return UNKNOWN

    def _against(self, package: str, comparison: Any, other: Any) -> Any:
        version, wanted = self._library.version(package), _version(other)
        if version is None or wanted is UNKNOWN or comparison not in _SPELLED:
            return UNKNOWN
        return _SPELLED[comparison](version, wanted)

    def _own(self, dotted: str, node: ast.Call, given: list[Any], depth: int) -> Any:
        """Evaluate a function such as ``has_transformers("4.48.3")`` from its return statement."""
        found = self._library.values(dotted)
        if len(found) != 1 or node.keywords:
            return UNKNOWN
        function, names = found[0]
        if not isinstance(function, ast.FunctionDef):
            return UNKNOWN
        return self._result(function, names, given, depth)

    def _result(
        self, function: FunctionNode, names: Namespace, given: list[Any], depth: int
    ) -> Any:
        local = Namespace(names.module, self._library, names)
        parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        if len(parameters) < len(given):
            return UNKNOWN
        for parameter, value in zip(parameters, given, strict=False):
            local.names[parameter] = (Binding(ast.Constant(value)),)
        local.fill(function.body)
        returned = [each for each in local.live if isinstance(each, ast.Return)]
        if len(returned) != 1 or len(given) < len(parameters) - len(function.args.defaults):
            return UNKNOWN
        return self.value(returned[0].value, local, depth - 1)


def _is_lazy(names: Namespace) -> bool:
    """Return whether a module imports for type checkers what it brings when it is asked."""
    return "_LazyModule" in names.module.text


def _version(given: Any) -> Any:
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    from rocmlint.text.written import version_of  # noqa: PLC0415

    if isinstance(given, Version):
        return given
    found = version_of(given) if isinstance(given, str) else None
    return UNKNOWN if found is None else found


def _has_unknown(value: Any) -> bool:
    return isinstance(value, list) and any(each is UNKNOWN or _has_unknown(each) for each in value)
