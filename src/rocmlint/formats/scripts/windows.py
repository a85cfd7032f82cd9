"""Scripts of Windows' shells, read with care: plain commands, and nothing that is computed.

PowerShell and cmd differ in their signs; what one of them makes of a line is in its own module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.formats.model import Branch, Command, Index, Step, Word
from rocmlint.formats.scripts.handed_on import is_install, names_command, names_index
from rocmlint.formats.scripts.shell.wrappers import unwrapped
from rocmlint.text.text import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rocmlint.formats.readers.excerpt import Excerpt
    from rocmlint.formats.scripts.recipes import Values

_GO_ON = frozenset({"else", "elseif", "catch"})
_KEYWORDS = _GO_ON | {
    *("if", "for", "foreach", "while", "do", "switch", "try", "finally", "function", "param"),
    *("return", "goto", "exit", "throw"),
}
"""Words that open a block, or end a script, and are no programs."""
_DEEPEST = 100
"""Blocks around a command that are known of; each command has its own list of them."""
_WORD = re.compile(r"\S+")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


@dataclass(frozen=True)
class Shell:
    """How a shell of Windows reads a script."""

    token: re.Pattern[str]
    """Matches what stands in a script one behind the other: ``skipped`` (comments, blanks),
    ``end`` of a command, brackets that ``open`` and ``close`` a block, a ``word``."""
    escape: str
    quotes: str
    """The quotes that it takes off."""
    literal: str
    """The quote in which no variable is replaced."""
    assigned: Callable[[list[Excerpt]], tuple[str, Excerpt | None] | None]
    """Gives the variable that a command sets, with its value; None for commands that set none."""
    called: frozenset[str]
    """Words before a command that only run it."""
    handed_on: Callable[[list[Excerpt]], tuple[str, list[Excerpt]] | None]
    """Gives the variable that a command sets for the programs that the script starts, with the
    words of its value; None for commands that set none."""


@dataclass
class Reader:
    """Reads a script from top to bottom."""

    shell: Shell
    excerpt: Excerpt
    values: Values
    exported: set[str] = field(default_factory=set)
    blocks: list[Branch] = field(default_factory=list)
    """The blocks that the place is in."""
    last: Branch | None = None
    """The block that ended just before: ``else`` goes on with it."""
    keyword: str = ""
    """The one that the next block belongs to."""
    words: list[Excerpt] = field(default_factory=list)
    indexes: list[Index] = field(default_factory=list)
    """What is handed on as the URL of an index, complete after the last command."""

    def commands(self) -> Iterator[Command]:
        """Yield the commands, in order."""
        self._note_values()
        for match in self.shell.token.finditer(self.excerpt.text):
            if match["word"]:
                self.words.append(self.excerpt.part(*match.span()))
            elif match["open"]:
                yield from self._command()
                self._open(self.excerpt.span(*match.span()))
            elif match["close"]:
                yield from self._command()
                self.last = self.blocks.pop() if self.blocks else None
            elif match["end"]:
                yield from self._command()
        yield from self._command()

    def _note_values(self) -> None:
        """Note what variables hold: those that are set again hold what nobody can tell."""
        words: list[Excerpt] = []
        for match in (*self.shell.token.finditer(self.excerpt.text), None):
            if match is not None and match["word"]:
                words.append(self.excerpt.part(*match.span()))
            elif match is None or not match["skipped"]:
                assigned = self.shell.assigned(words) if words else None
                if assigned is not None:
                    name, value = assigned[0].lower(), assigned[1]
                    again = name in self.values.written
                    self.values.written[name] = None if again else value
                words = []

    def _open(self, place: Span) -> None:
        if self.keyword in _GO_ON and self.last is not None:
            self.blocks.append(Branch(self.last.block, self.last.arm + 1))
        else:
            self.blocks.append(Branch(place, 0))
        self.keyword = ""

    def _command(self) -> Iterator[Command]:
        words, self.words = self.words, []
        while words and words[0].text.lower() in self.shell.called:
            words = words[1:]
        if words and words[0].text.lower() in _KEYWORDS:
            self.keyword = words[0].text.lower()
            return
        if words and self.shell.assigned(words) is not None:
            words = self._handed_on(words)
        if not words:
            return
        found = [self._word(each, is_program=each is words[0]) for each in words]
        run, _ = unwrapped(found)
        if run:
            span = Span(*run[0].span[:2], *run[-1].span[2:])
            variables, branches = self._variables(), tuple(self.blocks[:_DEEPEST])
            yield Command(tuple(run), span, variables=variables, step=Step(), branches=branches)

    def _handed_on(self, words: list[Excerpt]) -> list[Excerpt]:
        """Return the command that a variable holds, or note the index: another program reads it.

        What the script itself uses counts there.
        """
        name, value = self.shell.handed_on(words) or ("", [])
        if names_command(name) and is_install(" ".join(each.text for each in value)):
            return value
        if names_index(name) and len(value) == 1 and not _is_used(name, self.excerpt.text):
            word = self._word(value[0], is_program=False)
            if word.known:
                self.indexes.append(Index(word.text, word.span))
        return []

    def _variables(self) -> Mapping[str, str | None]:
        return {name: self.values.resolved(name.lower()) for name in sorted(self.exported)}

    def _word(self, written: Excerpt, *, is_program: bool) -> Word:
        text = written.text
        quote = text[0] if text[0] in self.shell.quotes else ""
        whole = bool(quote) and len(text) > 1 and text.endswith(quote) and text.count(quote) == 2
        inner = written.part(1, len(text) - 1) if whole else written
        plain = inner if quote == self.shell.literal and whole else self.values.put_into(inner)
        unsure = bool(plain.unknown) or (not whole and self._is_unsure(text))
        value = plain.text.replace("\\", "/") if is_program else plain.text
        quoted = value != text
        return Word(value, written.span(), known=not unsure, quoted=quoted)

    def _is_unsure(self, text: str) -> bool:
        """Return whether signs stand in a word that mean more than themselves."""
        marks = (self.shell.escape, *self.shell.quotes)
        return text.startswith("@") or any(map(text.__contains__, (*marks, "<", ">")))


def _is_used(name: str, text: str) -> bool:
    """Return whether a script reads a variable: ``%NAME%``, ``!NAME!``, ``$env:NAME``."""
    pattern = rf"[%!]{name}[%!]|\$\{{?env:{name}\b(?!\s*=)"
    return re.search(pattern, text, re.IGNORECASE) is not None


def words_in(text: Excerpt) -> list[Excerpt]:
    """Return the words of a text, split at blanks."""
    return [text.part(*match.span()) for match in _WORD.finditer(text.text)]


def value_of(words: Sequence[Excerpt], quotes: str) -> Excerpt | None:
    """Return the one word that a variable is set to, without its quotes; None for all else."""
    if len(words) != 1:
        return None
    (written,) = words
    text = written.text
    if text[0] in quotes:
        whole = len(text) > 1 and text.endswith(text[0]) and text.count(text[0]) == 2
        return written.part(1, len(text) - 1) if whole else None
    return None if _QUOTED.search(text) else written
