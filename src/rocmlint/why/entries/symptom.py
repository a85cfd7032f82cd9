"""One entry: which messages it knows, which facts decide, and what it then says."""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rocmlint.errors import ConfigError
from rocmlint.paths import shown
from rocmlint.why.entries.condition import parse
from rocmlint.why.entries.template import Template

if TYPE_CHECKING:
    import ast
    from collections.abc import Collection, Mapping

TEXTS = ("id", "title", "cause", "where", "confirm", "when", "date", "owner", "rocm_fix")
LISTS = (
    "match",
    "do",
    "run",
    "needs",
    "references",
    "rules",
    "examples",
    "near_misses",
    "versions",
)
OF_CASE = ("when", "cause", "where", "do", "run", "confirm", "needs", "sure", "rocm_fix")


@dataclass(frozen=True)
class EntryCase:
    """The answer of an entry where a condition holds; one without ``when`` always holds.

    ``do`` are edits and advice in words, ``run`` commands. ``needs`` are facts, as expressions,
    that must have been read for the answer to be known; the condition's own count as well. Without
    ``sure`` it is likely at most.
    """

    cause: str
    when: ast.expr | None = None
    where: str = ""
    do: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    confirm: str = ""
    needs: tuple[ast.expr, ...] = ()
    sure: bool = True
    rocm_fix: str = ""
    """The name of the repair in AMD's program, as in ``rocm fix fix-4-render-group``."""


@dataclass(frozen=True)
class Symptom:
    """One failure mode. ``cases`` are tried in order; ``source`` is the file that it is from.

    ``sure`` is False where the facts cannot decide: such an answer is likely at most.
    ``everywhere`` entries also match lines that are no exceptions.
    """

    id: str
    title: str
    match: tuple[Template, ...]
    cases: tuple[EntryCase, ...]
    references: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    near_misses: tuple[str, ...] = ()
    sure: bool = True
    exception: tuple[str, ...] = ()
    """The types of exceptions that count, by their last name; all if empty."""
    versions: tuple[str, ...] = ()
    """Requirements for which a team's entry was written."""
    owner: str = ""
    date: str = ""
    source: str = ""

    @cached_property
    def names(self) -> frozenset[str]:
        """The placeholders of its templates."""
        return placeholders(self.match)


def placeholders(templates: Collection[Template]) -> frozenset[str]:
    """Return the names of all placeholders."""
    parse_ = string.Formatter().parse
    return frozenset(name for each in templates for _, name, *_ in parse_(each.text) if name)


def symptom_of(table: Mapping[str, Any], source: str, functions: Collection[str]) -> Symptom:
    """Read one ``[[symptom]]`` table. Raises ConfigError, which names the entry."""
    name = table.get("id") or table.get("title") or "without an id"
    try:
        return _symptom(table, source, functions)
    except ConfigError as error:
        message = f"{shown(source)}: symptom {name!r}: {error}"
        raise ConfigError(message) from error


def _symptom(table: Mapping[str, Any], source: str, functions: Collection[str]) -> Symptom:
    allowed = {*TEXTS, *LISTS, "case", "sure", "exception"}
    _refuse_unknown(table, allowed)
    texts = {key: _text(table, key) for key in TEXTS}
    lists = {key: _list(table, key) for key in (*LISTS, "exception")}
    if not texts["id"] or not lists["match"]:
        message = "needs an id and at least one text under match"
        raise ConfigError(message)
    templates = tuple(map(Template, lists["match"]))
    names = placeholders(templates)
    tables = table.get("case", [])
    if not isinstance(tables, list):
        message = "case must be an array of tables"
        raise ConfigError(message)
    cases = [_case(each, functions, names) for each in tables]
    if texts["cause"]:
        own = {key: table[key] for key in OF_CASE if key in table}
        cases.append(_case(own, functions, names))
    if not cases:
        message = "the cause is empty: say in one sentence what makes it happen"
        raise ConfigError(message)
    return Symptom(
        id=texts["id"],
        title=texts["title"] or texts["id"],
        match=templates,
        cases=tuple(cases),
        references=lists["references"],
        rules=lists["rules"],
        examples=lists["examples"],
        near_misses=lists["near_misses"],
        sure=_sure(table),
        exception=lists["exception"],
        versions=lists["versions"],
        owner=texts["owner"],
        date=texts["date"],
        source=source,
    )


def _case(
    table: Mapping[str, Any], functions: Collection[str], names: Collection[str]
) -> EntryCase:
    _refuse_unknown(table, set(OF_CASE))
    cause = _text(table, "cause")
    if not cause:
        message = "each case needs a cause"
        raise ConfigError(message)
    texts = [cause, _text(table, "where"), _text(table, "confirm")]
    lists = {key: _list(table, key) for key in ("do", "run", "needs")}
    for each in (*texts, *lists["do"], *lists["run"]):
        expressions_in(each, functions, names)
    when = _text(table, "when")
    return EntryCase(
        cause=cause,
        when=parse(when, functions, names) if when else None,
        where=texts[1],
        do=lists["do"],
        run=lists["run"],
        confirm=texts[2],
        needs=tuple(parse(each, functions, names) for each in lists["needs"]),
        sure=_sure(table),
        rocm_fix=_text(table, "rocm_fix"),
    )


def expressions_in(
    text: str, functions: Collection[str], names: Collection[str]
) -> tuple[tuple[str, ast.expr | None], ...]:
    """Split a sentence with ``{expression}`` in it: literal text, and what follows it.

    Raises ConfigError for an expression that is not allowed.
    """
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        message = f"{text!r}: {error}"
        raise ConfigError(message) from error
    return tuple(
        (literal, None if inner is None else parse(inner, functions, names))
        for literal, inner, _, _ in parts
    )


def _refuse_unknown(table: Mapping[str, Any], allowed: set[str]) -> None:
    for key in table:
        if key not in allowed:
            message = f"unknown key {key!r}; there are {', '.join(sorted(allowed))}"
            raise ConfigError(message)


def _sure(table: Mapping[str, Any]) -> bool:
    sure = table.get("sure", True)
    if not isinstance(sure, bool):
        message = "sure must be true or false"
        raise ConfigError(message)
    return sure


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key, "")
    if key == "date" and hasattr(value, "isoformat"):
        return str(value.isoformat())
    if not isinstance(value, str):
        message = f"{key} must be a string"
        raise ConfigError(message)
    return value.strip()


def _list(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        message = f"{key} must be a string or a list of strings"
        raise ConfigError(message)
    return tuple(each.strip("\n") for each in value)
