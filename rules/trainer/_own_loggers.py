"""Loggers of a project's own modules, which a function sets to DEBUG for all who import them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import compile_lazily, string_value, walk

if TYPE_CHECKING:
    from rocmlint.rule import Source

_SWITCH = compile_lazily(r"(?i)level|verbos|debug|quiet")
"""How parameters are called that let a caller choose."""
_VARIABLES = compile_lazily(r"\b(?:environ|getenv|envs)\b")
_MAKES_HANDLER = compile_lazily(r"\b[A-Z]\w*Handler[\s\\]*\(")
_ADDS_HANDLER = compile_lazily(r"\.[\s\\]*addHandler[\s\\]*\(")
_KEEPS_TO_ITSELF = compile_lazily(r"\.[\s\\]*propagate[\s\\]*=[\s\\]*False\b")


def loggers_set(node: cst.Call, source: Source) -> str | None:
    """Return whose level a call of `setLevel` sets for good, as a sentence names it.

    None where the caller or a variable may choose, and where the function sets up the handlers of
    the one logger that a program asks for: then these decide.
    """
    function = source.function(node)
    owner = node.func.value if isinstance(node.func, cst.Attribute) else None
    if function is None or not isinstance(owner, cst.Name):
        return None
    made = source.value_of(owner)
    if not isinstance(made, cst.Call) or not made.args:
        return None
    text, name = source.text_of(function), re.escape(function.name.value)
    parameters = [each.name.value for each in walk(function.params) if isinstance(each, cst.Param)]
    if source.resolve(made.func) != "logging.getLogger" or any(map(_SWITCH.search, parameters)):
        return None
    if not all(each.search(text) for each in (_KEEPS_TO_ITSELF, _ADDS_HANDLER)):
        return None
    if _VARIABLES.search(source.code):
        return None
    named = made.args[0].value
    if isinstance(named, cst.Name) and named.value in parameters:
        returned = re.search(rf"\breturn[\s\\]+{re.escape(owner.value)}\b", text)
        return "each module's logger" if returned and not _MAKES_HANDLER.search(text) else None
    literal = string_value(named)
    runs = re.search(rf"(?m)^{name}[\s\\]*\(", source.code) and source.function(made) is None
    return f"the logger `{literal}`" if literal and runs else None
