"""The models of a matrix, as a TOML file lists them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.config.option import did_you_mean
from rocmlint.errors import ConfigError
from rocmlint.verify.export.question import ExportQuestion

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEYS: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "factory": (str,),
    "config": (str,),
    "strict": (bool,),
    "both-modes": (bool,),
    "onnx": (bool,),
    "plain": (bool,),
    "timeout": (int, float),
    "memory": (int, float),
}
_WORDS: dict[type, str] = {str: "a string", bool: "true or false", int: "a number"}
_FOR_ALL = tuple(each for each in _KEYS if each not in {"name", "factory", "config"})
_MODELS = "model"


@dataclass(frozen=True)
class ListedModel:
    """A model of a matrix."""

    name: str
    question: ExportQuestion
    timeout: float


def read(path: str, defaults: Mapping[str, Any]) -> list[ListedModel]:
    """Return the models of a file: ``[[model]]`` tables, and keys above them for all of these.

    Folders are relative to the file. Raises ConfigError.
    """
    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        message = f"--matrix {path}: cannot be read: {error.strerror}"
        raise ConfigError(message) from error
    except ValueError as error:
        message = f"--matrix {path}: not valid TOML: {error}"
        raise ConfigError(message) from error
    models = table.pop(_MODELS, None)
    if not isinstance(models, list) or not models:
        message = f"--matrix {path}: needs at least one [[model]]"
        raise ConfigError(message)
    _refuse_unknown(table, (*_FOR_ALL, _MODELS), path)
    listed = [_model_of(each, {**defaults, **table}, path) for each in models]
    names = [each.name for each in listed]
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice is not None:
        message = f"--matrix {path}: two models are called {twice!r}"
        raise ConfigError(message)
    return listed


def _refuse_unknown(table: Mapping[str, Any], known: tuple[str, ...], path: str) -> None:
    for key, value in table.items():
        if key not in known:
            message = f"--matrix {path}: unknown key {key!r}{did_you_mean(key, known) or ''}"
            raise ConfigError(message)
        kinds = _KEYS[key]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            message = f"--matrix {path}: {key} must be {_WORDS[kinds[0]]}, not {value!r}"
            raise ConfigError(message)


def _model_of(table: Any, defaults: Mapping[str, Any], path: str) -> ListedModel:
    if not isinstance(table, dict):
        message = f"--matrix {path}: a model must be a table: [[model]]"
        raise ConfigError(message)
    _refuse_unknown(table, tuple(_KEYS), path)
    if bool(table.get("factory")) == bool(table.get("config")):
        message = f"--matrix {path}: a model needs either a factory or a config: {table}"
        raise ConfigError(message)
    merged = {**defaults, **table}
    folder = table.get("config")
    if folder:
        folder = os.path.join(os.path.dirname(os.path.abspath(path)), folder)
    strict = (False, True) if merged.get("both-modes") else (bool(merged.get("strict")),)
    memory = merged.get("memory")
    question = ExportQuestion(
        table.get("factory"),
        folder,
        strict,
        bool(merged.get("onnx")),
        bool(merged.get("plain")),
        float(memory) if memory else None,
    )
    return ListedModel(table.get("name") or question.name, question, float(merged["timeout"]))
