"""``verify kernels``: the verdict for a GPU on files with real device code, without a GPU."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.environments import Environment
from tests.support.hip_objects import (
    COMPRESSED,
    GENERIC,
    Compiler,
    bundle,
    kpack_archive,
    needs_clang,
    with_kpack_reference,
    with_sections,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

pytestmark = [pytest.mark.slow, needs_clang]  # compiles device code for nearly every test

MI300 = "gfx942:sramecc+:xnack-"


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tmp_path_factory.mktemp("compiled"))


@pytest.fixture(scope="module")
def library(compiler: Compiler) -> Path:
    return compiler.library("a.so", "gfx942", "gfx90a:xnack+", flags=COMPRESSED)


@pytest.fixture(scope="module")
def loose(compiler: Compiler) -> Path:
    return compiler.loose("a.co", "gfx942")


def put(project: Project, source: Path, *names: str) -> None:
    for name in names:
        (project.root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, project.root / name)


def results(project: Project, *arguments: str, **environment: str) -> list[dict[str, Any]]:
    formatted = (*arguments, "--output-format", "json")
    ended = project.run("verify", "kernels", *formatted, **environment)
    document = json.loads(ended.stdout or "{}")
    assert ended.returncode == document.get("exit_code"), ended.stderr
    found: list[dict[str, Any]] = document["results"]
    return found


def judged(
    project: Project, path: Path, arch: str, **environment: str
) -> tuple[str, str, dict[str, Any]]:
    (result,) = results(project, str(path), "--arch", arch, **environment)
    return result["verdict"], result["seen"].split(";")[0], result


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


def test_a_named_file_without_device_code_contradicts(project: Project, compiler: Compiler) -> None:
    assert judged(project, compiler.host_only("host.so"), MI300)[0] == "contradicted"


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


# A tree of files


def test_a_broken_file_does_not_hide_the_others(project: Project, library: Path) -> None:
    put(project, library, "p/good.so")
    (project.root / "p/cut.so").write_bytes(library.read_bytes()[:5000])
    (project.root / "p/empty.so").touch()
    (project.root / "p/text.so").write_text("no library")
    found = {each["subject"]: each for each in results(project, "p", "--arch", MI300)}
    assert {name: each["verdict"] for name, each in found.items()} == {
        "cut.so": "unproven",
        "empty.so": "unproven",
        "good.so": "proven",
        "text.so": "unproven",
    }
    assert found["empty.so"]["reason"] == "is empty"


def test_loose_files_for_other_gpus_do_not_contradict(
    project: Project, compiler: Compiler, loose: Path
) -> None:
    put(project, loose, "hsa/gfx942/a.co", "hsa/gfx942/b.co")
    put(project, compiler.loose("b.co", "gfx90a"), "hsa/gfx90a/a.co")
    (result,) = results(project, ".", "--arch", MI300)
    assert result["verdict"] == "proven"
    assert result["seen"].startswith("native in 2 of 3 files; ELF, v5, 2 targets")
    (result,) = results(project, ".", "--arch", "gfx1100")
    assert result["verdict"] == "contradicted"


def test_loose_files_alone_in_their_folders_are_judged_together(
    project: Project, compiler: Compiler, loose: Path
) -> None:
    put(project, loose, "cache/a/k.hsaco", "cache/b/k.hsaco")
    put(project, compiler.loose("b.co", "gfx90a"), "cache/c/k.hsaco")
    (result,) = results(project, ".", "--arch", MI300)
    assert result["subject"] == os.path.join("cache", "**", "*.hsaco")
    assert result["seen"].startswith("native in 2 of 3 files")


def test_a_file_with_an_odd_name_is_judged(project: Project, library: Path) -> None:
    (project.root / os.fsdecode(b"\xff\n\x1b[31m.so")).write_bytes(library.read_bytes())
    for form in ("text", "json", "junit"):
        ended = project.run("verify", "kernels", ".", "--arch", MI300, "--output-format", form)
        assert ended.returncode == 0, ended.stderr
        assert "\x1b" not in ended.stdout


def test_the_package_to_install_is_named_as_pip_knows_it(project: Project, library: Path) -> None:
    put(project, library, "site/package/_C.so")
    project.write("site/Some_Dist-1.0.dist-info/METADATA", "Name: Some-Dist\nVersion: 1.0\n")
    project.write("site/Some_Dist-1.0.dist-info/RECORD", "package/_C.so,,\n")
    (result,) = results(project, "site", "--arch", "gfx1100")
    assert result["action"].startswith("install a build of Some-Dist for gfx1100")
    (project.root / "site/package/_C.so").write_bytes(b"cut")
    (result,) = results(project, "site", "--arch", "gfx1100")
    assert "pip install --force-reinstall --no-deps Some-Dist" in result["action"]


def test_a_file_is_judged_once_however_many_links_lead_to_it(
    project: Project, library: Path
) -> None:
    put(project, library, "p/a.so.1.2")
    (project.root / "p/a.so").symlink_to("a.so.1.2")
    (project.root / "q").symlink_to("p")
    (project.root / "p/loop").symlink_to("..")
    (result,) = results(project, ".", "--arch", MI300)
    assert result["subject"] == os.path.join("p", "a.so.1.2")


def test_libraries_for_cuda_beside_ones_for_amd_are_left_out(
    project: Project, compiler: Compiler, library: Path
) -> None:
    cuda = with_sections(compiler.host_only("host.so"), "cuda.so", _nv_fatbin=bytes(64))
    put(project, cuda, "both/cuda.so", "one/cuda.so")
    put(project, library, "both/rocm.so")
    verdicts = {each["subject"]: each["verdict"] for each in results(project, ".", "--arch", MI300)}
    assert verdicts == {"both/rocm.so": "proven", "one/cuda.so": "contradicted"}
    note = project.run("verify", "kernels", ".", "--arch", MI300).stderr
    assert "1 for CUDA" in note
    named = results(project, "both/cuda.so", "both/rocm.so", "--arch", MI300)
    assert [each["verdict"] for each in named] == ["contradicted", "proven"]


def test_files_without_device_code_are_counted_and_claim_nothing(
    project: Project, compiler: Compiler
) -> None:
    put(project, compiler.host_only("host.so"), "a.so", "b.so")
    ended = project.run("verify", "kernels", ".", "--arch", MI300)
    assert ended.returncode == 3
    assert ended.stdout == "There was nothing to check.\n"
    assert "2 files, 2 without device code" in ended.stderr


def test_the_default_is_where_the_packages_of_python_are(project: Project, library: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", project.root / "v"], check=True)
    python = project.root / "v/bin/python"
    ask = "import sysconfig; print(sysconfig.get_path('platlib'))"
    folder = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout
    put(project, library, os.path.join(folder.strip(), "package", "_C.so"))
    (result,) = results(project, "--python", str(python), "--arch", MI300)
    assert (result["subject"], result["verdict"]) == (os.path.join("package", "_C.so"), "proven")


# Libraries that are needed


@pytest.fixture
def needy(project: Project, compiler: Compiler) -> Path:
    """Put a library there that needs libfriend.so, which is nowhere yet."""
    compiler.host_only("libfriend.so")
    flags = (f"-L{compiler.folder}", "-lfriend", "-Wl,-rpath,$ORIGIN/../friends")
    put(project, compiler.library("needy.so", "gfx942", flags=flags), "p/needy.so")
    return project.root / "p/needy.so"


def not_found(project: Project, path: str, **environment: str) -> str:
    (result,) = results(project, path, "--arch", MI300, **environment)
    assert result["verdict"] == "proven"
    return "".join(
        each["value"] for each in result["evidence"] if each["name"] == "libraries not found"
    )


def test_a_library_that_is_nowhere_is_named(project: Project, needy: Path) -> None:
    assert not_found(project, str(needy)) == "libfriend.so"


@pytest.mark.parametrize("place", ["friends/libfriend.so", "p/libs/libfriend.so"])
def test_a_library_on_the_run_path_or_in_the_tree_is_found(
    project: Project, compiler: Compiler, needy: Path, place: str
) -> None:
    put(project, compiler.host_only("libfriend.so"), place)
    assert not not_found(project, str(needy.parent))


def test_a_library_on_the_linkers_path_is_found(
    project: Project, compiler: Compiler, needy: Path
) -> None:
    put(project, compiler.host_only("libfriend.so"), "elsewhere/libfriend.so")
    folder = str(project.root / "elsewhere")
    assert not not_found(project, str(needy), LD_LIBRARY_PATH=folder)


# Which GPU

ROCMINFO = """\
Agent 1
  Name:                    AMD EPYC 9654 96-Core Processor
  Device Type:             CPU
