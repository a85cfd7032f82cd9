"""Commands that are given as a list of words, which no shell reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.model import Command, Step, Word
from rocmlint.formats.scripts.shell.script import commands_of
from rocmlint.formats.scripts.shell.wrappers import brought, script, unwrapped
from rocmlint.text.text import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocmlint.formats.readers.excerpt import Excerpt


_WORD = re.compile(r"(?:\"[^\"]*\"|'[^']*'|[^\s\"'])+")


class Item(NamedTuple):
    """A word, and its characters' places where it is a string."""

    word: Word
    excerpt: Excerpt | None = None

    @classmethod
    def of(cls, excerpt: Excerpt) -> Item:
        """Make the item of a string."""
        quoted = not excerpt.is_literal(0, len(excerpt.text))
        return cls(Word(excerpt.text, excerpt.span(), not excerpt.unknown, quoted), excerpt)


def split(text: Excerpt) -> list[Item]:
    """Split a command at blanks as shlex does, but for escapes; no shell reads it."""
    return [_item(text.part(*match.span())) for match in _WORD.finditer(text.text)]


def _item(written: Excerpt) -> Item:
    text, quote = written.text, written.text[0]
    is_string = quote in "\"'" and text.endswith(quote) and text.count(quote) == 2
    quoted = "'" in text or '"' in text or not written.is_literal(0, len(text))
    plain = text[1:-1] if is_string else text.replace('"', "").replace("'", "")
    word = Word(plain, written.span(), known=not written.unknown, quoted=quoted)
    return Item(word, written.part(1, len(text) - 1) if is_string else None)


def commands_in(
    items: Sequence[Item],
    span: Span,
    variables: Mapping[str, str | None],
    step: Step | None = None,
) -> list[Command]:
    """Return the command of a list of words, and those of a script that it gives to a shell.

    ``span`` is the command's place where its words stand in no order.
    """
    written = [item.word for item in items]
    words, own = unwrapped(written)
    variables = {**variables, **own}
    step = step or Step()
    found: list[Command] = []
    for part in filter(None, (brought(written, words), words)):
        first, last = part[0].span, part[-1].span
        place = span if last < first else Span(*first[:2], *last[2:])
        found.append(
            Command(
                tuple(part), place, shell=False, variables=variables, step=step, folder=step.folder
            )
        )
    index = script([item.word for item in items])
    inner = None if index is None else items[index].excerpt
    return found if inner is None else [*found, *commands_of(inner, variables, step, depth=1)]
