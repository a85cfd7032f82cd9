"""Applying fixes to text: only whole fixes, none that overlap another, until nothing is left."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.change.change import Change, ChangedText, change_bytes
from rocmlint.formats import is_notebook, is_python, parse
from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.text.python_ast import syntax_tree
from rocmlint.text.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rocmlint.change.change import Lint
    from rocmlint.findings import Edit, Finding, Fix
    from rocmlint.source.file import File

MAXIMUM_ROUNDS = 10
"""How often a text is linted and fixed; fixes that need more are taken to go round in circles."""


class _Replacement(NamedTuple):
    start: int
    end: int
    text: str


class Applied(NamedTuple):
    """A text after one round, and the findings whose fixes are in it."""

    text: str
    fixed: Sequence[Finding]


def fix_bytes(path: str, data: bytes, lint: Lint, *, unsafe: bool) -> Change:
    """Fix what ``lint`` finds in the bytes of a file.

    Nothing is written: see :mod:`rocmlint.change.change`.
    """
    return change_bytes(path, data, lint, partial(fix_text, path, unsafe=unsafe))


def fix_text(
    path: str,
    text: str,
    found: Sequence[Finding],
    lint: Callable[[str], Sequence[Finding]],
    *,
    unsafe: bool,
) -> ChangedText:
    r"""Fix what was found in a text, lint it again, and so on until nothing is left to fix.

    What would make the text unparsable is not done, nor what would replace something else than
    the finding is about. ``text`` has ``\n`` line ends.
    """
    fixed: list[Finding] = []
    problem = None
    parses: Callable[[str], bool] | None = None
    for _ in range(MAXIMUM_ROUNDS):
        after, applied = apply_fixes(text, found, unsafe=unsafe)
        if not applied:
            break
        after = _as_read(path, after)
        parses = parses or parser_of(path, text)
        if parses is None or not parses(after):
            codes = ", ".join(sorted({finding.code for finding in applied}))
            reason = "it cannot be parsed" if parses is None else "the result cannot be parsed"
            problem = f"fixes for {codes} were not applied: {reason}"
            break
        fixed += applied
        text, found = after, lint(after)
    else:
        if apply_fixes(text, found, unsafe=unsafe).fixed:
            problem = f"the fixes did not converge after {MAXIMUM_ROUNDS} rounds"
    problem = problem or _misplaced(Text(text), found, unsafe=unsafe)
    return ChangedText(text, fixed, found, problem)


def apply_fixes(text: str, findings: Iterable[Finding], *, unsafe: bool) -> Applied:
    r"""Apply the fixes of the findings, the earliest in the text first.

    A fix that overlaps or touches one before it is left for the next round. ``text`` has ``\n``
    line ends.
    """
    source = Text(text)
    by_fix: dict[Fix, list[Finding]] = {}
    for finding in findings:
        if finding.fix is not None and (finding.fix.safe or unsafe):
            if _is_in_place(finding.fix, source):
                by_fix.setdefault(finding.fix, []).append(finding)
    taken: list[_Replacement] = []
    fixed: list[Finding] = []
    replacements = {fix: _replacements(fix, source) for fix in by_fix}
    for fix, wanted in sorted(replacements.items(), key=lambda item: item[1]):
        if wanted and not any(_touch(new, old) for new in wanted for old in taken):
            taken += wanted
            fixed += by_fix[fix]
    for start, end, replacement in sorted(taken, reverse=True):
        text = text[:start] + replacement + text[end:]
    return Applied(text, fixed)


def _misplaced(text: Text, findings: Iterable[Finding], *, unsafe: bool) -> str | None:
    """Name the findings whose fixes would replace something else than they are about."""
    found = [
        f"{finding.code} on {text.named_line(finding.line)}"
        for finding in findings
        if finding.fix is not None and (finding.fix.safe or unsafe)
        if not _is_in_place(finding.fix, text)
    ]
    return (
        f"not fixed: {', '.join(found)}: the code there does not match the finding"
        if found
        else None
    )


def _is_in_place(fix: Fix, text: Text) -> bool:
    return all(_stands_there(edit, text) for edit in fix.edits)


def _stands_there(edit: Edit, text: Text) -> bool:
    start, end, _ = _replacement(edit, text)
    there = text.text[start:end] + "\n" * (edit.end_line > len(text.lines))
    return edit.was is None or _without_blanks(edit.was) == _without_blanks(there)


def _without_blanks(code: str) -> tuple[str, bool]:
    """Return what is not a blank, and whether a line end goes along."""
    return "".join(code.replace("\\\n", "").split()), code.endswith("\n")


def without_losses(finding: Finding, text: Text | File) -> Finding:
    """Return the finding, without its fix if that would delete a comment: words are a person's."""
    if finding.fix is None or not _loses_comment(finding.fix, text):
        return finding
    return replace(finding, fix=None)


