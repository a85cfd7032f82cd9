"""The names of ``rocmlint.rule`` by what they are for, as directives for mkdocstrings."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import rocmlint.rule

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES: list[str] = vars(rocmlint.rule)["__all__"]
_SECTIONS = {
    "Rules": ("rocmlint.rule.rule", "rocmlint.config.option"),
    "Triggers": ("rocmlint.rule.triggers", "rocmlint.rule.shapes"),
    "Findings": ("rocmlint.findings", "rocmlint.text.words"),
    "Files": (
        "rocmlint.source.python",
        "rocmlint.source.file",
        "rocmlint.source.facts",
        "rocmlint.source.mentions",
    ),
    "Text": (
        "rocmlint.text.text",
        "rocmlint.rule.reasons",
        "rocmlint.text.patterns",
        "rocmlint.lazy",
    ),
    "Syntax": ("rocmlint.syntax", "rocmlint.source", "rocmlint.text.python_ast"),
    "Commands and installs": ("rocmlint.formats.model", "rocmlint.formats.installs.install"),
}
"""The modules that define the names of a section, or how the names of these modules begin."""
_ALIASES = {"Severity": "rocmlint.findings"}
"""Names that do not know their module."""
_MODULES = {
    "The project of a file": ("rocmlint.project.project",),
    "Claims": ("rocmlint.rule.claims",),
    "Published facts": (
        "rocmlint.project.packages",
        "rocmlint.published.requirements",
        "rocmlint.published.names",
        "rocmlint.published.pytorch_index",
        "rocmlint.published.rocm_wheels",
        "rocmlint.published.variables",
    ),
}
"""Modules that rules may import besides."""


def authors_page() -> str:
    """Return all that a rule may ask, by section."""
    names: dict[str, list[str]] = {title: [] for title in _SECTIONS}
    for name in NAMES:
        names[_section(home_of(name))].append(name)
    lines: list[str] = []
    for title, found in names.items():
        lines += ["", f"## {title}"]
        for name in found:
            lines += ["", f"::: {home_of(name)}.{name}"]
    for title, modules in _MODULES.items():
        lines += ["", f"## {title}"]
        for module in modules:
            lines += ["", *_whole(module)]
    return "\n".join(lines).strip()


def home_of(name: str) -> str:
    """Return the module that defines a name of ``rocmlint.rule``."""
    return _ALIASES.get(name) or str(getattr(rocmlint.rule, name).__module__)


def _section(module: str) -> str:
    """Return the section of a module: the longest beginning counts."""
    begins = {each: title for title, modules in _SECTIONS.items() for each in modules}
    return begins[max((each for each in begins if module.startswith(each)), key=len)]


def _whole(module: str) -> Iterator[str]:
    yield f"::: {module}"
    yield "    options:"
    yield f"      members: [{', '.join(_public(module))}]"


def _public(module: str) -> Iterator[str]:
    """Yield the public functions and classes that a module itself defines."""
    for name, value in vars(import_module(module)).items():
        if not name.startswith("_") and getattr(value, "__module__", None) == module:
            if callable(value):
                yield name
