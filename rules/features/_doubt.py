"""Toggles that are often left off on purpose, as far as the code can tell."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily

from ._disabled import indent_as_code, live_around
from ._live_code import header_above, live_lines
from ._loading_call import loading_call
from ._relied_on import is_relied_on
from ._toggles import ATTENTION, COMPILE, FEATURES

if TYPE_CHECKING:
    from rocmlint.rule import Source

    from ._disabled import Disabled

_COMPILES = compile_lazily(r"\btorch\.compile\(")
_FUNCTION = compile_lazily(r"\s*(?:async\s+)?def\b")
_TRIES = frozenset({"benchmark", "example", "script"})
"""Kinds of files in which a speed-up is tried by hand."""
_KERNEL_OF_TORCH = r"\b_*{}\b[\"']?\]?\s*[=:]\s*[\"']sdpa[\"']"


def is_doubtful(found: Disabled, source: Source) -> bool:
    """Check whether such a toggle, or such a value of it, is often left off on purpose."""
    toggle = found.toggle
    if toggle.doubtful or (toggle.feature.doubtful and toggle.feature is not COMPILE):
        return True
    if toggle.feature not in FEATURES:
        return False
    if toggle.feature is COMPILE and not _was_compiled(found, source):
        return True
    return (
        _has_other_kernel(found, source)
        or _is_only_evaluated(found, source)
        or _is_off_in_one_arm(found, source)
        or not is_relied_on(toggle, found.here.first, source)
    )


def _has_other_kernel(found: Disabled, source: Source) -> bool:
    """Check whether the attention of PyTorch, "sdpa", stands where another fast one stood."""
    if found.toggle.feature is not ATTENTION:
        return False
    own = re.compile(_KERNEL_OF_TORCH.format(re.escape(found.toggle.key)))
    lines = live_lines(source)
    beside = [lines[found.here.first - 1], *live_around(found, lines)]
    return any(map(own.search, beside))


def _is_only_evaluated(found: Disabled, source: Source) -> bool:
    """Check whether the model that an argument belongs to is an encoder, frozen or evaluated."""
    loading = loading_call(found.toggle, found.here.first, source)
    return loading is not None and loading.is_only_evaluated()


def _is_off_in_one_arm(found: Disabled, source: Source) -> bool:
    """Check whether the arms of a condition load different models, and others have it on."""
    loading = loading_call(found.toggle, found.here.first, source)
    return loading is not None and loading.is_on_in_other_arm(found.toggle.key)


def _was_compiled(found: Disabled, source: Source) -> bool:
    """Check whether a comment is torch.compile in a mode that somebody chose, on the main path.

    That is a statement that every call of a function made: not one of an arm, of a program or
    of several that were tried, and the name is still the compiled one's.
    """
    node = found.toggle.node
    if source.kinds & _TRIES or not isinstance(node, ast.Assign):
        return False
    call = node.value
    return (
        isinstance(call, ast.Call)
        and [ast.unparse(each) for each in call.args] == [ast.unparse(node.targets[0])]
        and any(each.arg == "mode" for each in call.keywords)
        and sum(_COMPILES.search(each.body) is not None for each in source.comments) == 1
        and _is_in_function(found, source)
    )


def _is_in_function(found: Disabled, source: Source) -> bool:
    """Check whether a toggle stood in the block of a function, under no condition."""
    lines = live_lines(source)
    indent = indent_as_code(found, lines)
    if indent is None:
        return False
    return _FUNCTION.match(header_above(lines, found.here.first, indent)) is not None
