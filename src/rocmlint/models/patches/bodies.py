"""What the body of a patch uses: functions of the library, and attributes of ``self``."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.models.patches.evaluation import dotted_name
from rocmlint.models.patches.library import decorators
from rocmlint.models.patches.namespace import Namespace, local_names
from rocmlint.models.patches.signatures import Signature, Use, problem_of_call
from rocmlint.python.names import last_name
from rocmlint.python.scopes import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.models.patches.library import Found, Library
    from rocmlint.python.scopes import FunctionNode

_KEEPING = {
    "abstractmethod", "auto_docstring", "cache", "can_return_tuple", "classmethod",
    "contextmanager", "disable", "force_fp32", "inference_mode", "lru_cache", "no_grad",
    "staticmethod", "use_kernel_forward_from_hub", "use_kernel_func_from_hub", "wraps",
}  # fmt: skip
"""Decorators after which a function takes what it took."""
_SET_BY_NAME = {"register_buffer", "register_parameter", "add_module", "setattr", "__setattr__"}
_ASKED = {"hasattr", "getattr"}
_WHOLE = {"copy", "items", "keys", "values"}
_COUNTED = {"bool", "len", "print", "repr", "str"}
"""Calls that take ``kwargs`` and pass nothing of it on."""


@dataclass(frozen=True)
class Fault:
    """A kind of problem in a body, where, and the message."""

    kind: str
    node: ast.AST
    text: str
    about: str


# Calls and names


def faults_in(
    function: FunctionNode, names: Namespace, library: Library, packages: Iterable[str]
) -> Iterator[Fault]:
    """Yield calls of library functions that do not bind, and names that are not there."""
    local = local_names(function, names.module, library, names)
    yield from faults_in_statements(_live(local), local, library, frozenset(packages))
    for inner in local.live:
        if isinstance(inner, FUNCTIONS):
            yield from faults_in(inner, local, library, packages)


def _live(names: Namespace) -> list[ast.stmt]:
    """Return what runs and no ``try`` guards."""
    return names.unguarded


def faults_in_statements(
    statements: Sequence[ast.stmt], names: Namespace, library: Library, packages: frozenset[str]
) -> Iterator[Fault]:
    """Yield what statements that run use and the library does not have, each name once."""
    told: set[str] = set()
    for statement in statements:
        asked = _asked_in(statement)
        for node in _expressions(statement):
            if isinstance(node, ast.Call):
                yield from _call_fault(node, names, library, packages)
            for dotted in _names_in(node, names):
                if dotted.partition(".")[0] not in packages:
                    continue
                missing = library.find(dotted).missing
                if missing and missing not in told and missing.rpartition(".")[2] not in asked:
                    told.add(missing)
                    yield Fault("name-missing", node, f"the module has no `{missing}`", missing)


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement, without those of functions and statements inside."""
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        heads: list[ast.AST] = [*statement.decorator_list]
        heads += statement.bases if isinstance(statement, ast.ClassDef) else []
        for head in heads:
            yield from ast.walk(head)
        return
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        yield node
        pending += [
            each
            for each in ast.iter_child_nodes(node)
            if not isinstance(each, (ast.stmt, ast.ExceptHandler, ast.match_case))
        ]


def _names_in(node: ast.AST, names: Namespace) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        base = names.module.absolute(node)
        yield from (f"{base}.{each.name}" for each in node.names if each.name != "*")
    elif isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        dotted = dotted_name(node, names)
        if dotted is not None:
            yield dotted


