"""What the variables of a shell hold while its text is read from top to bottom."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.readers.grammar import with_parents

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

Value = str | tuple[str, ...] | None
"""A string, the strings of an array, or None for what is known only at run time."""

LONGEST = 4096
"""Characters of a value, and of all values in one command: beyond, they are unknown. A few lines
can make a value that no memory holds, of which each is ten times the one before."""

_BRANCHES = frozenset(
    {
        "if_statement",
        "case_statement",
        "while_statement",
        "for_statement",
        "c_style_for_statement",
        "function_definition",
        "list",
        "subshell",
        "pipeline",
        "command_substitution",
    }
)
_NAME = re.compile(r"\$\{?(\w+)")
_DEFAULT = re.compile(r"\$\{([A-Za-z_]\w*):?=([^{}$`\"'\\\n]+)\}")
_MOST_ORIGINS = 8
"""Variables that are followed from one word."""
_MOST_WORDS = 1000
"""Words of a script that are followed."""
_READERS = frozenset({"read", "mapfile", "readarray", "getopts"})


class Variables:
    """The variables by a place in the text; ``exported`` ones reach the programs."""

    def __init__(self, exported: Mapping[str, str | None] | None = None) -> None:
        """Take those that are set from outside."""
        self.values: dict[str, Value] = dict(exported or {})
        self.written: dict[str, str] = {}
        """What those were set to whose value only the run knows, as it is written."""
        self.exported: set[str] = set(self.values)
        self._followed = 0
        self.changing: frozenset[str] = frozenset()
        self.exports_all = False

    def get(self, name: str, default: str | None = None) -> Value:
        """Return a variable's value; None where it is unknown, the default where none is set."""
        return self.values.get(name, default)

    def within_limits(self) -> Callable[[str, str | None], Value]:
        """Return :meth:`get` for one command, which gives so many characters and no more."""
        left = LONGEST

        def get(name: str, default: str | None) -> Value:
            nonlocal left
            value = self.get(name, default)
            left -= size_of(value)
            return value if left >= 0 else None

        return get

    def assign(self, name: str, value: Value) -> None:
        """Set a variable, from here on."""
        known = name not in self.changing and size_of(value) <= LONGEST
        self.values[name] = value if known else None
        if self.exports_all:
            self.exported.add(name)

    def origin(self, text: str) -> str:
        """Return what the variables in a text were set to, as far as only the run knows it."""
        self._followed += 1
        if self._followed > _MOST_WORDS:
            return ""
        found: dict[str, str] = {}
        waiting = [text]
        while waiting:
            for match in _NAME.finditer(waiting.pop(0)):
                name = match[1]
                if name in self.written and name not in found and len(found) < _MOST_ORIGINS:
                    found[name] = self.written[name]
                    waiting.append(found[name])
        return " ".join(found.values())

    def passed_on(self) -> dict[str, str | None]:
        """Return what a program started here finds in its environment."""
        return {
            name: value if isinstance(value, str) else None
            for name, value in self.values.items()
            if name in self.exported
        }


def size_of(value: Value) -> int:
    """Return how many characters a value has, each word of an array with one behind it."""
    if isinstance(value, tuple):
        return sum(len(each) + 1 for each in value)
    return len(value or "")


def changing(root: Node, text: str) -> frozenset[str]:
    """Find the variables that have several values of which no place in the text decides.

    One that is assigned once has that value; one that is assigned again and again, always at the
    top of the script, has the latest.
    """
    times: dict[str, int] = {}
    shaky: set[str] = set()
    branches = [0]  # where the branches end that the place is in; nodes come in text order
    for node, above in with_parents(root):
        while branches[-1] and node.start_byte >= branches[-1]:
            branches.pop()
        if node.type in _BRANCHES:
            branches.append(max(node.end_byte, branches[-1]))
        for name in _assigned(node, above, text):
            times[name] = times.get(name, 0) + 1
            if len(branches) > 1:
                shaky.add(name)
        if node.type != "variable_assignment":
            shaky |= (again := _overwritten(node, text))
            times.update(dict.fromkeys(again, 2))
    return frozenset(name for name in shaky if times[name] > 1)


def defaults(node: Node, text: str) -> list[tuple[str, str]]:
    """Return what ``: "${NAME:=value}"`` sets where nothing else did: names and values."""
    if node.type != "command" or _text(node.child_by_field_name("name"), text) != ":":
        return []
    return _DEFAULT.findall(text, node.start_byte, node.end_byte)


def _assigned(node: Node, above: str, text: str) -> list[str]:
    if node.type == "command":
        return [name for name, _ in defaults(node, text)]
    if node.type != "variable_assignment":
        return []
    if above == "command":
        return []  # for that command only
    name = node.child_by_field_name("name")
    return [] if name is None else [text[name.start_byte : name.end_byte].partition("[")[0]]


def _overwritten(node: Node, text: str) -> set[str]:
    """Find the variables that a node sets to what only the run knows."""
    if node.type in ("for_statement", "unset_command"):
        names = [child for child in node.children if child.type == "variable_name"]
    elif node.type == "command" and _text(node.child_by_field_name("name"), text) in _READERS:
        names = node.children_by_field_name("argument")
    else:
        return set()
    return {text[name.start_byte : name.end_byte] for name in names}


def _text(node: Node | None, text: str) -> str:
    return "" if node is None else text[node.start_byte : node.end_byte]
