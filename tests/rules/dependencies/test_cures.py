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


def test_no_cap_is_advised_where_the_file_asks_for_what_no_release_below_it_has() -> None:
    told = help_of(
        "trl>=0.11", "from trl import AutoModelForCausalLMWithValueHead, DistillationConfig\n"
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


TRAINER = (
    "from trl import DPOConfig, DPOTrainer\n"
    "settings = DPOConfig('out', max_prompt_length=4)\n"  # until 0.28
    "DPOTrainer(args=settings, tokenizer=a)\n"  # until 0.15
)


def test_a_cap_is_no_lower_for_a_keyword_that_has_another_name_now() -> None:
    write("requirements.txt", "trl>=0.15\n")
    settings, trainer = lint(TRAINER)
    assert settings.help.endswith("Leave out `max_prompt_length`, or require `trl<0.29`.")
    assert "Write `processing_class` instead of `tokenizer`" in trainer.help


def test_keywords_that_a_configuration_inherits_are_told_apart_from_its_own() -> None:
    write("requirements.txt", "trl>=0.15\ntransformers>=4.50\n")
    call = "DPOConfig('out', logging_dir='logs', max_prompt_length=4)\n"
    inherited, own = lint(f"from trl import DPOConfig\n{call}")
    assert "Set `TENSORBOARD_LOGGING_DIR` in the environment instead of" in inherited.help
    assert inherited.help.endswith("or require `transformers<5.15`.")
    assert own.help.endswith("Leave out `max_prompt_length`, or require `trl<0.29`.")


TENSORFLOW = "from transformers import TFBertModel\n"  # until 4.57
LATER = "from transformers.initialization import no_init_weights\n"  # since 5.0


def test_no_cap_is_advised_below_which_another_file_lacks_what_it_imports() -> None:
    write("project/more.py", LATER)
    told = help_of("transformers>=4.40", TENSORFLOW)
    assert told.endswith("Do without `TFBertModel`: transformers 4.57 is the last with it.")


def test_what_the_file_itself_is_ready_to_miss_is_not_excluded() -> None:
    told = help_of("transformers>=4.40", f"{TENSORFLOW}@skipif(old)\ndef late():\n    {LATER}")
    assert told.endswith("equire `transformers<5.0`.")


def test_no_floor_is_advised_from_which_another_file_lacks_what_it_imports() -> None:
    write("project/more.py", TENSORFLOW)
    told = help_of("transformers==4.57.0", LATER)
    assert told.endswith("`initialization`: it comes with transformers 5.0.")


@pytest.mark.parametrize(
    "fields", ["settings.__dict__", "vars(settings)", "asdict(settings)", "settings.to_dict()"]
)
def test_a_configuration_whose_fields_a_call_takes_is_passed_itself(fields: str) -> None:
    text = (
        "from trl import DPOConfig, DPOTrainer\n"
        "settings = DPOConfig('out', beta=0.1)\n"
        f"DPOTrainer({{}}beta=settings.beta, tokenizer=a, **{fields})\n"
    )
    told = help_of("trl==1.16.0", text.format(""))
    assert told.endswith(
        " Pass `args=settings` instead of its fields; "
        "write `processing_class` instead of `tokenizer`."
    )
    told = help_of("trl==1.16.0", text.format("args=others, "))
    assert "Pass `args=settings`, with what `args` has now, instead of its fields;" in told


@pytest.mark.parametrize("fields", ["others.__dict__", "settings", "vars()"])
def test_a_call_that_takes_other_fields_is_told_what_configuration_takes_a_keyword(
    fields: str,
) -> None:
    told = help_of(
        "trl==1.16.0",
        "from trl import DPOConfig, DPOTrainer\n"
        "settings = DPOConfig('out')\n"
        f"DPOTrainer(args=settings, beta=0.1, **{fields})\n",
    )
    assert "Pass `beta` to `trl.DPOConfig`" in told
