"""What shows that a fast path in a comment was meant to be on."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily

from ._disabled import TALKS, indent_as_code
from ._live_code import live_lines
from ._loading_call import statement_around
from ._toggles import AITER, COMPILE, TUNED

if TYPE_CHECKING:
    from rocmlint.rule import File

    from ._disabled import Disabled

_CLAIMS = compile_lazily(
    r"\b(?:activat(?:ed|ing)|active|appl(?:ied|ying)|compil(?:ed|ing)|enabl(?:e[ds]?|ing)|load(?:ed|ing)"
    r"|optimi[sz](?:ed?|ing|ation)|used?|uses|using|with)\b",
    re.IGNORECASE,
)
_DENIES = compile_lazily(
    r"n't\b|\b(?:cannot|could|disabled|fail\w*|fall\w*|if|no|not|off|unavailable|unless|without)\b",
    re.IGNORECASE,
)
_TRAINS = compile_lazily(r"\b\w*train\w*\s*\(|\.\s*backward\s*\(", re.IGNORECASE)
_REACH = 3


def claiming_line(found: Disabled, source: File) -> int | None:
    """Return the line of a log next to the statement of a toggle that says that it is on."""
    lines, here = live_lines(source), found.here
    statement = statement_around(found.toggle, here.first, source)
    first, last = statement or (here.first, here.last)
    indent = indent_as_code(found, lines)
    if statement is not None:
        indent = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    for at in range(max(0, first - 1 - _REACH), min(len(lines), last + _REACH)):
        line = lines[at]
        beside = indent is not None and len(line) - len(line.lstrip()) == indent
        if beside and TALKS.match(line) and _says_it_is_on(line, found):
            return at + 1
    return None


def is_left_to_choice(found: Disabled, source: File) -> bool:
    """Nothing else shows that it was meant to be on: no heading, no other half, no import."""
    return not (
        _is_aiter_switch(found)
        or _has_other_half(found, source)
        or _has_heading(found, source)
        or _is_imported_for_nothing(found, source)
    )


def _says_it_is_on(text: str, found: Disabled) -> bool:
    feature = found.toggle.feature
    named = feature.names.search(text) or (
        feature.live and re.search(feature.live, text, re.IGNORECASE)
    )
    return bool(named and _CLAIMS.search(text)) and not _DENIES.search(text)


def _is_aiter_switch(found: Disabled) -> bool:
    """Check whether Python code switches AITER on, by a call or in the environment."""
    node = found.toggle.node
    if found.toggle.feature is not AITER:
        return False
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if isinstance(target, ast.Subscript):
        return "environ" in ast.unparse(target.value)
    return isinstance(node, (ast.Expr, ast.If))


def _has_other_half(found: Disabled, source: File) -> bool:
    """Check whether live code nearby prepares for the feature: it is only of use with it."""
    half, here = found.toggle.feature.half, found.here
    nearby = live_lines(source)[max(0, here.first - 1 - 2 * _REACH) : here.last + 2 * _REACH]
    return bool(half) and any(re.search(half, line) for line in nearby)


def _has_heading(found: Disabled, source: File) -> bool:
    """Check whether the comment above says that a script, or a training, is made faster so."""
    if found.toggle.feature not in {COMPILE, TUNED}:
        return False
    above = (each.text for each in found.passages if each.first < found.here.first)
    python = source.path.endswith((".py", ".ipynb"))
    return any(_says_it_is_on(each, found) for each in above) and (
        not python or _TRAINS.search(source.code) is not None
    )


def _is_imported_for_nothing(found: Disabled, source: File) -> bool:
    """Check whether the file still imports a function that only the comment calls."""
    node = found.toggle.node
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    name = re.compile(rf"(?<![\w.]){re.escape(call.func.id)}\b")
    imported = rf"\bimport\b(?:[^\n(]*|\s*\([^)]*)\b{re.escape(call.func.id)}\b"
    return not any(map(name.search, live_lines(source))) and bool(re.search(imported, source.code))
