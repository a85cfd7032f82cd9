"""Looking at one file with its rules, by what it is: Python, a notebook, or another format."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rocmlint.formats.model import Problem
from rocmlint.lint.rule_fault import fault_of, internal_error
from rocmlint.rule.local import is_local
from rocmlint.syntax.unparsable import UnparsableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rocmlint.findings import Claim, Finding
    from rocmlint.lint.first_sight import Opened
    from rocmlint.lint.rule_fault import RuleFault
    from rocmlint.notebook.read import Notebook
    from rocmlint.project.project import Project
    from rocmlint.rule.rule import Rule
    from rocmlint.source.file import File
    from rocmlint.source.kept_back import KeptBack
    from rocmlint.source.python import Source

    Rules = Iterable[Rule[Any]]

Checked = TypeVar("Checked", bound="File")


class Look(NamedTuple):
    """What a look at a file gave, before suppression."""

    file: File
    findings: Sequence[Finding]
    problems: Sequence[str] = ()
    """What went wrong inside built-in rules, a line each."""
    unread: Sequence[Problem] = ()
    """The places that no rule saw, and why."""
    claims: Sequence[Claim] = ()
    """What the code claims of the running system, where that was asked for."""
    faults: Sequence[RuleFault] = ()
    """What went wrong inside local rules."""


def kept_back(*, wanted: bool) -> KeptBack | None:
    """Return what takes the candidates that excuses keep back, where somebody wants them."""
    if not wanted:
        return None
    from rocmlint.source.kept_back import KeptBack  # noqa: PLC0415 - few runs ask

    return KeptBack()


def look_at_python(opened: Opened, rules: Rules, *, check_syntax: bool) -> Look:
    """Run the rules over a Python file."""
    from rocmlint.lint.check import check, claims  # noqa: PLC0415 - the first with LibCST
    from rocmlint.source.python import Source  # noqa: PLC0415
    from rocmlint.syntax.partial_parse import refusal  # noqa: PLC0415

    source = Source.of(opened.file)
    try:
        if check_syntax or opened.looks_broken:
            _parse(source)
        done = _checked(source, rules, check)
        claimed = claims(source, opened.claim_rules)
        return Look(source, done.findings, done.problems, (), claimed, done.faults)
    except UnparsableError as error:
        known = error if (error.line, error.column) != (1, 1) else refusal(source.text, error)
        reason = f"This file cannot be parsed: {known.reason}"
        return Look(source, (), (), [Problem(reason, known.line, known.column)])


def look_at_parts(opened: Opened, rules: Rules) -> Look:
    """Run the rules over a file in another format than Python."""
    from rocmlint.lint.check_parts import check_parts  # noqa: PLC0415 - needs tree-sitter
    from rocmlint.source.document import Document  # noqa: PLC0415

    document = Document.of(opened.file)
    unread = document.parts.problems  # what the parser cannot take is not a rule's mistake
    done = _checked(document, rules, check_parts)
    return Look(document, done.findings, done.problems, unread, faults=done.faults)


def look_at_cells(  # noqa: PLR0913 - what to look at, and what of it is told
    path: str,
    notebook: Notebook,
    rules: Rules,
    project: Project,
    *,
    told: bool,
    kept_back: KeptBack | None = None,
) -> Look:
    """Run the rules over the code of a notebook; cells that cannot be parsed may be ``told``."""
    from rocmlint.lint.check import check  # noqa: PLC0415 - the first with LibCST
    from rocmlint.notebook.magics import code_of  # noqa: PLC0415 - needs tree-sitter
    from rocmlint.source.python import Source  # noqa: PLC0415

    code = code_of(notebook.text, notebook.cells)
    parts = replace(code.parts, prose=notebook.prose)
    source = Source(path, code.text, parts=parts, project=project)
    source.kept_back = kept_back
    unread = [Problem(each.problem, each.above + 1, 1) for each in notebook.cells]
    unread = [each for each in unread if each.reason]
    unread += code.unparsable if told else ()
    try:
        done = _checked(source, rules, check)
        return Look(source, done.findings, done.problems, unread, faults=done.faults)
    except UnparsableError as error:
        reason = f"This notebook cannot be parsed: {error.reason}"
        return Look(source, (), (), [*unread, Problem(reason, error.line, error.column)])


def _parse(source: Source) -> None:
    """Parse the whole file. Raises UnparsableError.

    What the running Python refuses may be the grammar of a newer one, which LibCST knows.
    """
    if source.python_tree is None:
        _ = source.module


class _Done(NamedTuple):
    """What some rules found, and what went wrong inside them."""

    findings: list[Finding]
    problems: list[str]
    faults: list[RuleFault]


def _checked(
    file: Checked, rules: Rules, check: Callable[[Checked, Rules], list[Finding]]
) -> _Done:
    """Run the rules; a mistake in one must not hide what the others find."""
    try:
        return _Done(check(file, rules), [], [])
    except UnparsableError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, it is reported
        (first, *others) = rules
        if not others:
            return _wrong(file.path, first, error)
    done = [_checked(file, [rule], check) for rule in rules]
    return _Done(*([each for part in parts for each in part] for parts in zip(*done, strict=True)))


def _wrong(path: str, rule: Rule[Any], error: BaseException) -> _Done:
    """Return what is told of an exception in a rule: who has to fix it differs."""
    line = internal_error(path, error, f" in {rule.code}")  # raises again what Ctrl-C was made to
    if is_local(type(rule)):
        return _Done([], [], [fault_of(rule, error, path)])
    return _Done([], [line], [])
