"""Broken files with device code: nothing goes unnoticed, and nothing is raised."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocmlint.verify.code_objects.file_errors import UnreadableError
from rocmlint.verify.code_objects.file_report import code_objects, read_file
from tests.support.hip_objects import (
    COMPRESSED,
    Compiler,
    bundle,
    compressed,
    decoded,
    kpack_archive,
    needs_compiler,
    with_kpack_reference,
)

if TYPE_CHECKING:
    from pathlib import Path


def broken(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return read_file(str(path)).error


def test_a_file_that_is_empty_is_named_so(tmp_path: Path) -> None:
    assert broken(tmp_path / "a.so", b"") == "is empty"


def test_a_file_of_another_kind_is_named_so(tmp_path: Path) -> None:
    assert broken(tmp_path / "a.so", b"PK\x03\x04") == (
        "is not an ELF, an offload bundle or a kpack archive"
    )


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.so")
    assert read_file(str(tmp_path / "a.so")).error == "is not a regular file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named_so(tmp_path: Path) -> None:
    (tmp_path / "a.so").touch(mode=0)
    assert read_file(str(tmp_path / "a.so")).error == "Permission denied"


@needs_compiler
@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("method", ["zlib", "zstd"])
def test_every_flipped_bit_of_a_compressed_bundle_is_noticed(
    loose: Path, tmp_path: Path, version: int, method: str
) -> None:
    plain = bundle({"gfx942": loose.read_bytes()})
    packed = compressed(plain, version, method)
    for bit in range(8 * 8, 8 * len(packed), 61):
        data = bytearray(packed)
        data[bit // 8] ^= 1 << bit % 8
        if not broken(tmp_path / "a.co", bytes(data)):
            # A flip that leaves the decoded bytes as they were is no fault of the code.
            assert decoded(bytes(data), version, method) == plain


@needs_compiler
@pytest.mark.parametrize("kind", ["plain", "v1", "v2", "v3", "elf", "kpack", "kpack-plain"])
def test_every_cut_is_noticed(loose: Path, tmp_path: Path, kind: str) -> None:
    elf = loose.read_bytes()
    whole = {
        "plain": lambda: bundle({"gfx942": elf}).rstrip(b"\0"),
        "v1": lambda: compressed(bundle({"gfx942": elf}), 1, "zstd"),
        "v2": lambda: compressed(bundle({"gfx942": elf}), 2, "zlib"),
        "v3": lambda: compressed(bundle({"gfx942": elf}), 3, "zstd"),
        "elf": lambda: elf,
        "kpack": lambda: kpack_archive({("a#0", "gfx942"): elf}),
        "kpack-plain": lambda: kpack_archive({("a#0", "gfx942"): elf}, plain=True),
    }[kind]()
    cuts = sorted({0, 1, 3, 7, 23, 40, 63, *range(64, len(whole), 97), len(whole) - 64})
    for cut in cuts:
        assert broken(tmp_path / "a.co", whole[:cut]), cut


@needs_compiler
def test_what_came_before_a_broken_bundle_is_told(loose: Path, tmp_path: Path) -> None:
    error = broken(tmp_path / "a.co", bundle({"gfx942": loose.read_bytes()}) + b"junk")
    assert "neither a bundle nor padding" in error
    assert [str(each.target) for each in read_file(str(tmp_path / "a.co")).entries] == ["gfx942"]


@needs_compiler
@pytest.mark.parametrize("named", ["gfx1100", "gfx90a:xnack-"])
def test_code_under_the_name_of_another_target_is_noticed(
    compiler: Compiler, tmp_path: Path, named: str
) -> None:
    code = compiler.loose("on.co", "gfx90a:xnack+").read_bytes()
    error = broken(tmp_path / "a.co", bundle({named: code}))
    assert error == f"the code for {named} is labeled gfx90a:xnack+"


@needs_compiler
def test_code_for_openmp_is_none_for_hip(loose: Path, tmp_path: Path) -> None:
    code = loose.read_bytes()
    mixed = bundle({"gfx942": code, "openmp-amdgcn-amd-amdhsa--gfx942": code})
    (tmp_path / "a.co").write_bytes(mixed)
    assert [str(each.target) for each in read_file(str(tmp_path / "a.co")).entries] == ["gfx942"]


@needs_compiler
def test_an_entry_of_an_unknown_kind_is_noticed(loose: Path, tmp_path: Path) -> None:
    data = bundle({"hipv9-amdgcn-amd-amdhsa--gfx942": loose.read_bytes()})
    assert "hipv9-amdgcn-amd-amdhsa--gfx942" in broken(tmp_path / "a.co", data)


@needs_compiler
def test_a_library_that_lost_its_device_code_is_named(plain: Path, tmp_path: Path) -> None:
    lost = plain.read_bytes().replace(b"\0.hip_fatbin\0", b"\0.hip_fatb1n\0")
    assert "registers device code" in broken(tmp_path / "a.so", lost)


def test_a_huge_file_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.so"
    with path.open("wb") as file:
        file.truncate(1 << 36)
    assert "is not an ELF" in read_file(str(path)).error


@needs_compiler
def test_a_bundle_that_promises_too_much_is_refused(loose: Path, tmp_path: Path) -> None:
    packed = bytearray(compressed(bundle({"gfx942": loose.read_bytes()}), 3, "zstd"))
    packed[16:24] = (1 << 60).to_bytes(8, "little")
    assert "decompresses to" in broken(tmp_path / "a.co", bytes(packed))


def changed(data: bytes, changes: list[tuple[int, int]], cut: int) -> bytes:
    new = bytearray(data)
    for at, value in changes:
        new[at % len(new)] = value
    return bytes(new[: len(new) - cut % len(new)])


CHANGES = st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)), max_size=8)
CUT = st.one_of(st.just(0), st.integers(0, 1 << 16))


@needs_compiler
@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(kind=st.sampled_from(["so", "packed.so", "split.so", "co", "hsaco", "kpack"]), at=st.data())
def test_whatever_is_broken_is_told_and_never_raised(
    kind: str, at: st.DataObject, originals: Originals, tmp_path: Path
) -> None:
    data = originals.data[kind]
    # The heads and tables are where a change does most.
    near = st.lists(st.tuples(st.integers(0, 600), st.integers(0, 255)), max_size=6)
    new = changed(data, at.draw(CHANGES | near), at.draw(CUT))
    (tmp_path / "a.so").write_bytes(new)
    report = read_file(str(tmp_path / "a.so"))
    if new == data:
        assert not report.error
    try:
        count = len(list(code_objects(str(tmp_path / "a.so"))))
    except UnreadableError:
        assert report.error
    else:
        assert count == len(report.entries)


@dataclass(frozen=True)
class Originals:
    data: dict[str, bytes] = field(repr=False)


@pytest.fixture(scope="module")
def originals(compiler: Compiler, plain: Path, loose: Path) -> Originals:
    elf = loose.read_bytes()
    files = {
        "so": plain.read_bytes(),
        "packed.so": compiler.library("p.so", "gfx942", flags=COMPRESSED).read_bytes(),
        "split.so": with_kpack_reference(plain, "s.so", "a.kpack").read_bytes(),
        "co": bundle({"gfx942": elf, "gfx942:xnack+": elf}),
        "hsaco": elf,
        "kpack": kpack_archive({("a#0", "gfx942"): elf, ("a#1", "gfx942"): elf}),
    }
    return Originals(files)
