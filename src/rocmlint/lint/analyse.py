"""One file, from its bytes to what is reported of it."""

from __future__ import annotations

import ast
import os
import re
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.findings import Finding
from rocmlint.lint.scan import Scanner
from rocmlint.lint.text import LEXEME, decode
from rocmlint.registry import load_rules
from rocmlint.selection import enabled_rules, ignored_codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocmlint.config import Settings
    from rocmlint.lint.source import Source
    from rocmlint.rule import Rule

MAXIMUM_BYTES = 5_000_000
"""A larger file with work for a rule is refused: it is data, and would take the memory of many."""

_LEXEME = re.compile(LEXEME.encode(), re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_PAIRS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))


class Analysis(NamedTuple):
    """What one file gave."""

    findings: Sequence[Finding] = ()
    problems: Sequence[str] = ()
    looked_at: Mapping[str, bool] = {}


class Linter:
    """The rules that some settings switch on, ready to look at files."""

    def __init__(self, settings: Settings) -> None:
        """Load the rules. Raises ConfigError where they cannot be loaded."""
        self.settings = settings
        self.rules = enabled_rules(settings)
        self._known = load_rules(settings.rules)
        self._scanner = Scanner(self.rules)

    def has_work(self, data: bytes) -> bool:
        """Say whether a file must be looked at; most are done with this."""
        return self.settings.check_syntax or looks_broken(data) or bool(self._scanner.scan(data))

    def analyse(self, path: str, data: bytes, *, noqa: bool = True) -> Analysis:
        """Lint the bytes of a file."""
        if len(data) > MAXIMUM_BYTES:
            reason = f"has {len(data) / 1e6:.0f} MB, too much for source code: exclude it"
            return self.unreadable(path, reason)
        try:
            text = decode(data)
        except (SyntaxError, ValueError) as error:
            return self.unreadable(path, f"cannot be decoded: {error}")
        return self.analyse_text(path, text, noqa=noqa)

    def analyse_text(self, path: str, text: str, *, noqa: bool = True) -> Analysis:
        """Lint decoded text; with ``noqa`` false only our own suppressions count."""
        from rocmlint.lint.pieces import UnparsableError  # noqa: PLC0415 - the first with LibCST
        from rocmlint.lint.source import Source  # noqa: PLC0415
        from rocmlint.lint.suppress import suppress  # noqa: PLC0415

        source = Source(path, text)
        data = text.encode(errors="replace")
        rules = self._scanner.scan(data)
        enabled = self._enabled(path)
        problems: list[str] = []
        try:
            if self.settings.check_syntax or looks_broken(data):
                _parse(source)
            findings, problems = _check(source, [rule for rule in rules if rule in enabled])
        except UnparsableError as error:
            reason = f"cannot be parsed: {error.reason}"
            findings = list(self.unreadable(path, reason, error.line, error.column).findings)
        findings = suppress(source, findings, enabled, self._known, noqa=noqa)
        return Analysis(findings, problems, source.looked_at)

    def unreadable(self, path: str, reason: str, line: int = 1, column: int = 1) -> Analysis:
        """Report a file that cannot be linted."""
        rule = next((rule for rule in self._enabled(path) if rule.code == "ROC900"), None)
        if rule is None:
            return Analysis()
        place = (line, column, line, column)
        message = f"This file {reason}; nothing in it was checked."
        return Analysis([Finding(path, *place, rule.code, rule.name, message, rule.severity)])

    def _enabled(self, path: str) -> list[Rule[Any]]:
        ignored = ignored_codes(self.settings, _from(self.settings.root, path))
        return [rule for rule in self.rules if rule.code not in ignored]


def looks_broken(data: bytes) -> bool:
    """Say whether a file shows signs of broken syntax: cheap, and enough to look closer.

    Most files are never parsed (see the module :mod:`rocmlint.lint.pieces`). The usual accidents
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


def _check(source: Source, rules: list[Rule[Any]]) -> tuple[list[Finding], list[str]]:
    """Run the rules; a mistake in one must not hide what the others find."""
    from rocmlint.lint.check import check  # noqa: PLC0415 - loads LibCST
    from rocmlint.lint.pieces import UnparsableError  # noqa: PLC0415

    try:
        return check(source, rules), []
    except UnparsableError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
        if len(rules) == 1:
            return [], [_internal_error(source.path, rules[0], error)]
    results = [_check(source, [rule]) for rule in rules]
    found = [finding for findings, _ in results for finding in findings]
    return found, [problem for _, problems in results for problem in problems]


def _internal_error(path: str, rule: Rule[Any], error: Exception) -> str:
    return (
        f"{path}: internal error in {rule.code}, please report it: {type(error).__name__}: {error}"
    )


def _from(root: str, path: str) -> str:
    return os.path.relpath(os.path.abspath(path), root or os.getcwd()).replace(os.sep, "/")
