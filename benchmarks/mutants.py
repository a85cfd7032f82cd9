"""Changed texts: some mean the same to Python, the others are whatever the dice give."""

import random
import re
from typing import NamedTuple

from rocmlint.text.text import LEXEME, Text

TOKEN = re.compile(rf"{LEXEME}|\w+|[ \t]+|\n|.", re.DOTALL)
WORD = re.compile(r"\w+|[^\w\s]|\s+")
_LINES_BEFORE_STATEMENTS = ("\\\n", "{indent}\\\n", "\\\n\\\n", "{indent}\f\\\n", "{indent}\\\n\f")
_BEFORE_STATEMENTS = ("\f", "\f\f")
_BETWEEN_TOKENS = ("\t", "\f", "\t\f", "\\\n", " \\\n\t")
_ODD = (
    *("\0", "\r", "\x0b", "\f", "\t", "\\", "\\\n", "\n", "\u200c", "\u200d", "\u200b", "\u00a0"),
    *("\u2028", "\x85", "\x1c", "\ufeff", "é", "²", "\x1b", "'", '"', '"""', "#", "(", ")"),
    *("[", "]", "{", "}", ":", ";", ",", "=", "@", "$", "%", "!", "-", "|", "&", "<", ">", "?"),
    *("$(", "${", "`", "<<EOF\n", "&&", "~", "  ", "\udcff", "- ", ": ", "://", "==", ".*", "'''"),
)


class Seed(NamedTuple):
    """A file to begin with; ``text`` has ``\\n`` line ends, and of a notebook is its JSON."""

    path: str
    text: str


class Mutant(NamedTuple):
    """A changed text; each change put ``text`` in the place of ``length`` characters."""

    text: str
    changes: tuple[tuple[int, int, str], ...]

    @property
    def data(self) -> bytes:
        """The bytes of the file, some of which no encoding has."""
        return self.text.encode(errors="surrogateescape")

    def moved(self, offset: int) -> int:
        """Return where a character of the original stands now."""
        return offset + sum(
            len(text) - length for start, length, text in self.changes if start <= offset
        )


def neutral(seed: Seed, dice: random.Random) -> Mutant:
    """Put in what Python does not mind; not every try succeeds."""
    text, code = seed.text, Text(seed.text).code
    starts = [match.start() for match in re.finditer(r"^[ \t]*(?=[^\s#])", code, re.MULTILINE)]
    gaps = [match.start() for match in re.finditer(r"(?<=\S) (?=\S)", code)]
    gaps += [match.start() for match in re.finditer(r"(?<=\w)(?=[^\w\s])|(?<=[^\w\s])(?=\w)", code)]
    changes: dict[int, tuple[int, int, str]] = {}
    for _ in range(dice.choice((1, 1, 2, 4))):
        if dice.random() < 0.5 or not gaps:
            start = dice.choice(starts)
            indent = code[start : len(code) - len(code[start:].lstrip(" \t"))]
            pattern = dice.choice((*_LINES_BEFORE_STATEMENTS, *_BEFORE_STATEMENTS))
            changes[start] = (start, 0, pattern.format(indent=indent))
        else:
            start = dice.choice(gaps)
            changes[start] = (start, int(text[start] == " "), dice.choice(_BETWEEN_TOKENS))
    return changed(text, changes)


def wild(seed: Seed, dice: random.Random, token: re.Pattern[str]) -> Mutant:
    """Delete, double, exchange and put in whatever there is."""
    parts = token.findall(seed.text)
    for _ in range(dice.choice((1, 1, 2, 3, 8))):
        at = dice.randrange(len(parts)) if parts else 0
        action = dice.randrange(6)
        if action == 0:
            del parts[at : at + dice.choice((1, 1, 2, 20))]
        elif action == 1:
            parts.insert(at, dice.choice(parts or [""]))
        elif action == 2 and parts:
            other = dice.randrange(len(parts))
            parts[at], parts[other] = parts[other], parts[at]
        elif action == 3 and parts:
            place = dice.randrange(len(parts[at]) + 1)
            parts[at] = parts[at][:place] + dice.choice(_ODD) + parts[at][place:]
        elif action == 4:
            parts[at:at] = [*parts[at : at + dice.randrange(1, 30)]]
        else:
            parts.insert(at, dice.choice(_ODD))
    return Mutant("".join(parts), ())


def changed(text: str, changes: dict[int, tuple[int, int, str]]) -> Mutant:
    """Make the changes, which stand at different places of the original."""
    ordered = tuple(changes[start] for start in sorted(changes))
    for start, length, new in reversed(ordered):
        text = text[:start] + new + text[start + length :]
    return Mutant(text, ordered)
