"""Reading the files of symptoms: the built-in ones, and those of a team."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.errors import ConfigError
from rocmlint.paths import shown
from rocmlint.text.toml import loads
from rocmlint.why.entries.symptom import Symptom, symptom_of

if TYPE_CHECKING:
    from collections.abc import Collection

FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "symptoms")
_LARGEST = 5_000_000


@cache
def built_in(functions: frozenset[str]) -> tuple[Symptom, ...]:
    """Return the symptoms that rocmlint knows, sorted by file and place."""
    files = sorted(each for each in os.listdir(FOLDER) if each.endswith(".toml"))
    return tuple(each for name in files for each in read(os.path.join(FOLDER, name), functions))


def read(path: str, functions: Collection[str]) -> tuple[Symptom, ...]:
    """Read one file of symptoms. Raises ConfigError in one line for what is wrong with it."""
    try:
        document = loads(read_small(path, _LARGEST).decode())
    except OSError as error:
        message = f"symptoms: {shown(path)} cannot be read: {error.strerror or error}"
        raise ConfigError(message) from error
    except (ValueError, RecursionError) as error:
        message = f"{shown(path)}: {error}"
        raise ConfigError(message) from error
    tables = document.get("symptom", [])
    if not isinstance(tables, list) or set(document) - {"symptom"}:
        message = f"{shown(path)}: must contain [[symptom]] tables and nothing else"
        raise ConfigError(message)
    found = tuple(symptom_of(each, path, functions) for each in tables)
    refuse_twice(found)
    return found


def refuse_twice(symptoms: Collection[Symptom]) -> None:
    """Raise ConfigError for two entries with one id."""
    seen: dict[str, Symptom] = {}
    for each in symptoms:
        if each.id in seen:
            message = f"{shown(each.source)}: the id {each.id!r} is used twice"
            raise ConfigError(message)
        seen[each.id] = each
