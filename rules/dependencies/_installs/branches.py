"""Whether two commands of a file stand in different branches, so that only one of them runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from rocmlint.rule import Command, File

_OF_SHELL = compile_lazily(
    r"(?m)^[ \t]*#.*$"
    r"|(?:^|[;&|({]|\b(?:then|else|do|RUN|run:)[ \t])[ \t]*(?P<opens>if|case)\b"
    r"|(?:^|[;&|)}])[ \t]*(?P<closes>fi|esac)\b"
    r"|(?:^|[;&|)}])[ \t]*(?P<parts>else|elif)\b|(?P<parts_case>;;)"
    r"|(?<!\|\|)(?<!\|\| )\b(?P<leaves>return|exit)\b|^(?P<ends>\})"
)
_OF_PYTHON = compile_lazily(r"(?m)^[ \t]*(?:else|elif|except)\b")
_PYTHON = (".py", ".pyi", ".pyw", ".ipynb")


def are_alternatives(one: Command, two: Command, source: File) -> bool:
    """Say whether one of two commands runs and the other does not.

    So it is with the branches of one ``if`` or ``case``, and where the branch of the first leaves
    the function or the script.
    """
    first, last = sorted((one.span, two.span))
    start = source.offset_of(first.end_line) + first.end_column - 1
    between = source.text[start : source.offset_of(last.line) + last.column - 1]
    if source.path.endswith(_PYTHON):
        return bool(_OF_PYTHON.search(between))
    return _parts(between)


def _parts(between: str) -> bool:
    """Look whether a text of a shell goes from one branch into another, and stays there."""
    depth = outermost = 0  # how many more blocks are open than where the text begins
    parted: int | None = None  # the depth of the block of which this is another branch
    leaves = False
    for match in _OF_SHELL.finditer(between):
        if match["opens"]:
            depth += 1
        elif match["closes"]:
            if parted is not None and depth <= parted:
                parted = None
            depth -= 1
            outermost = min(outermost, depth)
        elif match["leaves"]:
            leaves = leaves or (depth <= 0 and parted is None)
        elif match["ends"]:
            leaves = False
        elif (match["parts"] or match["parts_case"]) and depth <= outermost:
            parted = depth
    return parted is not None or (leaves and outermost < 0)
