"""Device code in files: what is read is what LLVM put there, in every form."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from rocmlint.verify.code_objects.file_report import FileReport, code_objects, read_file
from rocmlint.verify.code_objects.packages import folders_beside
from tests.support.hip_objects import (
    COMPRESSED,
    GENERIC,
    Compiler,
    bundle,
    compressed,
    kpack_archive,
    needs_compiler,
    section_of,
    unbundled,
    with_kpack_reference,
    with_sections,
)

if TYPE_CHECKING:
    from pathlib import Path


def told(report: FileReport) -> set[tuple[str, str, int | None]]:
    assert not report.error
    return {(str(each.target), each.form, each.version) for each in report.entries}


# Forms


@needs_compiler
def test_a_plain_bundle_in_a_library(plain: Path) -> None:
    assert told(read_file(str(plain))) == {
        ("gfx942", "plain bundle", 5),
        ("gfx90a:xnack+", "plain bundle", 5),
    }


@needs_compiler
def test_a_bundle_that_clang_compressed(compiler: Compiler) -> None:
    library = compiler.library("packed.so", "gfx942", "gfx1100", flags=COMPRESSED)
    assert {target for target, _, _ in told(read_file(str(library)))} == {"gfx942", "gfx1100"}
    assert {each.form for each in read_file(str(library)).entries} <= {
        "CCOB v2 zstd",
        "CCOB v3 zstd",
    }


@needs_compiler
def test_generic_code_has_version_6_and_a_generic_version(compiler: Compiler) -> None:
    library = compiler.library("generic.so", "gfx11-generic", flags=GENERIC)
    (entry,) = read_file(str(library)).entries
    assert (str(entry.target), entry.version, entry.generic_version) == ("gfx11-generic", 6, 1)


@needs_compiler
@pytest.mark.parametrize("target", ["gfx942", "gfx90a:xnack+", "gfx90a:sramecc-:xnack-", "gfx1201"])
def test_the_target_of_a_loose_code_object_is_in_its_elf(compiler: Compiler, target: str) -> None:
    path = compiler.loose("one.co", target)
    assert told(read_file(str(path))) == {(target, "ELF", 5)}


@needs_compiler
@pytest.mark.parametrize(("flag", "version"), [("4", 4), ("5", 5), ("6", 6)])
def test_the_version_of_a_code_object(compiler: Compiler, flag: str, version: int) -> None:
    flags = (f"-mcode-object-version={flag}", "-Wno-everything")
    (entry,) = read_file(str(compiler.loose("versioned.co", "gfx942", flags))).entries
    assert entry.version == version


@needs_compiler
def test_each_source_of_a_library_has_its_own_bundle(compiler: Compiler) -> None:
    library = compiler.library_of_two("two.so", "gfx942", "gfx90a")
    entries = read_file(str(library)).entries
    assert {str(each.target): each.bundle for each in entries} == {"gfx942": 0, "gfx90a": 1}


@needs_compiler
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


@needs_compiler
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


@needs_compiler
@pytest.mark.parametrize("is_plain", [True, False])
def test_a_kpack_archive(loose: Path, tmp_path: Path, *, is_plain: bool) -> None:
    archive = kpack_archive({("lib/a.so#0", "gfx942"): loose.read_bytes()}, plain=is_plain)
    (tmp_path / "a.kpack").write_bytes(archive)
    assert told(read_file(str(tmp_path / "a.kpack"))) == {("gfx942", "kpack", 5)}


@needs_compiler
def test_a_library_whose_code_is_in_archives_says_where(plain: Path) -> None:
    library = with_kpack_reference(plain, "split.so", "../.kpack/a_@GFXARCH@.kpack")
    report = read_file(str(library))
    assert not report.entries
    assert not report.error
    assert report.kpack
    assert report.kpack.paths == ("../.kpack/a_@GFXARCH@.kpack",)
    assert report.kpack.names() == ("lib/a.so#0",)


@needs_compiler
def test_a_library_with_only_nvidia_code_is_for_cuda(compiler: Compiler) -> None:
    library = with_sections(compiler.host_only("host.so"), "cuda.so", _nv_fatbin=bytes(64))
    assert read_file(str(library)).is_for_cuda


@needs_compiler
def test_a_library_without_device_code_is_for_no_gpu(compiler: Compiler) -> None:
    report = read_file(str(compiler.host_only("host.so")))
    assert (report.is_for_amd, report.is_for_cuda, report.error) == (False, False, "")


def test_a_script_of_the_linker_is_no_broken_library(tmp_path: Path) -> None:
    path = tmp_path / "libncurses.so"
    path.write_text("/* GNU ld script */\nINPUT(libncurses.so.6 -ltinfo)\n")
    assert read_file(str(path)) == FileReport(str(path), path.stat().st_size)


# Content


@needs_compiler
@pytest.mark.parametrize("flags", [(), COMPRESSED], ids=["plain", "compressed"])
def test_images_are_those_that_llvm_takes_out(compiler: Compiler, flags: tuple[str, ...]) -> None:
    library = compiler.library("imaged.so", "gfx942", "gfx1100", flags=flags)
    fat = library.with_suffix(".fatbin")
    fat.write_bytes(section_of(library, ".hip_fatbin"))
    images = {str(each.target): bytes(each.image) for each in code_objects(str(library))}
    assert images == {each: unbundled(fat, each) for each in ("gfx942", "gfx1100")}


@needs_compiler
def test_an_image_tells_its_kernels(loose: Path) -> None:
    (code,) = code_objects(str(loose))
    symbols = ELFFile(io.BytesIO(bytes(code.image))).get_section_by_name(".dynsym")
    assert isinstance(symbols, SymbolTableSection)
    assert "_Z7add_onePf.kd" in {each.name for each in symbols.iter_symbols()}


@needs_compiler
def test_only_what_is_wanted_is_taken_out(plain: Path) -> None:
    codes = code_objects(str(plain), lambda each: each.processor == "gfx942")
    assert {str(each.target): bool(each.image) for each in codes} == {
        "gfx942": True,
        "gfx90a:xnack+": False,
    }


def test_a_script_of_a_package_does_not_bring_the_folder_above_it(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "site-packages"
    place = site / "torch-2.10.0.dist-info"
    for folder in (place, site / "torch", site / "torchgen"):
        folder.mkdir(parents=True)
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.10.0\n")
    files = ("../../bin/torchrun", "torch/__init__.py", "torchgen/__init__.py")
    (place / "RECORD").write_text("".join(f"{each},,\n" for each in files))
    assert folders_beside(str(site / "torch")) == [str(site / "torch"), str(site / "torchgen")]
