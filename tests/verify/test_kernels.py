"""``verify kernels``: what one file with real device code proves for a GPU, without a GPU."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.support.hip_objects import (
    GENERIC,
    Compiler,
    bundle,
    kpack_archive,
    needs_compiler,
    with_kpack_reference,
    with_sections,
)
from tests.support.kernels import MI300, judged, put

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

pytestmark = [pytest.mark.slow, needs_compiler]  # compiles device code for nearly every test


# One file, one GPU


def test_code_for_the_gpu_proves_it(project: Project, library: Path) -> None:
    verdict, _, result = judged(project, library, MI300)
    assert (verdict, result["strength"]) == ("proven", "located")
    assert result["claim"] == f"has code that runs on {MI300}"
    assert result["seen"].startswith("native; CCOB v")
    assert result["seen"].endswith("zstd, v5, 2 targets")


def test_no_code_for_the_gpu_contradicts(project: Project, library: Path) -> None:
    verdict, seen, result = judged(project, library, "gfx1100")
    assert (verdict, seen) == ("contradicted", "no code")
    assert "hipErrorNoBinaryForGpu" in result["reason"]
    assert "--offload-arch=gfx1100" in result["action"]


def test_code_for_a_near_relative_is_none(project: Project, compiler: Compiler) -> None:
    library = compiler.library("navi.so", "gfx1030")
    assert judged(project, library, "gfx1031")[:2] == ("contradicted", "no code")


def test_generic_code_serves_its_family(project: Project, compiler: Compiler) -> None:
    library = compiler.library("family.so", "gfx11-generic", flags=GENERIC)
    assert judged(project, library, "gfx1151")[:2] == ("proven", "generic")
    assert judged(project, library, "gfx1200")[:2] == ("contradicted", "no code")


def test_the_processors_own_code_comes_before_generic(project: Project, compiler: Compiler) -> None:
    library = compiler.library("both.so", "gfx11-generic", "gfx1100", flags=GENERIC)
    assert judged(project, library, "gfx1100")[:2] == ("proven", "native")


def spirv(loose: Path, path: Path) -> Path:
    code = b"\x03\x02\x23\x07" + bytes(60)
    codes = {"hip-spirv64-amd-amdhsa--amdgcnspirv": code, "gfx942": loose.read_bytes()}
    path.write_bytes(bundle(codes))
    return path


def test_spir_v_runs_everywhere_and_is_compiled_when_loaded(project: Project, loose: Path) -> None:
    path = spirv(loose, project.root / "a.co")
    assert judged(project, path, "gfx1201")[:2] == ("proven", "SPIR-V, compiled when loaded")
    assert judged(project, path, "gfx942")[:2] == ("proven", "native")


def test_spir_v_is_taken_where_it_is_forced(project: Project, library: Path, loose: Path) -> None:
    forced = {"HIP_FORCE_SPIRV_CODEOBJECT": "1"}
    path = spirv(loose, project.root / "a.co")
    assert judged(project, path, "gfx942", **forced)[1] == "SPIR-V, compiled when loaded"
    verdict, seen, result = judged(project, library, "gfx942", **forced)
    assert (verdict, seen) == ("contradicted", "switched off")
    assert "HIP_FORCE_SPIRV_CODEOBJECT" in result["reason"]
    assert judged(project, loose, "gfx942", **forced)[:2] == ("proven", "native")


def test_code_for_one_setting_of_a_gpu_proves_nothing_for_both(
    project: Project, library: Path
) -> None:
    verdict, _, result = judged(project, library, "gfx90a")
    assert verdict == "unproven"
    assert "runs as gfx90a:xnack+ only" in result["reason"]
    assert judged(project, library, "gfx90a:sramecc+:xnack+")[0] == "proven"
    assert judged(project, library, "gfx90a:sramecc+:xnack-")[0] == "contradicted"


def test_code_for_each_setting_of_a_gpu_proves_it(project: Project, compiler: Compiler) -> None:
    library = compiler.library("each.so", "gfx90a:xnack+", "gfx90a:xnack-")
    assert judged(project, library, "gfx90a")[:2] == ("proven", "native")


def test_a_bundle_without_code_for_the_gpu_is_named(project: Project, compiler: Compiler) -> None:
    library = compiler.library_of_two("two.so", "gfx942", "gfx90a")
    verdict, seen, result = judged(project, library, "gfx942")
    assert (verdict, seen) == ("unproven", "in part")
    assert "1 of its 2 bundles" in result["reason"]


def test_a_library_for_cuda_contradicts(project: Project, compiler: Compiler) -> None:
    library = with_sections(compiler.host_only("host.so"), "cuda.so", _nv_fatbin=bytes(64))
    assert judged(project, library, MI300)[:2] == ("contradicted", "CUDA only")


def test_a_named_file_without_device_code_proves_nothing(
    project: Project, compiler: Compiler
) -> None:
    verdict, seen, _ = judged(project, compiler.host_only("host.so"), MI300)
    assert (verdict, seen) == ("unproven", "no device code")


# kpack


@pytest.fixture
def split(project: Project, compiler: Compiler) -> Path:
    whole = compiler.library("whole.so", "gfx942")
    split = with_kpack_reference(whole, "split.so", "../.kpack/a_@GFXARCH@.kpack")
    put(project, split, "lib/split.so")
    return project.root / "lib/split.so"


def archive(project: Project, name: str, code: Path, key: str = "lib/a.so#0") -> Path:
    path = project.root / ".kpack" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(kpack_archive({(key, "gfx942"): code.read_bytes()}))
    return path


def test_code_in_an_archive_proves_it(project: Project, split: Path, loose: Path) -> None:
    archive(project, "a_gfx942.kpack", loose)
    assert judged(project, split, MI300)[:2] == ("proven", "kpack present")


def test_no_archive_for_the_gpu_contradicts(project: Project, split: Path, loose: Path) -> None:
    archive(project, "a_gfx942.kpack", loose)
    verdict, seen, result = judged(project, split, "gfx1100")
    assert (verdict, seen) == ("contradicted", "kpack missing")
    assert os.path.join(".kpack", "a_gfx1100.kpack") in result["reason"]


def test_an_archive_without_the_code_contradicts(
    project: Project, split: Path, loose: Path
) -> None:
    archive(project, "a_gfx942.kpack", loose, key="lib/other.so#0")
    verdict, seen, result = judged(project, split, MI300)
    assert (verdict, seen) == ("contradicted", "kpack missing")
    assert "lib/a.so#0" in result["reason"]


def test_code_is_looked_for_in_the_archives_of_every_setting(
    project: Project, split: Path, loose: Path
) -> None:
    special = kpack_archive({("lib/other.so#0", "gfx942:xnack-"): loose.read_bytes()})
    archive(project, "a_gfx942.kpack", loose)
    (project.root / ".kpack/a_gfx942:xnack-.kpack").write_bytes(special)
    assert judged(project, split, MI300)[:2] == ("proven", "kpack present")


def test_a_broken_archive_proves_nothing(project: Project, split: Path, loose: Path) -> None:
    path = archive(project, "a_gfx942.kpack", loose)
    path.write_bytes(path.read_bytes()[:-100])
    assert judged(project, split, MI300)[:2] == ("unproven", "broken")


def test_archives_that_are_switched_off_contradict(
    project: Project, split: Path, loose: Path
) -> None:
    archive(project, "a_gfx942.kpack", loose)
    verdict, seen, result = judged(project, split, MI300, ROCM_KPACK_DISABLE="1")
    assert (verdict, seen) == ("contradicted", "switched off")
    assert "ROCM_KPACK_DISABLE" in result["reason"]


def test_the_path_of_archives_can_be_overridden(project: Project, split: Path, loose: Path) -> None:
    path = archive(project, "elsewhere.kpack", loose)
    assert judged(project, split, MI300)[0] == "contradicted"
    assert judged(project, split, MI300, ROCM_KPACK_PATH=str(path))[0] == "proven"
    assert judged(project, split, MI300, ROCM_KPACK_PATH_PREFIX=str(path))[0] == "proven"
