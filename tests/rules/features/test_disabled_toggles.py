"""Toggles in comments: which forms are found, and what a project and the rest of a file say."""

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
NOTE = [("note", 5)]


def found(project: Project, *arguments: str) -> list[tuple[str, int]]:
    run = project.run("--select", "ROC301", "--output-format", "json", *arguments)
    return [(each["severity"], each["line"]) for each in json.loads(run.stdout)["findings"]]


@pytest.mark.parametrize("other", [f"vae.{XFORMERS}", "pipe.enable_flash_attention()"])
def test_a_reason_beside_another_call_does_not(other: str, project: Project) -> None:
    project.write(".git/HEAD", "")
    explained = f"# if using torch < 2.0\n# {other}\n"
    project.write("paint.py", f"{HEAD}vae = pipe.vae\n# pipe.{XFORMERS}\n{OTHER}\n{explained}")
    assert found(project) == NOTE


LOADS = "from transformers import AutoModelForCausalLM\n\n"
OFF = """\
model = AutoModelForCausalLM.from_pretrained(
    "m",
    # attn_implementation="flash_attention_2",
)
"""


def test_a_reason_beside_an_argument_holds_for_that_call_only(project: Project) -> None:
    project.write(".git/HEAD", "")
    explained = OFF.replace('"m"', '"m",\n    # Heads of 512 do not fit, so the kernel fails')
    project.write("paint.py", LOADS + explained + OFF)
    assert found(project) == [("note", 10)]


def test_a_switch_is_one_finding_in_each_file(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("load.py", LOADS + OFF + OFF)
    project.write(
        "paint.py", f"{HEAD}refiner = pipe.refiner\n# pipe.{AITER}\n# refiner.{AITER}\n{OTHER}"
    )
    run = project.run("--select", "ROC301", "--output-format", "json")
    assert [
        (each["path"], each["severity"], each["line"], each["help"][-32:].lower())
        for each in json.loads(run.stdout)["findings"]
    ] == [
        ("load.py", "note", 5, "the same holds for 1 more place."),
        ("paint.py", "warning", 5, "the same holds for 1 more place."),
    ]


@pytest.mark.parametrize("old", ["ROC303", "disabled-optional-toggle"])
def test_the_retired_rule_still_selects_and_suppresses(old: str, project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("load.py", LOADS + OFF)
    run = project.run("--select", old, "--output-format", "json")
    assert [each["code"] for each in json.loads(run.stdout)["findings"]] == ["ROC301"]
    project.write("load.py", LOADS + OFF.replace('_2",', f'_2",  # rocmlint: ignore[{old}]'))
    assert found(project) == []


ATTENTION = 'attn_implementation="flash_attention_2"'
FORMS = {
    "an argument": f"build(\n    1,\n    # {ATTENTION},\n)",
    "a last argument": "build(\n    1,\n    # use_flash_attention_2=True\n)",
    "an argument behind another": f"build(args,  # {ATTENTION},\n      a=2)",
    "an argument of a class with its own code": "Chat.load(\n    1,\n    # use_flash_attn=True,\n)",
    "a fused optimizer": "build(\n    1,\n    # fused=True,\n)",
    "an option": "build(\n    1,\n    # use_liger_kernel=args.liger,\n)",
    "an item": 'a = {\n    "a": 1,\n    # "attn_implementation": "flash_attention_2",\n}',
    "a flag": "\n# model.use_fused_rope = True\n\nmodel.cuda()",
    "a flag that is read": '\n# model.use_flash = getattr(args, "flash", False)\n\nmodel.cuda()',
    "a choice": f'\n# model._{ATTENTION} if args else "eager"\n\nmodel.cuda()',
    "a statement of several lines": "\n# model = torch.compile(\n#     model,\n# )\nmodel.cuda()",
    "a condition": "\n# if args.tf32:\n#     torch.backends.cudnn.allow_tf32 = True\nmodel.cuda()",
    "a memory saver": "\n# model.enable_tiling()\nmodel.cuda()",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_each_form_of_a_toggle_is_found(text: str, project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("load.py", f"import torch\nfrom m import Chat, args, build, model\n{text}\n")
    assert [severity for severity, _ in found(project)] == ["note"]


SCRIPT = "#!/bin/bash\n{}\npython -m vllm.entrypoints.openai.api_server\n"


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("serve.sh", "# export VLLM_ROCM_USE_AITER=1"),
        ("serve.sh", "#export VLLM_ROCM_USE_AITER='1'"),
        ("serve.sh", "# -e VLLM_ROCM_USE_AITER=1 \\"),
        ("Dockerfile", "# ENV VLLM_ROCM_USE_AITER=1"),
        ("Dockerfile", "# ENV VLLM_ROCM_USE_AITER 1"),
        ("docker-compose.yml", "#  - VLLM_ROCM_USE_AITER=1"),
        ("docker-compose.yml", '#  VLLM_ROCM_USE_AITER: "1"'),
    ],
)
def test_a_variable_in_a_comment_of_a_script_is_found(
    name: str, comment: str, project: Project
) -> None:
    project.write(".git/HEAD", "")
    project.write(name, SCRIPT.format(comment))
    assert found(project) == [("note", 2)]


@pytest.mark.parametrize(
    "comment",
    [
        "# export VLLM_ROCM_USE_AITER=0",
        "# VLLM_ROCM_USE_AITER=1 makes it slower",
        "# AITER is fast",
        "# export VLLM_ROCM_USE_AITER=1\nexport VLLM_ROCM_USE_AITER=0",
    ],
)
def test_another_comment_of_a_script_is_not(comment: str, project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("serve.sh", SCRIPT.format(comment))
    assert found(project) == []
