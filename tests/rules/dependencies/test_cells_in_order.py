"""What a notebook installs decides on the cells below it, and on none above."""

from __future__ import annotations

import json

import pytest

from tests.support.repositories import lint

pytestmark = pytest.mark.usefixtures("in_repository")

LATER = "from trl import SFTTrainer\nSFTTrainer(model, processing_class=tokenizer)\n"  # since 0.12
EARLIER = "from trl import SFTTrainer\nSFTTrainer(model, tokenizer=tokenizer)\n"  # until 0.15


def found(*cells: str) -> list[str]:
    written = [{"cell_type": "code", "source": each} for each in cells]
    findings = lint(json.dumps({"cells": written}), "tune.ipynb")
    return [f"{each.message} | {each.help}" for each in findings]


def test_a_pin_of_a_companion_below_the_code_decides_nothing_about_it() -> None:
    """As in a notebook of kapilw25/finetuning_evaluation, which loads the result in a new run."""
    pins = '!pip install "transformers==4.41.2" "accelerate==0.30.1"\n'
    assert found("!pip install -U trl", LATER, pins) == []
    [finding] = found("!pip install -U trl", EARLIER, pins)
    assert "takes no `tokenizer` in trl 1." in finding
    [finding] = found(f"{pins}!pip install trl", LATER)
    assert "takes no `processing_class` in trl 0.11.4" in finding


def test_a_pin_above_the_code_decides_on_it() -> None:
    [finding] = found("!pip install trl==0.11.4", LATER)
    assert "trl 0.11.4" in finding


def test_several_pins_with_code_between_are_told_apart() -> None:
    old, new = "!pip install trl==0.11.4", "!pip install trl==0.19.1"
    assert found(old, EARLIER, new) == []
    assert found(old, new, LATER) == []
    [finding] = found(old, new, EARLIER)
    assert "trl 0.19.1" in finding
    [finding] = found(old, LATER, "!pip install trl==0.11.3")
    assert "trl 0.11.4" in finding


def test_code_above_every_install_runs_with_a_version_that_nobody_knows() -> None:
    assert found(LATER, "!pip install trl==0.11.4") == []


def test_an_import_that_only_asks_what_is_there_is_no_use() -> None:
    tried = "try:\n    import trl\nexcept ImportError:\n    %pip install trl==0.11.4\n"
    [finding] = found(tried, LATER)
    assert "trl 0.11.4" in finding
