"""``rocmlint verify trace``: which library each kernel of a trace is from, and what that proves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.trace import attribution
from rocmlint.verify.trace.index import Contents, KernelGroup, KernelIndex
from rocmlint.verify.trace.origin import KernelOrigin, hints, of_file
from tests.support.hip_objects import needs_compiler
from tests.support.traces import ADD, ATTENTION, CK, GEMM, UNKNOWN, kernel, ran, with_kernels

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project


def verify(project: Project, document: object, *arguments: str) -> tuple[int, list[Any]]:
    path = project.write("trace.json", json.dumps(document))
    ended = project.run(
        "verify", "trace", str(path), *arguments, "--no-cache", "--output-format", "json"
    )
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)["results"]


@pytest.mark.slow
@needs_compiler
def test_each_library_is_named_with_its_share_its_file_and_its_target(
    project: Project, recorded: dict[str, Any], site: Path
) -> None:
    document = with_kernels(recorded, ATTENTION, ADD, CK, GEMM, ATTENTION)
    code, results = verify(project, document, str(site))
    assert code == 0
    assert {each["subject"]: each["seen"].split(" of ")[0] for each in results} == {
        "aiter": "48.0 %",
        "hipblaslt": "40.0 %",
        "torch": "8.0 %",
        "torch (ck)": "4.0 %",
    }
    (found,) = (each for each in results if each["subject"] == "aiter")
    assert found["strength"] == "executed"
    assert found["seen"] == "48.0 % of 1.25 ms in 1 kernel, 2 calls, gfx942"
    assert f"{site}/aiter_meta/hsa/gfx942/fmha_v3_fwd/fwd.co" in found["evidence"][0]["value"]


@needs_compiler
@pytest.mark.parametrize(
    ("library", "kernels", "code"),
    [
        ("aiter", (ATTENTION, GEMM), 0),
        ("ck", (CK, GEMM), 0),
        ("hipblaslt", (GEMM,), 0),
        ("aiter", (GEMM, ADD), 1),
        ("ck", (ATTENTION,), 1),
        ("rocblas", (GEMM,), 1),
        ("aiter", (GEMM, UNKNOWN), 3),
        ("aiter", (ATTENTION, UNKNOWN), 0),
    ],
)
def test_what_was_expected_decides(
    project: Project, site: Path, library: str, kernels: tuple[tuple[str, float], ...], code: int
) -> None:
    document = with_kernels({"traceEvents": []}, *kernels)
    assert verify(project, document, str(site), "--expect", library)[0] == code


@pytest.mark.slow
@needs_compiler
def test_a_contradiction_names_what_ran_instead(
    project: Project, recorded: dict[str, Any], site: Path
) -> None:
    document = with_kernels(recorded, GEMM, ADD)
    _, (result,) = verify(project, document, str(site), "--expect", "aiter")
    assert result["verdict"] == "contradicted"
    assert result["strength"] == "executed"
    assert "hipblaslt 83.3 %, torch 16.7 %" in result["reason"]


# Without a GPU or code objects: the judgement


def contents(name: str) -> Contents:
    return Contents((KernelGroup([name], ("gfx942",)),))


def index(**files: str) -> KernelIndex:
    """Make an index: the library's folder, and its one kernel."""
    return KernelIndex(
        {f"/e/site-packages/{folder}/k.co": contents(name) for folder, name in files.items()}
    )


def test_a_name_in_files_of_two_libraries_proves_neither() -> None:
    both = attribution.attribute(ran("fwd"), index(aiter="fwd", vllm="fwd"))
    (result,) = attribution.by_library(both)
    assert (result.verdict, result.strength) == ("unproven", "located")
    assert "aiter, vllm" in result.reason
    assert attribution.expectation(both, "aiter").verdict == "unproven"


def test_a_name_in_two_files_of_one_library_is_that_library() -> None:
    files = {f"/e/site-packages/aiter/{each}.co": contents("fwd") for each in "ab"}
    (result,) = attribution.by_library(attribution.attribute(ran("fwd"), KernelIndex(files)))
    assert (result.subject, result.verdict) == ("aiter", "proven")


def test_a_name_in_no_file_is_unproven_whatever_it_looks_like() -> None:
    (result,) = attribution.by_library(
        attribution.attribute(ran("Cijk_Ailk_Bljk"), index(aiter="fwd"))
    )
    assert (result.verdict, result.strength) == ("unproven", "declared")
    assert "hipblaslt or rocblas" in result.reason


def test_a_contradiction_that_rests_on_names_says_so() -> None:
    unknown = attribution.attribute(ran("Cijk_Ailk_Bljk", "fwd"), index(vllm="fwd"))
    result = attribution.expectation(unknown, "aiter")
    assert (result.verdict, result.strength) == ("contradicted", "declared")
    assert "by name alone" in result.reason


@pytest.mark.parametrize("name", ["ck_tile::kentry<1>", "void rocprim::scan<int>", "my_kernel"])
def test_a_name_that_anybody_may_have_rules_nothing_out(name: str) -> None:
    unknown = attribution.attribute(ran(name, "fwd"), index(vllm="fwd"))
    assert attribution.expectation(unknown, "aiter").verdict == "unproven"


