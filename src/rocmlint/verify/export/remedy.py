"""Remedies for a statement that cannot be exported: whether it can be rewritten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def remedy(failure: Mapping[str, Any]) -> str:
    """Return what ``rocmlint export rewrite`` does with the statement; nothing if it has no say."""
    file, _, line = failure["place"].rpartition(":")
    if failure["kind"] != "data" or not file or not line.isdecimal():
        return ""
    from rocmlint.models.control_flow.rewrite import Options, rewrite  # noqa: PLC0415 - slow, seldom

    try:
        with open(file, encoding="utf-8") as opened:
            text = opened.read()
        found = rewrite(text, Options(only={failure.get("function", "")}))
    except (OSError, ValueError, RecursionError, SyntaxError):
        return ""
    at = int(line)
    near = [each for each in found.statements if each.line <= at <= each.end_line]
    if not near:
        return ""
    inner = min(near, key=lambda each: each.end_line - each.line)
    if inner.is_rewritten:
        return f"rocmlint export rewrite {file} rewrites this statement"
    return f"change it by hand: rocmlint export rewrite refuses it, because {inner.detail}"
