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
    text = source.text_of(function)
    made = source.value_of(owner)
    if not _KEEPS_TO_ITSELF.search(text) or not _ADDS_HANDLER.search(text):
        return None
    if not isinstance(made, cst.Call) or source.resolve(made.func) != "logging.getLogger":
        return None
    parameters = [each.name.value for each in walk(function.params) if isinstance(each, cst.Param)]
    if any(map(_SWITCH.search, parameters)) or _VARIABLES.search(source.code) or not made.args:
        return None
    named = made.args[0].value
    if isinstance(named, cst.Name) and named.value in parameters:
        given = not _MAKES_HANDLER.search(text) and _gives_back(function, owner.value)
        return "each module's logger" if given else None
    literal = string_value(named)
    runs = literal and source.function(made) is None and _runs_on_import(function, source)
    return f"the logger `{literal}`" if runs else None


def _gives_back(function: cst.FunctionDef, name: str) -> bool:
    return any(
        isinstance(each, cst.Return)
        and isinstance(each.value, cst.Name)
        and each.value.value == name
        for each in walk(function.body)
    )


def _runs_on_import(function: cst.FunctionDef, source: Source) -> bool:
    """Return whether the module itself calls a function, at its left margin."""
    called = rf"(?m)^{re.escape(function.name.value)}[\s\\]*\("
    return re.search(called, source.code) is not None
