"""Checks of the fixtures of a rule: what is found, what is silent, what a fix writes."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.change.fix import apply_fixes, parser_of
from rocmlint.config.configuration import Configuration
from rocmlint.errors import described
from rocmlint.lint.check import check
from rocmlint.lint.fold import folded
from rocmlint.lint.linter import Linter
from rocmlint.lint.suppress import suppress
from rocmlint.paths import shown
from rocmlint.rule.places import error_place
from rocmlint.rule.registry import load_rules
from rocmlint.source.file import project_of
from rocmlint.source.kept_back import KeptBack
from rocmlint.source.python import Source
from rocmlint.testing.failure import Failure
from rocmlint.testing.fixtures import expected

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rocmlint.config.settings import Settings
    from rocmlint.findings import Finding
    from rocmlint.lint.linter import Analysis
    from rocmlint.rule.registry import RuleType
    from rocmlint.testing.fixtures import RuleFolder

LONGEST_MESSAGE = 100
MOST_SENTENCES = 2
_SENTENCE_END = re.compile(r"[.!?](?=\s+[A-Z`]|$)")
_NAME = re.compile(r"`[^`]*`")
_CUT = re.compile(r"`[^`\s(){}\"']*…[^`\s(){}\"']*`")
"""A name or path that lacks its middle or its end, which nobody can search for."""
_COUNTED = 24
"""How much of a name counts: a long one makes the message longer, and is never cut."""
_NAMED = 3
"""Places that a message names."""
_ROUNDS = 10
"""How often fixes may make others possible."""


class Fixture:
    """One file among the fixtures of a rule, and what is found in its copy."""

    def __init__(self, folder: RuleFolder, rule: RuleType, path: Path) -> None:
        """Take the file; nothing is linted yet."""
        self.folder = folder
        self.rule = rule
        self.path = path

    @cached_property
    def copy(self) -> Path:
        """A copy without marks, in a project of its own."""
        return self.folder.copy_of(self.rule, self.path)

    @cached_property
    def settings(self) -> Settings:
        """The options of the rules' folder and of the fixture's project."""
        options = {**self.folder.options(self.rule), "notes": "short"}
        return Configuration(options).settings_for(str(self.copy.parent))

    @property
    def linter(self) -> Linter:
        """The rules that look at the fixture."""
        return Linter(self.settings)

    def lint(self, text: str) -> list[Finding]:
        """Return what is found in a text in the place of the copy."""
        return list(self.linter.lint_text(str(self.copy), text).findings)

    @cached_property
    def analysis(self) -> Analysis:
        """The result of linting the copy: linted once for all that look at it."""
        return self.linter.lint_text(str(self.copy), self.copy.read_text(encoding="utf-8"))

    @property
    def kept_back(self) -> KeptBack:
        """Findings that excuses keep back in a second run, and where rules were asked."""
        linter = Linter(self.settings, excused=True)
        text = self.copy.read_text(encoding="utf-8")
        return linter.lint_text(str(self.copy), text).kept_back or KeptBack()

    @property
    def findings(self) -> Sequence[Finding]:
        """The findings in the copy."""
        return self.analysis.findings

    def failure(self, line: int, message: str) -> Failure:
        """Make a failure at a line of the fixture."""
        return Failure(str(self.path), line, message)


def marked_lines_are_found(fixture: Fixture) -> Iterator[Failure]:
    """Check that what is found begins in the lines that ``# expect:`` marks, and nowhere else."""
    yield from _errors(fixture)
    marks = expected(fixture.path.read_text(encoding="utf-8"))
    marked = {(line, code): severity for line, code, severity in marks}
    found = {(each.line, each.code): each for each in fixture.findings}
    for line, code in sorted(marked.keys() - found.keys()):
        why = why_not_found({"": fixture.kept_back}, code, line)
        yield fixture.failure(line, f"{code} is expected here, but not found: {why}")
    for line, code in sorted(found.keys() - marked.keys()):
        message = f"{code} is found here, but not expected: {found[line, code].message}"
        yield fixture.failure(line, message)
    usual = {each.code: each.severity for each in load_rules(fixture.settings.rules)}
    for (line, code), severity in sorted(marked.items()):
        wanted, got = severity or usual.get(code), found.get((line, code))
        if got is not None and got.severity != wanted:
            yield fixture.failure(line, f"{code} is expected here as {wanted}, not {got.severity}")


def why_not_found(files: Mapping[str, KeptBack], code: str, line: int | None = None) -> str:
    """Return which excuse holds, or how far a rule came: in a line, or in whole files by name."""
    excuses = {
        f"`{each.excuse}` ({each.reason.rstrip('.')}; from {each.origin})"
        for kept_back in files.values()
        for each in kept_back.excused
        if each.code == code and (line is None or each.line <= line <= each.end_line)
    }
    if excuses:
        return f"excused by {' and '.join(sorted(excuses))}"
    if line is None:
        asked = [
            f"{name}:{number}"
            for name, kept_back in files.items()
            for number in sorted({at.line for each, at in kept_back.asked if each == code})
        ]
        where = f"for {', '.join(asked[:_NAMED])}" if asked else ""
    else:
        where = "here" if any(each.reached(code, line) for each in files.values()) else ""
    if where:
        return f"`check` was called {where}, and yielded nothing"
    place = "in it" if line is None else "in this line"
    return f"nothing {place} matches `on`, so `check` was not called"


def good_code_is_silent(fixture: Fixture) -> Iterator[Failure]:
    """Check that nothing is found."""
    yield from _errors(fixture)
    for each in fixture.findings:
        yield fixture.failure(each.line, f"{each.code} is found in good code: {each.message}")


