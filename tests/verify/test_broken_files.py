"""One file that is broken, or made to harm, is one line; what is known of the others is told."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocmlint.verify.code_objects import compression, file_report
from rocmlint.verify.code_objects.file_errors import UnreadableError, extra
from rocmlint.verify.code_objects.file_report import FileReport, read_file
from rocmlint.verify.dtype.judge import _read_baseline
from tests.support.hip_objects import bundle, compressed, kpack_archive

if TYPE_CHECKING:
    from tests.support.project import Project

PT_LOAD = 1
DEVICE_CODE = b"\x7fELF\x02\x01\x01\x40\x04".ljust(16, b"\0") + struct.pack(
    "<HHIQQQIHHHHHH", 3, 224, 1, 0, 64, 0, 0x54C, 64, 56, 0, 64, 0, 0
)
"""A code object for gfx942 that has nothing but its head."""


def library() -> bytes:
    """Return a real library: the smallest that a package beside zstandard brings."""
    found = Path(zstandard.__file__).parents[1].glob("*/*.so")
    return min(found, key=lambda path: path.stat().st_size).read_bytes()


def files() -> dict[str, bytes]:
    plain = bundle({"gfx942": DEVICE_CODE})
    packed = {
        f"v{version}.{method}.co": compressed(plain, version, method)
        for version in (1, 2, 3)
        for method in ("zlib", "zstd")
    }
    archive = kpack_archive({("a#0", "gfx942"): DEVICE_CODE, ("a#1", "gfx942"): DEVICE_CODE})
    whole = {"a.co": plain, "a.hsaco": DEVICE_CODE, "a.kpack": archive, "a.so": library()}
    return {**whole, **packed}


FILES = files()


def results(project: Project, *arguments: str) -> list[dict[str, Any]]:
    done = project.run("verify", *arguments, "--output-format", "json")
    assert "Traceback" not in done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["results"]
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_whole(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    assert read_file(str(tmp_path / name)).error == ""


def test_a_library_with_a_damaged_header_hides_no_other_file(project: Project) -> None:
    damaged = bytearray(library())
    (count,) = struct.unpack_from("<H", damaged, 56)
    for header in range(64, 64 + 56 * count, 56):
        if struct.unpack_from("<I", damaged, header) == (PT_LOAD,):
            damaged[header + 15] = 0xEF  # the highest byte of where the segment lies
    (project.root / "damaged.so").write_bytes(damaged)
    (project.root / "whole.co").write_bytes(FILES["a.co"])
    found = {each["subject"]: each for each in results(project, "kernels", "--arch", "gfx942", ".")}
    whole = found.pop("**/*.co")
    (broken,) = found.values()
    assert (broken["verdict"], broken["subject"]) == ("unproven", "damaged.so")
    assert whole["verdict"] == "proven"


def test_a_mistake_of_the_reader_is_a_line_about_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(*_: object) -> object:
        raise ZeroDivisionError("division by zero")

    (tmp_path / "a.so").write_bytes(library())
    monkeypatch.setattr(file_report, "read_host_elf", mistaken)
    report = read_file(str(tmp_path / "a.so"))
    assert report.error == "cannot be read: ZeroDivisionError: division by zero"


@pytest.mark.parametrize("number", [float("inf"), float("nan"), -1, 1 << 63, [], None])
@pytest.mark.parametrize("field", ["zstd_offset", "ordinal", "original_size"])
def test_an_odd_number_in_the_table_of_an_archive_is_told(
    tmp_path: Path, field: str, number: object
) -> None:
    entry: dict[str, object] = {"ordinal": 0, "original_size": len(DEVICE_CODE)}
    table: dict[str, object] = {
        "compression_scheme": "zstd-per-kernel",
        "zstd_offset": 16,
        "gfx_arches": ["gfx942"],
        "toc": {"a#0": {"gfx942": entry}},
    }
    (table if field in table else entry)[field] = number
    head = struct.pack("<4sIQ", b"KPAK", 1, 20)
    (tmp_path / "a.kpack").write_bytes(head + bytes(4) + extra("msgpack").packb(table))
    report = read_file(str(tmp_path / "a.kpack"))
    assert report.error
    assert "cannot be understood" not in report.error


BYTES = st.tuples(st.integers(0, 1 << 20), st.sampled_from([0, 1, 0x7F, 0x80, 0xEF, 0xFF]))


@settings(max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(FILES)), st.lists(BYTES, min_size=1, max_size=6), st.booleans())
def test_whatever_is_changed_in_a_file_is_told_and_never_raised(
    tmp_path: Path, name: str, changes: list[tuple[int, int]], in_head: bool
) -> None:
    data = bytearray(FILES[name])
    for at, value in changes:
        data[at % min(len(data), 1024 if in_head else len(data))] = value
    (tmp_path / name).write_bytes(data)
    report = read_file(str(tmp_path / name))
    assert isinstance(report, FileReport)
    assert "cannot be understood" not in report.error


def test_code_without_a_section_table_ends_where_a_page_does(tmp_path: Path) -> None:
    (tmp_path / "a.co").write_bytes(bundle({}) + DEVICE_CODE.ljust(4096, b"\0") + DEVICE_CODE)
    report = read_file(str(tmp_path / "a.co"))
    assert report.error == ""
    assert [each.bundle for each in report.entries] == [1, 2]


def test_a_bundle_may_be_a_thousand_times_larger_than_its_file_and_no_more(tmp_path: Path) -> None:
    packed = bytearray(compressed(bundle({"gfx942": DEVICE_CODE}), 3, "zstd"))
    stored = len(packed) - 32
    packed[16:24] = (20 << 30).to_bytes(8, "little")
    (tmp_path / "a.co").write_bytes(packed)
    assert read_file(str(tmp_path / "a.co")).error == (
        f"a compressed bundle of {stored:,} bytes that decompresses to 21,474,836,480: more than "
        "the limit of 67,108,864"
    )


def test_code_that_is_too_large_for_memory_is_not_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "LARGEST_IMAGE", 100)
    large = DEVICE_CODE + bytes(100)
    (tmp_path / "a.co").write_bytes(compressed(bundle({"gfx942": large}), 3, "zlib"))
    with pytest.raises(UnreadableError, match=r"code of 164 bytes: more than the limit of 100"):
        list(file_report.code_objects(str(tmp_path / "a.co")))
    assert read_file(str(tmp_path / "a.co")).error == ""  # nothing of it has to be held for that


# ---- small files


ODD = ("pipe", "device", "large")


def odd(path: Path, kind: str) -> str:
    """Put something in the place of a small file, and give what is said of it."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as sparse:
            sparse.truncate(1 << 40)
        return "larger than"
    return "not a regular file"


