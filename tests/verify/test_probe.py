"""``rocmlint verify probe``: run on the CPU for real, and judged for a GPU as one would answer."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rocmlint.interpreter.ask import Interpreter
from rocmlint.verify.trace.index import Contents, KernelGroup, KernelIndex, default_roots
from rocmlint.verify.trace.probe import Operation, Probed, judge, probe
from rocmlint.verify.trace.trace_files import RanKernel, Trace
from tests.support.project import Project

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("probe")]

USER = """\
import torch

def attend(**named):
    query = torch.randn(1, 2, 16, 8)
    return torch.nn.functional.scaled_dot_product_attention(query, query, query, **named)

def plain():
    attend()

def dropped():
    attend()
    attend(dropout_p=0.5)

def switched_off():
    torch.backends.cuda.enable_flash_sdp(False)
    attend()

def no_attention():
    torch.randn(4, 4) @ torch.randn(4, 4)

def compiled():
    ran = []
    def backend(graph, inputs):
        def run(*given):
            ran.append(1)
            return graph(*given)
        return run
    torch.compile(lambda x: x + 1, backend=backend)(torch.randn(2))
    assert ran, "the plain code ran"
    attend()

def fast_path():
    attention = torch.nn.MultiheadAttention(16, 2, batch_first=True).eval()
    with torch.inference_mode():
        attention(*[torch.randn(1, 4, 16)] * 3)

def profiles():
    with torch.profiler.profile():
        attend()

def raises():
    raise KeyError("the weights")
