"""``rocmlint verify trace``: traces read, kernels looked up in real code objects, and judged."""

from __future__ import annotations

import gzip
import json
import shutil
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.verify.trace import attribution
from rocmlint.verify.trace import index as index_room
from rocmlint.verify.trace.files import Ran, Trace, TraceError, read
from rocmlint.verify.trace.index import Contents, Group, KernelIndex, build, without_parameters
from rocmlint.verify.trace.origin import Origin, hints, of_file
from tests.support.hip_objects import kpack_archive, needs_clang
from tests.support.traces import (
    AITER,
    SOURCES,
    aks2,
    compiled,
    flat_zip,
    kernel,
    kernel_database,
    profiled,
    with_kernels,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

ATTENTION = ("aiter::fmha_fwd_hd128_bf16_causal", 300.0)
ADD = ("void at::native::add_kernel<4, float>(int, float*)", 100.0)
CK = ("void ck_tile::kentry<256>(float*)", 50.0)
GEMM = ("Cijk_Ailk_Bljk_BBS_BH_MT64x64x32", 500.0)
TRITON = ("attn_fwd", 40.0)
UNKNOWN = ("a_kernel_of_nobody", 10.0)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Record what torch.profiler writes of one attention on the CPU."""
    pytest.importorskip("torch")
    return profiled(tmp_path_factory.mktemp("recorded") / "cpu.json")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an environment with real device code where the libraries have theirs."""
    root = tmp_path_factory.mktemp("env") / "site-packages"
    compiled(SOURCES["aiter"], root / "aiter_meta/hsa/gfx942/fmha_v3_fwd/fwd.co", "gfx942")
    compiled(SOURCES["torch"], root / "torch/lib/libtorch_hip.so", "gfx942", "gfx90a", fat=True)
    tensile = root / "torch/lib/hipblaslt/library/Kernels.so-000-gfx942.hsaco"
    compiled(SOURCES["tensile"], tensile, "gfx942")
    return root


def verify(project: Project, document: object, *arguments: str) -> tuple[int, list[Any]]:
    path = project.write("trace.json", json.dumps(document))
    ended = project.run(
        "verify", "trace", str(path), *arguments, "--no-cache", "--output-format", "json"
    )
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)["results"]


# Who it was


@pytest.mark.slow
@needs_clang
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


@needs_clang
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
@needs_clang
def test_a_contradiction_names_what_ran_instead(
    project: Project, recorded: dict[str, Any], site: Path
) -> None:
    document = with_kernels(recorded, GEMM, ADD)
    _, (result,) = verify(project, document, str(site), "--expect", "aiter")
    assert result["verdict"] == "contradicted"
    assert result["strength"] == "executed"
    assert "hipblaslt 83.3 %, torch 16.7 %" in result["reason"]


@needs_clang
@pytest.mark.parametrize(
    "name",
    [
        "_ZN2at6native10add_kernelILi4EfEEviPT0_",
        "_ZN2at6native10add_kernelILi4EfEEviPT0_.kd",
        "void at::native::add_kernel<4, float>(int, float*)",
        "void at::native::add_kernel<4, float>(int, float*) [clone .kd]",
        "void at::native::add_kernel<4, float>",
    ],
)
def test_a_kernel_is_found_by_every_name_that_profilers_give_it(site: Path, name: str) -> None:
    (holder,) = build([str(site)]).holders(name)
    assert holder.path == f"{site}/torch/lib/libtorch_hip.so"
    assert holder.targets == ("gfx90a", "gfx942")


@needs_clang
@pytest.mark.parametrize("name", ["add_kernel", "void at::native::add_kernel<8, float>", "", "(a"])
def test_another_kernel_is_not_taken_for_it(site: Path, name: str) -> None:
    assert build([str(site)]).holders(name) == ()


# Without a GPU or code objects: the judgement


def ran(*kernels: str, cut: str = "", operators: dict[str, int] | None = None) -> Trace:
    times = (Ran(name, 1, 1000.0) for name in kernels)
    return Trace("/t/job.json", "torch.profiler", tuple(times), operators or {}, cut=cut)


