"""``rocmlint rule``: what a person reads who looks up a code."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from rocmlint.cli.main import main
from rocmlint.rule.documentation import conditions, summary
from rocmlint.rule.page import WHERE, described, example, markdown, plain_text
from rocmlint.rule.registry import load_rules
from rocmlint.rule.retired import GAPS
from rocmlint.rule.rule import Rule

if TYPE_CHECKING:
    from rocmlint.rule.registry import RuleType

each_rule = pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["rule", *arguments]) == 0
    return capsys.readouterr().out


@each_rule
def test_the_summary_comes_first_and_the_references_last(rule: RuleType) -> None:
    lines = [line for line in plain_text(rule).splitlines() if line]
    assert lines[:2] == [f"{rule.name} ({rule.code})", summary(rule).replace("``", "`")]
    assert lines[-1].startswith("- https://")


@each_rule
def test_a_terminal_gets_no_marks_of_markdown(rule: RuleType) -> None:
    prose = [line for line in plain_text(rule).splitlines() if not line.startswith("    ")]
    assert [line for line in prose if line.startswith("#") or "``" in line] == []


@each_rule
def test_the_example_is_shown_where_there_are_no_fixtures(
    rule: RuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in an environment that rocmlint was installed into from a wheel."""
    monkeypatch.setattr("rocmlint.rule.page.built_in_folder", lambda: os.devnull)
    assert example(rule) is None
    shown = plain_text(rule).partition("\nExample\n")[2].partition(f"\n{WHERE}\n")[0]
    wrong, _, right = shown.partition("\nUse instead\n")
    assert [line for line in wrong.splitlines() if line.startswith("    ")]
    assert [line for line in right.splitlines() if line.startswith("    ")]


# Where a finding has which severity


def is_in_a_warm_up(candidate: object, file: object) -> bool:
    """Loops that `warm | up`."""
    return candidate is file


def is_of_a_logger(candidate: object, file: object) -> bool:
    """Loops that log every step."""
    return candidate is file


class Tiered(Rule[None]):
    """Loop waits on every step."""

    code, name, since = "ACME101", "loop-waits", "1.0"
    severity = "warning"
    tiers = {"error": "a log says that it is not on"}  # noqa: RUF012 - as rules write it
    retired = {"ACME102": "loop-may-wait"}  # noqa: RUF012
    skips = frozenset({"test", "benchmark"})
    excuses = (is_in_a_warm_up,)
    doubts = (is_of_a_logger,)


def test_the_page_has_a_row_for_each_condition_from_error_to_silent() -> None:
    table = markdown(Tiered).partition(f"## {WHERE}\n\n")[2].partition("\n\n")[0]
    assert table.splitlines() == [
        "| | Where |",
        "|---|---|",
        "| **Error** | A log says that it is not on |",
        "| **Warning** | Everywhere else |",
        "| **Note** | Loops that log every step |",
        "| **Silent** | Benchmark, test files |",
        "|  | Loops that `warm \\| up` |",
    ]


def test_a_terminal_shows_the_same_in_two_columns() -> None:
    shown = plain_text(Tiered).partition(f"{WHERE}\n")[2].partition("\n\n")[0]
    assert shown.splitlines() == [
        "Error    A log says that it is not on",
        "Warning  Everywhere else",
        "Note     Loops that log every step",
        "Silent   Benchmark, test files",
        "         Loops that `warm | up`",
    ]


def test_the_page_says_all_severities_and_earlier_codes() -> None:
    facts = markdown(Tiered).split("\n\n")[2]
    assert facts == (
        "Error, warning or note, no fix, since 1.0. "
        "Also selected and suppressed as ACME102 (loop-may-wait)."
    )


def test_json_has_tiers_notes_and_earlier_codes() -> None:
    said = described(Tiered)
    assert said["tiers"] == {"error": "a log says that it is not on"}
    assert said["notes"] == ["Loops that log every step."]
    assert said["not_reported"] == ["Loops that `warm | up`."]
    assert said["retired"] == {"ACME102": "loop-may-wait"}


def test_the_document_of_all_rules_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    schema = Path(__file__).parents[2] / "docs" / "schema" / "rules.json"
    document = json.loads(explained(capsys, "--all", "--output-format", "json"))
    Draft202012Validator(json.loads(schema.read_text())).validate(document)


@each_rule
def test_the_own_severity_of_a_rule_has_a_line(rule: RuleType) -> None:
    assert conditions(rule)[rule.severity]


# Codes and words


@pytest.mark.parametrize("label", ["ACME102", "acme102", "loop-may-wait"])
def test_a_retired_code_shows_the_page_of_its_successor_and_says_so(
    label: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rocmlint.cli.rule.load_rules", lambda: (Tiered,))
    assert main(["rule", label]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("loop-waits (ACME101)\n")
    assert shown.err == "ACME102 (loop-may-wait) is now ACME101 (loop-waits)\n"


@pytest.mark.parametrize("code", sorted(GAPS))
def test_a_code_that_never_named_a_rule_says_why(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rule", code]) == 2
    assert f"there is no rule {code!r}: {GAPS[code]}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "first", "excerpt"),
    [
        (["sync-in"], "ROC501", ""),
        (["hiperrorinvalidimage"], "ROC220", "hipErrorInvalidImage"),
        (["PACKED", "pixel_values"], "ROC605", ""),
        (["returns a new image"], "ROC602", "returns a new image"),
    ],
    ids=str,
)
def test_words_are_searched_for_in_names_summaries_pages_and_messages(
    words: list[str], first: str, excerpt: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = explained(capsys, *words).splitlines()
    assert shown[0].startswith(f"{first}  ")
    if excerpt:
        assert shown[1].startswith("        ")
        assert excerpt in shown[1]


def test_what_no_rule_mentions_is_one_line_and_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "cuda", "xyzzy"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    listed = "`rocmlint rule` lists the rules; `rocmlint why` explains errors"
    assert shown.err == f"error: no rule mentions 'cuda xyzzy'; {listed}\n"
    assert main(["rule", "sync-in-trianing-loop"]) == 2
    assert "; did you mean 'sync-in-training-loop'?" in capsys.readouterr().err


def test_a_name_among_codes_is_not_searched_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "ROC101", "exif-transpos"]) == 2
    assert "there is no rule 'exif-transpos'; did you mean" in capsys.readouterr().err


def test_a_code_is_found_in_lower_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert explained(capsys, "roc101") == explained(capsys, "ROC101")
    assert "ROC601" in explained(capsys, "roc6")


def test_the_page_says_how_to_hide_one_finding_and_turn_the_rule_off(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = explained(capsys, "ROC101")
    assert "`# rocmlint: ignore[ROC101] reason`" in told
    assert '    ignore = ["package-path-level"]' in told


def test_the_page_says_how_to_turn_a_rule_in_preview_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rule = next(each for each in load_rules() if each.preview)
    assert f'    extend-select = ["{rule.name}"]' in explained(capsys, rule.code)


def test_options_are_listed_with_type_and_default(capsys: pytest.CaptureFixture[str]) -> None:
    told = explained(capsys, "exif-transpose")
    assert "In the table `[tool.rocmlint.exif-transpose]`:" in told
    assert "- `allowed-paths` (list of strings, default `[]`): " in told
