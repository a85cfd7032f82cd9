"""Configurations of DeepSpeed in JSON and YAML: mappings that hold ``zero_optimization``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.model import DeepSpeedConfig, Entry, Parts, Problem
from rocmlint.formats.readers import jsonc, yaml
from rocmlint.formats.readers.excerpt import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.formats.model import EntryKind

MARK = "zero_optimization"
"""The key that tells a configuration of DeepSpeed from other mappings."""
_KINDS: tuple[tuple[EntryKind, re.Pattern[str]], ...] = (
    ("bool", re.compile(r"(?i)true|false|yes|no|on|off")),
    ("null", re.compile(r"(?i)null|~|")),
    ("int", re.compile(r"[-+]?\d+")),
    ("float", re.compile(r"(?i)[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")),
    ("unknown", re.compile(r".*(?:\$|\{\{).*", re.DOTALL)),
)
"""What values without quotes are; all others are strings."""

_TEMPLATE = re.compile(r"\{%|[:,\[]\s*\{\{")
"""What a program fills in before anyone reads the file."""


def parse(text: str) -> Parts:
    """Read a file, lines ended by ``\\n``; DeepSpeed takes more than JSON, so nothing is wrong."""
    documents: Iterable[yaml.Value | None] | Problem
    if _TEMPLATE.search(text):
        return Parts()
    if text.lstrip().startswith("{"):
        root = jsonc.read(text)
        documents = root if isinstance(root, Problem) else (root,)
    else:
        documents = yaml.read(Excerpt.of(text))
    if isinstance(documents, Problem):
        return Parts()
    found = (each for document in documents for each in _configurations(document, text))
    return Parts(configurations=tuple(found))


def _configurations(value: yaml.Value | None, text: str) -> Iterator[DeepSpeedConfig]:
    if isinstance(value, yaml.Mapping):
        if isinstance(value.get(MARK), yaml.Mapping):
            settings = _settings(value, text)
            yield DeepSpeedConfig(settings, settings[0].span)
            return
        for _, each in value.pairs:
            yield from _configurations(each, text)
    elif isinstance(value, yaml.Sequence):
        for each in value.values:
            yield from _configurations(each, text)


def _settings(mapping: yaml.Mapping, text: str) -> tuple[Entry, ...]:
    return tuple(_setting(key, value, text) for key, value in mapping.pairs)


def _setting(key: Excerpt, value: yaml.Value, text: str) -> Entry:
    if isinstance(value, yaml.Mapping):
        return Entry(key.text, key.span(), "dict", entries=_settings(value, text))
    if isinstance(value, yaml.Sequence):
        return Entry(key.text, key.span(), "list")
    written = value.text
    is_quoted = bool(written.starts) and text[written.starts[0] - 1] in "\"'"
    return Entry(key.text, key.span(), kind_of(written.text, is_quoted=is_quoted), written.text)


def kind_of(text: str, *, is_quoted: bool) -> EntryKind:
    """Return what a value is, by how it is written."""
    if is_quoted:
        return "unknown" if "$" in text or "{{" in text else "str"
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(text)), "str")
