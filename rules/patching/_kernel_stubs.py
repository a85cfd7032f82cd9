"""Stubs of packages of kernels and of real packages' modules: their names and their members."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.packages import has_entry, known_packages
from rocmlint.rule import (
    argument,
    calls_in,
    compile_lazily,
    conditions,
    dotted_text,
    last_name,
    once_per_file,
    statements,
    string_value,
    walk,
)

from ._fakes import MODULE_MAKERS, answer, is_mock, members_set
from ._patches import local_definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

_KERNELS = compile_lazily(
    r"(?:aiter|causal_conv1d\w*|flash_attn\w*|flashinfer|liger_kernel|mamba_ssm|sageattention"
    r"|selective_scan_cuda|triton|xformers)(?:\.[\w.]*)?"
)
_OTHER_MACHINE = compile_lazily(
    r"\b(?:darwin|mps|npu|win32|windows|xpu)\b|\bcuda\s*\.\s*is_available\b|\bis_cpu\b",
    re.IGNORECASE,
)
_ASKS_FOR_MODULE = compile_lazily(r"\b(?:find_spec|hasattr)\s*\(|\bversion", re.IGNORECASE)
_FILLED = (
    r"{0}\s*\.\s*(?:__dict__\b|__getattr__|(?!__\w+__)\w+)\s*(?:=(?!=)|\.\s*update)"
    r"|\b(?:setattr|vars)\s*\(\s*(?:\w+\s*\.\s*)?{0}"
)
"""What gives a module members: an attribute, another module's dictionary."""
_HOPS = 3


def names_of(key: cst.CSTNode | None, source: Source, hops: int = _HOPS) -> set[str]:
    """Return the strings that an expression may be, through variables, loops and parameters."""
    text = string_value(key)
    if text is not None:
        return {text}
    if isinstance(key, cst.Attribute) and key.attr.value == "__name__":
        made = source.value_of(key.value)
        first = argument(made, 0, "name") if isinstance(made, cst.Call) else None
        return names_of(first, source, hops - 1) if hops else set()
    if not isinstance(key, cst.Name) or not hops:
        return set()
    found: set[str] = set()
    for binding in source.bindings(key.value, key):
        if isinstance(binding.node, (cst.For, cst.CompFor)):
            found |= _looped_names(key.value, binding.node, source)
        elif isinstance(binding.node, cst.Param):
            for given in _given_for(binding.node, source):
                found |= names_of(given, source, hops - 1)
        elif binding.value is not None:
            found |= names_of(binding.value, source, hops - 1)
    return found


def stubbed_kernel(names: set[str]) -> str:
    """Return the package of kernels among the names of a stub, else ""."""
    return next((name for name in sorted(names) if _KERNELS.fullmatch(name)), "")


def has_mocked_members(stub: cst.BaseExpression, source: Source) -> bool:
    """Check whether a stub gives mocks or constants for functions, and nothing that works."""
    if is_mock(stub, source):
        return True
    given = [_is_made_up(value, source) for value in _members(stub, source)]
    return True in given and False not in given


def only_raises(stub: cst.BaseExpression, source: Source) -> bool:
    """Check whether a stub has functions, and each of them raises."""
    members = [local_definition(each, source) for each in _members(stub, source)]
    return bool(members) and all(
        isinstance(each, cst.FunctionDef) and isinstance(statements(each.body)[-1], cst.Raise)
        for each in members
    )


def is_hollow_module(name: str, stub: cst.BaseExpression, source: Source) -> bool:
    """Check whether an empty or mocked stub hides a module that the package really has."""
    package, _, inner = name.partition(".")
    if not inner or package not in known_packages() or source.is_first_party(package):
        return False
    if not _has(package, inner, source):
        return False
    made = source.value_of(stub) or stub
    is_made = isinstance(made, cst.Call) and source.resolve(made.func) in MODULE_MAKERS
    return is_mock(stub, source) or (is_made and not _is_filled(name, stub, source))


def _is_filled(module: str, stub: cst.BaseExpression, source: Source) -> bool:
    """Check whether the code around gives a stub more than what every module has."""
    entry = rf"modules\s*\[\s*[\"']{re.escape(module)}[\"']\s*\]"
    name = re.escape(stub.value) if isinstance(stub, cst.Name) else ""
    owner = rf"(?:{entry}|(?<![\w.]){name}\b)" if name else entry
    function = source.function(stub)
    text = source.text if function is None else source.text_of(function)
    return re.search(_FILLED.format(owner), text.replace("\\\n", "  ")) is not None


