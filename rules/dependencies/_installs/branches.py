"""Whether two commands of a file stand in different branches, so that only one of them runs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from rocmlint.formats.model import Branch
    from rocmlint.rule import Command, File, Span

_LEAVES = frozenset({"return", "exit"})
_OF_PYTHON = compile_lazily(r"(?m)^[ \t]*(?:else|elif|except)\b")
_AT_ONCE = compile_lazily(r"[ \t]*(?:else|elif|except)\b")
"""Commands that Python code calls stand in no branch of a shell, and know none of Python."""
_PYTHON = (".py", ".pyi", ".pyw", ".ipynb")


def are_alternatives(one: Command, two: Command, file: File) -> bool:
    """Return whether one of two commands runs and the other does not.

    So it is with the branches of one ``if`` or ``case``, and where the branch of the first leaves
    the function or the script.
    """
    first, last = (one, two) if one.span < two.span else (two, one)
    if not file.path.endswith(_PYTHON):
        return _are_parted(first, last) or _is_left(first, last, file)
    start = file.offset_of(first.span.end_line) + first.span.end_column - 1
    end = file.offset_of(last.span.line) + last.span.column - 1
    clauses = _clauses(file)
    at = bisect_left(clauses, (start, 0))
    is_between = at < len(clauses) and clauses[at][1] <= end
    return is_between or bool(_AT_ONCE.match(file.text, start, end))


@once_per_file
def _clauses(file: File) -> list[tuple[int, int]]:
    """Return where the clauses of Python code begin that run instead of those above."""
    return [match.span() for match in _OF_PYTHON.finditer(file.text)]


def _are_parted(first: Command, last: Command) -> bool:
    arms = {each.block: each.arm for each in last.branches}
    return any(arms.get(each.block, each.arm) != each.arm for each in first.branches)


def _is_left(first: Command, last: Command, file: File) -> bool:
    """Look for what leaves the function or the shell of both, from a branch of the first alone."""
    around = set(last.branches)
    leaving = _leaving(file)
    for branch in dict.fromkeys(first.branches):
        if branch in around:
            continue
        for alone, spans in leaving.get((branch, last.step.number), {}).items():
            at = bisect_right(spans, first.span)
            if at < len(spans) and spans[at] < last.span:
                parted = alone - around
                if parted <= set(first.branches) and not any(each.scope for each in parted):
                    return True
    return False


@once_per_file
def _leaving(file: File) -> dict[tuple[Branch, int], dict[frozenset[Branch], list[Span]]]:
    """Return where commands leave a function or script, by their inner branch and their step.

    They are grouped by all of their branches.
    """
    found: dict[tuple[Branch, int], dict[frozenset[Branch], list[Span]]] = {}
    for each in file.parts.commands:
        if each.words[0].text in _LEAVES and each.branches:
            groups = found.setdefault((each.branches[-1], each.step.number), {})
            groups.setdefault(frozenset(each.branches), []).append(each.span)
    for groups in found.values():
        for spans in groups.values():
            spans.sort()
    return found
