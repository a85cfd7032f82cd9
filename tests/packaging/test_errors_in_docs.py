"""What AMD users search for is in one section of the docs: the built site's own index says so."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rocmlint.rule.errors import errors_of
from rocmlint.rule.registry import load_rules
from rocmlint.why.entries.load import built_in
from rocmlint.why.facts.all import NAMES

pytest.importorskip("mkdocs")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("docs")]

ROOT = Path(__file__).parents[2]
SYMPTOMS = built_in(NAMES)
SEARCHED = [
    "invalid device function",
    "no kernel image is available",
    "No module named flash_attn",
    "memory access fault",
    "undefined symbol",
    "torchvision nms",
    "slow training",
    "hang nccl",
    "KV cache shape mismatch",
    "cannot import name transformers",
    "Torch not compiled with CUDA enabled",
    "HIP out of memory",
    "libamdhip64.so cannot open shared object file",
    "/dev/kfd permission denied",
    "got an unexpected keyword argument",
    "expected scalar type Float but found BFloat16",
    "image features and image tokens do not match",
    "Weights only load failed",
    "No matching distribution found for torch",
    "MIOpen database",
    "hipBLASLt unsupported architecture",
    "invalid device ordinal",
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the docs, strictly."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir"]
    built = subprocess.run(
        [*command, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.fixture(scope="module")
def sections(site: Path) -> dict[str, str]:
    """Return the text of each section by its address."""
    index = json.loads((site / "search" / "search_index.json").read_text())
    return {
        each["location"]: html.unescape(
            re.sub(r"<[^>]+>", " ", f"{each['title']} {each['text']}")
        ).casefold()
        for each in index["docs"]
    }


@pytest.mark.parametrize("words", SEARCHED)
def test_a_searched_message_is_found_on_a_page_of_errors(
    words: str, sections: dict[str, str]
) -> None:
    found = [
        place
        for place, text in sections.items()
        if place.startswith("errors/") and all(each in text for each in words.casefold().split())
    ]
    assert found != []


def test_each_entry_has_a_page_with_its_messages_and_the_index_names_it(
    sections: dict[str, str], site: Path
) -> None:
    index = (site / "errors" / "index.html").read_text()
    for symptom in SYMPTOMS:
        text = " ".join(sections[f"errors/{symptom.id}/"].split())
        assert all(" ".join(each.casefold().split()) in text for each in symptom.examples)
        assert f'href="{symptom.id}/"' in index


def test_rules_and_errors_have_links_to_each_other(site: Path) -> None:
    for rule in load_rules():
        for error in errors_of(rule.code):
            of_rule = (site / "rules" / rule.name / "index.html").read_text()
            of_error = (site / "errors" / error.id / "index.html").read_text()
            assert f'href="../../errors/{error.id}/"' in of_rule
            assert f'href="../../rules/{rule.name}/"' in of_error


def test_every_fact_is_described(sections: dict[str, str]) -> None:
    text = sections["why/#conditions-and-facts"]
    assert [each for each in sorted(NAMES) if f"{each}(" not in text] == []