def _asked_in(statement: ast.stmt) -> frozenset[str]:
    """Return the names that a statement asks for before it uses them: ``hasattr(x, "name")``."""
    return frozenset(
        each.value
        for call in ast.walk(statement)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in _ASKED
        for each in call.args[1:2]
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


def _call_fault(
    call: ast.Call, names: Namespace, library: Library, packages: frozenset[str]
) -> Iterator[Fault]:
    dotted = dotted_name(call.func, names)
    if dotted is None or dotted.partition(".")[0] not in packages:
        return
    signature = _callable(library.find(dotted), library)
    problem = problem_of_call(call, signature) if signature is not None else ""
    if problem:
        name = dotted.rpartition(".")[2]
        yield Fault("call-mismatch", call, f"the call of `{name}` {problem}", dotted)


def _callable(found: Found, library: Library) -> Signature | None:
    """Return how something is called, None where that cannot be told."""
    if found.status != "found" or found.several:
        return None
    if isinstance(found.node, ast.ClassDef):
        order = library.order(found)
        if found.node.decorator_list or not order.complete or found.node.keywords:
            return None
        if library.member(found, "__new__").dotted != "builtins.object.__new__":
            return None
        made = library.member(found, "__init__")
        if not isinstance(made.node, FUNCTIONS) or made.several or not _keeps(made.node):
            return None
        return Signature.of(made.node, bound=True)
    if not isinstance(found.node, FUNCTIONS) or not _keeps(found.node):
        return None
    is_method = found.owner is not None and "staticmethod" not in decorators(found.node)
    return None if is_method else Signature.of(found.node)


def _keeps(node: FunctionNode) -> bool:
    return decorators(node) <= _KEEPING


# **kwargs


def use_of(function: FunctionNode | ast.Lambda, options: str, wraps: str = "") -> Use:
    """Return what a function does with its ``**options``; ``wraps`` names the original."""
    read: set[str] = set()
    passed_on = to_original = False
    for node in ast.walk(function) if options else ():
        if isinstance(node, ast.Call):
            by_stars = any(each.arg is None and _is(each.value, options) for each in node.keywords)
            whole = (
                any(_is(each, options) for each in node.args) and last_name(node) not in _COUNTED
            )
            of_it = isinstance(node.func, ast.Attribute) and _is(node.func.value, options)
            passed_on |= by_stars or whole or (of_it and last_name(node) in _WHOLE)
            to_original |= by_stars and bool(wraps) and _is(node.func, wraps)
            read |= _text(node.args[:1]) if of_it else set()
        elif isinstance(node, (ast.Dict, ast.Return, ast.Assign)):
            values = node.values if isinstance(node, ast.Dict) else [node.value]
            passed_on |= any(each is not None and _is(each, options) for each in values)
        elif isinstance(node, ast.Subscript) and _is(node.value, options):
            read |= _text([node.slice])
        elif isinstance(node, ast.Compare) and any(_is(each, options) for each in node.comparators):
            read |= _text([node.left])
    return Use(frozenset(read), passed_on, to_original)


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _text(nodes: Sequence[ast.AST]) -> set[str]:
    return {
        each.value
        for each in nodes
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }


# self


def attributes_read(
    function: FunctionNode, names: Namespace, library: Library
) -> dict[str, ast.AST]:
    """Return the attributes of ``self`` that a method reads without asking for them first."""
    own = _self(function)
    local = local_names(function, names.module, library, names)
    known = attributes_of(function)
    either = _alternatives(local)
    asked = frozenset[str]().union(*(_asked_in(each) for each in function.body))
    found: dict[str, ast.AST] = {}
    statements = (each for each in local.unguarded if each not in either)
    for node in (each for statement in statements for each in _expressions(statement)):
        if isinstance(node, ast.Attribute) and _is(node.value, own):
            if isinstance(node.ctx, ast.Load) and node.attr not in (*known.names, *asked):
                found.setdefault(node.attr, node)
    return found


def _alternatives(names: Namespace) -> set[ast.stmt]:
    """Return the assignments to what the other branch of a condition gets in another way."""
    decided = {each.node for each in names.gates}
    found: set[ast.stmt] = set()
    for node in names.live:
        if isinstance(node, ast.If) and node.test not in decided:
            branches = [_assignments(node.body), _assignments(node.orelse)]
            common = branches[0].keys() & branches[1].keys()
            found |= {each[name] for each in branches for name in common}
    return found


def _assignments(body: Sequence[ast.stmt]) -> dict[str, ast.stmt]:
    return {
        target.id: each
        for each in body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }


@dataclass(frozen=True)
class Attributes:
    """The attributes that code sets, by name or by a pattern such as ``f"{kind}_inv_freq"``."""

    names: frozenset[str]
    patterns: tuple[re.Pattern[str], ...] = ()

    def __contains__(self, name: str) -> bool:
        """Check whether the code may set an attribute."""
        return name in self.names or any(each.fullmatch(name) for each in self.patterns)


def attributes_of(node: ast.AST, *, read: bool = False) -> Attributes:
    """Return the attributes that code sets on ``self``; with ``read`` those that it reads, too."""
    names: set[str] = set()
    patterns = []
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and _is(each.value, "self"):
            if read or not isinstance(each.ctx, ast.Load):
                names.add(each.attr)
        elif isinstance(each, ast.Call) and last_name(each) in _SET_BY_NAME:
            for argument in each.args[:2]:
                names |= _text([argument])
                if isinstance(argument, ast.JoinedStr):
                    patterns.append(_pattern(argument))
    return Attributes(frozenset(names), tuple(patterns))


def _pattern(node: ast.JoinedStr) -> re.Pattern[str]:
    parts = [
        re.escape(str(each.value)) if isinstance(each, ast.Constant) else r"\w*"
        for each in node.values
    ]
    return re.compile("".join(parts))


def _self(function: FunctionNode) -> str:
    arguments = [*function.args.posonlyargs, *function.args.args]
    return arguments[0].arg if arguments else ""
