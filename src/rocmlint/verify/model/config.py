"""Judging a configuration file: its keys are those of its schema, and each has one source."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.config.option import did_you_mean
from rocmlint.disk.read import read_small
from rocmlint.errors import ConfigError
from rocmlint.text.words import counted, few
from rocmlint.verify.model.subject import SHOWN
from rocmlint.verify.result import Evidence, Result, evidence_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.interpreter.ask import Interpreter

CHECK = "model config"
FORMATS = {".json": "json", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}
_result = partial(Result, CHECK)


def check(
    interpreter: Interpreter, path: str, schema: str, section: Sequence[str], *, strict: bool
) -> list[Result]:
    """Compare a file with a schema. Raises ConfigError and InterpreterError."""
    language = FORMATS.get(os.path.splitext(path)[1].lower())
    if language is None:
        message = f"{path}: must be one of {', '.join(FORMATS)}"
        raise ConfigError(message)
    try:
        text = read_small(path).decode("utf-8-sig")
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror}"
        raise ConfigError(message) from error
    except UnicodeDecodeError as error:
        message = f"{path}: cannot be read: not UTF-8"
        raise ConfigError(message) from error
    request = {"text": text, "format": language, "schema": schema, "section": list(section)}
    answer: dict[str, Any] = interpreter.ask("model.config", request)
    return list(results_of(answer, os.path.relpath(path), strict=strict))


def results_of(answer: Mapping[str, Any], path: str, *, strict: bool) -> Iterator[Result]:
    """Yield a result for missing keys, unknown keys, two sources of one key, and types."""
    fields = {each["name"]: each for each in answer["fields"]}
    values = {each["name"]: each for each in answer["values"]}
    schema = answer["schema"]
    if not fields or not values:
        empty = f"{schema} has no fields" if not fields else "the file has no keys"
        if not values and fields:
            yield _missing(fields, values, path, schema, strict=strict)
        yield _result(
            f"its keys are those of {schema}",
            path,
            "unproven",
            "live",
            "nothing to compare",
            (),
            f"{empty}, so there is nothing to compare",
            "name another schema with --schema, or another file",
        )
        return
    yield _missing(fields, values, path, schema, strict=strict)
    yield _unknown(fields, values, path, schema)
    yield _defaulted(fields, values, answer["twice"], path, schema)
    yield _types(fields, values, path, schema)


def _missing(
    fields: Mapping[str, Any], values: Mapping[str, Any], path: str, schema: str, *, strict: bool
) -> Result:
    absent = [
        each for name, each in fields.items() if name not in values and _is_asked(each, values)
    ]
    required = [each["name"] for each in absent if each["required"]]
    silent = [f"{each['name']} = {each['default']}" for each in absent if not each["required"]]
    wanted = [*required, *(each.partition(" ")[0] for each in silent)] if strict else required
    claim = f"no key of {schema} is missing"
    evidence = (
        *evidence_of("missing", required, SHOWN),
        *evidence_of("from a default in the code", silent, SHOWN),
    )
    if not wanted:
        seen = f"{counted(len(fields) - len(absent), 'key')} of {len(fields)} are in the file"
        return _result(claim, path, "proven", "live", seen, evidence)
    why = "every value is to come from the file" if strict else "there is no default either"
    return _result(
        claim,
        path,
        "contradicted",
        "live",
        f"{counted(wanted, 'key')} missing",
        evidence,
        f"the file does not have {few(wanted, 4)}, and {why}",
        f"add {few(wanted, 4)} to {path}",
    )


def _is_asked(field: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Return whether a field is missed: not when the whole optional section is not there."""
    section, _, _ = field["name"].rpartition(".")
    return not section or section in values


def _unknown(
    fields: Mapping[str, Any], values: Mapping[str, Any], path: str, schema: str
) -> Result:
    claim = f"each key is a field of {schema}"
    unknown = [name for name in values if name not in fields]
    if not unknown:
        return _result(claim, path, "proven", "live", counted(values, "key"))
    names = [f"{name}{did_you_mean(name, fields)}" for name in unknown]
    return _result(
        claim,
        path,
        "contradicted",
        "live",
        f"{counted(unknown, 'unknown key')}",
        evidence_of("unknown", names, SHOWN),
        f"{schema} has no field {few(names, 3)}",
        "correct the name or remove the key: what no code reads changes nothing",
    )


def _defaulted(
    fields: Mapping[str, Any],
    values: Mapping[str, Any],
    twice: Sequence[str],
    path: str,
    schema: str,
) -> Result:
    """Judge whether a key has its value from two places that differ."""
    claim = "each key has one default"
    both = [
        (name, values[name]["value"], each["default"])
        for name, each in fields.items()
        if name in values and each["has_default"] and each["kind"] != "section"
    ]
    differ = [
        f"{name}: {value} in the file, {code} in {schema}"
        for name, value, code in both
        if value != code
    ]
    same = [name for name, value, code in both if value == code]
    evidence = (
        *evidence_of("twice in the file", twice, SHOWN),
        *evidence_of("two defaults", differ, SHOWN),
        *((Evidence("same in both", few(same, SHOWN)),) if same else ()),
    )
    if not differ and not twice:
        return _result(claim, path, "proven", "live", counted(values, "key"), evidence)
    parts = [f"{len(differ):,} with another default in the code"] if differ else []
    parts += [f"{len(twice):,} twice in the file, of which the last one counts"] if twice else []
    return _result(
        claim,
        path,
        "contradicted",
        "live",
        f"{len(differ) + len(twice):,} with two",
        evidence,
        f"keys: {'; '.join(parts)}. A run without this file, or with a misspelled key, silently "
        "uses the other value",
        f"remove the default from {schema}, so that a missing key fails"
        if differ
        else "remove one of the two lines",
    )


def _types(fields: Mapping[str, Any], values: Mapping[str, Any], path: str, schema: str) -> Result:
    claim = f"each value has the type of its field in {schema}"
    known = [name for name in values if fields.get(name, {}).get("kind")]
    wrong = [
        f"{name}: {values[name]['value']} is {values[name]['kind']}, not {fields[name]['kind']}"
        for name in known
        if not _is_of(values[name]["kind"], fields[name]["kind"])
    ]
    if not known:
        return _result(
            claim,
            path,
            "unproven",
            "live",
            "no type to compare",
            (),
            f"no field of {schema} for a value of the file has a plain type",
            "annotate the fields with int, float, bool, str, list or dict",
        )
    if not wrong:
        seen = f"{counted(known, 'value')} of {len(values)} have a type that can be compared"
        return _result(claim, path, "proven", "live", seen)
    return _result(
        claim,
        path,
        "contradicted",
        "live",
        counted(wrong, "value"),
        evidence_of("type", wrong, SHOWN),
        few(wrong, 3),
        "write the value as its type; YAML 1.1 reads 1e-5 as text, so write 1.0e-5",
    )


def _is_of(kind: str, wanted: str) -> bool:
    allowed = {"dict", "NoneType"} if wanted == "section" else set(wanted.split("|"))
    allowed |= {"int"} if "float" in allowed else set()
    return kind in allowed or (kind == "NoneType" and "None" in allowed)
