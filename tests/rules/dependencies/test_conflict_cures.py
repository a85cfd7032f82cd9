"""What the findings on requirements that exclude each other propose, beside the rest of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.repositories import Repository

TOKENIZERS = "huggingface-hub==0.23.0\ntokenizers==0.14.1\n"


@pytest.mark.parametrize(
    ("pins", "told"),
    [
        pytest.param(
            "torch==2.1.1\nvllm==0.4.2\ntorchvision==0.16.1\n",
            "Use torch==2.3.0.",
            id="torchvision has to move too",
        ),
        pytest.param(
            "torchaudio==2.1.1\ntorch==2.1.1\ntorchvision==0.16.1\nvllm==0.4.2\n",
            "Use torch==2.3.0.",
            id="both have to",
        ),
        pytest.param(
            "torch==2.2.0\ntorchvision==0.15.2\n",
            "Use torch==2.0.1, or torchvision 0.17.0,",
            id="a torchvision that pins its torch, as the newest no longer do",
        ),
        pytest.param(
            "torch==2.0.1\ntorchaudio==2.0.0\n",
            "Use torch==2.0.0, or torchaudio 2.0.2,",
            id="the newest torchaudio says nothing of the torch it needs",
        ),
        pytest.param(
            TOKENIZERS,
            "Use huggingface-hub<0.18,>=0.16.4, or tokenizers ",
            id="either may move",
        ),
        pytest.param(
            f"{TOKENIZERS}transformers==4.35.0\n",
            "Use huggingface-hub<0.18,>=0.16.4.",
            id="transformers takes no newer tokenizers",
        ),
        pytest.param(
            f"{TOKENIZERS}peft==0.13.2\naccelerate==0.34.2\n",
            "Use tokenizers ",
            id="accelerate takes no older huggingface-hub",
        ),
        pytest.param(
            "transformers==4.35.2\nvllm==0.4.2\n",
            "Use transformers>=4.40.0.",
            id="a vllm that pinned no torch yet is too old",
        ),
    ],
)
def test_what_is_proposed_goes_with_the_rest_of_the_list(
    repository: Repository, pins: str, told: str
) -> None:
    found = repository.lint("requirements.txt", pins)
    assert told in found[0].help


def test_what_a_command_installs_counts_wherever_it_stands(repository: Repository) -> None:
    text = "pip install torch==2.1.1 vllm==0.4.2 torchvision==0.16.1\n"
    found = repository.lint("install.sh", text)
    assert "Use torch==2.3.0." in found[0].help


def test_a_requirement_for_another_python_does_not_count(repository: Repository) -> None:
    pins = f'{TOKENIZERS}transformers==4.35.0; python_version < "3.9"\n'
    (found,) = repository.lint("requirements.txt", pins)
    assert ", or tokenizers " in found.help


def test_a_long_message_says_the_version_that_excludes_alone(repository: Repository) -> None:
    pins = "transformers==4.51.3\nhuggingface-hub==0.24.6\n"
    (found,) = repository.lint("requirements.txt", pins)
    requires = "`transformers==4.51.3` (line 1) requires huggingface-hub<1.0,>=0.30.0"
    assert found.message == f"{requires}, which `==0.24.6` excludes"


def test_a_message_names_the_bound_that_excludes_and_no_single_release(
    repository: Repository,
) -> None:
    pins = "torch==2.7.0+rocm6.3\ntransformers==5.8.0\nunsloth_zoo==2026.5.4\n"
    (found,) = repository.lint("requirements.txt", pins)
    assert found.message == (
        "`unsloth_zoo==2026.5.4` requires transformers<=5.5.0,>=4.51.3, "
        "which `==5.8.0` (line 2) excludes"
    )
