"""Reading configuration: TOML checked against the table of options, mistakes named with place."""

from __future__ import annotations

import os
import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.config.option import converted, did_you_mean, problem
from rocmlint.config.settings import OPTIONS
from rocmlint.disk.files import ON_DISK
from rocmlint.disk.state import data_of
from rocmlint.errors import ConfigError
from rocmlint.paths import shown as _shown
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocmlint.disk.files import Files

ADDED = frozenset(
    {"extend-select", "ignore", "exclude", "per-file-ignores", "extend-fixable", "unfixable"}
)
"""Keys that add to what they are laid over; all others replace it."""
SET_ASIDE = {"select": ("extend-select", "ignore"), "fixable": ("extend-fixable", "unfixable")}
"""Keys that set others aside which they are laid over."""

MAXIMUM_DEPTH = 100
"""How deep tables and lists may be nested: whoever prints or stores settings goes as deep."""


class Layer(NamedTuple):
    """The settings of one configuration file, and no others."""

    values: Mapping[str, Any]
    rule_options: Mapping[str, Mapping[str, object]]
    sources: tuple[str, ...] = ()
    origins: Mapping[str, tuple[ConfigPlace, ...]] = {}
    """The place that set each key; that of a rule's option is ``rule.option``."""


class ConfigPlace(NamedTuple):
    """A place in a configuration, for messages; lines are looked for in ``text``."""

    name: str
    text: str = ""
    extended_by: str = ""
    """The files that lead there, as the end of a message."""

    def error(self, message: str, word: str | None = None) -> ConfigError:
        """Make the error that names the place of a word."""
        return ConfigError(f"{self.where(word)}: {message}{self.extended_by}")

    def where(self, word: str | None) -> str:
        """Return the name with the line of a word, where that is known."""
        line = self.line_of(word)
        return f"{self.name}{f':{line}' if line else ''}"

    def extends(self) -> str:
        """Return what is added to a message about a file that this one extends."""
        return f" (extended by {self.where('extend')})"

    def line_of(self, word: str | None) -> int | None:
        """Return the first line, from 1, in rocmlint's part of the file that has the word."""
        if word is None:
            return None
        pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])" if word else "''|\"\"")
        shared = self.name.endswith("pyproject.toml")
        inside = not shared
        for number, line in enumerate(self.text.split("\n"), 1):
            if shared and line.startswith("["):
                inside = line.startswith("[tool.rocmlint")
            if inside and pattern.search(line.partition("#")[0]):
                return number
        return None


def read_file(path: str, above: tuple[str, ...] = (), files: Files = ON_DISK) -> Layer | None:
    """Read a configuration file and those that it extends.

    None for a pyproject.toml without ``[tool.rocmlint]``. Raises ConfigError.
    """
    path = os.path.abspath(path)
    shown = _shown(path)
    if path in above:
        message = f"{shown}: circular extend: {' -> '.join(map(_shown, (*above, path)))}"
        raise ConfigError(message)
    try:
        text = files.read(path).decode("utf-8-sig")  # Windows' editors write the mark
    except (OSError, ValueError) as error:
        message = f"{shown}: cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ConfigError(message) from error
    table: Any = parsed_toml(text, shown)
    if os.path.basename(path) == "pyproject.toml":
        tool = table.get("tool", {})
        if not isinstance(tool, dict) or "rocmlint" not in tool:
            return None
        table = tool["rocmlint"]
    place = ConfigPlace(shown, text)
    if not isinstance(table, dict):
        raise place.error("tool.rocmlint must be a table", "rocmlint")
    own = layer(table, os.path.dirname(path), place, (*above, path), files)
    return own._replace(sources=(*own.sources, path))


def read_argument(argument: str, folder: str) -> Layer:
    """Read what ``--config`` was given: a file, or a piece of TOML. Raises ConfigError."""
    if os.path.isfile(argument):
        found = read_file(argument)
        if found is None:
            message = f"--config {argument}: has no [tool.rocmlint]"
            raise ConfigError(message)
        return found
    if "=" not in argument:
        message = f"--config {argument}: neither a file nor a TOML setting (key = value)"
        raise ConfigError(message)
    place = ConfigPlace(f"--config {argument!r}")
    return layer(parsed_toml(argument, place.name), folder, place)


