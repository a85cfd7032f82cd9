"""Device code in files: what is read is what LLVM put there, and nothing broken goes unnoticed."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocmlint.gpus import target as targets
from rocmlint.gpus.target import Target, parse_target
from rocmlint.verify.code_objects.errors import UnreadableError
from rocmlint.verify.code_objects.file import FileReport, code_objects, read_file
from tests.support.hip_objects import (
    COMPRESSED,
    GENERIC,
    Compiler,
    bundle,
    compressed,
    decoded,
    kpack_archive,
    needs_clang,
    section_of,
    unbundled,
    with_kpack_reference,
    with_sections,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tmp_path_factory.mktemp("compiled"))


@pytest.fixture(scope="module")
def plain(compiler: Compiler) -> Path:
    return compiler.library("plain.so", "gfx942", "gfx90a:xnack+")


@pytest.fixture(scope="module")
def loose(compiler: Compiler) -> Path:
    return compiler.loose("gfx942.hsaco", "gfx942")


def told(report: FileReport) -> set[tuple[str, str, int | None]]:
    assert not report.error
    return {(str(each.target), each.form, each.version) for each in report.entries}


# Targets


@pytest.mark.parametrize("text", ["gfx942", "gfx90a:sramecc+:xnack-", "gfx9-4-generic:xnack+"])
def test_a_target_is_written_as_it_was_read(text: str) -> None:
    assert str(parse_target(text)) == text


def test_a_target_is_read_from_an_isa_name() -> None:
    assert parse_target("amdgcn-amd-amdhsa--gfx90a:xnack-") == Target("gfx90a", ("xnack-",))


@pytest.mark.parametrize("text", ["", "gfx", "sm_90", "gfx942:xnack", "gfx942:xnack+:xnack-"])
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"target|twice"):
        parse_target(text)


@pytest.mark.parametrize(
    ("code", "device", "runs"),
    [
        ("gfx942", "gfx942:sramecc+:xnack-", True),
        ("gfx942:xnack-", "gfx942:sramecc+:xnack-", True),
        ("gfx942:xnack+", "gfx942:sramecc+:xnack-", False),
        ("gfx1030", "gfx1031", False),
    ],
)
def test_code_runs_on_its_own_processor_under_its_own_settings(
    code: str, device: str, *, runs: bool
) -> None:
    assert targets.is_native(parse_target(code), parse_target(device)) is runs


@pytest.mark.parametrize(
    ("code", "device", "runs"),
    [
        ("gfx9-4-generic", "gfx942:sramecc+:xnack-", True),
        ("gfx9-4-generic:xnack+", "gfx942:sramecc+:xnack-", False),
        ("gfx11-generic", "gfx1153", True),
        ("gfx9-generic", "gfx90a", False),
        ("gfx9-generic", "gfx908", False),
        ("gfx9-generic", "gfx942", False),
    ],
)
def test_generic_code_runs_on_the_processors_of_its_family(
    code: str, device: str, *, runs: bool
) -> None:
    assert targets.is_generic_for(parse_target(code), parse_target(device)) is runs


def test_a_device_is_tried_under_each_setting_that_code_asks_for() -> None:
    codes = [parse_target("gfx90a:xnack+"), parse_target("gfx906:sramecc+")]
    tried = {str(each) for each in targets.settings(parse_target("gfx90a"), codes)}
    assert tried == {"gfx90a:xnack+", "gfx90a:xnack-"}


# Forms


@needs_clang
def test_a_plain_bundle_in_a_library(plain: Path) -> None:
    assert told(read_file(str(plain))) == {
        ("gfx942", "plain bundle", 5),
        ("gfx90a:xnack+", "plain bundle", 5),
    }


@needs_clang
def test_a_bundle_that_clang_compressed(compiler: Compiler) -> None:
    library = compiler.library("packed.so", "gfx942", "gfx1100", flags=COMPRESSED)
    assert {target for target, _, _ in told(read_file(str(library)))} == {"gfx942", "gfx1100"}
    assert {each.form for each in read_file(str(library)).entries} <= {
        "CCOB v2 zstd",
        "CCOB v3 zstd",
    }


@needs_clang
def test_generic_code_has_version_6_and_a_generic_version(compiler: Compiler) -> None:
    library = compiler.library("generic.so", "gfx11-generic", flags=GENERIC)
    (entry,) = read_file(str(library)).entries
    assert (str(entry.target), entry.version, entry.generic_version) == ("gfx11-generic", 6, 1)


@needs_clang
@pytest.mark.parametrize("target", ["gfx942", "gfx90a:xnack+", "gfx90a:sramecc-:xnack-", "gfx1201"])
def test_the_target_of_a_loose_code_object_is_in_its_elf(compiler: Compiler, target: str) -> None:
    path = compiler.loose("one.co", target)
    assert told(read_file(str(path))) == {(target, "ELF", 5)}


@needs_clang
@pytest.mark.parametrize(("flag", "version"), [("4", 4), ("5", 5), ("6", 6)])
def test_the_version_of_a_code_object(compiler: Compiler, flag: str, version: int) -> None:
    flags = (f"-mcode-object-version={flag}", "-Wno-everything")
    (entry,) = read_file(str(compiler.loose("versioned.co", "gfx942", flags))).entries
    assert entry.version == version


@needs_clang
def test_each_source_of_a_library_has_its_own_bundle(compiler: Compiler) -> None:
    library = compiler.library_of_two("two.so", "gfx942", "gfx90a")
    entries = read_file(str(library)).entries
    assert {str(each.target): each.bundle for each in entries} == {"gfx942": 0, "gfx90a": 1}


@needs_clang
@pytest.mark.parametrize("method", ["zlib", "zstd"])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_version_and_method_of_compression(
    plain: Path, loose: Path, tmp_path: Path, version: int, method: str
) -> None:
    packed = compressed(bundle({"gfx942": loose.read_bytes()}), version, method)
    library = with_sections(plain, "repacked.so", _hip_fatbin=packed)
    assert told(read_file(str(library))) == {("gfx942", f"CCOB v{version} {method}", 5)}
    (tmp_path / "alone.co").write_bytes(packed)
    assert told(read_file(str(tmp_path / "alone.co"))) == told(read_file(str(library)))


@needs_clang
def test_spir_v_in_a_bundle(loose: Path, tmp_path: Path) -> None:
    codes = {
        "gfx942": loose.read_bytes(),
        "hip-spirv64-amd-amdhsa-unknown-amdgcnspirv": b"\x03\x02\x23\x07" + bytes(60),
    }
    (tmp_path / "a.co").write_bytes(bundle(codes))
    assert told(read_file(str(tmp_path / "a.co"))) == {
        ("gfx942", "plain bundle", 5),
        ("amdgcnspirv", "plain bundle", None),
    }


@needs_clang
@pytest.mark.parametrize("is_plain", [True, False])
def test_a_kpack_archive(loose: Path, tmp_path: Path, *, is_plain: bool) -> None:
    archive = kpack_archive({("lib/a.so#0", "gfx942"): loose.read_bytes()}, plain=is_plain)
    (tmp_path / "a.kpack").write_bytes(archive)
    assert told(read_file(str(tmp_path / "a.kpack"))) == {("gfx942", "kpack", 5)}


@needs_clang
def test_a_library_whose_code_is_in_archives_says_where(plain: Path) -> None:
    library = with_kpack_reference(plain, "split.so", "../.kpack/a_@GFXARCH@.kpack")
    report = read_file(str(library))
    assert not report.entries
    assert not report.error
    assert report.kpack
    assert report.kpack.paths == ("../.kpack/a_@GFXARCH@.kpack",)
    assert report.kpack.names() == ("lib/a.so#0",)


@needs_clang
def test_a_library_with_only_nvidia_code_is_for_cuda(compiler: Compiler) -> None:
    library = with_sections(compiler.host_only("host.so"), "cuda.so", _nv_fatbin=bytes(64))
    assert read_file(str(library)).is_for_cuda


@needs_clang
def test_a_library_without_device_code_is_for_no_gpu(compiler: Compiler) -> None:
    report = read_file(str(compiler.host_only("host.so")))
    assert (report.is_for_amd, report.is_for_cuda, report.error) == (False, False, "")


def test_a_script_of_the_linker_is_no_broken_library(tmp_path: Path) -> None:
    path = tmp_path / "libncurses.so"
    path.write_text("/* GNU ld script */\nINPUT(libncurses.so.6 -ltinfo)\n")
    assert read_file(str(path)) == FileReport(str(path), path.stat().st_size)


# Content


@needs_clang
@pytest.mark.parametrize("flags", [(), COMPRESSED], ids=["plain", "compressed"])
def test_images_are_those_that_llvm_takes_out(compiler: Compiler, flags: tuple[str, ...]) -> None:
    library = compiler.library("imaged.so", "gfx942", "gfx1100", flags=flags)
    fat = library.with_suffix(".fatbin")
    fat.write_bytes(section_of(library, ".hip_fatbin"))
    images = {str(each.target): bytes(each.image) for each in code_objects(str(library))}
    assert images == {each: unbundled(fat, each) for each in ("gfx942", "gfx1100")}


@needs_clang
def test_an_image_tells_its_kernels(loose: Path) -> None:
    (code,) = code_objects(str(loose))
    symbols = ELFFile(io.BytesIO(bytes(code.image))).get_section_by_name(".dynsym")
    assert isinstance(symbols, SymbolTableSection)
    assert "_Z7add_onePf.kd" in {each.name for each in symbols.iter_symbols()}


@needs_clang
def test_only_what_is_wanted_is_taken_out(plain: Path) -> None:
    codes = code_objects(str(plain), lambda each: each.processor == "gfx942")
    assert {str(each.target): bool(each.image) for each in codes} == {
        "gfx942": True,
        "gfx90a:xnack+": False,
    }


# What is broken


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


@needs_clang
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


@needs_clang
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


@needs_clang
def test_what_came_before_a_broken_bundle_is_told(loose: Path, tmp_path: Path) -> None:
    error = broken(tmp_path / "a.co", bundle({"gfx942": loose.read_bytes()}) + b"junk")
    assert "neither a bundle nor padding" in error
    assert [str(each.target) for each in read_file(str(tmp_path / "a.co")).entries] == ["gfx942"]


@needs_clang
@pytest.mark.parametrize("named", ["gfx1100", "gfx90a:xnack-"])
def test_code_under_the_name_of_another_target_is_noticed(
    compiler: Compiler, tmp_path: Path, named: str
) -> None:
    code = compiler.loose("on.co", "gfx90a:xnack+").read_bytes()
    error = broken(tmp_path / "a.co", bundle({named: code}))
    assert error == f"the code for {named} is labeled gfx90a:xnack+"


@needs_clang
def test_code_for_openmp_is_none_for_hip(loose: Path, tmp_path: Path) -> None:
    code = loose.read_bytes()
    mixed = bundle({"gfx942": code, "openmp-amdgcn-amd-amdhsa--gfx942": code})
    (tmp_path / "a.co").write_bytes(mixed)
    assert [str(each.target) for each in read_file(str(tmp_path / "a.co")).entries] == ["gfx942"]


@needs_clang
def test_an_entry_of_an_unknown_kind_is_noticed(loose: Path, tmp_path: Path) -> None:
    data = bundle({"hipv9-amdgcn-amd-amdhsa--gfx942": loose.read_bytes()})
    assert "hipv9-amdgcn-amd-amdhsa--gfx942" in broken(tmp_path / "a.co", data)


@needs_clang
def test_a_library_that_lost_its_device_code_is_named(plain: Path, tmp_path: Path) -> None:
    lost = plain.read_bytes().replace(b"\0.hip_fatbin\0", b"\0.hip_fatb1n\0")
    assert "registers device code" in broken(tmp_path / "a.so", lost)


def test_a_huge_file_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.so"
    with path.open("wb") as file:
        file.truncate(1 << 36)
    assert "is not an ELF" in read_file(str(path)).error


@needs_clang
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


@needs_clang
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