def shortcuts_change_no_finding(fixture: Fixture) -> Iterator[Failure]:
    """Check that the same is found if the whole file is parsed and every node looked at."""
    try:
        whole = _lint_whole(fixture)
    except Exception as error:  # noqa: BLE001 - whatever a rule raises
        place = error_place(error) or shown(str(fixture.path))
        yield fixture.failure(1, f"error in your rule {place}: {described(error)}")
        return
    for each in whole:
        if each not in fixture.findings:
            message = (
                f"{each.code} is found here only if the whole file is parsed: what `on` looks for "
                "(its words and `where`) is not in this statement"
            )
            yield fixture.failure(each.line, message)
    for each in fixture.findings:
        if each not in whole:
            message = f"{each.code} is found here only if part of the file is parsed"
            yield fixture.failure(each.line, message)


def fixes_make_the_fixed_file(fixture: Fixture, fixed: Path) -> Iterator[Failure]:
    """Check that the fixes make the fixed file, that it is valid and has no more fixes."""
    if not fixture.path.is_file():
        yield Failure(str(fixed), 1, f"there is no {shown(str(fixture.path))} to make it of")
        return
    before = text = fixture.copy.read_text(encoding="utf-8")
    for _ in range(_ROUNDS):
        text, applied = apply_fixes(text, fixture.lint(text), unsafe=True)
        if not applied:
            break
    wanted = fixed.read_text(encoding="utf-8")
    if text != wanted:
        yield _difference(fixed, text, wanted)
        return
    accepts = parser_of(str(fixed), before)
    if accepts is None or not accepts(text):
        yield Failure(str(fixed), 1, "the fixes make a file that cannot be parsed")
    for each in fixture.lint(text):
        if each.fix is not None:
            message = f"{each.code} has a fix here, too: fixing twice must change nothing more"
            yield Failure(str(fixed), each.line, message)


def messages_are_short(fixture: Fixture) -> Iterator[Failure]:
    """Check that a message is one short sentence without a full stop, a help text at most two."""
    for each in fixture.findings:
        for wrong in _wrong_texts(each):
            yield fixture.failure(each.line, f"{each.code}: {wrong}")


def _errors(fixture: Fixture) -> Iterator[Failure]:
    """Yield what went wrong inside the rules."""
    for problem in fixture.analysis.problems:
        yield fixture.failure(1, problem.replace(str(fixture.copy), shown(str(fixture.path))))


def _wrong_texts(finding: Finding) -> Iterator[str]:
    message, help = finding.message, finding.help
    if len(_NAME.sub(lambda name: name[0][:_COUNTED], message)) > LONGEST_MESSAGE:
        yield f"the message has more than {LONGEST_MESSAGE} characters: {message}"
    if _CUT.search(message):
        yield f"the message must not cut a name: {message}"
    if message.endswith(".") or _SENTENCE_END.search(message.rstrip(".")):
        yield f"the message must be one sentence without a full stop: {message}"
    if help and not help.endswith("."):
        yield f"the help must end with a full stop: {help}"
    if len(_SENTENCE_END.findall(help)) > MOST_SENTENCES:
        yield f"the help has more than two sentences: {help}"
    if not (message + help).isprintable():
        yield f"the message and the help must be printable: {message!r} {help!r}"


def _lint_whole(fixture: Fixture) -> list[Finding]:
    """Lint a copy without any shortcut: all of it parsed, all rules asked."""
    linter, path = fixture.linter, str(fixture.copy)
    text = fixture.copy.read_text(encoding="utf-8")
    project = project_of(path, linter.settings)
    source = Source(path, text, whole=True, project=project)
    found = check(source, linter.rules, shortcuts=False)
    known = load_rules(linter.settings.rules)
    return list(folded(suppress(source, found, linter.rules, known)))


def _difference(fixed: Path, made: str, wanted: str) -> Failure:
    """Return the first line in which two texts differ."""
    lines = made.split("\n"), wanted.split("\n")
    shortest = min(map(len, lines))
    pairs = zip(*lines, strict=False)
    number = next((at for at, (one, two) in enumerate(pairs) if one != two), shortest)
    line = repr(lines[0][number]) if number < len(lines[0]) else "the end of the file"
    return Failure(str(fixed), number + 1, f"the fixes make this line {line}")


def has_bad_and_good_code(folder: RuleFolder, rule: RuleType, at: Failure) -> Iterator[Failure]:
    """Check that a rule has a fixture in which it is expected, and one without findings."""
    where = folder.folder_of(rule)
    bad = (path.read_text(encoding="utf-8") for path in folder.files(rule, "bad"))
    if not any(mark.code == rule.code for text in bad for mark in expected(text)):
        message = f"no file {where.name}/bad… has a line with # expect: {rule.code}"
        yield at._replace(message=message)
    if not folder.files(rule, "good"):
        yield at._replace(message=f"there is no file {where.name}/good…")


def has_fixes(rule: RuleType, fixtures: Sequence[Fixture]) -> bool:
    """Check whether a rule makes fixes in some of its fixtures."""
    return any(each.fix and each.code == rule.code for it in fixtures for each in it.findings)


def fixes_are_shown(
    folder: RuleFolder, rule: RuleType, fixtures: Sequence[Fixture], at: Failure
) -> Iterator[Failure]:
    """Check that a rule with fixes has a fixture that shows what they make."""
    if has_fixes(rule, fixtures) and not folder.files(rule, "fixed"):
        where = folder.folder_of(rule).name
        yield at._replace(message=f"it has fixes, but there is no file {where}/fixed…")
