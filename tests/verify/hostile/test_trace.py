"""Traces that are damaged, tiny or of another tool, and what may be said of them all the same.

The truth is that of the dispatches of which a trace is made here, before it is damaged.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from rocmlint.verify.trace import attribution
from rocmlint.verify.trace.attribution import duration, percent
from rocmlint.verify.trace.index import Contents, KernelGroup, KernelIndex
from rocmlint.verify.trace.trace_files import Trace, read
from tests.support.traces import ADD, ATTENTION, GEMM, UNKNOWN, rocprofv3, with_kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.verdicts import Judged, Truth

    Dispatches = tuple[tuple[str, float], ...]

ROOT = Path(__file__).parents[3]
AITER, OTHER = ATTENTION[0], GEMM[0]
INDEX = KernelIndex({
    f"/e/site-packages/{folder}/k.co": Contents((KernelGroup([name], ("gfx942",)),))
    for folder, name in (("aiter", AITER), ("hipblaslt", OTHER), ("torch", ADD[0]))
})  # fmt: skip
SCHEMA = json.loads((ROOT / "docs" / "schema" / "trace-comparison.json").read_text())


def kineto(kernels: Dispatches) -> bytes:
    return json.dumps(with_kernels({"traceEvents": []}, *kernels), indent=1).encode()


def two_processes(kernels: Dispatches) -> bytes:
    """Give the same kernel another number in each process, as two programs would."""
    half = len(kernels) // 2
    first, second = rocprofv3(*kernels[:half]), rocprofv3(*kernels[half:], pid=4712)
    (name,) = first
    return json.dumps({name: first[name] + second[name]}).encode()


def symbols_last(kernels: Dispatches) -> bytes:
    document = rocprofv3(*kernels)
    (process,) = document["rocprofiler-sdk-tool"]
    process["kernel_symbols"] = process.pop("kernel_symbols")
    return json.dumps(document).encode()


def csv(kernels: Dispatches) -> bytes:
    rows = ['"Kind","Kernel_Name","Start_Timestamp","End_Timestamp"']
    rows += [f'"KERNEL_DISPATCH","{name}",0,{round(1000 * time)}' for name, time in kernels]
    return "\n".join([*rows, ""]).encode()


def packed(kernels: Dispatches) -> bytes:
    return gzip.compress(kineto(kernels))


def packed_twice(kernels: Dispatches) -> bytes:
    data = kineto(kernels)
    return gzip.compress(data[:50]) + gzip.compress(data[50:]) + bytes(512)


def cut_in_the_middle(kernels: Dispatches) -> bytes:
    data = packed(kernels)
    return data[: int(0.7 * len(data))]


def without_trailer(kernels: Dispatches) -> bytes:
    return packed(kernels)[:-8]


def wrong_checksum(kernels: Dispatches) -> bytes:
    data = bytearray(packed(kernels))
    data[-8] ^= 0xFF
    return bytes(data)


def damaged_inside(kernels: Dispatches) -> bytes:
    data = bytearray(packed(kernels))
    middle = len(data) // 2
    data[middle : middle + 200] = bytes(200)
    return bytes(data)


def one_event_too_few(kernels: Dispatches) -> bytes:
    return kineto(kernels)[:-60]


WHOLE = kineto, two_processes, symbols_last, csv, packed, packed_twice, without_trailer
HURT = cut_in_the_middle, wrong_checksum, damaged_inside, one_event_too_few
MANY = ((AITER, 60.0), (OTHER, 40.0)) * 2000
FEW = ((OTHER, 999.0), (AITER, 1.0)) * 200


def trace(folder: Path, data: bytes) -> Trace:
    path = folder / "t.json"
    path.write_bytes(data)
    return read(str(path))


def truth_of(kernels: Dispatches, least: float | None) -> Truth:
    ran = sum(time for name, time in kernels if name == AITER)
    total = sum(time for _, time in kernels)
    return "holds" if ran and (least is None or 100 * ran >= least * total) else "broken"


@pytest.mark.verdict
@pytest.mark.parametrize("least", [None, 0.1, 60.0, 60.1, 100.0])
@pytest.mark.parametrize("kernels", [MANY, FEW, ((OTHER, 1.0),) * 50, ((AITER, 2.0),) * 50])
@pytest.mark.parametrize("written", WHOLE, ids=lambda each: each.__name__)
def test_a_trace_that_is_whole_decides(
    tmp_path: Path,
    judged: Judged,
    written: Callable[[Dispatches], bytes],
    kernels: Dispatches,
    least: float | None,
) -> None:
    found = attribution.attribute(trace(tmp_path, written(kernels)), INDEX)
    judged(
        "trace",
        truth_of(kernels, least),
        attribution.expectation(found, "aiter", least).verdict,
    )


@pytest.mark.verdict
@pytest.mark.parametrize("least", [None, 50.0])
@pytest.mark.parametrize("kernels", [((OTHER, 1.0),) * 3000, MANY], ids=["none", "most"])
@pytest.mark.parametrize("written", HURT, ids=lambda each: each.__name__)
def test_what_is_missing_of_a_trace_is_not_taken_for_absent(
    tmp_path: Path,
    judged: Judged,
    written: Callable[[Dispatches], bytes],
    kernels: Dispatches,
    least: float | None,
) -> None:
    found = attribution.attribute(trace(tmp_path, written(kernels)), INDEX)
    ran = least is None and kernels is MANY
    verdict = attribution.expectation(found, "aiter", least).verdict
    judged("trace", "holds" if ran else "open", verdict)


@pytest.mark.verdict
@pytest.mark.parametrize(("unknown", "truth"), [(10.0, "holds"), (70.0, "open"), (999.0, "open")])
def test_a_kernel_that_no_file_has_may_belong_to_the_library(
    tmp_path: Path, judged: Judged, unknown: float, truth: Truth
) -> None:
    kernels = ((AITER, 30.0), (OTHER, 5.0), (UNKNOWN[0], unknown))
    found = attribution.attribute(trace(tmp_path, kineto(kernels)), INDEX)
    judged("trace", truth, attribution.expectation(found, "aiter", 50.0).verdict)


@pytest.mark.verdict
def test_kernels_without_a_duration_have_no_share(tmp_path: Path, judged: Judged) -> None:
    found = attribution.attribute(trace(tmp_path, kineto(((AITER, 0.0), (OTHER, 0.0)))), INDEX)
    judged("trace", "open", attribution.expectation(found, "aiter", 1.0).verdict)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (cut_in_the_middle, "the gzip data stops in the middle; "),
        (damaged_inside, "the gzip data is damaged in the middle; "),
        (wrong_checksum, "the checksum at the end of the gzip data is wrong, so its 4,000 events"),
        (one_event_too_few, "the JSON stops after 3,999 events: it ends in the middle"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_damage_is_described_with_what_was_read_before_it(
    tmp_path: Path, written: Callable[[Dispatches], bytes], words: str
) -> None:
    found = trace(tmp_path, written(MANY))
    assert found.cut.startswith(words)
    assert "^" not in found.cut
    calls = sum(each.calls for each in found.kernels)
    assert f"{calls:,} events" in found.cut


def test_a_small_file_that_is_cut_off_gives_all_that_can_be_decoded(tmp_path: Path) -> None:
    found = trace(tmp_path, packed(MANY[:20])[:-12])
    assert sum(each.calls for each in found.kernels) >= 15


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [
        (1, 1e9, "less than 0.1 %"),
        (0, 1e9, "0.0 %"),
        (999_999, 1e6, "more than 99.9 %"),
        (1e6, 1e6, "100.0 %"),
        (5, 0, "0 %"),
    ],
)
def test_a_share_is_not_rounded_to_nothing_or_all(part: float, whole: float, words: str) -> None:
    assert percent(part, whole) == words


@pytest.mark.parametrize(
    ("nanoseconds", "words"),
    [
        (0, "0 ns"),
        (1, "1 ns"),
        (1500, "1.5 µs"),
        (1e9, "1,000 ms"),
        (1.25e6, "1.25 ms"),
        (6e11, "600 s"),
    ],
)
def test_a_time_has_no_exponent(nanoseconds: float, words: str) -> None:
    assert duration(nanoseconds) == words


def test_symbols_that_did_not_run_are_no_kernels_and_clones_have_their_own_name(
    tmp_path: Path,
) -> None:
    found = trace(tmp_path, json.dumps(rocprofv3(ATTENTION, ADD)).encode())
    assert [(each.name, each.nanoseconds) for each in found.kernels] == [
        (ATTENTION[0], 300_000.0),
        (ADD[0], 100_000.0),
    ]
    assert found.form == "rocprofv3"


def test_rocprofv3_without_a_dispatch_is_a_trace_without_kernels(tmp_path: Path) -> None:
    found = attribution.attribute(trace(tmp_path, json.dumps(rocprofv3()).encode()), INDEX)
    result = attribution.expectation(found, "aiter")
    assert result.verdict == "unproven"
    assert "rocprofv3 --kernel-trace" in result.action


@pytest.mark.parametrize("odd", [5, None, [], "x", {"kernel_id": []}, {"dispatch_info": 3}])
def test_odd_records_of_rocprofv3_spoil_nothing(tmp_path: Path, odd: object) -> None:
    document = rocprofv3(ATTENTION)
    (process,) = document["rocprofiler-sdk-tool"]
    process["kernel_symbols"].append(odd)
    process["buffer_records"]["kernel_dispatch"].append(odd)
    document["rocprofiler-sdk-tool"].append(odd)
    found = trace(tmp_path, json.dumps(document).encode())
    assert found.kernels[0].name == ATTENTION[0]


# Two traces


def compared(project: Project, *arguments: str) -> tuple[int, Any]:
    project.write("before.json", kineto((ADD, GEMM, GEMM)).decode())
    project.write("after.json", json.dumps(rocprofv3(GEMM, ATTENTION)))
    ended = project.run(
        "verify", "trace", "before.json", "--against", "after.json", ".", "--no-cache", *arguments
    )
    return ended.returncode, ended.stdout or ended.stderr


def test_two_traces_are_compared_by_kernel_without_a_verdict(project: Project) -> None:
    code, text = compared(project, "--output-format", "json")
    document = json.loads(text)
    jsonschema.validate(document, SCHEMA)
    assert (code, document["results"]) == (0, [])
    rows = {each["name"]: each for each in document["kernels"]}
    assert rows[ADD[0]]["after"] is None
    assert rows[ATTENTION[0]]["before"] is None
    assert (rows[GEMM[0]]["before"]["calls"], rows[GEMM[0]]["after"]["calls"]) == (2, 1)
    assert rows[GEMM[0]]["after"]["share"] == pytest.approx(0.625)


def test_what_is_new_and_gone_is_told_in_words(project: Project) -> None:
    code, text = compared(project)
    assert code == 0
    assert f"before: before.json: {duration(1.1e6)} in 2 kernels, 3 calls" in text
    (gone,) = (line for line in text.splitlines() if line.startswith("void at::native"))
    assert "-100 µs" in gone
    assert "gone" in gone


def test_an_expectation_is_about_the_later_trace(project: Project) -> None:
    code, text = compared(project, "--expect", "aiter", "--output-format", "json")
    document = json.loads(text)
    assert (code, document["exit_code"]) == (3, 3)
    assert document["results"][0]["subject"] == "after.json"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--min-share", "50"), "--min-share needs --expect"),
        (("--expect", "aiter", "--min-share", "0"), "not a valid share"),
        (("--expect", "aiter", "--min-share", "101"), "not a valid share"),
        (("--expect", "aiter", "--min-share", "nan"), "not a valid share"),
        (("--output-format", "junit"), "needs --expect"),
    ],
)
def test_wrong_usage_is_told_in_one_line(
    project: Project, arguments: tuple[str, ...], words: str
) -> None:
    code, text = compared(project, *arguments)
    assert code == 2
    assert words in text
