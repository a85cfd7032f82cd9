"""What is advised cures the call or the file: no other name or keyword is missing then."""

from __future__ import annotations

import pytest

from tests.support.repositories import lint, write

pytestmark = pytest.mark.usefixtures("in_repository")


def help_of(requirement: str, text: str) -> str:
    write("requirements.txt", f"{requirement}\n")
    (finding,) = lint(text)
    return finding.help


@pytest.mark.parametrize(
    ("old", "given"),
    [("warmup_ratio", "warmup_steps"), ("evaluation_strategy", "eval_strategy")],
)
def test_a_keyword_that_the_call_passes_already_is_no_new_name(old: str, given: str) -> None:
    call = f"TrainingArguments('out', {given}=a, {old}=b)\n"
    told = help_of("transformers==5.16.0", f"from transformers import TrainingArguments\n{call}")
    assert f"Leave out `{old}`" in told


def test_no_cap_is_advised_where_a_call_passes_what_no_release_below_it_takes() -> None:
    told = help_of(
        "trl>=0.11",
        "from trl import AutoModelForCausalLMWithValueHead, GRPOConfig\n"
        "GRPOConfig('out', mini_batch_size=4)\n",
    )
    assert told.endswith(
        "Do without `AutoModelForCausalLMWithValueHead`: trl 0.28 is the last with it."
    )


def test_no_cap_is_advised_below_which_another_keyword_of_the_call_is_missing() -> None:
    call = "TrainingArguments('out', train_sampling_strategy=a, evaluation_strategy='no')\n"
    told = help_of("transformers==5.16.0", f"from transformers import TrainingArguments\n{call}")
    assert told.endswith("Write `eval_strategy` instead of `evaluation_strategy`.")


def test_a_cap_is_as_low_as_all_that_the_file_asks_for_needs_it() -> None:
    told = help_of(
        "transformers>=4.40",
        "from transformers import TFBertModel\n"  # until 4.57
        "def late():\n    try:\n        from transformers.utils import LossKwargs\n"
        "    except ImportError:\n        pass\n",
    )
    assert told.endswith("`transformers<5.0`.")
    told = help_of(
        "transformers>=4.40",
        "from transformers.utils import LossKwargs\n"  # from 4.47 to 4.53
        "from transformers import TrainingArguments\n"
        "TrainingArguments('out', **{})\n",
    )
    assert told.endswith("`transformers<4.54`.")


def test_a_floor_above_which_the_name_goes_again_gets_a_cap() -> None:
    told = help_of("transformers==4.40.0", "from transformers.utils import LossKwargs\n")
    assert told.endswith("Require `transformers>=4.47,<4.54`.")


def test_a_name_that_only_later_releases_have_is_told_so() -> None:
    told = help_of(
        "transformers==4.45.0",
        "from transformers.utils import LossKwargs, TransformersKwargs\n",  # never both
    )
    assert "`LossKwargs`: only transformers 4.47 to 4.53 have it; " in told
    assert told.endswith("`TransformersKwargs`: it comes with transformers 4.54.")


def test_a_class_that_takes_nothing_any_more_is_not_advised_to_be_called_without() -> None:
    told = help_of(
        "diffusers==0.33.1",
        "from diffusers.models.attention_processor import LoRAAttnProcessor\n"
        "LoRAAttnProcessor(hidden_size=a, rank=b)\n",
    )
    assert told.endswith("Do without `LoRAAttnProcessor`: it takes no arguments any more.")
