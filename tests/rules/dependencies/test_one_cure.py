"""What one change cures in a file is one finding; advice names the module that defines a name."""

from __future__ import annotations

import pytest

from rocmlint.lint.fold import folded
from tests.support.repositories import lint, write

pytestmark = pytest.mark.usefixtures("in_repository")

KEYWORDS = """\
from transformers import Trainer

def one(model, tokenizer):
    return Trainer(model, tokenizer=tokenizer)

def two(model, tokenizer):
    return Trainer(model, tokenizer=tokenizer)
"""


def found(text: str) -> list[str]:
    return [f"{each.line}: {each.message} | {each.help}" for each in folded(lint(text))]


def test_names_of_several_imports_that_a_requirement_brings_back_are_one_finding() -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    text = "from transformers.masking_utils import create_causal_mask\n"
    text += "from transformers.modeling_layers import GradientCheckpointingLayer\n"
    [finding] = found(text)
    assert finding.startswith(
        "1: transformers 4.48.1 has no `masking_utils` or `modeling_layers` | "
    )
    assert "Require `transformers>=4.53`" in finding
    assert finding.endswith("; the same holds for 1 more place.")


def test_a_name_that_several_functions_import_is_one_finding() -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    imported = "    from transformers import AutoModelForVision2Seq\n"
    [finding] = found(f"def one():\n{imported}\ndef two():\n{imported}")
    assert finding.startswith("2: transformers 5.0.0 has no `transformers.AutoModelForVision2Seq`")
    assert finding.endswith("`transformers<5.0`; the same holds for 1 more place.")


def test_names_with_different_cures_are_different_findings() -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    text = "from transformers import AutoModelForVision2Seq\n"
    text += "from transformers.modeling_utils import no_init_weights\n"
    assert [each.partition(":")[0] for each in found(text)] == ["1", "2"]


def test_the_same_keywords_of_several_calls_are_one_finding() -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    [finding] = found(KEYWORDS)
    assert finding.startswith("4: `Trainer` takes no `tokenizer`")
    assert finding.endswith("; the same holds for 1 more place.")


def test_the_module_that_defines_a_name_is_named() -> None:
    write("requirements.txt", "transformers==5.23.0\n")
    [finding] = found("from transformers.models.gpt2.tokenization_gpt2 import bytes_to_unicode\n")
    assert "from `transformers.convert_slow_tokenizer` if it does the same" in finding
