"""The index of names: what it says is what an import of that version shows."""

from __future__ import annotations

import importlib.metadata
import json
import os
import random
import subprocess
import sys

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import names, requirements
from rocmlint.published.names import PackageNames

NEWEST = Version("5.24.0")

# Asks a real import: a line of JSON with [module, [name, ...]] pairs; answers True where getattr
# gives the name, False where it refuses it or the module is not there, None where it is another
# error, as of a module that needs what is not installed.
ASK = """
import importlib, json, sys
answers = []
for module, names in json.load(sys.stdin):
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        gone = error.name is not None and (module + ".").startswith(error.name + ".")
        answers.append([False if gone else None] * len(names))
        continue
    except BaseException:
        answers.append([None] * len(names))
        continue
    row = []
    for name in names:
        try:
            getattr(found, name)
            row.append(True)
        except AttributeError:
            row.append(False)
        except BaseException:
            row.append(None)
    answers.append(row)
print("answers" + json.dumps(answers))
"""


@pytest.fixture(scope="module")
def transformers() -> PackageNames:
    """Return what the index has of transformers."""
    found = names.names_of("transformers")
    assert found is not None
    return found


def imported(asked: list[tuple[str, list[str]]]) -> list[list[bool | None]]:
    """Ask the transformers that is installed here."""
    settings = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        env=settings,
        timeout=300,
        check=True,
    )
    last = next(each for each in done.stdout.splitlines() if each.startswith("answers"))
    answers: list[list[bool | None]] = json.loads(last.removeprefix("answers"))
    return answers


def at(package: PackageNames, dotted: str, version: str) -> bool | None:
    """Ask the index for a name in a version."""
    history = package.history(dotted)
    return None if history is None else history.at(Version(version))


