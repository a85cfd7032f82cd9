"""Commands that are given as a list of words, which no shell reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.model import Command, Step, Word
from rocmlint.formats.shell.script import commands_of
from rocmlint.formats.shell.wrappers import script, unwrapped
from rocmlint.text.text import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocmlint.formats.excerpt import Excerpt


class Item(NamedTuple):
    """A word, and its characters' places where it is a string."""

    word: Word
    excerpt: Excerpt | None = None

    @classmethod
    def of(cls, excerpt: Excerpt) -> Item:
        """Make the item of a string."""
        quoted = not excerpt.is_literal(0, len(excerpt.text))
        return cls(Word(excerpt.text, excerpt.span(), not excerpt.unknown, quoted), excerpt)


def commands_in(
    items: Sequence[Item],
    span: Span,
    variables: Mapping[str, str | None],
    step: Step | None = None,
) -> list[Command]:
    """Give the command of a list of words, and those of a script that it gives to a shell.

    ``span`` is the command's place where its words stand in no order.
    """
    words, own = unwrapped([item.word for item in items])
    if not words:
        return []
    first, last = words[0].span, words[-1].span
    place = span if last < first else Span(*first[:2], *last[2:])
    variables = {**variables, **own}
    step = step or Step()
    found = [
        Command(
            tuple(words), place, shell=False, variables=variables, step=step, folder=step.folder
        )
    ]
    index = script([item.word for item in items])
    inner = None if index is None else items[index].excerpt
    return found if inner is None else [*found, *commands_of(inner, variables, step, depth=1)]