def test_the_half_of_a_trace_can_prove_but_not_contradict() -> None:
    files = index(aiter="fwd", vllm="other")
    whole = attribution.attribute(ran("other"), files)
    assert attribution.expectation(whole, "aiter").verdict == "contradicted"
    half = attribution.attribute(ran("other", cut="it stops"), files)
    assert attribution.expectation(half, "aiter").verdict == "unproven"
    proof = attribution.attribute(ran("other", "fwd", cut="it stops"), files)
    assert attribution.expectation(proof, "aiter").verdict == "proven"


@pytest.mark.parametrize(
    ("operators", "subject"),
    [
        ({"aten::_scaled_dot_product_flash_attention": 1}, "aotriton"),
        ({}, "one of several libraries"),
    ],
)
def test_a_kernel_of_aotriton_needs_the_operator_that_calls_it(
    operators: dict[str, int], subject: str
) -> None:
    path = "/e/site-packages/torch/lib/aotriton.images/amd-gfx942/flash/attn_fwd/x.aks2"
    files = KernelIndex({path: contents("attn_fwd")})
    (result,) = attribution.by_library(
        attribution.attribute(ran("attn_fwd", operators=operators), files)
    )
    assert result.subject == subject


def test_the_branch_that_attention_took_is_told() -> None:
    operators = {"aten::_scaled_dot_product_attention_math": 24}
    found = attribution.attribute(ran("gemm", operators=operators), index(vllm="gemm"))
    told = attribution.expectation(found, "aotriton").evidence
    assert ("attention of torch", "math 24 calls") in [(each.name, each.value) for each in told]


@pytest.mark.slow
def test_launches_without_kernels_say_that_the_profiler_was_blind(
    project: Project, recorded: dict[str, Any]
) -> None:
    launch = {**kernel("hipLaunchKernel", 5.0, 1), "cat": "cuda_runtime"}
    document = {**recorded, "traceEvents": [*recorded["traceEvents"], launch]}
    code, (result,) = verify(project, document, str(project.root))
    assert (code, result["verdict"]) == (3, "unproven")
    assert "1 kernel launches but no kernel" in result["reason"]


@pytest.mark.slow
def test_a_trace_of_the_cpu_proves_nothing_of_kernels(
    project: Project, recorded: dict[str, Any]
) -> None:
    code, (result,) = verify(project, recorded, str(project.root), "--expect", "aiter")
    assert (code, result["strength"]) == (3, "declared")
    assert "CPU operators and no GPU kernel" in result["reason"]


def test_a_file_that_cannot_be_read_is_named_beside_the_kernels_that_are_nowhere(
    project: Project,
) -> None:
    (project.root / "broken.co").write_bytes(b"\x7fELF")
    document = with_kernels({"traceEvents": []}, UNKNOWN)
    _, (result,) = verify(project, document, str(project.root))
    assert any("broken.co" in each["value"] for each in result["evidence"])


@pytest.mark.parametrize(
    ("path", "name", "source", "origin"),
    [
        ("/e/site-packages/aiter/jit/module_fmha.so", "x", "", KernelOrigin("aiter")),
        (
            "/e/site-packages/aiter/jit/module_fmha.so",
            "ck_tile::kentry<1>",
            "",
            KernelOrigin("aiter", "ck"),
        ),
        ("/h/.aiter/jit/m.so", "_ZN7ck_tile6kentryE", "", KernelOrigin("aiter", "ck")),
        ("/e/site-packages/torch/lib/rocblas/library/T.co", "Cijk", "", KernelOrigin("rocblas")),
        ("/opt/rocm/lib/librocblas.so.5", "k", "", KernelOrigin("rocblas")),
        ("/opt/rocm/lib/libMIOpen.so.1", "ck::f", "", KernelOrigin("miopen", "ck")),
        ("/opt/rocm/share/miopen/db/gfx942.kdb", "k", "", KernelOrigin("miopen")),
        ("/opt/rocm/lib/librccl.so.1", "k", "", KernelOrigin("rccl")),
        ("/e/site-packages/torch/lib/libtorch_hip.so", "k", "", KernelOrigin("torch")),
        ("/c/h/f.hsaco", "k", "/e/site-packages/aiter/ops/f.py", KernelOrigin("aiter", "triton")),
        (
            "/c/h/f.hsaco",
            "k",
            "/scratch/torchinductor_me/f.py",
            KernelOrigin("torch.compile", "triton"),
        ),
        ("/c/h/f.hsaco", "k", "/home/me/f.py", KernelOrigin("triton")),
        (
            "/e/_rocm_sdk/.kpack/blas_gfx942.kpack",
            "k",
            "lib/librocblas.so.5",
            KernelOrigin("rocblas"),
        ),
        ("/e/torch/.kpack/torch_gfx942.kpack", "k", "lib/libtorch_hip.so", KernelOrigin("torch")),
        ("/nowhere/mine.so.1", "k", "", KernelOrigin("mine")),
    ],
)
def test_a_file_belongs_to_a_library(
    path: str, name: str, source: str, origin: KernelOrigin
) -> None:
    assert of_file(path, name, source) == origin


def test_a_name_that_is_like_no_library_has_no_hint() -> None:
    assert hints("my_kernel") == ()
