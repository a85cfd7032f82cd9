"""One file, from its bytes to what is reported of it."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.disk.read import MAXIMUM_READ
from rocmlint.findings import UNREADABLE_FILE, Claim, Finding
from rocmlint.formats import PYTHON, is_notebook, is_python
from rocmlint.lint.decided import decided_in
from rocmlint.lint.documents import as_notes
from rocmlint.lint.first_sight import MAXIMUM_BYTES, Opened
from rocmlint.lint.fold import folded
from rocmlint.lint.json_words import as_in_json, has_hidden_words
from rocmlint.lint.rule_fault import internal_error, told
from rocmlint.lint.scan import Scanner
from rocmlint.lint.selection import enabled_rules, ignored_codes, is_fixable, options_of
from rocmlint.paths import relative
from rocmlint.rule.local import made
from rocmlint.rule.registry import load_claim_rules, load_rule, load_rules
from rocmlint.source.kinds import kinds, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rocmlint.config.settings import Settings
    from rocmlint.disk.disk import Disk
    from rocmlint.disk.files import Files
    from rocmlint.disk.state import State
    from rocmlint.formats.model import Problem
    from rocmlint.lint.decided import Decided
    from rocmlint.lint.lint_file import Look
    from rocmlint.lint.rule_fault import RuleFault
    from rocmlint.lint.scan import Found
    from rocmlint.lint.unread import Unread
    from rocmlint.project.project import Project
    from rocmlint.rule.registry import RuleType
    from rocmlint.rule.rule import Rule
    from rocmlint.rule.triggers import Trigger
    from rocmlint.source.kept_back import KeptBack

_FRAMES = 4_000
"""Of Python: a rule may go down a tree of a thousand levels, which is as deep as any is parsed."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Analysis(NamedTuple):
    """What one file gave; ``text`` is what the places of its findings count in."""

    findings: Sequence[Finding] = ()
    problems: Sequence[str] = ()
    consulted: Mapping[str, State] = {}
    text: str | None = None
    claims: Sequence[Claim] = ()
    unread: Sequence[str] = ()
    """A line for each place that was not read, whatever rules are enabled."""
    faults: Sequence[RuleFault] = ()
    """What went wrong inside local rules; each is a line of ``problems``, too."""
    versions: Sequence[Decided] = ()
    """What decides the versions that rules asked for."""
    kept_back: KeptBack | None = None
    """What the excuses of rules kept back, where that was asked for."""


