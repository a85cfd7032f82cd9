"""One file, from its bytes to what is reported of it."""

from __future__ import annotations

import ast
import codecs
import os
import re
import warnings
from dataclasses import astuple
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rocmlint.findings import UNREADABLE_FILE, Finding
from rocmlint.formats import is_notebook, is_python
from rocmlint.lint.scan import Scanner
from rocmlint.lint.selection import enabled_rules, ignored_codes
from rocmlint.rule.registry import load_rules
from rocmlint.source.decoding import text_of
from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.text.text import LEXEME

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rocmlint.config.settings import Settings
    from rocmlint.disk.disk import Disk
    from rocmlint.disk.state import State
    from rocmlint.formats.model import Problem
    from rocmlint.notebook.read import Notebook
    from rocmlint.project.project import Project
    from rocmlint.rule.rule import Rule
    from rocmlint.rule.triggers import Trigger
    from rocmlint.source.file import File
    from rocmlint.source.python import Source

Checked = TypeVar("Checked", bound="File")

MAXIMUM_BYTES = 5_000_000
"""A larger file with work for a rule is refused: it is data, and would take the memory of many.

Of a notebook the code of its cells counts.
"""
MAXIMUM_NOTEBOOK = 250_000_000
"""A larger notebook is refused, whatever it holds."""

