"""Configurations of DeepSpeed that are dictionaries in Python code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import DeepSpeedConfig, Entry, configurations, constant, string_value, strings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

_MARK = "zero_optimization"
READS_CONFIGURATIONS = configurations(
    _MARK, described="configurations of DeepSpeed in JSON and YAML"
) | strings(rf"[\"']{_MARK}[\"']", words=(_MARK,))


def configuration_at(key: cst.SimpleString, source: Source) -> DeepSpeedConfig | None:
    """Return the configuration that a string is a key of, with a dictionary for its value."""
    element = source.parent(key)
    around = None if element is None else source.parent(element)
    if not isinstance(element, cst.DictElement) or not isinstance(around, cst.Dict):
        return None
    if element.key is not key or not isinstance(element.value, cst.Dict):
        return None
    if string_value(key) != _MARK:  # other strings of a statement with the mark in it
        return None
    return DeepSpeedConfig(tuple(_settings(around, source)), source.span(key))


def _settings(node: cst.Dict, source: Source) -> Iterator[Entry]:
    for each in node.elements:
        name = string_value(each.key) if isinstance(each, cst.DictElement) else None
        if name is not None and isinstance(each, cst.DictElement):
            yield _setting(name, each, source)


def _setting(name: str, element: cst.DictElement, source: Source) -> Entry:
    value, span = element.value, source.span(element.key)
    text = string_value(value)
    if text is not None:
        return Entry(name, span, "str", text)
    if isinstance(value, cst.Dict):
        return Entry(name, span, "dict", entries=tuple(_settings(value, source)))
    if isinstance(value, (cst.List, cst.Tuple)):
        return Entry(name, span, "list")
    word = constant(value)
    if word is not None:
        return Entry(name, span, "null" if word == "None" else "bool", word)
    number = value.expression if isinstance(value, cst.UnaryOperation) else value
    if isinstance(number, cst.Integer):
        return Entry(name, span, "int", source.text_of(value))
    if isinstance(number, cst.Float):
        return Entry(name, span, "float", source.text_of(value))
    return Entry(name, span, "unknown")
