"""Looking at one file with its rules, by what it is: Python, a notebook, or another format."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rocmlint.formats.model import Problem
from rocmlint.lint.internal_error import internal_error
from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.text.python_ast import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rocmlint.findings import Claim, Finding
    from rocmlint.lint.opened import Opened
    from rocmlint.notebook.read import Notebook
    from rocmlint.project.project import Project
    from rocmlint.rule.rule import Rule
    from rocmlint.source.file import File
    from rocmlint.source.python import Source

    Rules = Iterable[Rule[Any]]

Checked = TypeVar("Checked", bound="File")


class Look(NamedTuple):
    """What a look at a file gave, before suppression."""

    file: File
    findings: Sequence[Finding]
    problems: Sequence[str] = ()
    """What went wrong inside rules, a line each."""
    unread: Sequence[Problem] = ()
    """The places that no rule saw, and why."""
    claims: Sequence[Claim] = ()
    """What the code claims of the running system, where that was asked for."""


def look_at_python(opened: Opened, rules: Rules, *, check_syntax: bool) -> Look:
    """Run the rules over a Python file."""
    from rocmlint.lint.check import check, claims  # noqa: PLC0415 - the first with LibCST
    from rocmlint.source.python import Source  # noqa: PLC0415

    source = Source.of(opened.file)
    try:
        if check_syntax or opened.looks_broken:
            _parse(source)
        findings, problems = _checked(source, rules, check)
        return Look(source, findings, problems, (), claims(source, opened.claim_rules))
    except UnparsableError as error:
        reason = f"This file cannot be parsed: {error.reason}"
        return Look(source, (), (), [Problem(reason, error.line, error.column)])


def look_at_parts(opened: Opened, rules: Rules) -> Look:
    """Run the rules over a file in another format than Python."""
    from rocmlint.lint.check_parts import check_parts  # noqa: PLC0415 - needs tree-sitter
    from rocmlint.source.document import Document  # noqa: PLC0415

    document = Document.of(opened.file)
    unread = document.parts.problems  # what the parser cannot take is not a rule's mistake
    findings, problems = _checked(document, rules, check_parts)
    return Look(document, findings, problems, unread)


def look_at_cells(
    path: str,
    notebook: Notebook,
    rules: Rules,
    project: Project,
    *,
    told: bool,
) -> Look:
    """Run the rules over the code of a notebook; cells that cannot be parsed may be ``told``."""
    from rocmlint.lint.check import check  # noqa: PLC0415 - the first with LibCST
    from rocmlint.notebook.magics import code_of  # noqa: PLC0415 - needs tree-sitter
    from rocmlint.source.python import Source  # noqa: PLC0415

    code = code_of(notebook.text, notebook.cells)
    parts = replace(code.parts, prose=notebook.prose)
    source = Source(path, code.text, parts=parts, project=project)
    unread = [Problem(each.problem, each.above + 1, 1) for each in notebook.cells]
    unread = [each for each in unread if each.reason]
    unread += code.unparsable if told else ()
    try:
        return Look(source, *_checked(source, rules, check), unread)
    except UnparsableError as error:
        reason = f"This notebook cannot be parsed: {error.reason}"
        return Look(source, (), (), [*unread, Problem(reason, error.line, error.column)])


def _parse(source: Source) -> None:
    """Parse the whole file. Raises UnparsableError.

    What the running Python refuses may be the grammar of a newer one, which LibCST knows.
    """
    if syntax_tree(source.text) is None:
        _ = source.module


def _checked(
    file: Checked, rules: Rules, check: Callable[[Checked, Rules], list[Finding]]
) -> tuple[list[Finding], list[str]]:
    """Run the rules; a mistake in one must not hide what the others find."""
    try:
        return check(file, rules), []
    except UnparsableError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
        (first, *others) = rules
        if not others:
            return [], [internal_error(file.path, error, f" in {first.code}")]
    results = [_checked(file, [rule], check) for rule in rules]
    found = [finding for findings, _ in results for finding in findings]
    return found, [problem for _, problems in results for problem in problems]
