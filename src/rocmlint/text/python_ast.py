"""What Python's own parser makes of a text."""

from __future__ import annotations

import ast
import warnings


def syntax_tree(text: str) -> ast.Module | None:
    """Return the syntax tree of a text, None where the running Python refuses it.

    Warnings about the text, such as those of invalid escapes, are not shown.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