_LEXEME = re.compile(LEXEME.encode(), re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_PAIRS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NEVER_ESCAPED = re.compile(r"[ !#-.0-\[\]-~]+")
"""What JSON mostly writes as it is, and whatever escapes some of it shows by ``_ESCAPED``."""
_ESCAPED = re.compile(rb"\\u00[2-7]")


class Analysis(NamedTuple):
    """What one file gave."""

    findings: Sequence[Finding] = ()
    problems: Sequence[str] = ()
    consulted: Mapping[str, State] = {}


_Look = tuple["File", "Sequence[Finding]", list[str]]
"""A file, what was found in it before suppression, and what went wrong."""


class Linter:
    """The rules that some settings switch on, ready to look at files."""

    def __init__(self, settings: Settings, disk: Disk | None = None) -> None:
        """Load the rules. Raises ConfigError where they cannot be loaded.

        With ``disk`` what files ask of the disk is remembered; without it each looks for itself.
        """
        if settings.environment is not None:
            from rocmlint.project.environment import check_environment  # noqa: PLC0415 - few have one

            check_environment(settings.environment)
        self.settings = settings
        self._disk = disk
        self._projects: dict[str, Project] = {}
        self.rules = enabled_rules(settings)
        self._known = load_rules(settings.rules)
        self._python = Scanner(self.rules, lambda trigger: trigger.sees_python)

    @cached_property
    def _parts(self) -> Scanner[Rule[Any]]:
        """Looks for words in files beside Python."""
        return Scanner(self.rules, _counts_beside_python)

    @cached_property
    def _notebooks(self) -> Scanner[Rule[Any]]:
        """Looks for words in JSON."""
        return Scanner(
            self.rules, lambda trigger: trigger.sees_python or bool(trigger.part), _plain
        )

    def _project_of(self, path: str) -> Project:
        """Return the project of a file: the same for all of a folder, in a run with a disk."""
        from rocmlint.source.file import project_of  # noqa: PLC0415 - few files come here

        if self._disk is None:
            return project_of(path, self.settings)
        folder = os.path.dirname(os.path.abspath(path))
        if folder not in self._projects:
            self._projects[folder] = project_of(path, self.settings, self._disk)
        return self._projects[folder]

    def has_work(self, path: str, data: bytes) -> bool:
        """Say whether a file must be looked at; most need not."""
        return self.at_first_sight(path, data) is None

    def at_first_sight(self, path: str, data: bytes) -> Analysis | None:
        """Give the analysis of a file in which no rule can find anything; None for the others."""
        if self.settings.check_syntax or (is_python(path) and looks_broken(data)):
            return None
        if is_notebook(path):
            from rocmlint.notebook import read as notebook  # noqa: PLC0415 - few files are notebooks

            found = self._notebooks.scan(data)
            if found or _ESCAPED.search(data) or notebook.looks_broken(data):
                return None
            return Analysis()
        if data.startswith(_UTF16) and not is_python(path):
            return None
        rules = self._rules_for(path, data)
        return self._without_suspects(path, data, rules) if rules else Analysis()

    def _without_suspects(self, path: str, data: bytes, rules: list[Rule[Any]]) -> Analysis | None:
        """Give the analysis of a file whose text has nothing that the rules could look at."""
        triggers = [trigger for rule in rules for trigger in rule.on]
        if (
            not is_python(path)
            or len(data) > MAXIMUM_BYTES
            or any(trigger.suspects is None for trigger in triggers)
        ):
            return None
        from rocmlint.source.file import File  # noqa: PLC0415 - few files come here
        from rocmlint.text.text import Text  # noqa: PLC0415

        try:
            file = File(path, Text(text_of(path, data)), project=self._project_of(path))
            suspected = any(trigger.may_match(file) for trigger in triggers)
        except Exception:  # noqa: BLE001 - whatever it is, the analysis reports it
            return None
        return None if suspected else Analysis(consulted=file.consulted)

    def analyse(self, path: str, data: bytes, *, noqa: bool = True) -> Analysis:
        """Lint the bytes of a file."""
        if is_notebook(path):
            return self._analyse_notebook(path, data, noqa=noqa)
        if len(data) > MAXIMUM_BYTES:
            return self._too_large(path, len(data))
        try:
            text = text_of(path, data)
        except (SyntaxError, ValueError) as error:
            return self.unreadable(path, f"cannot be decoded: {error}")
        return self.analyse_text(path, text, noqa=noqa)

    def analyse_text(self, path: str, text: str, *, noqa: bool = True) -> Analysis:
        """Lint decoded text, of a notebook its JSON.

        With ``noqa`` false only our own suppressions count.
        """
        if is_notebook(path):
            return self._analyse_notebook(path, text.encode(errors="replace"), noqa=noqa)
        look = self._look_at_python if is_python(path) else self._look_at_parts
        return self._analysis(path, text, look, noqa=noqa)

    def _analyse_notebook(self, path: str, data: bytes, *, noqa: bool) -> Analysis:
        from rocmlint.notebook.read import NotebookError, read  # noqa: PLC0415 - few are notebooks

        if len(data) > MAXIMUM_NOTEBOOK:
            reason = f"has {len(data) / 1e6:.0f} MB: clear its outputs, or exclude it"
            return self.unreadable(path, reason)
        try:
            notebook = read(data)
        except NotebookError as error:
            return self.unreadable(path, error.reason, error.line, error.column)
        if len(notebook.text) > MAXIMUM_BYTES:
            return self._too_large(path, len(notebook.text))

        def look(path: str, text: str, rules: list[Rule[Any]]) -> _Look:
            return self._look_at_cells(path, text, rules, notebook)

        result = self._analysis(path, notebook.text, look, noqa=noqa)
        return result._replace(findings=[notebook.placed(each) for each in result.findings])

    def _analysis(
        self,
        path: str,
        text: str,
        look: Callable[[str, str, list[Rule[Any]]], _Look],
        *,
        noqa: bool,
    ) -> Analysis:
        from rocmlint.lint.suppress import suppress  # noqa: PLC0415 - most files need none of it

        rules = self._rules_for(path, text.encode(errors="replace"))
        enabled = self._enabled(path)
        rules = [rule for rule in rules if rule in enabled]
        file, findings, problems = look(path, text, rules)
        findings = sorted(findings, key=lambda finding: finding.sort_key)
        findings = suppress(file, findings, enabled, self._known, noqa=noqa)
        return Analysis(findings, problems, file.consulted)

    def _look_at_python(self, path: str, text: str, rules: list[Rule[Any]]) -> _Look:
        from rocmlint.lint.check import check  # noqa: PLC0415 - the first with LibCST
        from rocmlint.source.python import Source  # noqa: PLC0415

        source = Source(path, text, project=self._project_of(path))
        try:
            if self.settings.check_syntax or looks_broken(text.encode(errors="replace")):
                _parse(source)
            findings, problems = _check(source, rules, check)
        except UnparsableError as error:
            reason = f"cannot be parsed: {error.reason}"
            return source, self.unreadable(path, reason, error.line, error.column).findings, []
        return source, findings, problems

    def _look_at_parts(self, path: str, text: str, rules: list[Rule[Any]]) -> _Look:
        from rocmlint.lint.check_parts import check_parts  # noqa: PLC0415 - needs tree-sitter
        from rocmlint.source.document import Document  # noqa: PLC0415

        document = Document(path, text, project=self._project_of(path))
        findings, problems = _check(document, rules, check_parts)
        findings += self._unread_places(path, document.parts.problems, "nothing of it")
        return document, findings, problems

    def _look_at_cells(
        self, path: str, text: str, rules: list[Rule[Any]], notebook: Notebook
    ) -> _Look:
        from rocmlint.formats.model import Problem  # noqa: PLC0415
        from rocmlint.lint.check import check  # noqa: PLC0415 - the first with LibCST
        from rocmlint.notebook.magics import code_of  # noqa: PLC0415 - needs tree-sitter
        from rocmlint.source.python import Source  # noqa: PLC0415

        code = code_of(text, notebook.cells)
        source = Source(path, code.text, parts=code.parts, project=self._project_of(path))
        unread = [Problem(each.problem, each.above + 1, 1) for each in notebook.cells]
        unread = [*(each for each in unread if each.reason), *code.problems]
        try:
            findings, problems = _check(source, rules, check)
        except UnparsableError as error:
            reason = f"This notebook cannot be parsed: {error.reason}"
            findings, problems = [], []
            unread.append(Problem(reason, error.line, error.column))
        findings += self._unread_places(path, unread, "nothing in it")
        return source, findings, problems

    def _unread_places(self, path: str, problems: Sequence[Problem], what: str) -> list[Finding]:
        return [
            finding
            for reason, line, column in map(astuple, problems)
            for finding in self._unread(path, f"{reason}; {what} was checked.", line, column)
        ]

    def _rules_for(self, path: str, data: bytes) -> list[Rule[Any]]:
        """Give the rules one of whose words stands in a file."""
        if not is_python(path) and not is_notebook(path):
            return self._parts.scan(data)
        found = self._python.scan(data)
        if is_notebook(path) or os.path.basename(path) == "setup.py":
            found += [rule for rule in self._parts.scan(data) if rule not in found]
        return found

    def unreadable(self, path: str, reason: str, line: int = 1, column: int = 1) -> Analysis:
        """Report a file that cannot be linted."""
        message = f"This file {reason}; nothing in it was checked."
        return Analysis(self._unread(path, message, line, column))

    def _too_large(self, path: str, size: int) -> Analysis:
        reason = f"has {size / 1e6:.0f} MB, too much for source code: exclude it"
        return self.unreadable(path, reason)

    def _unread(self, path: str, message: str, line: int, column: int) -> list[Finding]:
        rule = next((rule for rule in self._enabled(path) if rule.code == UNREADABLE_FILE), None)
        if rule is None:
            return []
        place = (line, column, line, column)
        return [Finding(path, *place, rule.code, rule.name, message, rule.severity)]

    def _enabled(self, path: str) -> list[Rule[Any]]:
        ignored = ignored_codes(self.settings, _from(self.settings.root, path))
        return [rule for rule in self.rules if rule.code not in ignored]


def _counts_beside_python(trigger: Trigger) -> bool:
    """Say whether a trigger counts in files beside Python, where comments may hide findings too."""
    return bool(trigger.part) or trigger.region == "comments"


def _plain(word: str) -> str:
    """Give the longest part of a word that is the same in JSON."""
    return max(_NEVER_ESCAPED.findall(word), key=len, default="")


def looks_broken(data: bytes) -> bool:
    """Say whether a file shows signs of broken syntax: cheap, and enough to look closer.

    Most files are never parsed (see :mod:`rocmlint.syntax.partial_parse`). The usual accidents
    still show in the bytes: a bracket without its partner, the marks of a merge conflict, NUL.
    """
    if b"\n<<<<<<< " in data or b"\0" in data:
        return True
    if len(data) > MAXIMUM_BYTES:  # to take out the strings of so much data takes gigabytes
        return False
    return _is_unbalanced(data) and _is_unbalanced(_LEXEME.sub(b"", data))


def _is_unbalanced(data: bytes) -> bool:
    brackets = data.translate(None, _NOT_BRACKETS)
    return any(brackets.count(left) != brackets.count(right) for left, right in _PAIRS)


def _parse(source: Source) -> None:
    """Parse the whole file. Raises UnparsableError.

    What the running Python refuses may be the grammar of a newer one, which LibCST knows.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        _ = source.module


def _check(
    file: Checked,
    rules: list[Rule[Any]],
    check: Callable[[Checked, list[Rule[Any]]], list[Finding]],
) -> tuple[list[Finding], list[str]]:
    """Run the rules; a mistake in one must not hide what the others find."""
    try:
        return check(file, rules), []
    except UnparsableError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
        if len(rules) == 1:
            return [], [_internal_error(file.path, rules[0], error)]
    results = [_check(file, [rule], check) for rule in rules]
    found = [finding for findings, _ in results for finding in findings]
    return found, [problem for _, problems in results for problem in problems]


def _internal_error(path: str, rule: Rule[Any], error: Exception) -> str:
    return (
        f"{path}: internal error in {rule.code}, please report it: {type(error).__name__}: {error}"
    )


def _from(root: str, path: str) -> str:
    return os.path.relpath(os.path.abspath(path), root or os.getcwd()).replace(os.sep, "/")
