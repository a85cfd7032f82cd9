"""Stubs whose functions raise: a check that says yes for one of them hides nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import dotted_text, statements, walk

from ._faked_checks import stubs
from ._patches import local_definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

    from ._faked_checks import Fake


def is_loud(fake: Fake, source: Source) -> bool:
    """Checks of a package that the same function replaces with a stub whose functions raise."""
    function = source.function(fake.node)
    if fake.kind != "answer" or fake.said != "True" or function is None:
        return False
    package = re.sub(r"^_?(?:is_)?|(?:_\d+)?_available$", "", fake.name)
    stubbed = [
        stub.value
        for each in walk(function.body)
        if isinstance(each, (cst.Assign, cst.Call))
        for stub in stubs(each, source)
        if stub.name.partition(".")[0] == package
    ]
    return bool(stubbed) and all(_raises(each, function, source) for each in stubbed)


def _raises(stub: cst.BaseExpression, function: cst.FunctionDef, source: Source) -> bool:
    """Return whether a stub has functions, and each of them only raises."""
    members = list(_members(dotted_text(stub), function))
    return bool(members) and all(_only_raises(each, source) for each in members)


def _members(stub: str | None, function: cst.FunctionDef) -> Iterator[cst.BaseExpression]:
    """Yield what a function sets as attributes of a stub, but for its spec and the like of it."""
    for each in walk(function.body):
        for target in (it.target for it in each.targets) if isinstance(each, cst.Assign) else ():
            is_member = isinstance(target, cst.Attribute) and dotted_text(target.value) == stub
            if is_member and not cst.ensure_type(target, cst.Attribute).attr.value.startswith("__"):
                yield cst.ensure_type(each, cst.Assign).value


def _only_raises(member: cst.BaseExpression, source: Source) -> bool:
    definition = local_definition(member, source)
    found = statements(definition.body) if isinstance(definition, cst.FunctionDef) else []
    return bool(found) and isinstance(found[-1], cst.Raise)
