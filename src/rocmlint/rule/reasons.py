"""Comments that say why the code next to them is as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    import libcst as cst

    from rocmlint.source.python import Source

_REASON = compile_lazily(
    r"://|#\d+\b|\bgh-\d|n't\b|\b(?:because|since|due to|so (?:that|we|it|the|i)"
    r"|as (?:it|this|the|they|we)|avoid|prevent\w*|otherwise|instead|until|unless|when|only|already|not|cannot"
    r"|no longer|without|never|fail\w*|errors?|crash\w*|break\w*|broken|bugs?|issues?|problems?"
    r"|oom|out of memory|slow\w*|nans?|wrong|incorrect|incompatib\w*|conflict\w*|unsupported"
    r"|deprecated|remove\w*|disabl\w*|turn(?:ed)? off|temporar\w*|for now|workaround|hack|if you"
    r"|your|uncomment\w*|comment out|optional\w*|recommend\w*|needs?|needed|requires?|required|must"
    r"|yet|too|debug\w*|hangs?|deadlocks?|leaks?|unstable|usage|examples?|e\.g|i\.e|equivalent|note"
    r"|todo|if using|if torch)\b|^if\b",
    re.IGNORECASE | re.MULTILINE,
)


def gives_reason(text: str) -> bool:
    """Check whether the text of comments gives a reason, as far as words can tell."""
    return _REASON.search(text) is not None


def is_explained_beside(node: cst.CSTNode, source: Source) -> bool:
    """Check whether a comment in the lines of a node, or right above it, gives a reason."""
    span = source.span(node)
    own_lines = {each.line for each in source.comments if each.own_line}
    first = span.line
    while first - 1 in own_lines:
        first -= 1
    beside = (each.body for each in source.comments if first <= each.line <= span.end_line)
    return gives_reason("\n".join(beside))
