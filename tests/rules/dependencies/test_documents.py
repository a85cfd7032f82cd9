"""Commands of documents: the headings above them say which GPUs they are for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.repositories import Repository

HEAD = "# Train on ROCm\n\nUse `rocm/pytorch:latest`.\n\n"
BLOCK = "```bash\npip install torch==2.9.1\n```\n"


@pytest.mark.parametrize(
    ("headings", "codes"),
    [
        ("## Quick Start\n", ["ROC201"]),
        ("## Quick Start \u2014 NVIDIA / CUDA\n", []),
        ("## NVIDIA\n### Install\n", []),
        ("## NVIDIA\n### Install for ROCm\n", ["ROC201"]),
        ("## NVIDIA\n## AMD\n", ["ROC201"]),
        ("## NVIDIA\n## Install\n", ["ROC201"]),
        ("## NVIDIA or AMD\n", ["ROC201"]),
        ("Install for CUDA\n---\n\n", []),
        ("```sh\n# CUDA\n```\n", ["ROC201"]),
    ],
)
def test_a_section_for_nvidia_is_not_for_rocm(
    repository: Repository, headings: str, codes: list[str]
) -> None:
    text = f"{HEAD}{headings}{BLOCK}"
    assert repository.codes("README.md", text, documents=True) == codes
