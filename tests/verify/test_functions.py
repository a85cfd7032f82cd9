"""A repository that replaces ``torch.nn.Linear.forward``: two commands, and what they say."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.verify_jobs import ranks

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ranks")]

OPS = """\
import torch


def aiter_linear_forward(self, x):
    return torch.nn.functional.linear(x, self.weight, self.bias)


def install():
    torch.nn.Linear.forward = aiter_linear_forward
"""
TRAIN = """\
import os, sys

sys.path.insert(0, "src")
import torch
import aiter_ops

if os.environ.get("RANK", "0") != os.environ.get("WITHOUT"):
    aiter_ops.install()
model = torch.nn.Linear(2, 2)
y = model(torch.ones(1, 2)).detach()
if "RANK" in os.environ:
    torch.distributed.init_process_group("gloo")
    torch.distributed.all_reduce(y)
    torch.distributed.destroy_process_group()
"""
NAME = "torch.nn.modules.linear:Linear.forward"
CLAIM = f"{NAME} runs aiter_linear_forward of src/aiter_ops.py"
TWO_RANKS = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
WRITE = ("verify", "manifest", "--functions", ".", "--output", "functions.toml")


@pytest.fixture
def repository(project: Project) -> Project:
    pytest.importorskip("torch")
    project.write("src/aiter_ops.py", OPS)
    project.write("train.py", TRAIN)
    return project


def watch(project: Project, *command: str, **environment: str) -> tuple[int, list[dict[str, Any]]]:
    """Write the manifest, run the program with it, and give the exit code and the results."""
    assert project.code(*WRITE) == 0
    ran = project.run(
        *("verify", "run", "--manifest", "functions.toml", "--keep", "kept"),
        *("--output", "report.json", "--output-format", "json"),
        *("--", sys.executable, *command),
        OMP_NUM_THREADS="1",
        **environment,
    )
    return ran.returncode, json.loads(project.read("report.json"))["results"]


def by_rank(results: list[dict[str, Any]]) -> dict[str, str]:
    found = [each for each in results if each["claim"] == CLAIM]
    return {each["subject"].partition(" (")[0]: each["verdict"] for each in found}


def test_two_commands_prove_a_wanted_replacement(repository: Project) -> None:
    code, results = watch(repository, "train.py")
    assert code == 0, results
    (found,) = [each for each in results if each["claim"] == CLAIM]
    assert found["seen"].startswith("aiter_linear_forward (")
    assert found["seen"].endswith("src/aiter_ops.py:4) was called (at its end)")
    module = "torch.nn.modules.linear runs the code of its source, except for Linear.forward"
    module += " and computed values"
    assert [each["verdict"] for each in results if each["claim"] == module] == ["proven"]


def test_all_ranks_of_a_job_prove_it_and_the_launcher_needs_not(repository: Project) -> None:
    code, results = watch(repository, *TWO_RANKS, "train.py")
    assert code == 0, results
    assert by_rank(results) == {"rank 0": "proven", "rank 1": "proven"}
    together = ranks(repository, "kept", "--manifest", "functions.toml")
    assert together.code == 0
    assert together.verdicts(CLAIM) == {"rank 0": "proven", "rank 1": "proven"}


def test_the_rank_without_it_is_named(repository: Project) -> None:
    code, results = watch(repository, *TWO_RANKS, "train.py", WITHOUT="1")
    assert code == 1
    assert by_rank(results) == {"rank 0": "proven", "rank 1": "contradicted"}
    (found,) = [each for each in results if each["verdict"] == "contradicted"]
    assert found["subject"].startswith("rank 1 (pid ")
    assert f"{NAME} is the original" in found["reason"]
    assert ranks(repository, "kept", "--manifest", "functions.toml").code == 1


def test_the_commands_that_verify_names_can_be_typed_as_they_stand(repository: Project) -> None:
    found = json.loads(repository.run("verify", ".", "--output-format", "json").stdout)["results"]
    (claim,) = [each for each in found if each["subject"] == "torch.nn"]
    first, _, second = claim["action"].partition("; then ")
    for command in (first, second.replace("PROGRAM", "train.py")):
        words = [sys.executable, "-m", *shlex.split(command)]
        words = [sys.executable if each == "python" else each for each in words]
        ran = subprocess.run(
            words, cwd=repository.root, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_manifest_of_the_configuration_is_named_in_its_place(repository: Project) -> None:
    assert repository.code(*WRITE) == 0
    repository.write("pyproject.toml", '[tool.rocmlint.verify]\nmanifests = ["functions.toml"]\n')
    said = repository.run("verify", ".").stdout
    command = f"verify run --manifest {repository.root}/functions.toml -- python PROGRAM"
    assert command in said
    assert "for a manifest:" not in said


def test_a_program_can_assert_it(repository: Project) -> None:
    assert repository.code(*WRITE) == 0
    repository.write(
        "check.py",
        "import train, rocmlint\n"
        "print([each.verdict for each in rocmlint.assert_loaded('functions.toml')])\n"
        "import torch\ntorch.nn.Linear.forward = lambda self, x: x\n"
        "try:\n    rocmlint.assert_loaded('functions.toml')\n"
        "except rocmlint.NotProvenError as error:\n    print(error)\n",
    )
    command = [sys.executable, "check.py"]
    ran = subprocess.run(command, cwd=repository.root, capture_output=True, text=True, check=True)
    first, _, rest = ran.stdout.partition("\n")
    assert first == "['proven', 'proven']"
    assert f"{NAME}: contradicted: {NAME} is " in rest
    assert "check.py:4, not code of " in rest


@pytest.mark.parametrize(
    ("build", "verdict", "strength", "said"),
    [
        ("torch.nn.Linear(2, 2)(torch.ones(1, 2))", "proven", "executed", ""),
        ("torch.nn.ReLU()(torch.ones(1, 2))", "unproven", "live", "prog:run did not run it"),
    ],
)
def test_with_executed_it_must_have_run(
    repository: Project, build: str, verdict: str, strength: str, said: str
) -> None:
    assert repository.code(*WRITE) == 0
    program = "import sys\nsys.path.insert(0, 'src')\nimport torch, aiter_ops\n"
    repository.write("prog.py", f"{program}aiter_ops.install()\ndef run():\n    return {build}\n")
    ran = repository.run(
        *("verify", "live", "prog", "--manifest", "functions.toml", "--executed"),
        *("--call", "prog:run", "--output-format", "json"),
    )
    found = {each["subject"]: each for each in json.loads(ran.stdout)["results"]}
    assert (found[NAME]["verdict"], found[NAME]["strength"]) == (verdict, strength)
    assert said in found[NAME]["reason"]


def test_files_alone_cannot_show_a_function(repository: Project) -> None:
    assert repository.code(*WRITE) == 0
    done = repository.run("verify", "patches", "--manifest", "functions.toml")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "rocmlint verify run --manifest functions.toml -- COMMAND" in done.stderr


REAL = """\
import torch
import torch.nn.functional as F
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
from transformers.models.llama import modeling_llama