@pytest.mark.parametrize("kind", ODD)
def test_a_manifest_that_is_no_small_file_is_one_line(project: Project, kind: str) -> None:
    said = odd(project.root / "m.toml", kind)
    done = project.run("verify", "patches", "--manifest", "m.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: m.toml: cannot be read: {said}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = " + "{b = " * 100_000])
def test_a_manifest_of_brackets_is_one_line(project: Project, text: str) -> None:
    project.write("m.toml", text)
    done = project.run("verify", "patches", "--manifest", "m.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: m.toml: nested too deeply\n"


@pytest.mark.parametrize("kind", ODD)
def test_a_witness_that_is_no_small_file_is_one_result(project: Project, kind: str) -> None:
    (project.root / "kept").mkdir()
    said = odd(project.root / "kept" / "witness.a.1.json", kind)
    found = results(project, "ranks", "kept", "--module", "json")
    assert [each["seen"][: len(said)] for each in found if each["claim"] == "can be read"] == [said]


@pytest.mark.parametrize("kind", ODD)
def test_a_frozen_state_that_is_no_small_file_is_one_line(project: Project, kind: str) -> None:
    said = odd(project.root / "state.json", kind)
    done = project.run("stack", "survived", "state.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"state.json: cannot be read: {said}" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("kind", ODD)
def test_a_baseline_of_dtypes_that_is_no_small_file_is_one_line(tmp_path: Path, kind: str) -> None:
    said = odd(tmp_path / "baseline.json", kind)
    with pytest.raises(Exception, match=rf"baseline\.json: cannot be read: {said}"):
        _read_baseline(str(tmp_path / "baseline.json"))
