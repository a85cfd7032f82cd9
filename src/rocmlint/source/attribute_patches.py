"""Attributes of other objects that code sets: ``owner.name = value`` and ``setattr``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.syntax.nodes import dotted_text, string_value

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, eq=False)
class AttributePatch:
    """``owner.name = value`` or ``setattr(owner, "name", value)``; ``node`` is all of it."""

    node: cst.Assign | cst.Call
    owner: cst.BaseExpression
    name: str
    value: cst.BaseExpression


def attribute_patches(node: cst.Assign | cst.Call) -> Iterator[AttributePatch]:
    """Yield what an assignment or a call of ``setattr`` sets in other objects."""
    if isinstance(node, cst.Assign):
        for each in node.targets:
            if isinstance(each.target, cst.Attribute):
                target = each.target
                yield AttributePatch(node, target.value, target.attr.value, node.value)
    elif dotted_text(node.func) == "setattr" and len(node.args) == 3:
        owner, name, value = (arg.value for arg in node.args)
        text = string_value(name)
        if text is not None and text.isidentifier():
            yield AttributePatch(node, owner, text, value)
