"""The formats of traces: every one gives the same kernels, or one line says why it does not."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.verify.trace.trace_files import RanKernel, TraceError, read
from tests.support.traces import ATTENTION, GEMM, kernel, with_kernels

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project


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
    assert found.kernels == (RanKernel(GEMM[0], 1, 500000.0), RanKernel(ATTENTION[0], 1, 300000.0))
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
        (
            gzip.compress(text_of(TWO), mtime=0)[:12],
            "the gzip data stops in the middle, before the first event",
        ),
        (b"{}", "contains no traceEvents"),
        (b"{" * 100_000, "contains no traceEvents"),
        (b'{"traceEvents": 5}', "contains no traceEvents"),
        (b'{"rocprofiler-sdk-tool": []}', "rocprofv3 (--kernel-trace)"),
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
