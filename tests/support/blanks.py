"""Python code with other blanks between its tokens, which mean the same."""

from __future__ import annotations

import ast
import io
import tokenize
from itertools import pairwise

_NO_CODE = frozenset(
    {
        *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
        *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
    }
)
_FORMATTED = {
    getattr(tokenize, name, None): change
    for name, change in (("FSTRING_START", 1), ("FSTRING_END", -1))
}


def with_blanks(text: str, blanks: str) -> str:
    """Put blanks between all tokens that stand on one line, outside of strings."""
    lines = text.split("\n")
    depth = 0
    gaps: list[tuple[int, int, int]] = []
    for token, after in pairwise(tokenize.generate_tokens(io.StringIO(text).readline)):
        depth += _FORMATTED.get(token.type, 0)
        between = lines[token.end[0] - 1][token.end[1] : after.start[1]]
        if depth or {token.type, after.type} & _NO_CODE or token.end[0] != after.start[0]:
            continue
        if not between.strip():
            gaps.append((token.end[0] - 1, token.end[1], after.start[1]))
    for line, start, end in reversed(gaps):
        lines[line] = lines[line][:start] + blanks + lines[line][end:]
    changed = "\n".join(lines)
    assert ast.dump(ast.parse(changed)) == ast.dump(ast.parse(text))
    return changed
