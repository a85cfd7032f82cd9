"""What says yes to whoever asks: constant functions, mocks, made-up modules and specs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    argument,
    attribute_patches,
    compile_lazily,
    constant,
    dotted_text,
    mentions,
    once_per_file,
    statements,
    string_value,
    walk,
)

from ._patches import local_definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

_MOCKS = frozenset({"unittest.mock.MagicMock", "unittest.mock.Mock", "mock.MagicMock", "mock.Mock"})
MODULE_MAKERS = frozenset({"imp.new_module", "types.ModuleType", "types.SimpleNamespace"})
"""What makes an empty module, or what is taken for one."""
_SPEC_MAKERS = frozenset(
    {
        *("importlib.machinery.ModuleSpec", "importlib.util.spec_from_loader"),
        *("object", "types.SimpleNamespace"),
        *_MOCKS,
    }
)
_GETS_SPEC = compile_lazily(
    r"\w+\s*\.\s*__spec__[ \t]*=[ \t]*[\w.\s]*"
    r"\b(?:ModuleSpec|spec_from_loader|SimpleNamespace|Mock)\s*\("
)
_GETS_PATH = compile_lazily(r"\w+\s*\.\s*__path__[ \t]*=(?!\s*\[\s*\])")


def answer(value: cst.CSTNode, source: Source) -> str | None:
    """Return "True", "False", "None" or "[]" where calling this always gives it, else None."""
    if isinstance(value, cst.Lambda):
        return _constant(value.body)
    if isinstance(value, cst.Call):
        called = source.resolve(value.func)
        if called == "staticmethod" and value.args:
            return answer(value.args[0].value, source)
        if called in _MOCKS:
            given = argument(value, None, "return_value")
            return "True" if given is None and not value.args else _constant(given)
        return None
    definition = local_definition(value, source)
    if isinstance(definition, cst.FunctionDef):
        returned = [each.value for each in walk(definition.body) if isinstance(each, cst.Return)]
        return _constant(returned[0]) if len(returned) == 1 and _is_short(definition) else None
    behind = source.value_of(value)
    return None if behind is None or isinstance(behind, cst.Name) else answer(behind, source)


def is_stub(value: cst.CSTNode, source: Source) -> bool:
    """Return whether an expression is a mock, an empty module, or a class of this file."""
    if isinstance(value, cst.Name):
        if isinstance(local_definition(value, source), cst.ClassDef):
            return True
        found = source.bindings(value.value, value)
        return any(
            isinstance(each.value, cst.Call) and is_stub(each.value, source) for each in found
        )
    if not isinstance(value, cst.Call):
        return False
    if source.resolve(value.func) in _MOCKS | MODULE_MAKERS:
        return True
    definition = local_definition(value.func, source)
    if not isinstance(definition, cst.FunctionDef):
        return isinstance(definition, cst.ClassDef)
    returned = (each.value for each in walk(definition.body) if isinstance(each, cst.Return))
    made = [each for each in returned if isinstance(each, cst.Name)]
    return len(made) == 1 and is_stub(made[0], source)


def is_mock(value: cst.CSTNode, source: Source) -> bool:
    """Return whether an expression is a mock or their class, which say yes to whatever is asked."""
    made = source.value_of(value) or value
    return source.resolve(made.func if isinstance(made, cst.Call) else made) in _MOCKS


def passes_checks(stub: cst.CSTNode, pattern: str, source: Source) -> bool:
    """Return whether a stub has a function whose name matches ``pattern`` and that says yes."""
    if isinstance(stub, cst.Name) and _gets_yes(stub, pattern, source):
        return True
    definition = local_definition(stub.func if isinstance(stub, cst.Call) else stub, source)
    if isinstance(definition, cst.ClassDef):
        return any(_says_yes(each, pattern, source) for each in statements(definition.body))
    made = stub if isinstance(stub, cst.Call) else source.value_of(stub)
    return isinstance(made, cst.Call) and any(
        arg.keyword is not None
        and re.fullmatch(pattern, arg.keyword.value)
        and answer(arg.value, source) == "True"
        for arg in made.args
    )


def _gets_yes(stub: cst.Name, pattern: str, source: Source) -> bool:
    """Return whether the code has a ``stub.check = value`` whose value says yes."""
    for path, value in members_set(stub, source):
        check = path.removesuffix(".return_value")
        if re.fullmatch(pattern, check):
            said = answer(value, source) if check == path else constant(value)
            if said == "True":
                return True
    return False


def members_set(stub: cst.Name, source: Source) -> list[tuple[str, cst.BaseExpression]]:
    """Return what a function sets below a name: the path from there, "*" if unknown, and value."""
    return _members_set(source).get((stub.value, _line_of_function(stub, source)), [])


@once_per_file
def _members_set(source: Source) -> dict[tuple[str, int], list[tuple[str, cst.BaseExpression]]]:
    found: dict[tuple[str, int], list[tuple[str, cst.BaseExpression]]] = {}
    for node in walk(source.module):
        if not isinstance(node, (cst.Assign, cst.Call)):
            continue
        place = _line_of_function(node, source)
        for patch in attribute_patches(node):
            root, _, path = f"{dotted_text(patch.owner)}.{patch.name}".partition(".")
            found.setdefault((root, place), []).append((path, patch.value))
        if (
            isinstance(node, cst.Call)
            and len(node.args) == 3
            and dotted_text(node.func) == "setattr"
        ):
            owner, name, value = (each.value for each in node.args)
            if string_value(name) is None:
                found.setdefault((dotted_text(owner) or "", place), []).append(("*", value))
    return found


def _line_of_function(node: cst.CSTNode, source: Source) -> int:
    function = source.function(node)
    return 0 if function is None else source.span(function).line


def has_made_up_spec(stub: cst.CSTNode, source: Source) -> bool:
    """Return whether a stub module is given a spec that nobody found and no directory to search."""
    if not isinstance(stub, cst.Name):
        return False
    places = mentions(stub.value, source)
    is_made_up = any(_GETS_SPEC.match(source.code, at) for at in places)
    return is_made_up and not any(_GETS_PATH.match(source.code, at) for at in places)


def makes_up_specs(value: cst.CSTNode, source: Source) -> bool:
    """Return whether a stand-in for ``find_spec`` gives back specs that nobody found."""
    if isinstance(value, cst.Call):
        return source.resolve(value.func) in _MOCKS
    return any(
        constant(each) == "True"
        or (isinstance(each, cst.Call) and source.resolve(each.func) in _SPEC_MAKERS)
        for each in _results(value, source)
    )


def hides_packages(value: cst.CSTNode, source: Source) -> bool:
    """Return whether a stand-in for ``find_spec`` says that some package by name is missing."""
    definition = local_definition(value, source)
    tests = (each.test for each in walk(definition or value) if isinstance(each, cst.If))
    names = any(isinstance(each, cst.SimpleString) for test in tests for each in walk(test))
    results = [*_results(value, source)] if names else []
    asks = any(isinstance(each, cst.Call) for each in results)
    return asks and any(constant(each) == "None" for each in results)


def _results(value: cst.CSTNode, source: Source) -> Iterator[cst.CSTNode]:
    """Yield what a function may give back, both branches of ``a if b else c``."""
    stack: list[cst.CSTNode | None] = []
    definition = local_definition(value, source)
    if isinstance(value, cst.Lambda):
        stack = [value.body]
    elif isinstance(definition, cst.FunctionDef):
        stack = [each.value for each in walk(definition.body) if isinstance(each, cst.Return)]
    while stack:
        result = stack.pop()
        if isinstance(result, cst.IfExp):
            stack += [result.body, result.orelse]
        elif isinstance(result, cst.BooleanOperation):
            stack += [result.left, result.right]
        elif result is not None:
            yield source.value_of(result) or result


def _constant(node: cst.CSTNode | None) -> str | None:
    """Return the constant, of a tuple the first one: ``(True, "2.7.0")`` says yes as well."""
    if isinstance(node, cst.Tuple) and node.elements:
        node = node.elements[0].value
    return "[]" if isinstance(node, cst.List) and not node.elements else constant(node)


def _is_short(function: cst.FunctionDef) -> bool:
    """Return whether a function has a ``return``, and before it a docstring or message at most."""
    body = function.body.body
    first = body[0] if body else None
    says = isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr)
    return len(body) == 1 + says


def _says_yes(member: cst.CSTNode, pattern: str, source: Source) -> bool:
    """Return whether a member of a class is a check that says yes."""
    if isinstance(member, cst.FunctionDef):
        returned = [each.value for each in walk(member.body) if isinstance(each, cst.Return)]
        is_yes = len(returned) == 1 and _constant(returned[0]) == "True"
        return is_yes and re.fullmatch(pattern, member.name.value) is not None
    if isinstance(member, cst.Assign):
        name = dotted_text(member.targets[0].target) or ""
        return re.fullmatch(pattern, name) is not None and answer(member.value, source) == "True"
    return False
