"""The API for rules, as a page: the first lines of the docstrings."""

from __future__ import annotations

import inspect
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import rocmlint.rule
from rocmlint.project.project import Project
from rocmlint.rule import File, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

_OBJECTS: dict[str, type] = {"Source": Source, "File": File, "Project": Project}
"""Objects that ``check`` gets, or reaches: what a Source adds to a File stands under Source."""
_ROOMS = {
    "rocmlint.rule.rule": "Rules",
    "rocmlint.rule.shapes": "Triggers",
    "rocmlint.rule.triggers": "Triggers",
    "rocmlint.config.option": "Rules",
    "rocmlint.findings": "Findings",
    "rocmlint.formats.model": "Commands and installs",
    "rocmlint.installs.install": "Commands and installs",
    "rocmlint.lazy": "Syntax helpers",
    "rocmlint.source.attribute_patches": "Syntax helpers",
    "rocmlint.source.called_commands": "Syntax helpers",
    "rocmlint.source.conditions": "Syntax helpers",
    "rocmlint.source.elsewhere": "Syntax helpers",
    "rocmlint.source.environment_defaults": "Syntax helpers",
    "rocmlint.source.environment_settings": "Syntax helpers",
    "rocmlint.source.facts": "Files",
    "rocmlint.source.file": "Files",
    "rocmlint.source.python": "Files",
    "rocmlint.syntax.names": "Syntax helpers",
    "rocmlint.syntax.nodes": "Syntax helpers",
    "rocmlint.syntax.walk": "Syntax helpers",
    "rocmlint.text.patterns": "Syntax helpers",
    "rocmlint.text.python_ast": "Syntax helpers",
    "rocmlint.text.text": "Files",
    "rocmlint.text.words": "Findings",
}
"""The section in which the page lists the names of ``rocmlint.rule`` from a module."""
_FACTS = (
    "rocmlint.project.packages",
    "rocmlint.published.requirements",
    "rocmlint.published.names",
    "rocmlint.published.pytorch_index",
    "rocmlint.published.rocm_wheels",
    "rocmlint.published.variables",
)


def authors_page() -> str:
    """Return the tables of all that a rule may ask."""
    tables: dict[str, list[tuple[str, str]]] = {}
    for name in rocmlint.rule.__all__:
        value = getattr(rocmlint.rule, name)
        home = "rocmlint.findings" if name == "Severity" else value.__module__
        tables.setdefault(_ROOMS[home], []).append((name, first_line(name, value)))
    for name, kind in _OBJECTS.items():
        tables[f"Attributes and methods of a {name}"] = list(_members(kind))
    tables["Claims"] = list(_functions("rocmlint.rule.claims"))
    for module in _FACTS:
        tables[f"Published facts: `{module}`"] = list(_functions(module))
    return "\n\n".join(_table(title, rows) for title, rows in tables.items())


def first_line(name: str, value: Any) -> str:
    """Return the first line of the documentation of a public name."""
    if name == "Severity":  # a type alias has no docstring of its own
        return "How bad a finding is: " + " or ".join(f"`{each}`" for each in value.__args__) + "."
    return (inspect.getdoc(value) or "").partition("\n")[0]


def _members(kind: type) -> Iterator[tuple[str, str]]:
    """Yield what an object answers; what a Source has of a File stands there."""
    bases = [base for base in reversed(kind.__mro__) if base.__module__.startswith("rocmlint.")]
    found = {name: value for base in bases for name, value in vars(base).items()}
    for name, value in sorted((vars(kind) if kind is Source else found).items()):
        if name.startswith("_"):
            continue
        if isinstance(value, (property, cached_property)):
            yield name, first_line(name, value)
        elif inspect.isfunction(value):
            yield f"{name}({_parameters(value)})", first_line(name, value)


def _functions(module: str) -> Iterator[tuple[str, str]]:
    for name, value in vars(import_module(module)).items():
        function = inspect.unwrap(value) if callable(value) else None
        if not name.startswith("_") and inspect.isfunction(function):
            if function.__module__ == module:
                yield f"{name}({_parameters(function)})", first_line(name, value)


def _parameters(function: Any) -> str:
    return ", ".join(name for name in inspect.signature(function).parameters if name != "self")


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"## {title}", "", "| name | what it is or returns |", "|---|---|"]
    lines += [f"| `{name}` | {text.replace('|', chr(92) + '|')} |" for name, text in rows]
    return "\n".join(lines)