_original = F.scaled_dot_product_attention


def attention(module, query, key, value, mask, **more):
    return _original(query, key, value, attn_mask=mask).transpose(1, 2), None


def norm(self, x):
    return x * self.weight


def rotary(query, key, cos, sin, **more):
    return query, key


ALL_ATTENTION_FUNCTIONS["sdpa"] = attention
modeling_llama.LlamaRMSNorm.forward = norm
modeling_llama.apply_rotary_pos_emb = rotary
F.silu = lambda x, inplace=False: x


def run():
    config = modeling_llama.LlamaConfig(
        hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, vocab_size=8,
    )
    modeling_llama.LlamaForCausalLM(config)(torch.ones(1, 4, dtype=torch.long))
"""
REGISTRY = """
[[function]]
name = 'transformers.modeling_utils:ALL_ATTENTION_FUNCTIONS["sdpa"]'
file = "ops.py"
function = "attention"
"""


def test_what_forks_replace_in_transformers_ran(project: Project) -> None:
    pytest.importorskip("transformers")
    project.write("ops.py", REAL)
    written = project.run("verify", "manifest", "--functions", "ops.py")
    project.write("functions.toml", written.stdout + REGISTRY)
    ran = project.run(
        *("verify", "live", "ops", "--manifest", "functions.toml", "--executed"),
        *("--call", "ops:run", "--output-format", "json"),
        OMP_NUM_THREADS="1",
    )
    found = json.loads(ran.stdout)["results"]
    assert ran.returncode == 0, [each for each in found if each["verdict"] != "proven"]
    executed = {each["subject"] for each in found if each["strength"] == "executed"}
    assert executed == {
        'transformers.modeling_utils:ALL_ATTENTION_FUNCTIONS["sdpa"]',
        "transformers.models.llama.modeling_llama:LlamaRMSNorm.forward",
        "transformers.models.llama.modeling_llama:apply_rotary_pos_emb",
        "torch.nn.functional:silu",
        "ops",
        "ops:run",
    }
