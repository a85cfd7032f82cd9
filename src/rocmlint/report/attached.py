"""Results of other verbs that a report for people can show next to the findings."""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

from rocmlint.disk.read import read_small
from rocmlint.errors import ConfigError

Kind = Literal["verify", "stack"]

VERSION = 1
_MAXIMUM_BYTES = 50_000_000
_WANTED = "what `rocmlint verify` or `rocmlint stack show` prints with --output-format json"


class Attached(NamedTuple):
    """A JSON document of ``rocmlint verify`` or ``rocmlint stack show``."""

    kind: Kind
    path: str
    content: dict[str, Any]


def read(path: str) -> Attached:
    """Read a document and find out what it is. Raises ConfigError."""
    try:
        content = json.loads(read_small(path, _MAXIMUM_BYTES))
    except OSError as error:
        message = f"--attach {path}: cannot be read: {error.strerror}"
        raise ConfigError(message) from error
    except (ValueError, RecursionError) as error:
        message = f"--attach {path}: not valid JSON ({error}); it must be {_WANTED}"
        raise ConfigError(message) from error
    kind = _kind(content)
    if kind is None:
        message = f"--attach {path}: must be {_WANTED}"
        raise ConfigError(message)
    if content.get("version") != VERSION:
        found = content.get("version")
        message = f"--attach {path}: has version {found!r}, but this rocmlint reads {VERSION}"
        raise ConfigError(message)
    return Attached(kind, path, content)


def _kind(content: object) -> Kind | None:
    if not isinstance(content, dict):
        return None
    if content.get("verb") == "show" and isinstance(content.get("verdicts"), list):
        return "stack"
    is_verify = "verdict" in content and isinstance(content.get("results"), list)
    return "verify" if is_verify else None
