"""Where memory comes from: parameters, attributes, or a place in the text that makes it."""

from __future__ import annotations

import ast

Origin = ast.AST | str
"""A place in the text that makes new memory, or one of the words below."""
PARAMETERS = "parameters"
ATTRIBUTES = "attributes"
"""Of objects, and global names."""
STATISTICS = "statistics"
"""The buffers that a module writes itself, so that only an attribute can share them."""
ANYTHING = "anything"
Origins = frozenset[Origin]
NOTHING: Origins = frozenset()
OUTSIDE: Origins = frozenset({PARAMETERS, ATTRIBUTES})
"""What a call without a known effect can reach, besides what it gets."""


def overlaps(one: Origins, other: Origins) -> bool:
    """Check whether two expressions may share memory, by their origins."""
    if not one or not other:
        return False
    if ANYTHING in one or ANYTHING in other or one & other:
        return True
    if one & OUTSIDE and other & OUTSIDE:
        return True  # a caller can pass an attribute
    pairs = ((one, other), (other, one))
    return any(ATTRIBUTES in first and STATISTICS in second for first, second in pairs)
