"""One option: what the command line, the configuration, their docs and their schema are made of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

OptionType = Literal["boolean", "integer", "string", "strings", "path", "paths", "table of strings"]


class Option(NamedTuple):
    """An option's type, default and meaning; a named tuple, since every start needs it.

    ``choices`` are the allowed values (of each item, for lists), empty for any. An option with a
    ``group`` is a flag too, listed under that heading by ``--help``; ``metavar`` stands for its
    value there.
    """

    type: OptionType
    default: object
    help: str
    choices: tuple[str, ...] = ()
    group: str = ""
    metavar: str = ""


_SHORT = 4
_LIKENESS_OF_SHORT = 0.6

_WANTED: dict[OptionType, str] = {
    "boolean": "true or false",
    "integer": "a whole number",
    "string": "a string",
    "strings": "a list of strings",
    "path": "a path (a string)",
    "paths": "a list of paths (strings)",
    "table of strings": "a table whose values are lists of strings",
}


def type_name(kind: OptionType) -> str:
    """Return what people call a type of values: ``list of strings``."""
    return _WANTED[kind].removeprefix("a ").partition(" (")[0]


def problem(name: str, option: Option, value: object) -> str | None:
    """Return what is wrong with a value for the option of this name; None if it is valid."""
    if not _fits(option.type, value):
        return f"{name} must be {_WANTED[option.type]}, not {value!r}"
    for item in value if isinstance(value, (list, tuple)) else (value,):
        if option.choices and item not in option.choices:
            listed = ", ".join(option.choices)
            near = did_you_mean(str(item), option.choices)
            return f"invalid value {item!r} for {name} (choose from {listed}){near}"
    return None


def converted(option: Option, value: Any, folder: str) -> object:
    """Turn a value that fits into the one that settings hold; paths are relative to a folder."""
    if option.type == "path":
        return _absolute(value, folder)
    if option.type == "paths":
        return tuple(_absolute(each, folder) for each in value)
    if option.type == "strings":
        return tuple(value)
    if option.type == "table of strings":
        return tuple((key, tuple(items)) for key, items in value.items())
    return value


def schema(option: Option, item: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the JSON schema of an option's values; ``item`` is that of each string in them."""
    if item is None:
        item = {"type": "string"}
    if option.choices:
        item["enum"] = list(option.choices)
    items = {"type": "array", "items": item}
    if option.type in {"string", "path"}:
        found = item
    elif option.type in {"strings", "paths"}:
        found = items
    elif option.type == "table of strings":
        found = {"type": "object", "additionalProperties": items}
    else:
        found = {"type": option.type}
    if option.default is not None:
        found["default"] = plain(option.default, option)
    return {**found, "description": option.help}


def described(name: str, option: Option) -> dict[str, Any]:
    """Return what JSON documents say of an option."""
    return {
        "name": name,
        "type": option.type,
        "default": plain(option.default, option),
        "choices": list(option.choices),
        "help": option.help,
    }


def plain(value: Any, option: Option) -> Any:
    """Turn a value of settings back into what JSON and TOML write."""
    if option.type == "table of strings":
        return {key: list(items) for key, items in value}
    return list(value) if isinstance(value, tuple) else value


def as_toml(value: object) -> str:
    """Return a value as TOML writes it, which for all but tables is as JSON does."""
    import json  # noqa: PLC0415 - few runs print settings

    if isinstance(value, dict):
        entries = ", ".join(f"{json.dumps(key)} = {as_toml(each)}" for key, each in value.items())
        return f"{{ {entries} }}" if entries else "{}"
    return json.dumps(value)


def did_you_mean(word: str, known: Iterable[str], likeness: float = 0.5) -> str:
    """Return the end of a message that names the nearest right word, empty if none is near.

    ``likeness`` (0 to 1) is how near; long words that begin alike need more, and so do short ones,
    which have half of their letters in common with many.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only mistakes pay for it

    if len(word) <= _SHORT:
        likeness = max(likeness, _LIKENESS_OF_SHORT)
    by_key = {_key(each): each for each in known}
    near = get_close_matches(_key(word), by_key, n=1, cutoff=likeness)
    return f"; did you mean {by_key[near[0]]!r}?" if near else ""


def _key(word: str) -> str:
    return word.lower().replace("_", "-")


def _fits(kind: OptionType, value: object) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind in {"string", "path"}:
        return isinstance(value, str)
    if kind in {"strings", "paths"}:
        return _is_list_of_strings(value)
    return isinstance(value, dict) and all(_is_list_of_strings(each) for each in value.values())


def _is_list_of_strings(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)


def _absolute(path: str, folder: str) -> str:
    return os.path.normpath(os.path.join(folder, os.path.expanduser(path)))