def contents(name: str) -> Contents:
    return Contents((Group([name], ("gfx942",)),))


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
        ("/e/site-packages/aiter/jit/module_fmha.so", "x", "", Origin("aiter")),
        (
            "/e/site-packages/aiter/jit/module_fmha.so",
            "ck_tile::kentry<1>",
            "",
            Origin("aiter", "ck"),
        ),
        ("/h/.aiter/jit/m.so", "_ZN7ck_tile6kentryE", "", Origin("aiter", "ck")),
        ("/e/site-packages/torch/lib/rocblas/library/T.co", "Cijk", "", Origin("rocblas")),
        ("/opt/rocm/lib/librocblas.so.5", "k", "", Origin("rocblas")),
        ("/opt/rocm/lib/libMIOpen.so.1", "ck::f", "", Origin("miopen", "ck")),
        ("/opt/rocm/share/miopen/db/gfx942.kdb", "k", "", Origin("miopen")),
        ("/opt/rocm/lib/librccl.so.1", "k", "", Origin("rccl")),
        ("/e/site-packages/torch/lib/libtorch_hip.so", "k", "", Origin("torch")),
        ("/c/h/f.hsaco", "k", "/e/site-packages/aiter/ops/f.py", Origin("aiter", "triton")),
        ("/c/h/f.hsaco", "k", "/scratch/torchinductor_me/f.py", Origin("torch.compile", "triton")),
        ("/c/h/f.hsaco", "k", "/home/me/f.py", Origin("triton")),
        ("/e/_rocm_sdk/.kpack/blas_gfx942.kpack", "k", "lib/librocblas.so.5", Origin("rocblas")),
        ("/e/torch/.kpack/torch_gfx942.kpack", "k", "lib/libtorch_hip.so", Origin("torch")),
        ("/nowhere/mine.so.1", "k", "", Origin("mine")),
    ],
)
def test_a_file_belongs_to_a_library(path: str, name: str, source: str, origin: Origin) -> None:
    assert of_file(path, name, source) == origin


def test_a_name_that_is_like_no_library_has_no_hint() -> None:
    assert hints("my_kernel") == ()


@pytest.mark.parametrize(
    ("readable", "without"),
    [
        ("void f<int>(int*, void (*)(int))", "void f<int>"),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
        ("f", "f"),
        ("f)", "f)"),
    ],
)
def test_parameters_are_the_last_parentheses(readable: str, without: str) -> None:
    assert without_parameters(readable) == without


# Traces


def text_of(document: object) -> bytes:
    return json.dumps(document, indent=1).encode()


TWO = with_kernels({"schemaVersion": 1, "traceEvents": []}, ATTENTION, GEMM)
ROCPROFV3 = """\
"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name",\
"Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count"
"KERNEL_DISPATCH","Agent 4",1,1,852831,1,10,"aiter::fmha_fwd_hd128_bf16_causal",1,1000,301000,0,0,8
"KERNEL_DISPATCH","Agent 4",1,1,852831,2,13,"Cijk_Ailk_Bljk_BBS_BH_MT64x64x32",2,301000,801000,0,0,8
"""
STATS = """\
"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"
"Cijk_Ailk_Bljk_BBS_BH_MT64x64x32",1,500000,500000.0,62.5,500000,500000,0.0
"aiter::fmha_fwd_hd128_bf16_causal",1,300000,300000.0,37.5,300000,300000,0.0
"""
ROCPROF1 = """\
"Index","KernelName","gpu-id","queue-id","BeginNs","EndNs","DurationNs"
0,"aiter::fmha_fwd_hd128_bf16_causal",4,0,1000,301000,300000
1,"Cijk_Ailk_Bljk_BBS_BH_MT64x64x32",4,0,301000,801000,500000
"""


