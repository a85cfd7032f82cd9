"""One option: what the command line, the configuration, their docs and their schema are made of."""

from __future__ import annotations

from typing import Literal, NamedTuple

OptionType = Literal["boolean", "integer", "string", "strings", "table of strings"]


class Option(NamedTuple):
    """An option's type, default and meaning; a named tuple, since every start needs it.

    ``choices`` are the allowed values (of each item, for lists), empty for any.
    """

    type: OptionType
    default: object
    help: str
    choices: tuple[str, ...] = ()
