"""Whether two commands of a file stand in different branches, so that only one of them runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from rocmlint.rule import Command, File

_LEAVES = frozenset({"return", "exit"})
_OF_PYTHON = compile_lazily(r"(?m)^[ \t]*(?:else|elif|except)\b")
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
    return bool(_OF_PYTHON.search(file.text[start:end]))


def _are_parted(first: Command, last: Command) -> bool:
    arms = {each.block: each.arm for each in last.branches}
    return any(arms.get(each.block, each.arm) != each.arm for each in first.branches)


def _is_left(first: Command, last: Command, file: File) -> bool:
    """Look for what leaves the function or the shell of both, from a branch of the first alone."""
    around = set(last.branches)
    for each in _leaving(file):
        if first.span < each.span < last.span and each.step.number == last.step.number:
            alone = set(each.branches) - around
            if alone and alone <= set(first.branches) and not any(it.scope for it in alone):
                return True
    return False


@once_per_file
def _leaving(file: File) -> list[Command]:
    return [each for each in file.parts.commands if each.words[0].text in _LEAVES]
