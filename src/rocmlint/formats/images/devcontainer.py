"""devcontainer.json: its image, and the commands that it runs; JSON with comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.model import Command, Parts, Problem, Step, Word
from rocmlint.formats.readers import jsonc, yaml
from rocmlint.formats.scripts.shell.script import commands_of
from rocmlint.formats.scripts.shell.word_list import Item, commands_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSIDE = (
    *("onCreateCommand", "updateContentCommand", "postCreateCommand", "postStartCommand"),
    "postAttachCommand",
)
_OUTSIDE = "initializeCommand"
_VARIABLE = re.compile(r"\$\{(?:localEnv|containerEnv|\w*[wW]orkspaceFolder)[^}]*\}")
"""What the tool replaces, beside what the shell does."""


def parse(text: str) -> Parts:
    """Read a devcontainer.json, lines ended by ``\\n``."""
    root = jsonc.read(text)
    if isinstance(root, Problem):
        return Parts(problems=(root,))
    if root is None:
        return Parts()
    image = _image(root)
    commands: list[Command] = []
    for number, key in enumerate((_OUTSIDE, *_INSIDE)):
        inside = key in _INSIDE
        step = Step(number, image if inside else None)
        for each in _run_by(root.get(key)):
            commands += _commands(each, step)
    return Parts(
        commands=tuple(sorted(commands, key=lambda each: each.span)),
        images=() if image is None else (image,),
    )


def _image(root: yaml.Mapping) -> Word | None:
    value = root.get("image")
    if not isinstance(value, yaml.Scalar) or not value.text.text:
        return None
    return Word(value.text.text, value.text.span(), known="${" not in value.text.text)


def _run_by(value: yaml.Value | None) -> Iterator[yaml.Scalar | yaml.Sequence]:
    """Yield the commands at a key: one, or several with names that run side by side."""
    if isinstance(value, yaml.Mapping):
        for _, each in value.pairs:
            yield from _run_by(each) if not isinstance(each, yaml.Mapping) else ()
    elif value is not None:
        yield value


def _commands(value: yaml.Scalar | yaml.Sequence, step: Step) -> list[Command]:
    if isinstance(value, yaml.Scalar):
        if value.text.text == "null":
            return []
        return commands_of(value.text.with_unknown(_VARIABLE), step=step)
    texts = (each.text for each in value.values if isinstance(each, yaml.Scalar))
    items = [Item.of(each.with_unknown(_VARIABLE)) for each in texts]
    return commands_in(items, items[0].word.span, {}, step) if items else []
