"""The pages that are made from the code: a new rule is there without an edit of any page."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from rocmlint.published import amd_wheels, rocm_wheels
from rocmlint.rule.registry import load_rules
from rocmlint.rule.retired import GAPS, taken_over

if TYPE_CHECKING:
    from rocmlint.rule.registry import RuleType

pytest.importorskip("mkdocs")

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parents[2]
each_rule = pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)


@pytest.fixture(scope="module")
def generated() -> Any:
    path = ROOT / "docs" / "generated.py"
    spec = importlib.util.spec_from_file_location("generated", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(path.parent)  # as mkdocs does
        spec.loader.exec_module(module)
    return module


def test_the_page_of_all_rules_names_each_with_a_link(generated: Any) -> None:
    text = generated.on_page_markdown("<!-- rules -->", page=None)
    rows = [f"| {rule.code} | [{rule.name}](rules/{rule.name}.md) |" for rule in load_rules()]
    assert [each for each in rows if each not in text] == []


def test_each_rule_has_a_page_and_stands_in_the_navigation_once(generated: Any) -> None:
    config = {"nav": [{"Start": "index.md"}, {"Rules": "rules.md"}]}

    class Config:
        nav = config["nav"]

    start, rules = generated.on_config(Config()).nav
    below = [page for each in rules["Rules"][1:] for pages in each.values() for page in pages]
    assert start == {"Start": "index.md"}
    assert below == [f"rules/{rule.name}.md" for rule in load_rules()]


def test_retired_codes_are_listed_with_their_successors(
    generated: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, *_) = load_rules()
    monkeypatch.setattr(first, "retired", {"ROC199": "old-name"})
    rows = generated.retired_table().splitlines()[2:]
    assert f"| ROC199 | old-name | [{first.code} {first.name}](rules/{first.name}.md) |" in rows
    assert rows == sorted(rows)
    assert [each for each in GAPS if not any(row.startswith(f"| {each} |") for row in rows)] == []


def test_codes_in_use_are_listed_with_the_next_free_one(generated: Any) -> None:
    retired = {code for code, _, _ in taken_over(load_rules())} | {*GAPS}
    used = {rule.code for rule in load_rules()}
    rows = [row.split(" | ") for row in generated.codes_table().splitlines()[2:]]
    assert {code for _, codes, _ in rows for code in codes.split(", ")} == used
    assert [free for *_, free in rows if free.removesuffix(" |") in used | retired] == []


def test_the_guide_for_contributors_adds_a_rule_with_a_free_code() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    example = set(re.findall(r"ROC\d{3}", text.partition("## Add a rule")[2]))
    assert len(example) == 1
    used = {rule.code for rule in load_rules()} | {code for code, *_ in taken_over(load_rules())}
    assert example.isdisjoint(used | {*GAPS})


def test_helpers_for_rules_are_listed_with_what_they_do(generated: Any) -> None:
    page = generated.on_page_markdown((ROOT / "docs" / "helpers.md").read_text(), page=None)
    lines = [line for line in page.splitlines() if line.startswith("- `")]
    assert [line for line in lines if line.endswith("`: ")] == []
    for module, helper in (
        ("rocmlint.source.conditions", "conditions(node, source)"),
        ("rocmlint.syntax.nodes", "dotted_text(node)"),
        ("_loop.py", "in_step(call, source)"),
    ):
        assert f"- `{helper}`: " in page.partition(f"### {module}\n")[2].partition("\n#")[0]


def test_a_page_without_tables_costs_nothing(
    generated: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = dict.fromkeys(generated.TABLES, pytest.fail)
    monkeypatch.setattr(generated, "TABLES", {**made, "rules": lambda: "all rules"})
    assert generated.on_page_markdown("# Page", page=None) == "# Page"
    assert generated.on_page_markdown("<!-- rules -->", page=None) == "all rules"


def test_the_schemas_of_the_configuration_are_published(generated: Any) -> None:
    published = {path: json.loads(text) for path, text in generated.schemas()}
    assert list(published) == ["schema/rocmlint.json", "schema/rocmlint-pyproject.json"]
    assert all(each["$id"].endswith(f"/latest/{path}") for path, each in published.items())


def test_families_are_called_what_their_folders_say(generated: Any) -> None:
    text = generated.rules_tables()
    assert "## ROC1: where patched files go" in text
    assert "## ROC2: pins, installs and names" in text


def test_the_table_says_which_fixes_are_safe(generated: Any) -> None:
    text = generated.rules_tables()
    assert "[unsafe](rules/package-path-level.md#fix-safety)" in text
    assert "[safe or unsafe](rules/removed-name.md#fix-safety)" in text


def test_defaults_are_written_as_toml(generated: Any) -> None:
    rows = {row.split("|")[1].strip(): row for row in generated.options_table().splitlines()}
    assert '| `["ALL"]` |' in rows["`select`"]
    assert "| `false` |" in rows["`preview`"]
    assert "| `{}` |" in rows["`per-file-ignores`"]


@each_rule
def test_the_page_of_a_rule_shows_the_example_before_its_folded_test_cases(
    generated: Any, rule: RuleType
) -> None:
    page = generated.rule_page(rule)
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert headings[:3] == ["Why it matters", "Example", "Use instead"]
    assert headings[-2:] == ["References", "Test cases"]
    assert "# expect:" not in page
    references = page.partition("## References")[2].partition("## Test cases")[0].split()
    assert all(each == "-" or re.fullmatch(r"<https://\S+>", each) for each in references)
    assert "??? note" not in page.partition("## Test cases")[0]


def test_all_pages_are_in_the_navigation() -> None:
    """MkDocs says so too, but only where the site is built."""
    written = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert [each for each in sorted(written) if each not in (ROOT / "mkdocs.yml").read_text()] == []


def test_the_rules_and_tests_that_the_origins_name_are_there() -> None:
    text = (ROOT / "docs" / "development" / "origins.md").read_text()
    named = re.findall(r"`((?:fixtures|tests)/[\w./]+)`", text)
    assert named
    assert [each for each in named if not (ROOT / each).exists()] == []
    codes = {rule.code for rule in load_rules()}
    assert [each for each in re.findall(r"ROC\d{3}", text) if each not in codes] == []


def test_the_page_for_rule_authors_is_filled_in(generated: Any) -> None:
    text = generated.on_page_markdown("<!-- rule authors -->", page=None)
    assert "::: rocmlint.rule.rule.PythonRule" in text


def test_the_page_of_precision_counts_the_judgements_that_are_kept(generated: Any) -> None:
    text = generated.on_page_markdown((ROOT / "docs" / "precision.md").read_text(), page=None)
    kept = (ROOT / "benchmarks" / "ecosystem" / "judgements.tsv").read_text().splitlines()[1:]
    useful = sum(row.split("\t")[5] == "useful" for row in kept)
    assert f"| all |  | {len(kept)} | {useful} |" in text
    assert "| peft | 0.12.0, 0.21.2, 0.4.0 |" in text


def test_precision_is_counted_for_each_rule(generated: Any, tmp_path: Path) -> None:
    words = ("useful", "useful", "shrug", "wrong")
    rows = [f"a==1\ta.py\t1\tROC602\t{number}\t{word}\twhy" for number, word in enumerate(words)]
    header = "package\tpath\tline\tcode\tfingerprint\tjudgement\treason"
    (tmp_path / "judgements.tsv").write_text("\n".join([header, *rows, ""]))
    table = generated.precision_table(tmp_path).splitlines()
    assert table[2].startswith("| ROC602 | [")
    assert table[2].endswith(" | 4 | 2 | 1 | 1 | 50% |")
    assert table[3] == "| all |  | 4 | 2 | 1 | 1 | 50% |"


# Which ROCm, which torch?


@pytest.fixture(scope="module")
def which() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        return importlib.import_module("which")


def test_the_page_about_rocm_and_torch_is_filled_in(generated: Any) -> None:
    page = (ROOT / "docs" / "stack" / "which.md").read_text()
    made = generated.on_page_markdown(page, page=None)
    assert "<!--" in page
    assert "<!--" not in made


def test_the_picture_says_what_it_shows(which: Any) -> None:
    tree = ET.fromstring(which.which_picture())  # noqa: S314 - our own
    (picture,) = tree.iter(f"{SVG}svg")
    title, description, *_ = (each.text or "" for each in picture)
    assert picture.get("role") == "img"
    assert title.startswith("Which torch supports which GPU")
    assert "ROCm 7.14: PyTorch has torch 2.14 for gfx908, gfx90a, gfx942" in description


def test_the_picture_has_a_bar_for_each_build_and_gpu_of_the_tables(which: Any) -> None:
    tree = ET.fromstring(which.which_picture())  # noqa: S314 - our own
    told = {each.text for each in tree.iter(f"{SVG}title")}
    assert "ROCm 7.1, gfx1151: PyTorch has torch 2.10\N{EN DASH}2.13" in told
    assert "ROCm 6.4, gfx942: PyTorch has torch 2.8\N{EN DASH}2.9" in told
    assert not [each for each in told if "ROCm 6.4, gfx1151" in str(each)]
    shown = {
        (match[1], gpu)
        for match in (re.match(r"ROCm (\S+), (.*): PyTorch", str(each)) for each in told)
        if match is not None
        for gpu in match[2].split(", ")
    }
    known = {
        (rocm, gpu)
        for row in rocm_wheels.rows()
        if row.status == "release"
        for rocm, gpus in row.gfx.items()
        for gpu in gpus.split()
    }
    assert shown == known


def test_every_gpu_and_every_rocm_has_a_row(which: Any) -> None:
    gpus = which.which_gpus()
    assert "| gfx1036 | Raphael graphics |  |  | 2." in gpus
    assert all(f"| {each.gfx} |" in gpus for each in amd_wheels.devices() if each.gfx != "gfx90c")
    versions = which.which_versions()
    assert all(f"| {each} |" in versions for each in rocm_wheels.rocm_versions())
    assert all(f"| {each} |" in versions for each in amd_wheels.rocm_versions())
