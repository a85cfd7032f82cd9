"""Toggles in comments: what a project and the rest of a file say about them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

XFORMERS = "enable_xformers_memory_efficient_attention()"
HEAD = "from diffusers import DiffusionPipeline\n\npipe = DiffusionPipeline.from_pretrained('x')\n"
OTHER = "\npipe.to('cuda')\n"
FOUND = [("paint.py", "ROC301")]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"requirements.txt": "torch==2.4.1\n"}, []),
        ({"requirements.txt": "torch>=2.1,<3\n"}, []),
        ({"requirements.txt": "torch==2.4.*\n"}, []),
        ({"requirements.txt": "torch==2.4.1\n", "requirements.in": "torch\n"}, []),
        ({"requirements.txt": "torch\n"}, FOUND),
        ({"requirements.txt": "torch>=1.13\n"}, FOUND),
        ({"requirements.txt": "torch!=2.0.0\n"}, FOUND),
        ({"requirements.txt": "torch<2.4\n"}, FOUND),
        ({"requirements.txt": "diffusers==2.0\n"}, FOUND),
        ({}, FOUND),
    ],
)
def test_xformers_in_diffusers_is_no_faster_than_the_attention_of_torch_2(
    files: dict[str, str], expected: list[tuple[str, str]], project: Project
) -> None:
    project.write(".git/HEAD", "")
    for name, text in files.items():
        project.write(name, text)
    project.write("paint.py", f"{HEAD}# pipe.{XFORMERS}\n{OTHER}")
    assert project.findings("--select", "ROC301") == expected


def test_torch_2_has_no_other_kernels(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("requirements.txt", "torch==2.4.1\n")
    project.write("paint.py", f"{HEAD}# pipe.set_use_aiter_attention(True)\n{OTHER}")
    assert project.findings("--select", "ROC301") == FOUND


def test_a_reason_beside_one_copy_of_a_call_holds_for_all(project: Project) -> None:
    project.write(".git/HEAD", "")
    explained = f"# if using torch < 2.0\n# pipe.{XFORMERS}\n"
    project.write("paint.py", f"{HEAD}# pipe.{XFORMERS}\n{OTHER}\n{explained}")
    assert project.findings("--select", "ROC301") == []


@pytest.mark.parametrize("other", [f"vae.{XFORMERS}", "pipe.enable_flash_attention()"])
def test_a_reason_beside_another_call_does_not(other: str, project: Project) -> None:
    project.write(".git/HEAD", "")
    explained = f"# if using torch < 2.0\n# {other}\n"
    project.write("paint.py", f"{HEAD}vae = pipe.vae\n# pipe.{XFORMERS}\n{OTHER}\n{explained}")
    assert project.findings("--select", "ROC301") == FOUND


def test_a_reason_beside_an_argument_holds_for_that_call_only(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write(
        "paint.py",
        "from transformers import AutoModel\n\n"
        "one = AutoModel.from_pretrained(\n"
        "    'one',\n"
        "    # This one has heads of 512, which do not fit, so the kernel fails.\n"
        "    # attn_implementation='flash_attention_2',\n"
        ")\n"
        "two = AutoModel.from_pretrained(\n"
        "    'two',\n"
        "    # attn_implementation='flash_attention_2',\n"
        ")\n",
    )
    assert project.findings("--select", "ROC301") == FOUND


def test_one_call_that_is_off_for_several_objects_is_one_finding(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write(
        "paint.py",
        f"{HEAD}refiner = pipe.refiner\n# pipe.{XFORMERS}\n# refiner.{XFORMERS}\n{OTHER}",
    )
    run = project.run("--select", "ROC301", "--output-format", "json")
    (found,) = json.loads(run.stdout)["findings"]
    assert found["line"] == 5
    assert found["help"].endswith("The same holds for 1 more place.")


def test_it_is_one_finding_in_each_file_and_for_each_call(project: Project) -> None:
    project.write(".git/HEAD", "")
    several = f"{HEAD}# pipe.{XFORMERS}\n{OTHER}\n# pipe.set_use_aiter_attention(True)\n{OTHER}"
    project.write("paint.py", several)
    project.write("upscale.py", several)
    assert project.findings("--select", "ROC301") == [
        ("paint.py", "ROC301"),
        ("paint.py", "ROC301"),
        ("upscale.py", "ROC301"),
        ("upscale.py", "ROC301"),
    ]
