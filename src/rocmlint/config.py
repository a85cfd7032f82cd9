"""[tool.rocmlint] in the nearest pyproject.toml or rocmlint.toml, turned into settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Settings(NamedTuple):
    """What decides how a file is linted; a named tuple, since every start needs it.

    Paths are absolute; patterns are gitignore patterns relative to ``root``.
    """

    root: str = ""
    """The folder of the configuration file, else the working folder."""
    select: tuple[str, ...] = ("ROC",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    preview: bool = False
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    rules: tuple[str, ...] = ()
    """Folders of local rules."""
    rule_options: Mapping[str, Mapping[str, object]] = {}
    """Options of rules, by rule name; all values, defaults included where they were not set."""
    baseline: str | None = None
    check_syntax: bool = False
    """Parse every file, also those in which no rule has work."""
