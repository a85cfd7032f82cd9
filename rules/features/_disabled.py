"""Toggles that stand in a comment: what is found, and what excuses it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.python.names import root
from rocmlint.rule import Text, compile_lazily, gives_reason, spaced
from rocmlint.rule.claims import fast_path

from ._commented_code import indent_of, passages_around
from ._live_code import block_around, indent_of_neighbour, live_lines
from ._loading_call import is_in_brackets
from ._toggles import COMPILE, find_toggle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.rule import Claim, Comment, File, Source

    from ._commented_code import Passage
    from ._toggles import Toggle

_DEAD_LINES = 2
_LONG_EXPLANATION = 20
_REACH = 6
_REACH_IN_CALL = 40
_IS_ON = r"\b\w*(?:{})\w*\s*=\s*True\b"
TALKS = compile_lazily(
    r"\s*(?:\w+\s*\.\s*)*(?:critical|debug|error|info|log|print|warn)\w*\s*\(", re.IGNORECASE
)
_LABEL = compile_lazily(r"(?:^|[(,\[{])\s*(?:True|False|None|[\d.]+)\s*,$")


class Disabled(NamedTuple):
    """A toggle in a comment, and the passages of comments around."""

    comment: Comment
    here: Passage
    passages: Sequence[Passage]
    toggle: Toggle

    def claims(self, source: Source) -> tuple[Claim, ...]:
        """Return what would be true if the line were live, where a command can tell.

        None can about a switch of the project's own code.
        """
        toggle = self.toggle
        can_tell = not toggle.feature.doubtful and toggle.feature is not COMPILE
        if not can_tell or _is_own_switch(toggle.node, source):
            return ()
        return (fast_path(toggle.key, toggle.value),)

    def shown(self, most: int) -> str:
        """Return the comment on one line; of several words, the first in so many characters."""
        text = re.sub(r"\s+", " ", self.comment.body.rstrip(",").strip())
        if len(text) <= most or " " not in text[:most]:
            return text
        return f"{text[:most].rpartition(' ')[0]} …"


def is_explained(found: Disabled, source: File) -> bool:
    """Comments with a reason in or beside them, or with a long explanation, not a heading."""
    here, passages = found.here, found.passages
    others = [each.text for each in passages if each is not here]
    inside = [each.body for each in Text(here.text).comments]
    beside = [
        each.body
        for each in source.comments
        if each.line in {here.first - 1, here.last + 1} and not each.own_line
    ]
    text = "\n".join([*others, *inside, *beside])
    prose = " ".join(each.text for each in passages if not each.code)
    return (
        gives_reason(text)
        or any(letter.isalpha() for letter in text if not letter.isascii())
        or len(prose.split()) > _LONG_EXPLANATION
    )


def is_dead(found: Disabled, source: File) -> bool:
    """One line of many that are commented out together, or a file without live code."""
    others = [each for each in found.passages if each.code and each is not found.here]
    dead = sum(len(each.comments) for each in others if not find_toggle(each.code))
    return dead > _DEAD_LINES or not any(live_lines(source))


def is_no_line_of_code(found: Disabled, source: File) -> bool:
    """Comments that would be no line of the code around: indented otherwise, outside a call."""
    in_brackets = is_in_brackets(found.toggle, found.here.first, source)
    return not in_brackets or indent_as_code(found, live_lines(source)) is None


def is_done_by_live_code(found: Disabled, source: File) -> bool:
    """Toggles next to code that does the same, or gives the target or option another value."""
    here, toggle, lines = found.here, found.toggle, live_lines(source)
    is_argument = isinstance(toggle.node, ast.keyword)
    around = [each for each in live_around(found, lines) if not TALKS.match(each)]
    if not here.comments[0].own_line:
        around.append(lines[here.first - 1])
    same = rf"\b_*{re.escape(toggle.key)}\b"
    by_any_name = is_argument or toggle.feature.doubtful or toggle.feature is COMPILE
    if toggle.feature.live and by_any_name:
        same += f"|{toggle.feature.live}"
    elif isinstance(toggle.node, ast.Expr):
        same += f"|{_IS_ON.format(toggle.feature.live or toggle.feature.names.pattern)}"
    if any(re.search(same, line) for line in around):
        return True
    if not isinstance(toggle.node, ast.Assign):
        return False
    target = spaced(ast.unparse(toggle.node.targets[0]))
    assigned = re.compile(rf"\s*{target}\s*=(?!=)(?!.*\b{target}\b)")
    return any(map(assigned.match, lines[here.last : here.last + 1]))


def names_what_is_gone(found: Disabled, source: File) -> bool:
    """Toggles that need a name which no live code has: more is gone than the toggle."""
    node = found.toggle.node
    called = {each.func for each in ast.walk(node) if isinstance(each, ast.Call)}
    names = {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each not in called
    }
    return not all(re.search(rf"(?<![\w.]){re.escape(name)}\b", source.code) for name in names)


def disabled(node: Comment, more: tuple[str, ...], source: File) -> Disabled | None:
    """Return the toggle that begins in a comment."""
    passages = passages_around(node, source)
    here = next((each for each in passages if node in each.comments), None)
    toggle = find_toggle(here.code, more) if here is not None else None
    if here is None or toggle is None or here.first + toggle.line - 1 != node.line:
        return None
    return Disabled(node, here, passages, toggle)


def _is_own_switch(node: ast.AST, source: Source) -> bool:
    """Return whether a call goes to a module of the project, such as its own extension."""
    call = node.value if isinstance(node, ast.Expr) else None
    name = root(call.func) if isinstance(call, ast.Call) else None
    bound = source.names.in_module(name.id) if isinstance(name, ast.Name) else []
    imported = [each.dotted for each in bound if each.dotted]
    return any(
        each.startswith(".") or source.is_first_party(each.partition(".")[0]) for each in imported
    )


def live_around(found: Disabled, lines: Sequence[str]) -> Iterator[str]:
    """Yield the live lines of the block that the toggle would stand in."""
    indent, here = indent_as_code(found, lines), found.here
    reach = _REACH_IN_CALL if isinstance(found.toggle.node, ast.keyword) else _REACH
    if indent is not None:
        yield from block_around(lines, here.first, here.last, indent, reach)


def indent_as_code(found: Disabled, lines: Sequence[str]) -> int | None:
    """Return the indent of the toggle as code, None if it is not a line of the code."""
    here, comment = found.here, found.here.comments[0]
    inside = indent_of(comment)
    if not comment.own_line:
        before = lines[comment.line - 1].rstrip()
        argument = isinstance(here.code[0], ast.keyword) and before.endswith((",", "("))
        if not argument or _LABEL.search(before):
            return None
        return len(before) - len(before.lstrip())
    if inside <= 2:
        return comment.column - 1
    outside = indent_of_neighbour(lines, here.first, here.last)
    return outside if abs(comment.column + inside - outside) <= 1 else None