def _loses_comment(fix: Fix, text: Text | File) -> bool:
    kept = "".join(edit.replacement for edit in fix.edits)
    return any(
        (edit.line, edit.column) <= (each.line, each.column) < (edit.end_line, edit.end_column)
        and each.text.rstrip() not in kept
        for edit in fix.edits
        if _replaces_code(edit, text)  # else it is about comments, and means it
        for each in text.written_comments
    )


def _replaces_code(edit: Edit, text: Text | File) -> bool:
    start, end, _ = _replacement(edit, text)
    return bool(text.code[start:end].strip())


def _replacements(fix: Fix, text: Text | File) -> list[_Replacement]:
    """Return what a fix replaces, in order; nothing where its own edits overlap."""
    found = sorted(_replacement(edit, text) for edit in fix.edits)
    bounds = [bound for each in found for bound in (each.start, each.end)]
    return found if bounds == sorted(bounds) else []


def _replacement(edit: Edit, text: Text | File) -> _Replacement:
    start = _offset(edit.line, edit.column, text)
    return _Replacement(start, _offset(edit.end_line, edit.end_column, text), edit.replacement)


def _offset(line: int, column: int, text: Text | File) -> int:
    """Return the offset of a place; what lies behind the last line is the end of the text."""
    if line > len(text.lines):
        return len(text.text)
    return min(text.offset_of(line) + column - 1, len(text.text))


def _touch(one: _Replacement, other: _Replacement) -> bool:
    return one.start <= other.end and other.start <= one.end


def parser_of(path: str, text: str) -> Callable[[str], bool] | None:
    """Choose what must accept the fixed text, and accepts it as it is.

    That is Python's parser or else LibCST's; for another format its own, which may not find more
    problems than before; for a notebook each cell's.
    """
    if is_notebook(path):
        return _cells_parser(text)
    if not is_python(path, text):
        known = len(parse(path, text).problems)
        return lambda after: len(parse(path, after).problems) <= known
    return next((parses for parses in (_python_parses, _libcst_parses) if parses(text)), None)


def _cells_parser(text: str) -> Callable[[str], bool]:
    from rocmlint.notebook.magics import code_of  # noqa: PLC0415 - few files are notebooks

    known = len(code_of(text).unparsable)
    return lambda after: len(code_of(after).unparsable) <= known


def _as_read(path: str, text: str) -> str:
    """Return the text as it is when the file is written and read again."""
    if not is_notebook(path):
        return text
    from rocmlint.notebook.read import with_lines  # noqa: PLC0415 - few files are notebooks

    return with_lines(text)


def _python_parses(text: str) -> bool:
    return syntax_tree(text) is not None


def _libcst_parses(text: str) -> bool:
    from rocmlint.syntax.partial_parse import Pieces  # noqa: PLC0415 - loads LibCST
    from rocmlint.text.blanks import PythonText  # noqa: PLC0415

    try:
        _ = Pieces(PythonText(text)).whole
    except UnparsableError:
        return False
    return True
