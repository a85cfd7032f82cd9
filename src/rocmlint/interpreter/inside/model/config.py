"""A configuration as the job reads it, and the schema that it is to follow."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import typing
from typing import TYPE_CHECKING, Any

from .. import CannotAnswerError, search
from ..factory import found, imported

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN = {int: "int", float: "float", bool: "bool", str: "str", list: "list", dict: "dict"}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a text and the fields of a schema, both with dots where they are nested.

    ``text`` is read as ``format`` (json, toml or yaml), by the library that the job has.
    Raises CannotAnswerError.
    """
    search.as_program()
    schema = found(request["schema"])
    if not _is_schema(schema):
        message = f"{request['schema']} is not a dataclass, a pydantic model or an attrs class"
        raise CannotAnswerError(message)
    twice: list[str] = []
    values = _read(request["text"], request["format"], twice)
    if not isinstance(values, dict):
        message = f"the file holds {type(values).__name__} instead of keys and values"
        raise CannotAnswerError(message)
    for name in request["section"]:
        if not isinstance(values.get(name), dict):
            message = f"the file has no section {'.'.join(request['section'])}"
            raise CannotAnswerError(message)
        values = values[name]
    fields = list(_fields(schema, ""))
    nested = {each["name"] for each in fields if each["kind"] == "section"}
    return {
        "schema": request["schema"],
        "fields": fields,
        "values": list(_flat(values, "", nested)),
        "twice": twice,
    }


def _read(text: str, language: str, twice: list[str]) -> Any:
    """Parse a text; ``twice`` gets the keys that it has more than once."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in found]
        twice.extend(sorted({each for each in names if names.count(each) > 1}))
        return dict(found)

    try:
        if language == "json":
            return json.loads(text, object_pairs_hook=pairs)
        if language == "toml":
            return _toml().loads(text)
        return _yaml(text, twice)
    except (CannotAnswerError, ImportError):
        raise
    except Exception as error:  # each library has errors of its own
        message = f"the file cannot be read as {language}: {error}"
        raise CannotAnswerError(message) from error


def _toml() -> Any:
    for name in ("tomllib", "tomli"):
        with contextlib.suppress(ModuleNotFoundError):
            return importlib.import_module(name)
    message = "this Python has neither tomllib nor tomli, so it cannot read TOML"
    raise CannotAnswerError(message)


def _yaml(text: str, twice: list[str]) -> Any:
    yaml = imported("yaml", "this interpreter needs PyYAML to read YAML")
    base: Any = yaml.SafeLoader

    class Loader(base):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            names = [each.value for each, _ in node.value if isinstance(each.value, str)]
            twice.extend(sorted({each for each in names if names.count(each) > 1} - {"<<"}))
            return super().construct_mapping(node, deep)

    return yaml.load(text, Loader)


def _is_schema(kind: Any) -> bool:
    is_class = isinstance(kind, type)
    known = ("__dataclass_fields__", "model_fields", "__fields__", "__attrs_attrs__")
    return is_class and any(hasattr(kind, each) for each in known)


def _fields(schema: Any, prefix: str) -> Iterator[dict[str, Any]]:
    """Yield the fields of a schema, and after one that is a schema those of that."""
    try:
        hints = typing.get_type_hints(schema)
    except Exception:  # noqa: BLE001 - names that only a type checker sees
        hints = {}
    for name, is_required, default in _declared(schema):
        hint = hints.get(name)
        inner = _schema_in(hint)
        field_facts = {
            "name": prefix + name,
            "required": is_required,
            "has_default": not is_required,
        }
        field_facts |= {"kind": "section" if inner else _kind(hint), "default": _text_of(default)}
        yield field_facts
        if inner is not None and inner is not schema:
            yield from _fields(inner, f"{prefix}{name}.")


def _declared(schema: Any) -> Iterator[tuple[str, bool, Any]]:
    """Yield name, whether it is required, and the default of each field."""
    if dataclasses.is_dataclass(schema):
        for each in dataclasses.fields(schema):
            made = each.default
            if made is dataclasses.MISSING and each.default_factory is not dataclasses.MISSING:
                made = _made(each.default_factory)
            if each.init:
                yield each.name, made is dataclasses.MISSING, made
    elif hasattr(schema, "__attrs_attrs__"):
        for each in schema.__attrs_attrs__:
            nothing = type(each.default).__name__ == "_Nothing"
            factory = getattr(each.default, "factory", None)
            yield each.name, nothing, _made(factory) if factory else each.default
    else:
        for name, each in (getattr(schema, "model_fields", None) or schema.__fields__).items():
            required = each.is_required() if callable(getattr(each, "is_required", None)) else True
            factory = getattr(each, "default_factory", None)
            yield each.alias or name, bool(required), _made(factory) if factory else each.default


def _made(factory: Any) -> Any:
    with contextlib.suppress(Exception):  # a factory of the user's own
        return factory()
    return None


def _schema_in(hint: Any) -> Any:
    """Return the schema that a type is, also as one of a union."""
    for each in (hint, *typing.get_args(hint)):
        if _is_schema(each):
            return each
    return None


def _kind(hint: Any) -> str:
    """Return the plain types that a value may have, separated by |; empty where that is unknown."""
    union = [each for each in typing.get_args(hint) if each is not type(None)]
    is_union = type(None) in typing.get_args(hint) or "Union" in str(typing.get_origin(hint))
    kinds = []
    for each in union if is_union else [hint]:
        kind = _PLAIN.get(typing.get_origin(each) or each)
        if kind is None:
            return ""
        kinds.append(kind)
    return "|".join([*kinds, *(["None"] if type(None) in typing.get_args(hint) else [])])


def _flat(values: dict[Any, Any], prefix: str, nested: set[str]) -> Iterator[dict[str, Any]]:
    """Yield each key with its value and the type of that; sections of the schema are opened."""
    for name, value in values.items():
        full = f"{prefix}{name}"
        yield {"name": full, "kind": type(value).__name__, "value": _text_of(value)}
        if isinstance(value, dict) and full in nested:
            yield from _flat(value, f"{full}.", nested)


def _text_of(value: Any) -> str:
    if value is dataclasses.MISSING:
        return ""
    with contextlib.suppress(Exception):  # a value of the user's own
        return repr(value)[:200]
    return f"<{type(value).__name__}>"
