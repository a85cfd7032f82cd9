"""The functions that rules share: those of the rooms that they import, and of each family."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
ROOMS = ("rule", "source", "syntax", "project")
_SOURCES = ROOT / "src" / "rocmlint"
_RULES = ROOT / "rules"


class Helper(NamedTuple):
    """A function: how it is called, and the first line of its documentation."""

    name: str
    parameters: str
    summary: str

    def __str__(self) -> str:
        """Return the line of the page."""
        return f"- `{self.name}({self.parameters})`: {self.summary}"


def helpers_page() -> str:
    """Return the functions of each module, by room, then by family of rules."""
    lines: list[str] = []
    for title, modules in helpers().items():
        lines += ["", f"## {title}"]
        for module, found in modules.items():
            lines += ["", f"### {module}", "", *map(str, found)]
    return "\n".join(lines).strip()


@cache
def helpers() -> dict[str, dict[str, list[Helper]]]:
    """Return by title and module what rules may use."""
    rooms = {f"`rocmlint.{room}`": dict(_of_room(room)) for room in ROOMS}
    families = {path.parent.name for path in _RULES.glob("*/__init__.py")}
    shared = {f"`rules/{family}`": dict(_of_family(family)) for family in sorted(families)}
    return {title: found for title, found in {**rooms, **shared}.items() if found}


def _of_room(room: str) -> Iterator[tuple[str, list[Helper]]]:
    """Yield the modules of a room that rules import from, with their public functions."""
    used = {module for path in _RULES.rglob("*.py") for module, _ in _imported(path)}
    home = {module for module, _ in _imported(_SOURCES / "rule" / "__init__.py")}
    for path in sorted((_SOURCES / room).rglob("*.py")):
        module = ".".join(path.relative_to(_SOURCES.parent).with_suffix("").parts)
        found = _functions(path)
        if module in used | home and found:
            yield module, found


def _of_family(family: str) -> Iterator[tuple[str, list[Helper]]]:
    """Yield the files of a family whose functions several other files import."""
    folder = _RULES / family
    count = Counter(each for path in folder.rglob("*.py") for each in set(_imported(path)))
    for path in sorted(folder.rglob("*.py")):
        own = path.relative_to(folder).with_suffix("").as_posix()
        module = own.rpartition("/")[2]
        found = [each for each in _functions(path) if count[module, each.name] > 1]
        if own.startswith("_") and found:
            yield f"{own}.py", found


@cache
def _imported(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the names that a file imports from modules; of relative ones the last part counts."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return tuple(
        (module if not node.level else module.rpartition(".")[2], alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        for module in [node.module or alias.name]
    )


def _functions(path: Path) -> list[Helper]:
    """Return the public functions of a module that are documented, in its order."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        Helper(each.name, ", ".join(_parameters(each.args)), _summary(each))
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("_") and _summary(each)
    ]


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    yield from (each.arg for each in (*arguments.posonlyargs, *arguments.args))
    if arguments.vararg:
        yield f"*{arguments.vararg.arg}"
    yield from (f"{each.arg}=" for each in arguments.kwonlyargs)


def _summary(function: ast.FunctionDef) -> str:
    return (ast.get_docstring(function) or "").partition("\n")[0]
