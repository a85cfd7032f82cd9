"""Where the commands of a shell run: what WORKDIR, ``working-directory`` and ``cd`` lead to."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.formats.model import Word

_OF_PROJECT = re.compile(
    r"dirname|BASH_SOURCE|SCRIPT|ROOT|REPO|PROJECT|WORKSPACE|pwd", re.IGNORECASE
)
"""What stands in words for the folder of the script, or that of the project around it."""
_OF_HOME = re.compile(r"[\"']?\$(?:HOME\b|\{HOME\})/")
"""Where checkouts of other projects lie."""
_BELOW = re.compile(r"[\"']?\$(?:\w+|\{\w+\})[\"']?/(?P<path>\w[\w./-]*)[\"']?")
"""A folder below one that a variable names."""


def entered(folder: str | None, target: str) -> str | None:
    """Return the folder that a path leads to; None where that is unknown.

    What lies above the folder that nobody has chosen is as little known as that: "".
    """
    if target.startswith("/"):
        return posixpath.normpath(f"/{target.lstrip('/')}")
    if folder is None or target.startswith("~"):
        return None
    path = posixpath.normpath(posixpath.join(folder, target))
    return "" if path == "." or path.startswith("..") else path


def led_to(folder: str | None, written: str, *, known: bool) -> str | None:
    """Return the folder that a word leads to, of which only the run may know a part."""
    if known:
        return entered(folder, written)
    below = _BELOW.fullmatch(written)
    named = written if below is None else written[: below.start("path")]
    if not _OF_PROJECT.search(named) or _OF_HOME.match(written):
        return None
    return "" if below is None else entered("", below["path"])


@dataclass
class Folders:
    """The folder at a place of a script, which is read from top to bottom."""

    here: str | None
    before: str | None = ""
    pushed: list[str | None] = field(default_factory=list)
    subshells: list[tuple[int, str | None]] = field(default_factory=list)
    """Where the subshells end that the place is in, and the folder that each was started in."""

    def begin_subshell(self, end: int) -> None:
        """Note that what changes the folder counts up to a place only."""
        self.subshells.append((end, self.here))

    def go_on_to(self, place: int) -> None:
        """Leave the subshells that end before a place."""
        while self.subshells and place >= self.subshells[-1][0]:
            _, self.here = self.subshells.pop()

    def follow(self, words: Sequence[Word]) -> None:
        """Change the folder where a command does."""
        if words[0].text not in {"cd", "pushd", "popd"}:
            return
        started, operands = self.here, [each for each in words[1:] if not _is_option(each)]
        if words[0].text == "popd":
            self.here = self.pushed.pop() if self.pushed else ""
        elif not operands:
            self.here = None  # home
        elif operands[0].text == "-":
            self.here = self.before
        else:
            self.here = led_to(self.here, operands[0].text, known=operands[0].known)
        if words[0].text == "pushd":
            self.pushed.append(started)
        self.before = started


def _is_option(word: Word) -> bool:
    return word.text.startswith("-") and word.text != "-"
