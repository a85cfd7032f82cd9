"""A page for each error message that ``rocmlint why`` knows, and tables of them and of facts."""

from __future__ import annotations

import ast
import inspect
import os
import re
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule.registry import load_rules
from rocmlint.text.markdown import code_span, prose
from rocmlint.why.entries.load import built_in
from rocmlint.why.entries.symptom import expressions_in
from rocmlint.why.facts.all import NAMES, functions_of
from rocmlint.why.facts.context import Context
from rocmlint.why.log.log_reader import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.why.entries.symptom import EntryCase, Symptom

_GROUPS = {
    "host": "The machine, drivers and containers",
    "rocm": "GPUs, ROCm and its libraries",
    "packages": "Packages and their versions",
    "training": "Training and distributed jobs",
    "vision": "Vision-language models",
    "export": "torch.export and ONNX",
}
"""The headings of the table, by the file that an entry is in."""
_LONGEST = 110
_ARTICLES = frozenset({"a", "an", "the", "this", "these", "one", "two", "what", "no", "another"})


def error_pages() -> Iterator[tuple[str, str]]:
    """Yield the path in ``docs/`` and the text of the page of each entry."""
    for symptom in built_in(NAMES):
        yield page_of(symptom), error_page(symptom)


def page_of(symptom: Symptom) -> str:
    """Return the path of the page of an entry in ``docs/``."""
    return f"errors/{symptom.id}.md"


def error_page(symptom: Symptom) -> str:
    """Return the page of an entry: the messages, the causes and what to do, rules, references."""
    return "\n\n".join([
        f"# {prose(symptom.title)}",
        *(_block("text", each) for each in symptom.examples),
        (
            f"[`rocmlint why`](../why.md) knows it as `{symptom.id}`. It fills in what is in "
            "capitals here, from [facts](../why.md#conditions-and-facts)."
        ),
        *_causes(symptom),
        *_rules(symptom),
        "## References",
        "\n".join(f"- <{each}>" for each in symptom.references),
    ])  # fmt: skip


def _causes(symptom: Symptom) -> Iterator[str]:
    is_only = len(symptom.cases) == 1
    for number, case in enumerate(symptom.cases, 1):
        yield "## Cause" if is_only else f"## Cause {number}"
        yield _begun(_sentence(case.cause, symptom)) + "."
        if case.when is not None:
            yield f"Applies if {code_span(ast.unparse(case.when))}."
        yield from _what_to_do(case, symptom)


def _what_to_do(case: EntryCase, symptom: Symptom) -> Iterator[str]:
    where = [f"Where: {_sentence(case.where, symptom)}."] if case.where else []
    yield "\n".join(
        f"- {each}" for each in [*where, *(_capital(_sentence(e, symptom)) for e in case.do)]
    )
    if case.run:
        yield _block("console", "\n".join(f"$ {_command(each, symptom)}" for each in case.run))
    if case.confirm:
        yield "To confirm it:"
        yield _block("console", f"$ {_command(case.confirm, symptom)}")


def _rules(symptom: Symptom) -> Iterator[str]:
    rules = {rule.code: rule for rule in load_rules()}
    if symptom.rules:
        yield "## Find it before it happens"
        yield "\n".join(
            f"- [{code} {rules[code].name}](../rules/{rules[code].name}.md)"
            for code in symptom.rules
        )


def _sentence(text: str, symptom: Symptom) -> str:
    """Return a sentence in which code in capitals stands for what the command fills in."""
    pieces = []
    for literal, expression in expressions_in(text, NAMES, symptom.names):
        pieces.append(_with_ends(literal))
        pieces.append("" if expression is None else code_span(_variable(expression)))
    return "".join(pieces).strip().removesuffix(".")


def _begun(sentence: str) -> str:
    """Return a sentence with a capital, unless it begins with a name such as torch."""
    return _capital(sentence) if sentence.partition(" ")[0] in _ARTICLES else sentence


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _variable(expression: ast.expr) -> str:
    """Return what stands for a value: ``VERSION``, ``GPUS``; a computed one as it is written."""
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name):
        return expression.func.id.upper()
    return expression.id.upper() if isinstance(expression, ast.Name) else ast.unparse(expression)


def _with_ends(text: str) -> str:
    """Write a part of a sentence; the blanks at its ends stay."""
    begin = " " * (text[:1].isspace() and bool(text.strip()))
    end = " " * text[-1:].isspace()
    return f"{begin}{prose(text)}{end}"


def _command(text: str, symptom: Symptom) -> str:
    """Return a command with capitals for what is filled in: ``pip install torch==VERSION``."""
    found = expressions_in(text, NAMES, symptom.names)
    return "".join(
        literal + ("" if expression is None else _variable(expression))
        for literal, expression in found
    )


def _block(language: str, text: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    mark = "``` { .text .wrap }" if language == "text" else f"```{language}"
    return f"{mark.replace('```', fence)}\n{text.strip()}\n{fence}"


def errors_tables() -> str:
    """Return a table of messages for each group of entries, with links to their pages."""
    tables = []
    for source, group in groupby(built_in(NAMES), lambda each: each.source):
        stem = os.path.basename(source).removesuffix(".toml")
        rows = ["| You see | |", "|---|---|", *map(_row, group)]
        tables.append(f"## {_GROUPS.get(stem, stem.capitalize())}\n\n" + "\n".join(rows))
    return "\n\n".join(tables)


def _row(symptom: Symptom) -> str:
    message = max(symptom.examples[0].strip().splitlines(), key=len) if symptom.examples else ""
    shown = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…"
    return f"| {prose(shown)} | [{prose(symptom.title)}]({page_of(symptom)}) |"


class Fact(NamedTuple):
    """A function that a condition may use: how it is called, and what it says."""

    call: str
    about: str


def facts() -> list[Fact]:
    """Return all functions of conditions, by their signatures and the begin of their docstrings."""
    functions = functions_of(Context(read_text("")))
    return [
        Fact(_call(name, each.func), _about(each.func))
        for name, each in sorted(functions.items())
        if isinstance(each, partial)
    ]


def _call(name: str, function: Callable[..., object]) -> str:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    shown = [
        f"*{each.name}" if each.kind is each.VAR_POSITIONAL else each.name for each in parameters
    ]
    return f"{name}({', '.join(shown)})"


def _about(function: Callable[..., object]) -> str:
    first = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
    first = first.removeprefix("Return ").replace("``", "`")
    return first[:1].upper() + first[1:]


def facts_table() -> str:
    """Return a table of the functions that conditions and sentences may use."""
    rows = [f"| `{each.call}` | {each.about.replace('|', chr(92) + '|')} |" for each in facts()]
    return "\n".join(["| Fact | Value |", "|---|---|", *rows])
