"""How results of verify are told, and which exit code they give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from rocmlint.verify.report import FORMATS, render
from rocmlint.verify.result import EXIT_CODES, STRENGTHS, Evidence, Result, Verdict, overall

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "verify.json").read_text())
PROVEN = Result("live", "runs its source", "transformers.gemma", "proven", "live", "38 functions")
WRONG = Result(
    "patches",
    "an import takes the manifest's file",
    "gemma.py",
    "contradicted",
    "hashed",
    "stock",
    (Evidence("taken", "site-packages/gemma.py"), Evidence("copies", "a.py\nb.py")),
    "it is the wheel's own file",
    "copy the patch there",
)
OPEN = Result(
    "kernels", "runs on gfx942", "lib.so", "unproven", "declared", "?", (), "no GPU", "use --arch"
)
RESULTS = [PROVEN, WRONG, OPEN]


def rendered(
    name: str, results: list[Result], *, color: bool = False, width: int | None = None
) -> str:
    return "".join(render(name, results, color=color, width=width))


def test_a_table_that_is_too_wide_for_the_terminal_is_told_in_lines() -> None:
    assert rendered("text", [PROVEN], width=200) == rendered("text", [PROVEN])
    assert rendered("text", [PROVEN], width=60).splitlines()[:3] == [
        "proven  live  transformers.gemma",
        "    runs its source",
        "    -> 38 functions",
    ]


def test_text_has_a_table_and_then_in_full_what_is_not_proven() -> None:
    assert (
        rendered("text", RESULTS)
        == """\
verdict       evidence    subject             claim                                seen
------------  ----------  ------------------  -----------------------------------  ------------
proven        live        transformers.gemma  runs its source                      38 functions
contradicted  hashed      gemma.py            an import takes the manifest's file  stock
unproven      declared    lib.so              runs on gfx942                       ?

contradicted: gemma.py: an import takes the manifest's file
  why: it is the wheel's own file
  do: copy the patch there
  taken: site-packages/gemma.py
  copies: a.py
    b.py

unproven: lib.so: runs on gfx942
  why: no GPU
  do: use --arch

1 proven, 1 contradicted, 1 unproven.
"""
    )


def test_claims_that_fail_for_one_cause_are_told_with_it_once() -> None:
    def wrong(subject: str, seen: str) -> Result:
        evidence = (Evidence("claimed at", f"{subject}.py:1"), Evidence("taken", seen))
        return Result(
            "claims", "is patched", subject, "contradicted", "hashed", "5", evidence, "why", "do"
        )

    results = [wrong("a", "x.py"), wrong("b", "other.py"), wrong("c", "x.py")]
    assert rendered("text", results).partition("\n\n")[2] == (
        """\
contradicted: a: is patched
contradicted: c: is patched
  why: why
  do: do
  claimed at: a.py:1
  claimed at: c.py:1
  taken: x.py

contradicted: b: is patched
  why: why
  do: do
  claimed at: b.py:1
  taken: other.py

0 proven, 3 contradicted, 0 unproven.
"""
    )


def test_text_never_says_that_all_is_well_where_nothing_was_checked() -> None:
    assert rendered("text", []) == "There was nothing to check.\n"


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_in_a_result_can_steer_a_terminal(name: str) -> None:
    hostile = "lib\x1b[2J\u202e\udcff.so"
    result = Result(
        "live", hostile, hostile, "unproven", "located", hostile,
        (Evidence(hostile, hostile),), hostile, hostile,
    )  # fmt: skip
    output = rendered(name, [result])
    assert not {"\x1b", "\u202e", "\udcff"} & set(output)


@pytest.mark.parametrize("results", [RESULTS, [], [PROVEN]])
def test_json_follows_its_schema(results: list[Result]) -> None:
    document = json.loads(rendered("json", results))
    Draft202012Validator(SCHEMA).validate(document)
    assert document["exit_code"] == EXIT_CODES[document["verdict"]]
    assert [each["subject"] for each in document["results"]] == [each.subject for each in results]


def test_the_schema_knows_every_verdict_and_strength() -> None:
    definitions = SCHEMA["$defs"]
    assert definitions["verdict"]["enum"] == list(get_args(Verdict))
    assert definitions["result"]["properties"]["strength"]["enum"] == list(STRENGTHS)


def test_junit_fails_what_is_contradicted_and_skips_what_is_unproven() -> None:
    root = ET.fromstring(rendered("junit", RESULTS))  # noqa: S314 - our own
    assert {name: root.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "3", "failures": "1", "skipped": "1",
    }  # fmt: skip
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "it is the wheel's own file"
    assert "copy the patch there" in (failure.text or "")


@pytest.mark.parametrize(
    ("results", "code"),
    [([PROVEN], 0), ([PROVEN, WRONG, OPEN], 1), ([PROVEN, OPEN], 3), ([], 3)],
)
def test_the_exit_code_is_that_of_the_worst_result(results: list[Result], code: int) -> None:
    assert EXIT_CODES[overall(results)] == code


def test_a_declaration_is_no_proof() -> None:
    with pytest.raises(ValueError, match="not a proof"):
        Result("live", "runs", "module", "proven", "declared", "version 4.53.2")


def test_what_is_not_proven_must_say_why_and_what_to_do() -> None:
    with pytest.raises(ValueError, match="without a reason"):
        Result("live", "runs", "module", "unproven", "located", "found")
