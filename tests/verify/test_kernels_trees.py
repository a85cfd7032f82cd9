"""``verify kernels`` on a tree of files, each judged once, and the libraries that they need."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.hip_objects import Compiler, needs_compiler, with_sections
from tests.support.kernels import MI300, put, results

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

pytestmark = [pytest.mark.slow, needs_compiler]  # compiles device code for nearly every test


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
    without_caches = {"HOME": str(project.root), "TMPDIR": str(project.root)}
    (result,) = results(project, "--python", str(python), "--arch", MI300, **without_caches)
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