def layer(
    table: Mapping[str, Any],
    folder: str,
    place: ConfigPlace,
    above: tuple[str, ...] = (),
    files: Files = ON_DISK,
) -> Layer:
    """Check a table of options, with paths relative to a folder. Raises ConfigError.

    Tables that are no option are kept: they may belong to a rule (see rocmlint.lint.selection).
    """
    _refuse_other_version(table.get("required-version"), place)  # it may explain all that is wrong
    values: dict[str, object] = {}
    rule_options: dict[str, Mapping[str, object]] = {}
    for key, value in table.items():
        option = OPTIONS.get(key)
        if option is None and isinstance(value, dict) and key != "tool":
            rule_options[key] = value
            continue
        if option is None:
            raise place.error(_unknown_key(key), key)
        wrong = problem(key, option, value)
        if wrong is not None:
            raise place.error(wrong, key)
        values[key] = converted(option, value, folder)
    extended = values.pop("extend", None)
    keys = [*values, *(f"{rule}.{name}" for rule, given in rule_options.items() for name in given)]
    own = Layer(values, rule_options, origins=dict.fromkeys(keys, (place,)))
    if not isinstance(extended, str):
        return own
    try:
        below = read_file(extended, above, files)
    except ConfigError as error:
        message = f"{error}{place.extends()}"
        raise ConfigError(message) from error
    if below is None:
        raise place.error(f"extend: {_shown(extended)} has no [tool.rocmlint]", "extend")
    return combined((below, own))


def combined(layers: Sequence[Layer]) -> Layer:
    """Lay configurations over each other, the last on top."""
    values: dict[str, Any] = {}
    rule_options: dict[str, Mapping[str, object]] = {}
    sources: tuple[str, ...] = ()
    origins: dict[str, tuple[ConfigPlace, ...]] = {}
    for each in layers:
        for over, below in SET_ASIDE.items():
            for key in below if over in each.values else ():
                values.pop(key, None)
                origins.pop(key, None)
        for key, value in each.values.items():
            values[key] = (*values.get(key, ()), *value) if key in ADDED else value
        for rule, options in each.rule_options.items():
            rule_options[rule] = {**rule_options.get(rule, {}), **options}
        for key, places in each.origins.items():
            origins[key] = (*origins.get(key, ()), *places) if key in ADDED else places
        sources += each.sources
    return Layer(values, rule_options, sources, origins)


def place_of(word: str, sources: Iterable[str]) -> ConfigPlace:
    """Find which of some files has a word; where none has, it came with the command.

    In ``sources`` a file comes after the one that it extends.
    """
    texts = ((path, (data_of(path) or b"").decode("utf-8", "replace")) for path in sources)
    places = [ConfigPlace(_shown(path), text) for path, text in texts]
    for number, place in enumerate(places, 1):
        if place.line_of(word) is not None:
            above = takewhile(lambda each: each.line_of("extend") is not None, places[number:])
            return place._replace(extended_by="".join(each.extends() for each in above))
    return ConfigPlace("command line")


def _unknown_key(key: str) -> str:
    if key == "tool":
        return "here, keys are at the top level, without [tool.rocmlint]"
    return f"unknown key {key!r}{did_you_mean(key, OPTIONS)}"


def _refuse_other_version(required: object, place: ConfigPlace) -> None:
    """Raise ConfigError where a configuration is for another version than this one."""
    if not isinstance(required, str):
        return
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - few have it

    key = "required-version"
    try:
        wanted = SpecifierSet(f"=={required}" if required[:1].isdigit() else required)
    except InvalidSpecifier as error:
        message = f"{key}: {required!r} is not a valid version specifier, such as '>=1.2'"
        raise place.error(message, key) from error
    if not wanted.contains(__version__, prereleases=True):
        message = f"{key} is {required!r}, but this is rocmlint {__version__}"
        raise place.error(message, key)


def parsed_toml(text: str, name: str) -> dict[str, Any]:
    """Parse a document; ``name`` is its file's in messages. Raises ConfigError."""
    from rocmlint.text.toml import loads  # noqa: PLC0415 - not every start needs it

    try:
        table = loads(text)
    except RecursionError as error:
        raise _nested(name) from error
    except ValueError as error:  # besides TOMLDecodeError: a number of thousands of digits
        message = f"{name}: not valid TOML: {error}"
        raise ConfigError(message) from error
    if _is_deeper(table, MAXIMUM_DEPTH):
        raise _nested(name)
    return table


def _is_deeper(table: dict[str, Any], limit: int) -> bool:
    """Return whether tables and lists are nested deeper than a limit."""
    level: list[Any] = [table]
    for _ in range(limit):
        tables = [each.values() if isinstance(each, dict) else each for each in level]
        level = [each for inner in tables for each in inner if isinstance(each, (dict, list))]
        if not level:
            return False
    return True


def _nested(name: str) -> ConfigError:
    return ConfigError(f"{name}: nested too deeply")