@pytest.mark.parametrize(
    "data",
    [
        text_of(TWO),
        gzip.compress(text_of(TWO), mtime=0),
        b"\xef\xbb\xbf" + text_of(TWO),
        text_of(TWO).decode().encode("utf-16"),
        b"\n " + text_of(TWO["traceEvents"]),
        text_of({**TWO, "note": "café"}).replace(b"\\u00e9", b"\xe9"),
        ROCPROFV3.encode(),
        ROCPROFV3.replace("\n", "\r\n").encode(),
        gzip.compress(ROCPROFV3.encode(), mtime=0),
        STATS.encode(),
        ROCPROF1.encode(),
    ],
    ids=[
        "json",
        "gz",
        "bom",
        "utf-16",
        "array",
        "latin-1-inside",
        "rocprofv3",
        "crlf",
        "rocprofv3-gz",
        "stats",
        "rocprof1",
    ],
)
def test_every_form_gives_the_same_kernels(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "trace"
    path.write_bytes(data)
    found = read(str(path))
    assert found.kernels == (Ran(GEMM[0], 1, 500000.0), Ran(ATTENTION[0], 1, 300000.0))
    assert not found.cut


def test_a_number_of_64_bits_without_a_sign_stops_nothing(tmp_path: Path) -> None:
    event = kernel(GEMM[0], 500.0, 1)
    event["args"]["hsa_queue"] = 17332996360099338395
    path = tmp_path / "trace.json"
    path.write_bytes(text_of({"traceEvents": [event, event]}))
    found = read(str(path))
    assert (found.kernels[0].calls, found.cut) == (2, "")


def test_other_rows_of_rocprofv3_are_no_kernels(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(
        ROCPROFV3.replace('"KERNEL_DISPATCH","Agent 4",1,1,852831,2', '"MEMORY_COPY",,,,,')
    )
    assert [each.name for each in read(str(path)).kernels] == [ATTENTION[0]]


@pytest.mark.slow
def test_a_real_trace_gives_its_operators(tmp_path: Path, recorded: dict[str, Any]) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(recorded))
    found = read(str(path))
    assert not found.kernels
    assert found.operators["aten::_scaled_dot_product_flash_attention_for_cpu"] == 1


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("part", [0.4, 0.7, 0.95])
def test_a_trace_that_stops_in_the_middle_gives_what_is_there(
    tmp_path: Path, part: float, *, packed: bool
) -> None:
    events = [kernel(GEMM[0], 1.0, at) for at in range(3000)]
    data = text_of({"traceEvents": events})
    data = gzip.compress(data) if packed else data
    path = tmp_path / "trace"
    path.write_bytes(data[: int(part * len(data))])
    found = read(str(path))
    assert 0 < found.kernels[0].calls < 3000
    assert found.cut


def test_half_a_row_at_the_end_is_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(ROCPROFV3[: ROCPROFV3.rindex("1000,0,0,8")])
    found = read(str(path))
    assert [each.name for each in found.kernels] == [ATTENTION[0]]
    assert found.cut == "1 of its rows cannot be read"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (gzip.compress(text_of(TWO), mtime=0)[:12], "is empty (its compressed data stops"),
        (b"{}", "contains no traceEvents"),
        (b"{" * 100_000, "contains no traceEvents"),
        (b'{"traceEvents": 5}', "contains no traceEvents"),
        (b'{"rocprofiler-sdk-tool": []}', "for rocprofv3, use the CSV"),
        (b"SQLite format 3\0" + bytes(100), "--output-format csv"),
        (b"a,b,c\n1,2,3\n", "is not a known trace format"),
        (bytes(range(256)) * 9, "is not a known trace format"),
        (b'"Name","Calls","TotalDurationNs"\n"hipLaunchKernel",5,100\n', "kernel_stats.csv"),
        (b'"Name","Calls","TotalDurationNs"\n"KERNEL_DISPATCH",5,100\n', "kernel_stats.csv"),
    ],
)
def test_what_is_no_trace_is_one_line_and_exit_code_2(
    project: Project, data: bytes, words: str
) -> None:
    (project.root / "trace").write_bytes(data)
    ended = project.run("verify", "trace", "trace", ".")
    assert ended.returncode == 2
    assert words in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_folder_that_is_not_there_is_one_line(project: Project) -> None:
    project.write("trace.json", json.dumps(TWO))
    ended = project.run("verify", "trace", "trace.json", "absent")
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: absent: no such")


@pytest.mark.parametrize("name", ["absent.json", "."])
def test_a_trace_that_is_not_there_is_one_line(project: Project, name: str) -> None:
    ended = project.run("verify", "trace", name, ".")
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"error: {name}: cannot be read")