def is_gone(name: str, source: Source) -> bool:
    """Check whether a known package lacks a module, as triton 3 lacks ``triton.ops``."""
    package, _, inner = name.partition(".")
    return bool(inner) and package in known_packages() and not _has(package, inner, source)


def _has(package: str, inner: str, source: Source) -> bool:
    entry = inner.partition(".")[0]
    return any(has_entry(package, each, source.project) for each in (entry, f"{entry}.py"))


def is_for_other_machine(node: cst.CSTNode, source: Source) -> bool:
    """Check whether a condition on the platform or the GPU decides on a statement."""
    tests = (source.text_of(each.test) for each in conditions(node, source))
    return any(_OTHER_MACHINE.search(test) for test in tests)


def fills_a_gap(node: cst.CSTNode, source: Source) -> bool:
    """Check whether the code asked first whether a module or a name is there."""
    if source.enclosing(node, cst.ExceptHandler) is not None:
        return True
    tests = (source.text_of(each.test) for each in conditions(node, source))
    return any(map(_ASKS_FOR_MODULE.search, tests))


def _looped_names(name: str, loop: cst.For | cst.CompFor, source: Source) -> set[str]:
    """Return the strings that a loop over a written list gives to one of its variables."""
    listed = source.value_of(loop.iter) or loop.iter
    if isinstance(listed, cst.Dict):
        rows: list[cst.BaseExpression] = [
            each.key for each in listed.elements if isinstance(each, cst.DictElement)
        ]
    else:
        rows = [each.value for each in getattr(listed, "elements", ())]
    if isinstance(loop.target, (cst.Tuple, cst.List)):
        targets = [dotted_text(each.value) for each in loop.target.elements]
        at = targets.index(name)
        parts = [getattr(row, "elements", ()) for row in rows]
        rows = [part[at].value for part in parts if at < len(part)]
    return {text for row in rows if (text := string_value(row)) is not None}


def _given_for(parameter: cst.Param, source: Source) -> Iterator[cst.BaseExpression]:
    """Yield what the calls in this file give for a parameter of a function."""
    function = source.function(parameter)
    if function is None:
        return
    places = [*function.params.posonly_params, *function.params.params]
    position = next((at for at, each in enumerate(places) if each is parameter), None)
    if position is not None and places[0].name.value in {"self", "cls"}:
        position -= 1
    for call in calls_of(function.name.value, source):
        given = argument(call, position, parameter.name.value)
        if given is not None:
            yield given


def calls_of(name: str, source: Source) -> list[cst.Call]:
    """Return the calls of functions and methods with a name."""
    return _calls(source).get(name, [])


@once_per_file
def _calls(source: Source) -> dict[str, list[cst.Call]]:
    found: dict[str, list[cst.Call]] = {}
    for each in calls_in(source.module):
        found.setdefault(last_name(each.func) or "", []).append(each)
    return found


def _members(stub: cst.BaseExpression, source: Source) -> Iterator[cst.BaseExpression]:
    """Yield the values that the attributes of a stub get where it is made, dunders left out."""
    made = stub if isinstance(stub, cst.Call) else source.value_of(stub)
    if isinstance(made, cst.Call):
        yield from (each.value for each in made.args if each.keyword is not None)
        yield from _members_made_by(made, source)
    if isinstance(stub, cst.Name):
        yield from (value for path, value in members_set(stub, source) if not path.startswith("__"))


def _members_made_by(made: cst.Call, source: Source) -> Iterator[cst.BaseExpression]:
    """Yield the members of what a function of this file makes and returns."""
    definition = local_definition(made.func, source)
    if isinstance(definition, cst.FunctionDef):
        for each in walk(definition.body):
            if isinstance(each, cst.Return) and isinstance(each.value, cst.Name):
                yield from _members(each.value, source)


def _is_made_up(value: cst.BaseExpression, source: Source) -> bool | None:
    """Return whether a member only pretends (mock, constant); None where it is not a function."""
    if is_mock(value, source) or answer(value, source) is not None:
        return True
    if isinstance(value, cst.Lambda):
        return next(calls_in(value.body), None) is None
    definition = local_definition(value, source)
    if isinstance(definition, cst.FunctionDef):
        raises = any(isinstance(each, cst.Raise) for each in walk(definition.body))
        return None if raises else False
    return False if isinstance(value, (cst.Name, cst.Attribute)) and _may_work(value) else None


def _may_work(value: cst.Name | cst.Attribute) -> bool:
    return not (isinstance(value, cst.Name) and value.value in {"None", "True", "False"})
