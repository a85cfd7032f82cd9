"""The code blocks of documents that are for a shell: what is typed in them, and what it does."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.formats.model import Parts, Step
from rocmlint.formats.scripts.recipes import continued, joined
from rocmlint.formats.scripts.shell import script as shell
from rocmlint.formats.scripts.shell.limits import too_much

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.formats.readers.excerpt import Excerpt

SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console", "shell-session", "sh-session"})
"""How blocks for a shell are marked."""
_PROMPT = re.compile(r"[ \t>]*\$[ \t]+")


def parts_of(blocks: Iterable[list[Excerpt]]) -> Parts:
    """Read the blocks of a document, each the lines of one."""
    scripts = [list(_typed(lines)) for lines in blocks]
    read = [_read(joined(lines), number) for number, lines in enumerate(scripts) if lines]
    return Parts(
        commands=tuple(each for parts in read for each in parts.commands),
        settings=tuple(each for parts in read for each in parts.settings),
    )


def _read(script: Excerpt, number: int) -> Parts:
    """Read one block; what it sets holds for itself alone, as people may run others instead."""
    if not script.text.strip() or too_much(script.text):
        return Parts()
    parts = shell.parts_of(script, Step(number))
    own = script.span()
    held = (replace(each, holder=each.holder or own) for each in parts.settings)
    return replace(parts, settings=tuple(held))


def _typed(lines: list[Excerpt]) -> Iterator[Excerpt]:
    """Yield what is typed: where prompts are shown, all other lines are what programs print."""
    if not any(_PROMPT.match(line.text) for line in lines):
        yield from lines
        return
    for command in continued(lines):
        prompt = _PROMPT.match(command[0].text)
        if prompt is not None:
            yield command[0].part(prompt.end(), len(command[0].text))
            yield from command[1:]