@given(
    st.binary(max_size=400) | st.binary(max_size=400).map(lambda each: b'{"traceEvents":[' + each)
)
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    try:
        read(str(path))
    except TraceError as error:
        assert str(path) in str(error)  # noqa: PT017 - most bytes are refused, some are not


def test_a_long_trace_does_not_stay_in_memory(tmp_path: Path) -> None:
    events = [kernel(GEMM[0], 1.0, at) for at in range(10_000)]
    data = text_of({"traceEvents": events})
    path = tmp_path / "trace.json"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        assert read(str(path)).kernels[0].calls == 10_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(data) / 4


# The index


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Compile a code object with the kernel ``attn_fwd``, as Triton compiles one."""
    path = tmp_path_factory.mktemp("image") / "attn_fwd.hsaco"
    return compiled(SOURCES["triton"], path, "gfx942").read_bytes()


IMAGES = "torch/lib/aotriton.images/amd-gfx942/flash/attn_fwd"


@needs_clang
def test_archives_of_aotriton_and_miopen_are_read(tmp_path: Path, image: bytes) -> None:
    (tmp_path / IMAGES).mkdir(parents=True)
    (tmp_path / IMAGES / "FONLY__1.aks2").write_bytes(aks2(b"", image, image))
    flat_zip(tmp_path / f"{IMAGES}.zip", {"F__1": aks2(image)})
    kernel_database(tmp_path / "gfx942.kdb", image)
    found = build([str(tmp_path)])
    assert not found.problems
    assert {holder.path for holder in found.holders("attn_fwd")} == {
        str(tmp_path / IMAGES / "FONLY__1.aks2"),
        str(tmp_path / f"{IMAGES}.zip"),
        str(tmp_path / "gfx942.kdb"),
    }
    assert {holder.targets for holder in found.holders("attn_fwd")} == {("gfx942",)}


@needs_clang
def test_a_kernel_in_a_kpack_archive_belongs_to_the_library_it_was_moved_out_of(
    tmp_path: Path, image: bytes
) -> None:
    archive = kpack_archive({("lib/libMIOpen.so.1#0", "gfx942"): image})
    (tmp_path / "all_gfx942.kpack").write_bytes(archive)
    found = attribution.attribute(ran("attn_fwd"), build([str(tmp_path)]))
    assert attribution.expectation(found, "miopen").verdict == "proven"


@needs_clang
def test_what_copies_memory_is_in_the_runtime(tmp_path: Path) -> None:
    source = 'const char *blit = "kernel void __amd_rocclr_fillBufferAligned(int) {}";'
    compiled(source, tmp_path / "libamdhip64.so.7", "gfx942", fat=True)
    found = attribution.attribute(ran("__amd_rocclr_fillBufferAligned"), build([str(tmp_path)]))
    (result,) = attribution.by_library(found)
    assert (result.subject, result.verdict) == ("the HIP runtime", "proven")


@needs_clang
def test_all_kernels_of_an_affine_archive_are_read(
    tmp_path: Path, image: bytes, site: Path
) -> None:
    other = (site / "aiter_meta/hsa/gfx942/fmha_v3_fwd/fwd.co").read_bytes()
    path = tmp_path / "torch/lib/aotriton.images/amd-gfx942/flash/affine_kernels.zip"
    flat_zip(path, {"aiter_fwd": aks2(image, other)})
    assert set(build([str(tmp_path)]).names) == {"attn_fwd", AITER}


@needs_clang
@pytest.mark.parametrize(
    "name", ["broken.aks2", "broken.kdb", "broken.ukdb", "aotriton.images/b.zip"]
)
@pytest.mark.parametrize("part", [0, 3, 40, 200])
def test_a_broken_archive_is_named_and_hides_no_other_file(
    tmp_path: Path, image: bytes, name: str, part: int
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".zip":
        flat_zip(path, {"F": aks2(image)})
    elif path.suffix == ".aks2":
        path.write_bytes(aks2(image))
    else:
        kernel_database(path, image)
    path.write_bytes(path.read_bytes()[:part])
    (tmp_path / "whole.hsaco").write_bytes(image)
    found = build([str(tmp_path)])
    assert set(found.problems) == {str(path)}
    assert [each.path for each in found.holders("attn_fwd")] == [str(tmp_path / "whole.hsaco")]


@needs_clang
@given(st.data())
def test_an_archive_with_a_flipped_bit_is_read_or_named(
    tmp_path_factory: pytest.TempPathFactory, image: bytes, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / "flipped"
    path = folder / data.draw(st.sampled_from(("a.aks2", "aotriton.images/a.zip", "a.kdb")))
    shutil.rmtree(folder, ignore_errors=True)
    path.parent.mkdir(parents=True)
    if path.suffix == ".kdb":
        kernel_database(path, image)
    elif path.suffix == ".zip":
        flat_zip(path, {"F": aks2(image)})
    else:
        path.write_bytes(aks2(image))
    content = bytearray(path.read_bytes())
    for at in data.draw(st.lists(st.integers(0, 8 * len(content) - 1), min_size=1, max_size=3)):
        content[at // 8] ^= 1 << at % 8
    path.write_bytes(content)
    found = build([str(folder)])
    assert list(found.files) == [str(path)]


@needs_clang
def test_a_kernel_of_tritons_cache_belongs_to_whoever_wrote_it(
    tmp_path: Path, image: bytes
) -> None:
    cached = tmp_path / "cache/KQ7"
    cached.mkdir(parents=True)
    (cached / "attn_fwd.hsaco").write_bytes(image)
    (cached / "attn_fwd.json").write_text('{"target": {"backend": "hip", "arch": "gfx942"}}')
    (cached / "attn_fwd.ttir").write_text('#loc = loc("/e/site-packages/aiter/ops/mha.py":12:0)\n')
    found = attribution.attribute(ran(TRITON[0]), build([str(tmp_path)]))
    assert attribution.expectation(found, "aiter").verdict == "proven"
    assert attribution.expectation(found, "triton").verdict == "proven"


@needs_clang
def test_an_unchanged_file_is_not_read_again(
    tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build([str(site)], str(tmp_path))
    monkeypatch.setattr(index_room, "_read", lambda path: pytest.fail(f"{path} was read"))
    again = build([str(site)], str(tmp_path))
    assert again.names == first.names
    assert len(again.names) == 4


@needs_clang
def test_a_changed_file_is_read_again(tmp_path: Path, image: bytes) -> None:
    cache, file = str(tmp_path / "cache"), tmp_path / "k/a.hsaco"
    file.parent.mkdir()
    file.write_bytes(image)
    assert build([str(file.parent)], cache).holders("attn_fwd")
    file.write_bytes(image.replace(b"attn_fwd", b"attn_bwd"))
    assert build([str(file.parent)], cache).holders("attn_bwd")


@needs_clang
@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"version": 2, "files": 3}'])
def test_a_broken_cache_is_no_cache(tmp_path: Path, site: Path, data: bytes) -> None:
    build([str(site)], str(tmp_path))
    (file,) = tmp_path.iterdir()
    file.write_bytes(data)
    assert len(build([str(site)], str(tmp_path)).names) == 4


@needs_clang
def test_an_entry_of_the_cache_that_is_odd_is_read_anew(tmp_path: Path, site: Path) -> None:
    build([str(site)], str(tmp_path))
    (file,) = tmp_path.iterdir()
    stored = json.loads(file.read_text())
    stored["files"] = dict.fromkeys(stored["files"], 7)
    file.write_text(json.dumps(stored))
    assert len(build([str(site)], str(tmp_path)).names) == 4


@needs_clang
def test_a_cache_that_cannot_be_kept_does_not_matter(tmp_path: Path, site: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert len(build([str(site)], str(tmp_path / "file")).names) == 4


def test_the_cache_lies_where_the_user_wants_it(project: Project) -> None:
    project.write("trace.json", json.dumps(with_kernels({"traceEvents": []}, UNKNOWN)))
    (project.root / "empty.co").write_bytes(b"")
    project.run("verify", "trace", "trace.json", ".", XDG_CACHE_HOME=str(project.root / "mine"))
    assert list((project.root / "mine/rocmlint/kernels").glob("*.json"))
