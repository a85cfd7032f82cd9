"""Which top-level statements of a file may bind a name, told from the text without a parser."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.syntax.blocks import Block
    from rocmlint.syntax.partial_parse import Pieces
    from rocmlint.text.text import Text

_DEFINITIONS = ("@", "def ", "class ", "async def ")
_DEFINED = re.compile(r"\b(?:def|class)[\s\\]+(\w+)")
_WORD = re.compile(r"[^\W\d]\w*")
_BOUND_WORD = re.compile(r"[^\W\d]\w*(?!\w|[ \t]*[.(\[])")
_GLOBAL = re.compile(r"global(?:[ \t]|\\\n)+((?:[\w \t,]|\\\n)+)")


class Outline:
    """The top-level statements of one file by the names that they may bind."""

    def __init__(self, text: Text, pieces: Pieces) -> None:
        """Take the file."""
        self._text = text
        self._pieces = pieces

    def blocks(self, name: str) -> list[Block]:
        """Return the statements that may bind a name; some of them may not."""
        return self._blocks.get(name, [])

    def only_defines(self, name: str) -> bool:
        """Return whether functions and classes are all that binds a name."""
        return name in self._only_defined

    @cached_property
    def rebound(self) -> frozenset[str]:
        """The names that some function binds at module level with ``global``."""
        return frozenset(
            name for match in _GLOBAL.finditer(self._text.code) for name in _WORD.findall(match[1])
        )

    @cached_property
    def _blocks(self) -> dict[str, list[Block]]:
        found: dict[str, list[Block]] = {}
        for block in self._pieces.statements:
            for name in dict.fromkeys(self._names(block)):
                found.setdefault(name, []).append(block)
        return found

    @cached_property
    def _only_defined(self) -> frozenset[str]:
        by_name = self._blocks.items()
        return frozenset(name for name, them in by_name if all(map(self._is_definition, them)))

    def _is_definition(self, block: Block) -> bool:
        return self._text.code[block.start : block.end].lstrip().startswith(_DEFINITIONS)

    def _names(self, block: Block) -> Iterator[str]:
        code = self._text.code[block.start : block.end].lstrip()
        if code.startswith(_DEFINITIONS):
            definition = _DEFINED.search(code)
            if definition is not None:
                yield definition[1]
        else:
            yield from _DEFINED.findall(code)
            # What is called, indexed or looked into is used, not bound; but imports have dots.
            yield from (_WORD if "import" in code else _BOUND_WORD).findall(code)
