"""Which lines flake8 takes for one when it looks for ``noqa``."""

from __future__ import annotations

import io
import tokenize


def joined_lines(text: str) -> dict[int, tuple[int, int]]:
    """Map each line of a statement that is joined with others to the first and the last of them.

    flake8 joins lines only where no token ends between them: inside a string, and after a
    backslash.
    """
    joined: dict[int, tuple[int, int]] = {}
    lines: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in {tokenize.ENDMARKER, tokenize.DEDENT}:
                continue
            lines += (token.start[0], token.end[0])
            if token.type in {tokenize.NL, tokenize.NEWLINE}:
                first, last = min(lines), max(lines)
                if first < last:
                    joined.update(dict.fromkeys(range(first, last + 1), (first, last)))
                lines = []
    except (tokenize.TokenError, SyntaxError, ValueError):
        return {}
    return joined
