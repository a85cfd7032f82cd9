"""Which releases ask others for names that these do not have."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from rocmlint.published.imports import first_importing, having, lacking
from tools.build_imports import asked_by, packed, runs

if TYPE_CHECKING:
    from pathlib import Path

NEW, OLD = Version("5.5.3"), Version("4.57.1")
CACHE = ("transformers.HybridCache",)


@pytest.mark.parametrize(
    ("package", "version", "other", "found", "names"),
    [
        ("peft", "0.17.1", "transformers", NEW, CACHE),
        ("peft", "0.17.1+local", "transformers", NEW, CACHE),
        ("peft", "0.17.1", "transformers", OLD, ()),
        ("peft", "0.18.0", "transformers", NEW, ()),
        ("peft", "0.17.1", "transformers", Version("99.0"), ()),
        ("peft", "99.0", "transformers", NEW, ()),
        ("peft", "0.17.1", "numpy", Version("2.0"), ()),
        ("no-such", "1.0", "transformers", NEW, ()),
    ],
)
def test_what_is_lacking_is_what_one_asks_and_the_other_has_not(
    package: str, version: str, other: str, found: Version, names: tuple[str, ...]
) -> None:
    assert lacking(package, Version(version), other, found) == names


def test_there_is_a_way_on_and_a_way_back() -> None:
    assert first_importing("peft", Version("0.17.1"), "transformers", NEW) == Version("0.18.0")
    old = Version("0.20.3")  # which accelerate 1.13 would import with, and does not take
    assert first_importing("accelerate", Version("0.34.2"), "huggingface-hub", old) is None
    assert first_importing("no-such", Version("1"), "transformers", NEW) is None
    assert having("transformers", NEW, *CACHE) == "transformers<5.0"
    assert having("transformers", Version("4.36"), *CACHE) == "transformers>=4.44.2"
    assert having("no-such", NEW, *CACHE) == ""


def test_the_data_are_read_from_wheels(tmp_path: Path) -> None:
    wheel = tmp_path / "peft-1.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("peft/__init__.py", "from .utils import x\n")
        file.writestr("peft/utils/__init__.py", "import os\nfrom transformers import A, B\n")
        file.writestr("peft/other.py", "from transformers import C\n")
    assert asked_by(wheel) == ["transformers:A", "transformers:B"]


def test_only_names_that_come_or_go_are_kept(tmp_path: Path) -> None:
    for version, asked in {
        "0.17.0": ["transformers:AutoModel", "transformers:HybridCache"],
        "0.17.1": ["transformers:HybridCache"],
        "0.18.0": ["transformers:AutoModel", "transformers.gone:X"],
        "0.18.1": None,
    }.items():
        (tmp_path / f"peft-{version}.json").write_text(json.dumps(asked))
    assert packed(tmp_path)["packages"] == {
        "peft": {"releases": "0.17.0 0.17.1 0.18.0", "asks": {"transformers:HybridCache": [0, 2]}}
    }


@pytest.mark.parametrize(
    ("has", "found"),
    [([], []), ([True], [0, 1]), ([False, True, True, False, True], [1, 3, 4, 5])],
)
def test_runs_are_where_something_begins_and_has_ended(has: list[bool], found: list[int]) -> None:
    assert runs(has) == found
