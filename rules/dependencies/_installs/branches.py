"""Whether only one of two commands of a file runs, or each in an environment of its own."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from rocmlint.rule import Command, File

_CONDAS = frozenset({"conda", "mamba", "micromamba"})
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
    """Return whether a command between leaves the function or script, in a branch of the first."""
    for each in _leaving(file):
        parted = set(each.branches) - set(last.branches)
        is_between = first.span < each.span < last.span
        is_same_step = each.step.number == last.step.number
        is_of_first = bool(parted) and parted <= set(first.branches)
        if is_between and is_same_step and is_of_first and not any(one.scope for one in parted):
            return True
    return False


@once_per_file
def _leaving(file: File) -> list[Command]:
    """Return the commands that leave a function or the script, in a branch of it."""
    return [each for each in file.parts.commands if each.words[0].text in _LEAVES and each.branches]


def is_made_between(one: Command, two: Command, file: File) -> bool:
    """Return whether an environment is made behind an earlier command, and before a later one."""
    return any(one.span < each.span < two.span for each in _making(file))


@once_per_file
def _making(file: File) -> list[Command]:
    """Return the commands that make environments which have nothing of the system's."""
    return [each for each in file.parts.commands if _makes([word.text for word in each.words])]


def _makes(words: list[str]) -> bool:
    if "--system-site-packages" in words:
        return False
    program = posixpath.basename(words[0])
    is_conda = program in _CONDAS and "create" in words[:3]
    return is_conda or program == "virtualenv" or bool({"venv", "virtualenv"} & set(words[1:3]))
