"""What shows that a fast path was meant to be on: other code of the project, or an import left."""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily

from ._live_code import live_lines
from ._loading_call import loading_call
from ._passed import package_around
from ._toggles import AITER, ATTENTION, COMPILE

if TYPE_CHECKING:
    from rocmlint.rule import Source

    from ._toggles import Toggle

_FAST = r"[\"'][^\"'\n]*(?:flash|sage|aiter|fa[234]\b)"
_CHOSEN = rf"\b_*(?:{{}}|attn_implementation)\b[\"']?\]?\s*[=:](?!=)[^\n]*{_FAST}"
_SWITCHED = compile_lazily(
    r"\b(?:enable|use|with)_flash\w*[\"']?\]?\s*[=:](?!=)\s*(?:True\b|\w+\.\w+)"
)
_LIVE_LINE = r"(?m)^[^#\r\n]*"
_COMPILED = r"(?<![\w.`\"'])torch\s*\.\s*compile\s*\((?:[^()#]|\([^()]*\))*\bmode\s*="
_FOR_COMPILED_CODE = compile_lazily(r"\bset_float32_matmul_precision\b")
_REACH = 3


def is_relied_on(toggle: Toggle, line: int, source: Source) -> bool:
    """Check whether something shows that a toggle in a line is meant to be on.

    That is other code which has it on, so that it is off in this place only.
    """
    node = toggle.node
    if _is_imported_for_nothing(node, source):
        return True
    if toggle.feature is AITER:
        return isinstance(node, (ast.Expr, ast.If)) or _is_variable(node)
    if toggle.feature is ATTENTION and isinstance(node, (ast.Assign, ast.keyword)):
        return _is_chosen_elsewhere(toggle, line, source)
    return toggle.feature is COMPILE and _is_compiled_elsewhere(line, source)


def _is_imported_for_nothing(node: ast.AST, source: Source) -> bool:
    """Check whether the file still imports a function that only the comment calls."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    name = re.compile(rf"(?<![\w.]){re.escape(call.func.id)}\b")
    used = any(map(name.search, live_lines(source)))
    imported = _imported(call.func.id).search(source.code)
    return imported is not None and not used


def _imported(name: str) -> re.Pattern[str]:
    """Return what finds an import of a name, also in brackets over several lines."""
    return re.compile(rf"\bimport\b(?:[^\n(]*|\s*\([^)]*)\b{re.escape(name)}\b")


def _is_variable(node: ast.AST) -> bool:
    """Return whether an assignment sets a variable of the environment: ``os.environ["X"]``."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return isinstance(target, ast.Subscript) and "environ" in ast.unparse(target.value)


def _is_chosen_elsewhere(toggle: Toggle, line: int, source: Source) -> bool:
    """Return whether the file, or its package, has the option on for another model.

    What is loaded in another file says nothing of a class that is named here: its own attention
    may be all that it has.
    """
    chosen = _CHOSEN.format(re.escape(toggle.key.lstrip("_")))
    lines = live_lines(source)
    if any(re.search(chosen, each) or _SWITCHED.search(each) for each in lines):
        return True
    loading = loading_call(toggle, line, source)
    if loading is not None and not loading.owner.startswith("Auto"):
        return False
    return _is_in_package(_LIVE_LINE + chosen, source)


def _is_compiled_elsewhere(line: int, source: Source) -> bool:
    """Return whether code beside prepares for torch.compile, or the package calls it in a mode."""
    beside = live_lines(source)[max(0, line - 1 - _REACH) : line + _REACH]
    if any(map(_FOR_COMPILED_CODE.search, beside)):
        return True
    return _is_in_package(_LIVE_LINE + _COMPILED, source)


def _is_in_package(pattern: str, source: Source) -> bool:
    """Return whether another module of the package, not a test or script, has a live line."""
    own = os.path.abspath(source.path)
    return any(
        os.path.abspath(each) != own and source.kinds_of(each) <= source.kinds
        for each in source.modules_with(package_around(source), (pattern,))
    )
