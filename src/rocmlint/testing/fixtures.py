"""The fixtures of rules: where they are, what is marked in them, and copies that can be linted.

A rule ``<folder>/slow_copy.py`` has its fixtures in ``fixtures/slow_copy/``: what is called
``bad…`` has findings, each marked with ``# expect: CODE`` at the end of its line, and behind the
code its severity where that is not the rule's (``# expect: CODE note``); ``good…`` has none;
``fixed…`` is the ``bad…`` of the same name after all fixes. Each is a file, or a directory
with the files of a project.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.errors import ConfigError
from rocmlint.lint.discovery.discover import is_linted
from rocmlint.paths import shown
from rocmlint.rule.local import is_local
from rocmlint.rule.page import EXPECT, MARK
from rocmlint.rule.places import file_of
from rocmlint.rule.registry import load_rules
from rocmlint.rule.rule_files import built_in_folder, fixtures_folder

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from rocmlint.rule.registry import RuleType


_MARK = re.compile(MARK)


class RuleFolder:
    """The rules in a directory, and their fixtures."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Load the rules. Raises ConfigError, which is RuleError for a mistake in a rule."""
        self.path = Path(folder).resolve()
        self._is_built_in = self.path == Path(built_in_folder()).resolve()
        rules = load_rules(() if self._is_built_in else (str(self.path),))
        self.rules = [each for each in rules if is_local(each) != self._is_built_in]
        if not self.rules:
            message = f"{shown(str(self.path))}: there are no rules in this directory"
            raise ConfigError(message)

    @cached_property
    def fixtures(self) -> Path:
        """The directory with the fixtures of all rules."""
        return Path(fixtures_folder(str(self.path)))

    def place_of(self, rule: RuleType) -> str:
        """Return the path of a rule's file from the directory, without its suffix."""
        return Path(file_of(rule)).resolve().relative_to(self.path).with_suffix("").as_posix()

    def folder_of(self, rule: RuleType) -> Path:
        """Return the directory with the fixtures of a rule."""
        return self.fixtures / self.place_of(rule)

    def files(self, rule: RuleType, kind: str) -> list[Path]:
        """Return the fixtures of one kind that are linted, whatever their format."""
        return sorted(
            path
            for top in self.folder_of(rule).glob(f"{kind}*")
            for path in ([top] if top.is_file() else top.rglob("*"))
            if path.is_file() and is_linted(path.as_posix())
        )

    def options(self, rule: RuleType) -> dict[str, Any]:
        """Return the options with which the code for a rule is linted.

        A team's fixtures are linted with its own rules: a new version of rocmlint changes nothing.
        """
        options: dict[str, Any] = {"preview": True}
        if self._is_built_in:
            return options | ({"profile": rule.profile} if rule.profile else {})
        codes = [each.code for each in self.rules]
        return options | {"rules": [str(self.path)], "select": codes}

    @cached_property
    def _copies(self) -> TemporaryDirectory[str]:
        return TemporaryDirectory(prefix="rocmlint-rules-")

    def copy_of(self, rule: RuleType, path: Path) -> Path:
        """Return a copy of a fixture without its marks, in a project of its own."""
        inside = path.relative_to(self.folder_of(rule))
        root = Path(self._copies.name, self.place_of(rule))
        top = root / inside.parts[0]
        if not top.exists():
            _copy(self.folder_of(rule) / inside.parts[0], top)
        return top / inside.name if len(inside.parts) == 1 else root / inside


class Expected(NamedTuple):
    """A finding that a mark asks for; ``severity`` is empty for that of the rule."""

    line: int
    code: str
    severity: str


def expected(text: str) -> list[Expected]:
    """Return the findings that are marked in a text."""
    return [
        Expected(number, found["code"], found["severity"] or "")
        for number, line in enumerate(text.split("\n"), 1)
        for match in EXPECT.finditer(line)
        for found in _MARK.finditer(match["marks"])
    ]


def _copy(original: Path, project: Path) -> None:
    """Copy a file into a directory, or the files of one, as a project without marks."""
    (project / ".git").mkdir(parents=True)
    for path in _files(original):
        copy = project / (path.name if path == original else path.relative_to(original))
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            copy.write_text(EXPECT.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")
        except UnicodeDecodeError:
            copyfile(path, copy)


def _files(top: Path) -> Iterator[Path]:
    return filter(Path.is_file, [top] if top.is_file() else top.rglob("*"))
