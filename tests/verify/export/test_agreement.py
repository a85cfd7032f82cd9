"""``rocmlint verify export`` on models whose programs are wrong, each in a way of its own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.support.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("export")]

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "tests" / "support" / "export_models.py"
SCHEMA = json.loads((ROOT / "docs" / "schema" / "export-matrix.json").read_text())
LIMITS = {"hangs": "timeout = 8", "takes_much_memory": "memory = 3"}
NAMES = [
    line.split()[1].partition("(")[0]
    for line in MODELS.read_text().splitlines()
    if line.startswith("def ") and not line.startswith(("def _", "def exporting"))
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(tmp_path_factory.mktemp("models"))
    made.write("models.py", MODELS.read_text())
    return made


@pytest.fixture(scope="module")
def document(project: Project) -> dict[str, Any]:
    tables = [
        f'[[model]]\nname = "{name}"\nfactory = "models:{name}"\n{LIMITS.get(name, "")}\n'
        for name in NAMES
    ]
    project.write("models.toml", "plain = true\n" + "".join(tables))
    run = project.run(
        *("verify", "export", "--matrix", "models.toml"),
        *("--output-format", "json", "--html", "page.html"),
        OMP_NUM_THREADS="1",
    )
    assert run.returncode == 1, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@pytest.fixture(scope="module")
def row(document: dict[str, Any]) -> Callable[[str], dict[str, Any]]:
    by_name = {each["name"]: each for each in document["models"]}
    return by_name.__getitem__


def line_of(text: str) -> str:
    """Return ``models.py:LINE`` of a line of the models."""
    lines = MODELS.read_text().splitlines()
    return f"models.py:{next(at for at, each in enumerate(lines, 1) if text in each)}"


def claims(row: dict[str, Any]) -> dict[str, str]:
    return {each["claim"]: each["verdict"] for each in row["results"]}


def test_a_model_that_agrees_at_three_sizes_passes(row: Any) -> None:
    assert row("right")["verdict"] == "PASS"
    assert set(claims(row("right")).values()) == {"proven"}


def test_a_single_input_with_one_row_is_traced_with_two(row: Any) -> None:
    assert row("right_for_one_row")["verdict"] == "PASS"
    assert "1 made 2" in str(row("right_for_one_row")["results"])


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("wrong_for_odd_sizes", "batch 1"),
        ("wrong_for_zeros", "zeros"),
        ("wrong_by_a_hundredth_in_half_precision", "inputs 1"),
        ("wrong_in_small_numbers", "inputs 1"),
        ("wrong_beside_a_mask", "inputs 1"),
        ("another_order_of_keys", "another order"),
        ("a_list_instead_of_a_tuple", "tuple([0]: tensor) became list"),
        ("does_not_write_into_its_input", "only the model writes into x"),
        ("does_not_count", "buffers afterwards"),
    ],
)
def test_a_program_that_differs_anywhere_is_wrong(row: Any, name: str, where: str) -> None:
    assert row(name)["verdict"] == "WRONG"
    assert where in row(name)["why"]


def test_the_first_module_that_differs_is_named(row: Any) -> None:
    assert "first in halves (_Halves)" in row("wrong_for_odd_sizes")["why"]


def test_memory_that_only_the_program_shares_is_told(row: Any) -> None:
    found = claims(row("returns_a_view_of_its_input"))
    assert found["the program shares memory as the model does"] == "contradicted"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nothing_but_nan", "NaN"),
        ("in_training_mode", "it is in training mode"),
        ("other_weights_each_time", "other weights each time"),
        ("kills_itself", "SIGKILL"),
        ("hangs", "did not answer within 8 s"),
        ("takes_much_memory", "memory"),
        ("returns_something_else", "must return (model, inputs)"),
    ],
)
def test_what_was_not_compared_is_never_a_pass(row: Any, name: str, why: str) -> None:
    assert row(name)["verdict"] == "UNKNOWN"
    assert why in row(name)["why"]
    assert set(claims(row(name)).values()) <= {"proven", "unproven"}


@pytest.mark.parametrize("name", ["fixed_size", "fixed_size_of_a_named_dimension"])
def test_a_dimension_that_becomes_static_is_a_failure_with_its_statement(
    row: Any, name: str
) -> None:
    found = row(name)
    assert found["verdict"] == "FAIL"
    assert "dynamic dimension became static: x dimension 0 is fixed to 4" in found["why"]
    assert line_of("int(x.shape[0])") in found["why"]


def test_a_dimension_that_may_become_static_does_not_do_so_silently(row: Any) -> None:
    found = row("fixed_size_that_may_be")
    assert found["verdict"] == "PARTIAL"
    assert "dynamic dimension became static" in found["why"]
    assert line_of("int(x.shape[0])") in found["why"]


def test_a_bound_that_no_input_crosses_is_found_all_the_same(row: Any) -> None:
    assert row("at_most_twelve")["verdict"] == "PARTIAL"
    assert "x dimension 0 is at most 12" in row("at_most_twelve")["why"]


def test_named_shapes_that_are_refused_name_the_guard(row: Any) -> None:
    assert row("at_most_twelve_of_a_hundred")["verdict"] == "PARTIAL"
    assert "Guard failed: x.size()[0] <= 12" in row("at_most_twelve_of_a_hundred")["why"]


def test_predicates_are_proven_when_both_sides_were_seen(row: Any) -> None:
    assert claims(row("both_branches"))["each predicate was seen true and false"] == "proven"


def test_a_branch_that_was_never_compared_is_unproven(row: Any) -> None:
    found = row("a_branch_that_is_never_taken")
    result = next(each for each in found["results"] if "predicate" in each["claim"])
    assert result["verdict"] == "unproven"
    assert line_of("x.abs().sum() < -1") in result["reason"]


@pytest.mark.parametrize(
    ("name", "statement", "rule"),
    [
        ("depends_on_data", "if x.sum() > 0:", "ROC801"),
        ("reads_a_value", "return x / scale if scale > 1 else x", "ROC801"),
    ],
)
def test_a_failure_names_the_statement_and_the_rule(
    row: Any, name: str, statement: str, rule: str
) -> None:
    assert row(name)["verdict"] == "FAIL"
    assert line_of(statement) in row(name)["why"]
    assert rule in row(name)["why"]


def test_the_document_follows_its_schema(document: dict[str, Any]) -> None:
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []


def test_the_page_needs_nothing_from_elsewhere(project: Project, document: dict[str, Any]) -> None:
    page = project.read("page.html")
    assert all(each["name"] in page for each in document["models"])
    assert "<script" not in page
    assert not re.search(r"<[^>]*(src|href)=|@import|url\(", page)


def test_both_modes_of_export_are_compared(project: Project) -> None:
    run = project.run(
        *("verify", "export", "models:depends_on_data", "--both-modes", "--plain"),
        *("--output-format", "json"),
    )
    subjects = [each["subject"] for each in json.loads(run.stdout)["results"]]
    assert [each.rpartition(", ")[2] for each in subjects] == ["non-strict)", "strict)"]


def test_the_probe_names_each_line_that_reads_a_value(project: Project) -> None:
    run = project.run(
        *("verify", "export", "models:reads_a_value", "--probe", "--output-format", "json")
    )
    results = json.loads(run.stdout)["results"]
    assert [Path(each["subject"]).name for each in results] == [line_of("x.max().item()")]
    assert run.returncode == 1


def test_the_probe_proves_a_forward_that_reads_nothing(project: Project) -> None:
    run = project.run("verify", "export", "models:right", "--probe")
    assert run.returncode == 0
