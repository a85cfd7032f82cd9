"""What the rules on names say, and the curated tables that they advise by."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.change.fix import apply_fixes
from rocmlint.rules.dependencies._names.uses import uses
from tests.support.repositories import GONE, NEW, lint, write

pytestmark = pytest.mark.usefixtures("in_repository")


# What is said


def test_a_pin_without_the_name_is_an_error_and_an_open_requirement_a_warning() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    assert [each.severity for each in lint(GONE)] == ["error"]
    write("requirements.txt", "transformers>=4.50\n")
    assert [each.severity for each in lint(GONE)] == ["warning"]


def test_an_open_requirement_is_an_error_where_no_version_in_it_has_the_name() -> None:
    write("requirements.txt", "transformers>=4.55\n")
    assert [each.severity for each in lint(GONE)] == ["error"]


@pytest.mark.parametrize(
    ("lowest", "severity"), [("0.26", "error"), ("0.20", "warning"), ("0.14", "warning")]
)
def test_a_requirement_that_begins_in_the_index_is_known_in_full(
    lowest: str, severity: str
) -> None:
    write("requirements.txt", f"huggingface-hub>={lowest}\n")
    (finding,) = lint("from huggingface_hub import cached_download\n")
    assert finding.severity == severity


def test_a_name_that_is_not_there_yet_is_found() -> None:
    write("requirements.txt", "transformers==4.50.0\n")
    (finding,) = lint(NEW)
    assert "it comes with transformers 4.54" in finding.message
    assert finding.help.endswith(" Require `transformers>=4.54`.")


def test_names_that_are_not_there_yet_are_brought_by_the_release_that_has_all() -> None:
    write("requirements.txt", "transformers==4.46.2\n")
    (finding,) = lint("from transformers.utils import auto_docstring, can_return_tuple\n")
    assert finding.help.endswith(" is pinned in requirements.txt. Require `transformers>=4.52.1`.")


def test_a_name_that_is_not_there_yet_beside_one_that_is_gone_names_its_release() -> None:
    write("requirements.txt", "transformers==4.51.3\n")
    (finding,) = lint("from transformers.utils import auto_docstring, is_torch_tpu_available\n")
    assert "equire `transformers>=4.52.1` for `auto_docstring`" in finding.help


def test_all_keywords_that_a_call_should_not_have_are_one_finding() -> None:
    write("requirements.txt", "transformers>=4.40\n")
    call = (
        "TrainingArguments(\n"
        "    group_by_length=True,\n    evaluation_strategy='no',\n    no_cuda=True,\n)\n"
    )
    (finding,) = lint(f"from transformers import TrainingArguments\n{call}")
    assert "no `group_by_length` and other keywords in transformers" in finding.message
    assert "write `eval_strategy` instead of `evaluation_strategy`" in finding.help
    assert finding.help.endswith("; or require `transformers<4.51` and change nothing.")
    assert finding.line == 3
    assert finding.fix is not None
    assert [each.replacement for each in finding.fix.edits] == ["eval_strategy", "use_cpu"]


def test_a_keyword_that_the_trainer_s_configuration_took_over_is_told_so() -> None:
    write("requirements.txt", "trl==1.16.0\n")
    (finding,) = lint("from trl import DPOTrainer\nDPOTrainer(beta=0.1)\n")
    assert finding.help.endswith("Pass `beta` to `trl.DPOConfig`, or require `trl<0.13`.")


def test_all_names_that_an_import_asks_for_in_vain_are_one_finding_with_one_fix() -> None:
    write("requirements.txt", "transformers==5.14.1\n")
    text = (
        "from transformers.modeling_utils import (\n    PreTrainedModel,\n    PretrainedConfig,\n"
        "    apply_chunking_to_forward,\n    find_pruneable_heads_and_indices,\n"
        "    prune_linear_layer,\n)\n"
    )
    (finding,) = lint(text)
    assert finding.line == 3
    assert finding.message == (
        "transformers 5.14.1 has no `PretrainedConfig` and others that are imported here"
    )
    assert (
        "`apply_chunking_to_forward` and `prune_linear_layer` from `transformers." in finding.help
    )
    assert "do without `find_pruneable_heads_and_indices`: transformers 4.5" in finding.help
    assert apply_fixes(text, [finding], unsafe=True).text == (
        "from transformers.modeling_utils import (\n    PreTrainedModel,\n"
        "    find_pruneable_heads_and_indices,\n    )\n"
        "from transformers.configuration_utils import PretrainedConfig\n"
        "from transformers.pytorch_utils import apply_chunking_to_forward, prune_linear_layer\n"
    )


def test_a_name_that_a_module_only_passed_on_is_imported_from_where_it_is_defined() -> None:
    write("requirements.txt", "transformers==5.14.1\n")
    (finding,) = lint("from transformers.modeling_utils import PretrainedConfig\n")
    assert "Import `PretrainedConfig` from `transformers.configuration_utils`" in finding.help
    assert finding.fix is not None
    assert finding.fix.safe


def test_the_last_release_with_a_name_is_named_where_the_project_excludes_it() -> None:
    write("requirements.txt", "transformers>=5.14\n")
    (finding,) = lint("from transformers import TFBertModel\n")
    assert "Do without `TFBertModel`: transformers 4.57 is the last with it." in finding.help


def test_a_name_that_no_indexed_release_ever_had_is_an_error() -> None:
    """SimpleTuner: peft has never had this name in `import_utils`."""
    write("requirements.txt", "peft>=0.18.0\n")
    (finding,) = lint("from peft.import_utils import is_quanto_available\n")
    assert (finding.code, finding.severity) == ("ROC204", "error")
    assert "no release since 0." in finding.help


def test_a_stub_in_a_test_says_nothing_of_the_package_that_the_program_runs_with() -> None:
    write("requirements.txt", "peft>=0.18.0\n")
    write("tests/test_job.py", 'sys.modules["peft.import_utils"] = stub\n')
    assert len(lint("from peft.import_utils import is_quanto_available\n")) == 1
    write("job_setup.py", 'sys.modules["peft.import_utils"] = stub\n')
    assert lint("from peft.import_utils import is_quanto_available\n") == []


def test_a_call_that_lacks_what_the_function_needs_now_is_told_what_that_is() -> None:
    """The gguf_loader of vllm: without `url` the call would have no argument at all."""
    write("requirements.txt", "huggingface-hub==0.33.1\n")
    (finding,) = lint("from huggingface_hub import hf_hub_download\nhf_hub_download(url=name)\n")
    assert finding.help.endswith("Pass `repo_id` and `filename` instead of `url`.")
    (finding,) = lint("from huggingface_hub import snapshot_download\nsnapshot_download(name=n)\n")
    assert "Pass what it takes instead of `name`: `repo_id`" in finding.help


def test_a_patch_of_an_attribute_that_no_allowed_release_has_is_an_error() -> None:
    """InternVL: gone since 4.35, required from 4.37.2 on."""
    write("requirements.txt", "transformers>=4.37.2\n")
    patched = "transformers.models.llama.modeling_llama.LlamaModel._prepare_decoder_attention_mask"
    (finding,) = lint(f"import transformers\ndef mine(self): ...\n{patched} = mine\n")
    assert (finding.code, finding.severity) == ("ROC207", "error")


@pytest.mark.parametrize(
    "text",
    [
        "from diffusers.models.unet_2d_condition import UNet2DConditionModel\n",
        "import diffusers\ndiffusers.models.unet_2d_condition.UNet2DConditionModel\n",
    ],
)
def test_a_module_that_moved_is_found_by_what_is_asked_of_it(text: str) -> None:
    write("requirements.txt", "diffusers==0.32.1\n")
    (finding,) = lint(text)
    assert "Use `diffusers.models.unets.unet_2d_condition`" in finding.help


def test_no_requirement_is_advised_that_the_project_s_own_rules_out() -> None:
    write("requirements.txt", "transformers>=4.55\n")
    (finding,) = lint(GONE)
    assert "transformers<4.54" not in finding.help


def test_what_was_gone_before_the_index_begins_has_a_bound_too() -> None:
    write("requirements.txt", "transformers>=4.31\n")
    (finding,) = lint("from transformers.deepspeed import is_deepspeed_zero3_enabled\n")
    assert finding.help.endswith(", or require `transformers<4.46`.")


def test_what_one_group_of_requirements_may_have_is_not_reported() -> None:
    write(
        "pyproject.toml",
        '[project]\nname="job"\n[project.optional-dependencies]\n'
        'old=["transformers==4.50.0"]\nnew=["transformers==4.57.6"]\n',
    )
    assert lint(GONE + NEW) == []


def test_of_two_files_that_pin_two_versions_what_neither_has_is_an_error() -> None:
    write("requirements.txt", "transformers==4.50.0\n")
    write("requirements-new.txt", "transformers==4.57.6\n")
    never = "from transformers.utils import TRANSFORMERS_CACHE_OF_OURS\n"
    found = [(each.line, each.severity) for each in lint(f"{GONE}{NEW}{never}")]
    assert found == [(1, "note"), (3, "error")]


def test_a_rename_reaches_every_use() -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    text = (
        "from transformers.models.auto.modeling_auto import AutoModelForVision2Seq\n\n\n"
        "def load():\n    return AutoModelForVision2Seq.from_pretrained('x')\n"
    )
    (finding,) = lint(text)
    assert finding.fix is not None
    assert finding.fix.safe
    assert len(finding.fix.edits) == 2


def test_a_rename_keeps_the_old_name_where_a_use_cannot_be_told() -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    text = (
        "from transformers.models.auto.modeling_auto import AutoModelForVision2Seq\n"
        "__all__ = ['AutoModelForVision2Seq']\n"
    )
    (finding,) = lint(text)
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    assert edit.replacement == "AutoModelForImageTextToText as AutoModelForVision2Seq"


def test_a_fix_that_an_older_allowed_version_may_not_bear_is_unsafe() -> None:
    write("requirements.txt", "transformers>=4.30,<5.5\n")
    (finding,) = lint("from transformers.image_utils import VideoInput\n")
    assert finding.fix is not None
    assert not finding.fix.safe


@given(st.text())
def test_no_text_breaks_the_search_for_uses(text: str) -> None:
    assert uses(f"import transformers\n{text}").imports


def test_the_cache_forgets_when_a_lock_file_comes() -> None:
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    write("job.py", GONE)
    write("requirements.txt", "transformers>=4.50\n")
    command = [sys.executable, "-m", "rocmlint", "--select", "ROC204", "--output-format", "json"]

    def found() -> int:
        done = subprocess.run([*command, "job.py"], capture_output=True, text=True, check=False)
        return len(json.loads(done.stdout)["findings"])

    assert (found(), found()) == (1, 1)
    write("uv.lock", '[[package]]\nname = "transformers"\nversion = "4.50.0"\n')
    assert found() == 0


def test_a_keyword_that_a_configuration_inherits_is_of_the_version_of_transformers() -> None:
    write("requirements.txt", "trl==1.16.0\ntransformers\n")
    (finding,) = lint("from trl import SFTConfig\nSFTConfig(evaluation_strategy='no')\n")
    assert finding.message.startswith(
        "`SFTConfig` takes no `evaluation_strategy` with transformers "
    )


@pytest.mark.parametrize(
    ("patched", "codes"),
    [("BertModel.get_head_mask", ["ROC207"]), ("AutoModelForVision2Seq.register", ["ROC204"])],
)
def test_a_patch_of_a_class_that_is_gone_fails_and_is_not_silently_off(
    patched: str, codes: list[str]
) -> None:
    write("requirements.txt", "transformers==5.23.0\n")
    text = f"import transformers\ndef mine(self): ...\ntransformers.{patched} = mine\n"
    assert [each.code for each in lint(text)] == codes


@pytest.mark.parametrize(
    ("requirement", "end"),
    [
        (
            "transformers>=4.40",
            ", and require `transformers>=5.0`, or require `transformers<5.15`.",
        ),
        ("transformers>=5.0", " for `warmup_ratio`, or require `transformers<5.15`."),
        ("transformers==5.23.0", " for `warmup_ratio`, or require `transformers<5.15`."),
    ],
)
def test_advice_that_older_releases_do_not_know_is_given_with_the_release_that_does(
    requirement: str, end: str
) -> None:
    write("requirements.txt", f"{requirement}\n")
    call = "TrainingArguments('out', warmup_ratio=0.1)\n"
    (finding,) = lint(f"from transformers import TrainingArguments\n\n{call}")
    assert finding.help.endswith(end)


def test_a_keyword_is_reported_whatever_else_the_module_lacks() -> None:
    write("requirements.txt", "transformers==5.23.0\n")
    call = "from transformers import TrainingArguments\n\nTrainingArguments('o', tokenizer=t)\n"
    assert [each.code for each in lint(call)] == ["ROC205"]
    assert [each.code for each in lint(GONE + call)] == ["ROC204", "ROC205"]
    guarded = f"try:\n    {GONE}except ImportError:\n    LossKwargs = None\n{call}"
    assert [each.code for each in lint(guarded)] == ["ROC205"]


@pytest.mark.parametrize(
    ("path", "text", "severity"),
    [
        ("requirements.txt", "trl==0.9.4\n", "error"),
        ("install.sh", "pip install trl==0.9.4\n", "error"),
        ("README.md", "```\npip install trl==0.9.4\n```\n", "warning"),
    ],
)
def test_what_only_a_readme_pins_is_never_an_error(path: str, text: str, severity: str) -> None:
    write(path, text)
    (found,) = lint("from trl import SFTConfig\nSFTConfig(completion_only_loss=True)\n")
    assert found.severity == severity
    assert "(it comes with trl 0.17)" in found.message