"""


@pytest.fixture(scope="session")
def user(tmp_path_factory: pytest.TempPathFactory) -> Project:
    pytest.importorskip("torch")
    project = Project(tmp_path_factory.mktemp("probe"))
    project.write("job/__init__.py", "")
    project.write("job/parts.py", USER)
    return project


def results(project: Project, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    ended = project.run("verify", "probe", *arguments, "--output-format", "json")
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)["results"]


@pytest.fixture(scope="session")
def flash() -> Probed:
    pytest.importorskip("torch")
    return probe(Interpreter(), Operation("sdpa", device="cpu"))


@pytest.fixture(scope="session")
def math() -> Probed:
    pytest.importorskip("torch")
    return probe(Interpreter(), Operation("sdpa", device="cpu", backends=("math",)))


def no_index() -> KernelIndex:
    raise AssertionError


def test_attention_on_the_cpu_is_flash(flash: Probed) -> None:
    (result,) = judge(flash, no_index)
    assert (result.verdict, result.strength) == ("proven", "executed")
    assert "_scaled_dot_product_flash_attention_for_cpu" in result.seen
    assert result.subject == "sdpa bfloat16 1x4x128x64 on cpu"


def test_the_dispatch_mode_sees_the_same_branch_as_the_profiler(flash: Probed) -> None:
    assert flash.facts["operators"] == ["aten._scaled_dot_product_flash_attention_for_cpu.default"]


def test_attention_that_is_forced_onto_math_is_called_math(math: Probed) -> None:
    (result,) = judge(math, no_index)
    assert (result.verdict, result.strength) == ("contradicted", "executed")
    assert result.seen.startswith("math 1 of 1 calls")
    assert "--backend" in result.reason


@pytest.mark.parametrize(
    ("expected", "verdict"),
    [("flash", "proven"), ("math", "contradicted"), ("efficient", "contradicted")],
)
def test_an_expected_branch_decides(flash: Probed, expected: str, verdict: str) -> None:
    (result,) = judge(flash, no_index, expected)
    assert result.verdict == verdict


def test_math_is_right_where_math_is_expected(math: Probed) -> None:
    (result,) = judge(math, no_index, "math")
    assert result.verdict == "proven"


@pytest.mark.parametrize("library", ["aiter", "ck", "aotriton"])
def test_a_cpu_proves_nothing_of_a_gpu_library(flash: Probed, library: str) -> None:
    (result,) = judge(flash, no_index, library)
    assert (result.verdict, result.strength) == ("unproven", "declared")
    assert "ran on the CPU" in result.reason


def test_linear_on_the_cpu_names_the_operator_and_leaves_the_library_open(user: Project) -> None:
    code, (result,) = results(user, "linear", "--device", "cpu")
    assert (code, result["verdict"]) == (3, "unproven")
    assert "aten::addmm" in result["seen"]


@pytest.mark.parametrize(
    ("function", "code", "words"),
    [
        ("plain", 0, "flash 1 of 1 calls"),
        ("dropped", 1, "math 1 of 2 calls"),
        ("switched_off", 1, "Disabled in this program: flash"),
        ("no_attention", 3, "aten::mm"),
        ("compiled", 0, "flash 1 of 1 calls"),
        ("fast_path", 3, "aten::_native_multi_head_attention"),
    ],
)
def test_a_function_of_the_user_is_run_as_the_job_would_run_it(
    user: Project, function: str, code: int, words: str
) -> None:
    ended, (result,) = results(user, f"job.parts:{function}")
    assert ended == code
    assert words in f"{result['seen']} {result['reason']}"


def test_what_the_function_raises_is_told_with_its_place(user: Project) -> None:
    ended = user.run("verify", "probe", "job.parts:raises")
    assert ended.returncode == 2
    assert "KeyError: 'the weights'" in ended.stderr
    assert "parts.py" in ended.stderr


def test_a_function_that_profiles_itself_is_refused(user: Project) -> None:
    ended = user.run("verify", "probe", "job.parts:profiles")
    assert ended.returncode == 2
    assert "uses torch.profiler itself" in ended.stderr


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("job.absent:run", "No module named 'job.absent'"),
        ("job:absent", "job has no absent"),
        ("job:number", "is a int"),
        ("exits:run", "sys.exit(5)"),
        ("crashes:run", "SIGSEGV"),
        ("hangs:run", "did not answer within"),
        ("job", "is not sdpa, linear or a function"),
    ],
)
def test_what_cannot_be_run_is_one_clear_line_and_exit_code_2(
    project: Project, operation: str, words: str
) -> None:
    project.write("job/__init__.py", "number = 1\n")
    project.write("exits.py", "import sys\nsys.exit(5)\n")
    project.write("crashes.py", "import ctypes\nctypes.string_at(0)\n")
    project.write("hangs.py", "import time\ntime.sleep(600)\n")
    ended = project.run("verify", "probe", operation, "--timeout", "5")
    assert ended.returncode == 2
    assert words in ended.stderr
    assert not ended.stdout


def test_an_interpreter_without_torch_is_named(project: Project) -> None:
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", "bare"], cwd=project.root, check=True
    )
    python = project.root / "bare" / "bin" / "python"
    ended = project.run("verify", "probe", "sdpa", "--python", str(python))
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"error: {python}: torch cannot be imported")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--dtype", "bfloat17"), "has no dtype bfloat17"),
        (("--device", "cuda:7"), "the device cuda:7 cannot be used"),
    ],
)
def test_what_this_torch_cannot_do_is_named(
    user: Project, arguments: tuple[str, ...], words: str
) -> None:
    ended = user.run("verify", "probe", "sdpa", *arguments)
    assert ended.returncode == 2
    assert words in ended.stderr


@pytest.mark.parametrize("shape", ["1,2,3", "1,2,3,x", "0,1,1,1", ""])
def test_a_shape_is_four_sizes(project: Project, shape: str) -> None:
    ended = project.run("verify", "probe", "sdpa", "--shape", shape)
    assert ended.returncode == 2
    assert "is not a valid B,H,L,D" in ended.stderr


# What follows needs a GPU to be asked for real. The answers are made up in the form that
# inside/probe.py gives, so that the judgement is tested and nothing more.


def on_rocm(
    branch: str, *kernels: str, device: str = "cuda", environment: dict[str, str] | None = None
) -> Probed:
    operators = {"aten::scaled_dot_product_attention": 1}
    if branch:
        operators[f"aten::_scaled_dot_product_{branch}"] = 1
    facts = {
        "operators": [],
        "profiler": "",
        "enabled": {"flash": True, "efficient": True, "math": True},
        "refused": {},
        "torch": "2.13.0+rocm7.2",
        "torch_file": "/env/torch/__init__.py",
        "hip": "7.2.1",
        "device": device,
        "device_name": "AMD Instinct MI300X gfx942:sramecc+:xnack-" if device == "cuda" else "",
        "environment": environment or {},
        "preferences": {"preferred_blas_library": "Cublaslt"},
    }
    ran = tuple(RanKernel(name, 1, 1000.0) for name in kernels)
    kind = {"flash_attention": "flash", "attention_math": "math"}.get(branch)
    branches = Counter({kind: 1} if kind else {})
    return Probed(
        Operation("sdpa"), facts, Trace("t.json", "torch.profiler", ran, operators), branches
    )


def index() -> KernelIndex:
    path = "/env/site-packages/aiter_meta/hsa/gfx942/fwd.co"
    return KernelIndex({path: Contents((KernelGroup(["fwd"], ("gfx942",)),))})


def test_a_build_for_rocm_that_ran_on_the_cpu_leaves_the_branch_open() -> None:
    (result,) = judge(on_rocm("flash_attention", device="cpu"), no_index)
    assert (result.verdict, result.strength) == ("unproven", "executed")


def test_math_on_rocm_names_the_switch_that_is_not_set() -> None:
    result, _ = judge(on_rocm("attention_math"), index)
    assert result.verdict == "contradicted"
    assert "TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL=1" in result.action


def test_a_switch_that_is_set_is_not_asked_for() -> None:
    environment = {"TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL": "1"}
    result, _ = judge(on_rocm("attention_math", environment=environment), index)
    assert "AOTRITON" not in result.reason + result.action


def test_the_kernels_of_a_gpu_are_looked_up() -> None:
    _, result = judge(on_rocm("flash_attention", "fwd"), index)
    assert (result.check, result.subject, result.verdict) == ("probe", "aiter", "proven")


def test_an_expected_library_decides_by_its_kernels() -> None:
    (result,) = judge(on_rocm("flash_attention", "fwd"), index, "aiter")
    assert (result.verdict, result.strength) == ("proven", "executed")
    assert (
        result.subject == "sdpa bfloat16 1x4x128x64 on AMD Instinct MI300X gfx942:sramecc+:xnack-"
    )


def test_a_gpu_without_a_kernel_in_the_trace_proves_no_library() -> None:
    _, result = judge(on_rocm("flash_attention"), no_index)
    assert (result.verdict, result.strength) == ("unproven", "declared")
    assert "the profiler saw no kernel" in result.reason


def test_attention_that_something_else_computes_is_left_open() -> None:
    result, _ = judge(on_rocm(""), index)
    assert (result.verdict, result.strength) == ("unproven", "executed")


def test_the_default_folders_exist(tmp_path: Path) -> None:
    caches = Interpreter(environment={"TRITON_CACHE_DIR": str(tmp_path)})
    roots = default_roots(caches)
    assert str(tmp_path) in roots
    assert all(Path(each).is_dir() for each in roots)
