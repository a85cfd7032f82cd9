"""Toggles in comments: what a project and the rest of a file say about them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

XFORMERS = "enable_xformers_memory_efficient_attention()"
AITER = "set_use_aiter_attention(True)"
HEAD = "from diffusers import DiffusionPipeline\n\npipe = DiffusionPipeline.from_pretrained('x')\n"
OTHER = "\npipe.to('cuda')\n"
FOUND = [("paint.py", "ROC301")]
OPTIONAL = [("paint.py", "ROC303")]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"requirements.txt": "torch==2.4.1\n"}, []),
        ({"requirements.txt": "torch>=2.1,<3\n"}, []),
        ({"requirements.txt": "torch==2.4.*\n"}, []),
        ({"requirements.txt": "torch==2.4.1\n", "requirements.in": "torch\n"}, []),
        ({"requirements.txt": "torch\n"}, OPTIONAL),
        ({"requirements.txt": "torch>=1.13\n"}, OPTIONAL),
        ({"requirements.txt": "torch!=2.0.0\n"}, OPTIONAL),
        ({"requirements.txt": "torch<2.4\n"}, OPTIONAL),
        ({"requirements.txt": "diffusers==2.0\n"}, OPTIONAL),
        ({}, OPTIONAL),
    ],
)
def test_xformers_in_diffusers_is_no_faster_than_the_attention_of_torch_2(
    files: dict[str, str], expected: list[tuple[str, str]], project: Project
) -> None:
    project.write(".git/HEAD", "")
    for name, text in files.items():
        project.write(name, text)
    project.write("paint.py", f"{HEAD}# pipe.{XFORMERS}\n{OTHER}")
    assert project.findings("--preview", "--select", "ROC301,ROC303") == expected


def test_torch_2_has_no_other_kernels(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("requirements.txt", "torch==2.4.1\n")
    project.write("paint.py", f"{HEAD}# pipe.set_use_aiter_attention(True)\n{OTHER}")
    assert project.findings("--select", "ROC301") == FOUND


def test_a_reason_beside_one_copy_of_a_call_holds_for_all(project: Project) -> None:
    project.write(".git/HEAD", "")
    explained = f"# if using torch < 2.0\n# pipe.{XFORMERS}\n"
    project.write("paint.py", f"{HEAD}# pipe.{XFORMERS}\n{OTHER}\n{explained}")
    assert project.findings("--preview", "--select", "ROC301,ROC303") == []


@pytest.mark.parametrize("other", [f"vae.{XFORMERS}", "pipe.enable_flash_attention()"])
def test_a_reason_beside_another_call_does_not(other: str, project: Project) -> None:
    project.write(".git/HEAD", "")
    explained = f"# if using torch < 2.0\n# {other}\n"
    project.write("paint.py", f"{HEAD}vae = pipe.vae\n# pipe.{XFORMERS}\n{OTHER}\n{explained}")
    assert project.findings("--preview", "--select", "ROC303") == OPTIONAL


def test_a_reason_beside_an_argument_holds_for_that_call_only(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write(
        "paint.py",
        "from transformers import AutoModel\n\n"
        "base = AutoModel.from_pretrained('b', attn_implementation='flash_attention_2')\n"
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
        f"{HEAD}refiner = pipe.refiner\n# pipe.{AITER}\n# refiner.{AITER}\n{OTHER}",
    )
    run = project.run("--select", "ROC301", "--output-format", "json")
    (found,) = json.loads(run.stdout)["findings"]
    assert found["line"] == 5
    assert found["help"].endswith("; the same holds for 1 more place.")


def test_it_is_one_finding_in_each_file_and_for_each_call(project: Project) -> None:
    project.write(".git/HEAD", "")
    several = f"{HEAD}# pipe.{AITER}\n{OTHER}\n# pipe.enable_aiter_norm()\n{OTHER}"
    project.write("paint.py", several)
    project.write("upscale.py", several)
    assert project.findings("--select", "ROC301") == [
        ("paint.py", "ROC301"),
        ("paint.py", "ROC301"),
        ("upscale.py", "ROC301"),
        ("upscale.py", "ROC301"),
    ]


LOADS = "from transformers import AutoModelForCausalLM\n\n"
OFF = """
model = AutoModelForCausalLM.from_pretrained(
    "m",
    # attn_implementation="flash_attention_2",
)
"""
CHOSEN = (
    "judge = AutoModelForCausalLM.from_pretrained('j', attn_implementation='flash_attention_2')\n"
)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("pkg/judge.py", [("pkg/train.py", "ROC301")]),
        ("pkg/evaluation/judge.py", [("pkg/train.py", "ROC301")]),
        ("pkg/tests/judge.py", []),
        ("pkg/scripts/judge.py", []),
        ("elsewhere/judge.py", []),
    ],
)
def test_an_argument_is_missed_where_the_package_passes_it_elsewhere(
    place: str, expected: list[tuple[str, str]], project: Project
) -> None:
    project.write(".git/HEAD", "")
    project.write("pkg/__init__.py", "")
    project.write("pkg/train.py", LOADS + OFF)
    project.write(place, LOADS + CHOSEN)
    assert project.findings("--select", "ROC301") == expected


def test_another_file_says_nothing_of_a_class_that_is_named(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("pkg/__init__.py", "")
    own = (LOADS + OFF).replace("AutoModel", "GemmaModel")
    project.write("pkg/train.py", own)
    project.write("pkg/both.py", own + CHOSEN)
    project.write("pkg/judge.py", LOADS + CHOSEN)
    assert project.findings("--select", "ROC301") == [("pkg/both.py", "ROC301")]


@pytest.mark.parametrize(("old", "new"), [("judge", "# judge"), ("flash_attention_2", "eager")])
def test_an_argument_that_nothing_passes_is_optional(old: str, new: str, project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("paint.py", LOADS + CHOSEN.replace(old, new) + OFF)
    assert project.findings("--preview", "--select", "ROC301,ROC303") == OPTIONAL


COMPILE = '# model = torch.compile(model, mode="max-autotune")'
BUILD = f"import torch\n\ndef build(model):\n    model.cuda()\n    {COMPILE}\n    return model\n"


@pytest.mark.parametrize(
    ("elsewhere", "code"),
    [
        ("head = torch.compile(\n    make(1),\n    mode='default',\n)", "ROC301"),
        ("head = torch.compile(head)", "ROC303"),
        ("# head = torch.compile(head, mode='default')", "ROC303"),
        ("text = '`torch.compile(head, mode=1)`'", "ROC303"),
    ],
)
def test_compilation_is_missed_where_the_package_compiles_in_a_mode(
    elsewhere: str, code: str, project: Project
) -> None:
    project.write(".git/HEAD", "")
    project.write("pkg/__init__.py", "")
    project.write("pkg/head.py", f"import torch\n\n{elsewhere}\n")
    project.write("pkg/build.py", BUILD)
    found = project.findings("--preview", "--select", "ROC301,ROC303")
    assert [each for each in found if each[0] == "pkg/build.py"] == [("pkg/build.py", code)]
