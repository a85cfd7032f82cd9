"""JSON that every parser takes: what is not Unicode (half a surrogate pair) becomes an escape."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rocmlint.text.secrets import without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def dumps(value: object, *, indent: int | None = None) -> str:
    """Write a value as ASCII, so that no encoding of a stream can spoil it.

    The credentials of URLs in it are masked.
    """
    return json.dumps(_clean(value), indent=indent)


def array(items: Iterable[object]) -> Iterator[str]:
    """Yield an array, one item a line."""
    start = "[\n  "
    for item in items:
        yield start + dumps(item)
        start = ",\n  "
    yield "[]" if start.startswith("[") else "\n]"


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_credentials(value).encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return value