Agent 2
  Name:                    gfx942
  Device Type:             GPU
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
    ISA 2
      Name:                    amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-
"""
AMD_SMI = '{"gpu_data": [{"gpu": 0, "asic": {"target_graphics_version": "GFX1100"}}]}'


def program(project: Project, name: str, prints: str, code: int = 0) -> str:
    """Put a program on a PATH of its own that prints what the real one was recorded to print."""
    folder = project.root / "bin"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.txt").write_text(prints)
    path = folder / name
    path.write_text(f"#!/bin/sh\ncat {folder / name}.txt\nexit {code}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_the_gpu_that_rocminfo_names_is_taken(project: Project, library: Path) -> None:
    path = program(project, "rocminfo", ROCMINFO)
    (result,) = results(project, str(library), PATH=path)
    assert (result["claim"], result["verdict"]) == (f"has code that runs on {MI300}", "proven")


def test_the_gpu_that_amd_smi_names_is_taken(project: Project, library: Path) -> None:
    program(project, "rocminfo", "ROCk module is NOT loaded, possibly no GPU devices\n", 1)
    path = program(project, "amd-smi", AMD_SMI)
    (result,) = results(project, str(library), PATH=path)
    assert result["claim"] == "has code that runs on gfx1100"


def test_the_gpu_that_torch_names_is_taken(project: Project, library: Path) -> None:
    environment = Environment(project.root / ".venv")
    environment.write("torch/version.py", "__version__ = '2.13.0+rocm7.2'\nhip = '7.2.1'\n")
    environment.write(
        "torch/__init__.py",
        "class cuda:\n"
        "    device_count = staticmethod(lambda: 2)\n"
        "    class get_device_properties:\n"
        "        def __init__(self, index): self.gcnArchName = 'gfx942:sramecc+:xnack-'\n",
    )
    (result,) = results(project, str(library), "--python", str(environment.python))
    assert (result["claim"], result["verdict"]) == (f"has code that runs on {MI300}", "proven")


def test_without_a_gpu_the_targets_are_told_and_nothing_is_proven(
    project: Project, library: Path
) -> None:
    ended = project.run("verify", "kernels", str(library))
    assert ended.returncode == 3
    assert "zstd, v5: gfx90a:xnack+ gfx942" in ended.stdout
    assert "rocminfo is not installed; torch " in ended.stdout
    assert "--arch" in ended.stdout


# Usage


def test_a_gpu_that_is_none_is_refused(project: Project) -> None:
    ended = project.run("verify", "kernels", ".", "--arch", "sm_90")
    assert ended.returncode == 2
    assert "--arch 'sm_90' is not a valid target" in ended.stderr


def test_a_path_that_is_not_there_is_told(project: Project) -> None:
    (result,) = results(project, "nowhere", "--arch", MI300)
    assert (result["verdict"], result["reason"]) == ("unproven", "No such file or directory")


@pytest.mark.parametrize("module", ["zstandard", "elftools"])
def test_a_missing_library_of_the_extra_is_named(
    project: Project, library: Path, module: str
) -> None:
    project.write(f"hidden/{module}.py", f"raise ImportError('no {module} here')\n")
    hidden = str(project.root / "hidden")
    ended = project.run("verify", "kernels", str(library), "--arch", MI300, PYTHONPATH=hidden)
    assert ended.returncode == 2
    assert f"requires {module}: pip install 'rocmlint[verify]'" in ended.stderr