def installed(package: str) -> Version | None:
    """Return the installed version, if there is one."""
    try:
        return Version(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return None


@pytest.mark.slow
@pytest.mark.skipif(
    installed("transformers") is None or installed("torch") is None,
    reason="transformers and torch are not installed",
)
def test_what_the_index_says_is_what_an_import_shows(transformers: PackageNames) -> None:
    """A sample of names of all versions, asked of the version that is installed."""
    version = installed("transformers")
    assert version is not None
    if names.index_of(transformers.versions, version) is None:
        pytest.skip(f"transformers {version} is not in the index")
    chance = random.Random(20261120)  # noqa: S311  # a sample, no secret
    modules = [each for each in transformers.modules() if "modular_" not in each]
    asked = []
    for module in ["transformers", "transformers.utils", *chance.sample(modules, 40)]:
        known = sorted(transformers.names(module))
        asked.append((module, chance.sample(known, min(len(known), 100))))
    told_gone: list[tuple[str, bool]] = []
    told_there: list[tuple[str, bool]] = []
    for (module, listed), answers in zip(asked, imported(asked), strict=True):
        for name, there in zip(listed, answers, strict=True):
            said = at(transformers, f"{module}.{name}", str(version))
            if said is not None and there is not None:
                (told_there if said else told_gone).append((f"{module}.{name}", there))
    assert len(told_gone) > 100
    assert [name for name, there in told_gone if there] == []
    # A few names are there only where Pillow or SciPy is installed, as it was for the index.
    missing = [name for name, there in told_there if not there]
    assert len(missing) <= len(told_there) // 100, missing


@pytest.mark.parametrize(
    "name",
    [
        "AutoModelForVision2Seq",
        "HybridCache",
        "CLIPFeatureExtractor",
        "SpecialTokensMixin",
        "is_flax_available",
        "deepspeed",
        "utils.LossKwargs",
        "utils.send_example_telemetry",
        "utils.import_utils.is_torch_fx_available",
        "modeling_utils.shard_checkpoint",
        "models.bert.modeling_tf_bert",
        "models.bert.modeling_tf_bert.TFBertModel",
    ],
)
def test_a_name_that_was_removed_is_gone(transformers: PackageNames, name: str) -> None:
    """Each raised ImportError or AttributeError when it was tried with 5.23.0."""
    assert at(transformers, f"transformers.{name}", "5.23.0") is False


@pytest.mark.parametrize(
    "name",
    [
        "T5TokenizerFast",
        "GemmaTokenizerFast",
        "models.llama.LlamaConfig",
        "models.auto.CONFIG_MAPPING",
        "models.llama.modeling_llama.apply_rotary_pos_emb",
        "AutoModel",
        "models.llama",
        "tokenization_utils_fast.PreTrainedTokenizerFast",
        "models.vit.image_processing_vit_fast.ViTImageProcessorFast",
    ],
)
def test_a_name_that_only_the_files_miss_is_there(transformers: PackageNames, name: str) -> None:
    """Lazy exports and aliases, which a table made of the files calls gone; modules, too."""
    assert at(transformers, f"transformers.{name}", "5.23.0") is True
    assert at(transformers, f"transformers.{name}", "5.24.0") is True


def test_a_history_tells_since_when_a_name_is_gone(transformers: PackageNames) -> None:
    """The first version without it, and nothing while it is there."""
    history = transformers.history("transformers.AutoModelForVision2Seq")
    assert history is not None
    assert history.gone_since(NEWEST) == Version("5.0.0")
    assert history.gone_since(Version("4.57.1")) is None
    assert history.at(Version("4.57.1")) is True


def test_a_history_tells_since_when_a_name_is_there(transformers: PackageNames) -> None:
    """The first version with it, and nothing for what the asked version has."""
    newer = transformers.history("transformers.models.qwen3")
    older = transformers.history("transformers.AutoModel")
    assert newer is not None
    assert older is not None
    assert newer.there_after(Version("4.50.3")) == Version("4.51.3")
    assert newer.there_after(NEWEST) is None
    assert older.there_after(Version("4.50.3")) is None


@pytest.mark.parametrize("version", ["2.0.0", "99.0", "5.0.0rc1"])
def test_nothing_is_said_of_versions_that_were_not_proven(
    transformers: PackageNames, version: str
) -> None:
    """Too old, too new, and no final release."""
    assert at(transformers, "transformers.AutoModel", version) is None


def test_a_name_from_another_package_is_not_known(transformers: PackageNames) -> None:
    """`transformers.trainer` may or may not import nn; that is not its business to keep."""
    assert transformers.history("transformers.trainer.nn") is None


def test_inherited_attributes_are_there(transformers: PackageNames) -> None:
    """LlamaModel has `to` of torch.nn.Module, and `save_pretrained` of PreTrainedModel."""
    for attribute in ("forward", "save_pretrained", "to", "__repr__"):
        history = transformers.member("transformers.LlamaModel", attribute)
        assert history is not None
        assert history.at(NEWEST) is True, attribute


def test_an_attribute_that_was_removed_is_gone(transformers: PackageNames) -> None:
    """What dead patches replace."""
    for owner, attribute in [
        ("transformers.Qwen2VLModel", "_update_causal_mask"),
        ("transformers.models.llama.modeling_llama.LlamaModel", "_update_causal_mask"),
        ("transformers.BertModel", "get_head_mask"),
        ("transformers.DynamicCache", "from_batch_splits"),
    ]:
        history = transformers.member(owner, attribute)
        assert history is not None
        assert history.at(NEWEST) is False, attribute
        assert history.there != 0, attribute


def test_nothing_is_said_of_members_of_what_is_no_class(transformers: PackageNames) -> None:
    """A function, an unknown name."""
    assert transformers.member("transformers.set_seed", "forward") is None
    assert transformers.member("transformers.NoSuchThing", "forward") is None


def test_keywords_of_a_dataclass_and_of_a_wrapped_method(transformers: PackageNames) -> None:
    """`evaluation_strategy` and `tokenizer` are gone; deprecated ones were taken until then."""
    arguments = "transformers.TrainingArguments"
    old = transformers.signature(arguments, Version("4.47.1"))
    new = transformers.signature(arguments, NEWEST)
    assert old is not None
    assert new is not None
    assert "evaluation_strategy" in old.keywords
    assert "evaluation_strategy" not in new.keywords
    assert "eval_strategy" in new.keywords
    tokenizer = transformers.keyword("transformers.Trainer", "tokenizer")
    assert tokenizer.at(Version("4.57.6")) is True
    assert tokenizer.gone_since(NEWEST) == Version("5.0.0")


def test_an_old_keyword_that_is_still_taken_is_there(transformers: PackageNames) -> None:
    """5.24 calls the cache `cache`; a decorator takes the old name, or it is gone."""
    mask = "transformers.masking_utils.create_causal_mask"
    assert transformers.keyword(mask, "past_key_values").at(NEWEST) is True
    assert transformers.keyword(mask, "cache").there_after(Version("5.23.0")) == NEWEST
    masks = "transformers.models.gemma3.modeling_gemma3.create_masks_for_vision_model"
    assert transformers.keyword(masks, "past_key_values").gone_since(NEWEST) == NEWEST


@pytest.mark.parametrize("package", names.packages())
def test_what_the_newest_release_requires_is_known_too(package: str) -> None:
    """Else it would seem to go with any Python and any other package."""
    index = names.names_of(package)
    assert index is not None
    newest = str(index.versions[-1])
    assert newest in map(str, requirements.releases(canonicalize_name(package)))


def test_what_takes_any_keyword_has_no_signature(transformers: PackageNames) -> None:
    """from_pretrained(**kwargs), and a configuration."""
    assert transformers.signature("transformers.AutoModel.from_pretrained", NEWEST) is None
    assert transformers.signature("transformers.BertConfig", NEWEST) is None


def test_elsewhere_finds_where_a_name_moved(transformers: PackageNames) -> None:
    """The shortest place first."""
    found = transformers.elsewhere("Conv1D", NEWEST)
    assert "transformers.pytorch_utils" in found


def test_an_unknown_package_has_no_names() -> None:
    """Nor has what cannot be the name of one."""
    assert names.names_of("no_such_package") is None
    assert names.names_of("../names/transformers") is None


def test_keywords_that_a_wrapper_takes_out_count_as_taken() -> None:
    """`hf_hub_download` ignores resume_download since 1.0, and refuses use_auth_token."""
    hub = names.names_of("huggingface_hub")
    assert hub is not None
    version = Version("1.5.0")
    assert hub.keyword("huggingface_hub.hf_hub_download", "resume_download").at(version) is True
    token = hub.keyword("huggingface_hub.hf_hub_download", "use_auth_token")
    assert token.gone_since(version) == Version("1.0.1")


def test_a_name_from_before_the_index_is_gone_in_all_of_it() -> None:
    """huggingface_hub 0.15 removed ModelSearchArguments; nothing says since when it is gone."""
    hub = names.names_of("huggingface_hub")
    assert hub is not None
    history = hub.history("huggingface_hub.ModelSearchArguments")
    assert history is not None
    assert {history.at(each) for each in hub.versions} == {False}
    assert history.gone_since(hub.versions[-1]) is None


def test_the_index_reaches_back_to_the_last_releases_of_2023() -> None:
    """Names that were gone before 2025 are known to have been there, and until when."""
    hub = names.names_of("huggingface_hub")
    assert hub is not None
    history = hub.history("huggingface_hub.cached_download")
    assert history is not None
    assert history.at(Version("0.25.2")) is True
    assert history.gone_since(hub.versions[-1]) == Version("0.26.5")
    firsts = {"accelerate": "0.25", "diffusers": "0.25", "peft": "0.7", "torch": "1.13"}
    for package, first in {**firsts, "huggingface_hub": "0.20", "trl": "0.8"}.items():
        known = names.names_of(package)
        assert known is not None
        assert str(known.versions[0]).startswith(f"{first}."), package


def test_names_of_torch_are_known_by_its_files() -> None:
    """A newer module's name, a module that is gone since before the index."""
    torch = names.names_of("torch")
    assert torch is not None
    newer = torch.history("torch.distributed.fsdp.fully_shard")
    older = torch.history("torch._six")
    assert newer is not None
    assert older is not None
    assert newer.there_after(Version("2.5.1")) == Version("2.6.0")
    assert older.at(Version("2.9.1")) is False