class Linter:
    """The rules that some settings switch on, ready to look at files."""

    def __init__(
        self,
        settings: Settings,
        disk: Disk | None = None,
        *,
        claims: bool = False,
        excused: bool = False,
        only: str = "",
    ) -> None:
        """Load the rules. Raises ConfigError where they cannot be loaded.

        ``only`` is the code of the built-in rule to load in place of those that are selected.
        With ``disk`` what files ask of the disk is remembered; without it each looks for itself.
        With ``claims`` the claims of Python files are collected too, for ``rocmlint verify``; with
        ``excused`` the candidates that excuses kept back.
        """
        if settings.environment is not None:
            from rocmlint.project.environment import check_environment  # noqa: PLC0415 - few have it

            check_environment(settings.environment)
        self.settings = settings
        self._disk = disk
        self._projects: dict[str, Project] = {}
        self._only = only
        if only:
            self._known: tuple[RuleType, ...] = (load_rule(only),)
            self.rules = [made(each, options_of(each, settings)) for each in self._known]
        else:
            self.rules, self._known = enabled_rules(settings), load_rules(settings.rules)
        self._unfixable = {rule.code for rule in self._known if not is_fixable(rule, settings)}
        self._python = Scanner(self.rules, lambda trigger: trigger.sees_python)
        self._claims = Scanner(load_claim_rules()) if claims else None
        self._excused = excused

    def __reduce__(self) -> tuple[Callable[[], Linter], tuple[()]]:
        """Load the rules again in another process."""
        claims = self._claims is not None
        again = partial(Linter, self.settings, self._disk, claims=claims, excused=self._excused)
        return partial(again, only=self._only), ()

    @cached_property
    def _seen(self) -> Disk:
        """The disk that all files share, else one for what cannot be read."""
        from rocmlint.lint.shared_disk import shared_disk  # noqa: PLC0415 - few files need it

        return self._disk or shared_disk(noted=False)

    @property
    def files(self) -> Files:
        """Where the files are that it lints."""
        return self._seen.files

    @cached_property
    def _parts(self) -> Scanner[Rule[Any]]:
        """Looks for words in other formats than Python."""
        return Scanner(self.rules, _counts_in_parts)

    @cached_property
    def _notebooks(self) -> Scanner[Rule[Any]]:
        """Looks for words in JSON."""
        return Scanner(
            self.rules, lambda trigger: trigger.sees_python or bool(trigger.part), as_in_json
        )

    def project_of(self, path: str) -> Project:
        """Return the project of a file: the same for all of a folder, in a run with a disk."""
        from rocmlint.source.file import project_of  # noqa: PLC0415 - few files come here

        if self._disk is None:
            return project_of(path, self.settings)
        folder = os.path.dirname(os.path.abspath(path))
        if folder not in self._projects:
            self._projects[folder] = project_of(path, self.settings, self._disk)
        return self._projects[folder]

    # A file in two steps: most are done after the first

    def first_sight(self, path: str, data: bytes, text: str | None = None) -> Analysis | Opened:
        """Return the analysis of a file in which no rule can find anything; others are opened.

        ``text`` is given where the bytes were made of it. Whatever goes wrong is a problem of the
        file: it must not hide what is found in others.
        """
        try:
            return self._first_sight(path, data, text)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
            return Analysis(problems=[internal_error(path, error)])

    def _first_sight(self, path: str, data: bytes, text: str | None) -> Analysis | Opened:
        if len(data) > MAXIMUM_READ:
            return self.too_large(path, len(data))
        if is_notebook(path):
            return self._notebook_at_first_sight(path, data)
        if is_python(path, data):
            return self._python_at_first_sight(path, data, text)
        opened = Opened(path, data, self.project_of, text)
        utf16 = data.startswith(_UTF16)
        opened.rules = {} if utf16 else self._parts.scan(data)
        return opened if opened.rules or utf16 or self.settings.check_syntax else Analysis()

    def _python_at_first_sight(self, path: str, data: bytes, text: str | None) -> Analysis | Opened:
        opened = Opened(path, data, self.project_of, text)
        sight = self._python.scan_python(data)
        opened.rules = self._with_parts(sight.rules, path, data)
        opened.signs, opened.is_oddly_spaced = sight.signs, sight.is_oddly_spaced
        if self._claims is not None:
            opened.claim_rules = self._claims.scan_python(data).rules
        if opened.claim_rules or self.settings.check_syntax or opened.looks_broken:
            return opened
        return self._without_suspects(opened) or opened if opened.rules else Analysis()

    def _notebook_at_first_sight(self, path: str, data: bytes) -> Analysis | Opened:
        from rocmlint.notebook.read import looks_broken  # noqa: PLC0415 - few files are notebooks

        is_clean = not (
            self.settings.check_syntax
            or self._notebooks.scan(data)
            or has_hidden_words(data)
            or looks_broken(data)
        )
        return Analysis() if is_clean else Opened(path, data, self.project_of)

    def _without_suspects(self, opened: Opened) -> Analysis | None:
        """Return the analysis of a file whose text has nothing that the rules could look at."""
        if len(opened.data) > MAXIMUM_BYTES or opened.is_oddly_spaced or self._excused:
            return None  # what is excused may be no suspect
        found = (trigger for triggers in opened.rules.values() for trigger in triggers)
        try:
            suspected = any(trigger.may_match(opened.file) for trigger in found)
        except Exception:  # noqa: BLE001 - whatever it is, the analysis reports it
            return None
        return None if suspected else Analysis(consulted=opened.file.consulted)

    def analyse(self, opened: Opened, *, noqa: bool = True) -> Analysis:
        """Lint a file that was opened. With ``noqa`` false only our own suppressions count.

        Whatever goes wrong is a problem of the file, as at first sight.
        """
        try:
            with _recursion():
                return self._analyse(opened, noqa=noqa)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
            return Analysis(problems=[internal_error(opened.path, error)])

    def _analyse(self, opened: Opened, *, noqa: bool) -> Analysis:
        path, data = opened.path, opened.data
        if is_notebook(path):
            return self._analyse_notebook(path, data, noqa=noqa)
        if len(data) > MAXIMUM_BYTES:
            return self.too_large(path, len(data))
        try:
            text = opened.text.text
        except (SyntaxError, ValueError) as error:
            return self.unreadable(path, f"cannot be decoded: {error}")
        if data.startswith(_UTF16) and not is_python(path, data):
            opened.rules = self._parts.scan(text.encode(errors="replace"))
        from rocmlint.lint.lint_file import kept_back, look_at_parts, look_at_python  # noqa: PLC0415

        opened.file.kept_back = kept_back(wanted=self._excused)

        rules = {each: opened.rules[each] for each in self._enabled_of(opened.rules, path)}
        if is_python(path, data):
            look = look_at_python(opened, rules, check_syntax=self.settings.check_syntax)
            return self._reported(look, noqa=noqa)
        return self._reported(look_at_parts(opened, rules), noqa=noqa)

    def _analyse_notebook(self, path: str, data: bytes, *, noqa: bool) -> Analysis:
        from rocmlint.lint.lint_file import kept_back, look_at_cells  # noqa: PLC0415 - few are notebooks
        from rocmlint.notebook.read import NotebookError, read  # noqa: PLC0415

        try:
            notebook = read(data)
        except NotebookError as error:
            return self.unreadable(path, error.reason, error.line, error.column)
        if len(notebook.text) > MAXIMUM_BYTES:
            return self.unreadable(path, _too_much(len(notebook.text)))

        text = notebook.text.encode(errors="replace")
        found = self._with_parts(self._python.scan_python(text).rules, path, text)
        rules = self._enabled_of(found, path)
        told = self._tells_all()  # else a cell is often a draft
        noted, project = kept_back(wanted=self._excused), self.project_of(path)
        look = look_at_cells(path, notebook, rules, project, told=told, kept_back=noted)
        result = self._reported(look, noqa=noqa)
        placed = [notebook.placed(each) for each in result.findings]
        if noted is not None:
            noted.place(notebook.cell_of)
        return result._replace(findings=placed, text=notebook.text)

    def lint(self, path: str, data: bytes, *, noqa: bool = True, folds: bool = True) -> Analysis:
        """Lint the bytes of a file that is linted alone."""
        return self._alone(self.first_sight(path, data), noqa=noqa, folds=folds)

    def lint_text(self, path: str, text: str, *, noqa: bool = True) -> Analysis:
        """Lint the decoded text, of a notebook its JSON, of a file that is linted alone."""
        return self._alone(self.first_sight(path, text.encode(errors="replace"), text), noqa=noqa)

    def _alone(self, seen: Analysis | Opened, *, noqa: bool, folds: bool = True) -> Analysis:
        """Return the analysis of a file where there are no others to be reported with."""
        result = self.analyse(seen, noqa=noqa) if isinstance(seen, Opened) else seen
        return result if not folds else result._replace(findings=folded(result.findings))

    # What is reported

    def _reported(self, look: Look, *, noqa: bool) -> Analysis:
        """Return what is left of the findings in a file, with the places that were not read."""
        from rocmlint.lint.suppress import suppress  # noqa: PLC0415 - most files need none of it

        file = look.file
        enabled = self._enabled_of(self.rules, file.path)
        findings = [*look.findings]
        for each in self._told(look):
            from rocmlint.lint.unread import about_place  # noqa: PLC0415 - most files are read

            unread = about_place(file.path, each, file.lines)
            findings += self._unread(file.path, unread, each.line, each.column)
        findings.sort(key=lambda finding: finding.sort_key)
        findings = suppress(file, findings, enabled, self._known, noqa=noqa)
        findings = as_notes(map(self._as_fixable, findings), file.path, self.settings)
        if self.settings.notes == "off":  # only now, so that a comment may suppress a note
            findings = [each for each in findings if each.severity != "note"]
        return Analysis(
            findings,
            [*look.problems, *told(look.faults)],
            *(file.consulted, file.written, look.claims),
            unread=[_line_about(file.path, each.line, each.reason) for each in look.unread],
            faults=look.faults,
            versions=decided_in(file),
            kept_back=file.kept_back,
        )

    def _as_fixable(self, finding: Finding) -> Finding:
        """Return a finding, without its fix where the settings want none of its rule's."""
        if finding.fix is None or finding.code not in self._unfixable:
            return finding
        return replace(finding, fix=None)

    def _told(self, look: Look) -> Sequence[Problem]:
        """Return what is reported of the places that no rule saw."""
        if self._tells_all() or not look.unread or not look.file.path.endswith(PYTHON):
            return look.unread
        from rocmlint.lint.runnable import is_meant_to_run  # noqa: PLC0415 - most files are read

        return [each for each in look.unread if is_meant_to_run(look.file, each)]

    def _tells_all(self) -> bool:
        """Return whether somebody asks for all that cannot be parsed."""
        return self.settings.check_syntax or self.settings.named

    def unreadable(self, path: str, reason: str, line: int = 1, column: int = 1) -> Analysis:
        """Report a file that cannot be linted."""
        from rocmlint.lint.unread import about_file  # noqa: PLC0415 - most files are read

        unread = about_file(path, f"This file {reason}")
        findings = self._unread(path, unread, line, column)
        return Analysis(findings, unread=[_line_about(path, line, reason)])

    def too_large(self, path: str, size: int) -> Analysis:
        """Report a file that is too large, as a whole."""
        if not is_notebook(path):
            return self.unreadable(path, _too_much(size))
        reason = f"has {size / 1e6:.0f} MB: clear its outputs, or exclude it"
        return self.unreadable(path, reason)

    def _unread(self, path: str, unread: Unread, line: int, column: int) -> list[Finding]:
        enabled = self._enabled_of(self.rules, path)
        rule = next((rule for rule in enabled if rule.code == UNREADABLE_FILE), None)
        if rule is None or rule.skips & kinds(place_of(path, self._seen)):
            return []
        place = (line, column, line, column)
        # Each cell is told for itself; the lines of a list have one mistake in common.
        once = "" if is_notebook(path) else f"{rule.code} {path} {unread.message}"
        return [Finding(path, *place, rule.code, rule.name, *unread, once=once)]

    # Rules

    def _with_parts(self, found: Found[Rule[Any]], path: str, data: bytes) -> Found[Rule[Any]]:
        """Add the rules for what is no code in a notebook or `setup.py`."""
        if is_notebook(path) or os.path.basename(path) == "setup.py":
            for rule, triggers in self._parts.scan(data).items():
                found[rule] = [*found.get(rule, ()), *triggers]
        return found

    def _enabled_of(self, rules: Iterable[Rule[Any]], path: str) -> list[Rule[Any]]:
        """Return the rules that no pattern of ``per-file-ignores`` switches off for a file."""
        ignored = ignored_codes(self.settings, _from(self.settings.root, path))
        return [rule for rule in rules if rule.code not in ignored]


def _counts_in_parts(trigger: Trigger) -> bool:
    """Check whether a trigger counts in other formats, where comments may hide findings too."""
    return bool(trigger.part) or trigger.region == "comments"


def _too_much(size: int) -> str:
    return f"has {size / 1e6:.0f} MB, too much for source code: exclude it"


def _line_about(path: str, line: int, reason: str) -> str:
    return f"{path}:{line}: {reason.removeprefix('This file ')}"


def _from(root: str, path: str) -> str:
    return relative(os.path.abspath(path), root).replace(os.sep, "/")


@contextmanager
def _recursion() -> Iterator[None]:
    """Let functions call themselves as often as trees are deep."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
