"""Caches of kernels that were compiled at run time: stale, damaged, for other GPUs, and healthy.

The layouts are those of Triton, Inductor, aiter and MIOpen; the code in them is real. The truth of
a case is whether what the cache finds for the GPU is code for it.
"""

from __future__ import annotations

import bz2
import hashlib
import json
import os
import shutil
import sqlite3
from base64 import b32encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.environments import Environment
from tests.support.hip_objects import Compiler, needs_compiler
from tests.support.kernels import results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.support.project import Project
    from tests.support.verdicts import Judged, Truth

pytestmark = [pytest.mark.slow, needs_compiler]

MI300 = "gfx942:sramecc+:xnack-"
AN_HOUR = 3600
CREATE = (
    "CREATE TABLE kern_db (id INTEGER PRIMARY KEY ASC, kernel_name TEXT NOT NULL, "
    "kernel_args TEXT NOT NULL, kernel_blob BLOB NOT NULL, kernel_hash TEXT NOT NULL, "
    "uncompressed_size INT NOT NULL)"
)
ENDLESS = (
    "CREATE VIEW kern_db AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT x'' AS kernel_blob FROM n WHERE i < 0"
)


@pytest.fixture(scope="module")
def code(compiler: Compiler) -> Mapping[str, Path]:
    return {
        "942": compiler.loose("c942.co", "gfx942"),
        "90a": compiler.loose("c90a.co", "gfx90a"),
        "942+": compiler.loose("c942on.co", "gfx942:xnack+"),
        "so-942": compiler.library("c942.so", "gfx942"),
        "so-90a": compiler.library("c90a.so", "gfx90a"),
        "host": compiler.host_only("chost.so"),
    }


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("bare") / "environment")


@dataclass
class Machine:
    """A user's home, an environment, and the variables of the job."""

    home: Path
    environment: Environment
    code: Mapping[str, Path]
    variables: dict[str, str]

    def triton(
        self, root: Path, name: str, code: str | None, arch: str | None, version: str = "3.4.0"
    ) -> Path:
        """Keep a kernel as Triton does; without a GPU there is no metadata."""
        key = b32encode(hashlib.sha256(name.encode()).digest()).decode().rstrip("=")
        folder = root / key
        folder.mkdir(parents=True)
        path = folder / f"{name}.hsaco"
        path.write_bytes(b"cut" if code is None else self.code[code].read_bytes())
        if arch is not None:
            target = {"backend": "hip", "arch": arch, "warp_size": 64}
            told = {"hash": "0", "target": target, "triton_version": version, "num_warps": 4}
            (folder / f"{name}.json").write_text(json.dumps(told))
        return path

    @property
    def triton_root(self) -> Path:
        return self.home / ".triton/cache"

    def miopen(self, path: str, *codes: str, packed: bool = True) -> Path:
        """Keep kernels as MIOpen does."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(file) as database:
            database.execute(CREATE)
            for number, each in enumerate(codes):
                image = self.code[each].read_bytes()
                blob = bz2.compress(image) if packed else image
                row = (number, f"{number}.o", "", blob, "", len(image) if packed else 0)
                database.execute("INSERT INTO kern_db VALUES (?, ?, ?, ?, ?, ?)", row)
        return file

    def aiter(self, folder: Path | None = None, **modules: str) -> Path:
        """Install aiter an hour ago and build modules of it now."""
        package = self.environment.site / "aiter"
        self.environment.install("aiter", "0.1.7", {"aiter/__init__.py": ""})
        self.age(package / "__init__.py")
        folder = folder or package / "jit"
        folder.mkdir(parents=True, exist_ok=True)
        for name, code in modules.items():
            shutil.copyfile(self.code[code], folder / f"module_{name}.so")
        return folder

    @staticmethod
    def age(path: Path, hours: int = 1) -> None:
        then = path.stat().st_mtime - hours * AN_HOUR
        os.utime(path, (then, then))


def triton_for_this_gpu(it: Machine) -> None:
    it.triton(it.triton_root, "add", "942", "gfx942")


def triton_for_this_gpu_and_another(it: Machine) -> None:
    triton_for_this_gpu(it)
    it.triton(it.triton_root, "mul", "90a", "gfx90a")


def triton_for_another_gpu_only(it: Machine) -> None:
    it.triton(it.triton_root, "mul", "90a", "gfx90a")


def triton_older_than_the_compiler(it: Machine) -> None:
    it.environment.install("triton", "3.5.0", {"triton/__init__.py": "__version__ = '3.5.0'\n"})
    it.age(it.triton(it.triton_root, "add", "942", "gfx942", "3.1.0"), 1000)


def triton_without_metadata_for_another_gpu(it: Machine) -> None:
    triton_for_this_gpu(it)
    it.triton(it.triton_root, "mul", "90a", None)


def triton_cut_for_another_gpu(it: Machine) -> None:
    triton_for_this_gpu(it)
    it.triton(it.triton_root, "mul", None, "gfx90a")


def triton_named_and_empty(it: Machine) -> None:
    it.variables["TRITON_CACHE_DIR"] = str(it.home / "new")


def triton_at_home_with_other_files(it: Machine) -> None:
    it.variables["TRITON_CACHE_DIR"] = str(it.home)
    it.triton(it.home, "add", "942", "gfx942")
    (it.home / "models").mkdir()
    shutil.copyfile(it.code["90a"], it.home / "models/k.hsaco")


def triton_code_of_another_gpu(it: Machine) -> None:
    triton_for_this_gpu(it)
    it.triton(it.triton_root, "mul", "90a", "gfx942")


def triton_code_of_the_other_setting(it: Machine) -> None:
    it.triton(it.triton_root, "add", "942+", "gfx942")


def triton_cut_off(it: Machine) -> None:
    it.triton(it.triton_root, "add", None, "gfx942")


def triton_a_pipe(it: Machine) -> None:
    path = it.triton(it.triton_root, "add", None, "gfx942")
    path.unlink()
    os.mkfifo(path)


def triton_metadata_too_deep(it: Machine) -> None:
    path = it.triton(it.triton_root, "add", None, None)
    path.with_suffix(".json").write_text("[" * 100_000)


def triton_overridden(it: Machine) -> None:
    triton_for_this_gpu(it)
    it.variables["TRITON_KERNEL_OVERRIDE"] = "1"


def inductor_by_its_variable(it: Machine) -> None:
    it.variables["TORCHINDUCTOR_CACHE_DIR"] = str(it.home / "compiled")
    it.triton(it.home / "compiled/triton/0", "triton_poi_fused_add_0", "942", "gfx942")


def inductor_code_of_another_gpu(it: Machine) -> None:
    it.variables["TORCHINDUCTOR_CACHE_DIR"] = str(it.home / "compiled")
    it.triton(it.home / "compiled/triton/0", "triton_poi_fused_add_0", "90a", "gfx942")


def aiter_in_the_package(it: Machine) -> None:
    it.aiter(norm="so-942", core="host")


def aiter_by_its_variable(it: Machine) -> None:
    it.variables["AITER_JIT_DIR"] = str(it.aiter(it.home / "jit", norm="so-942"))


def aiter_brought_by_the_wheel(it: Machine) -> None:
    folder = it.aiter(norm="so-942")
    record = it.environment.site / "aiter-0.1.7.dist-info/RECORD"
    record.write_text(f"{record.read_text()}aiter/jit/module_norm.so,,\n")
    it.age(folder / "module_norm.so", 2)


def aiter_for_another_gpu(it: Machine) -> None:
    it.aiter(norm="so-942", gemm="so-90a")


def aiter_cut_off(it: Machine) -> None:
    path = it.aiter(norm="so-942") / "module_norm.so"
    path.write_bytes(path.read_bytes()[:3000])


def aiter_older_than_its_package(it: Machine) -> None:
    folder = it.aiter(it.home / "jit", norm="so-942")
    it.variables["AITER_JIT_DIR"] = str(folder)
    it.age(folder / "module_norm.so", 2)


def miopen_for_this_gpu(it: Machine) -> None:
    it.miopen(".cache/miopen/3.4.0.x/gfx942130.ukdb", "942", "942")


def miopen_for_another_gpu_beside(it: Machine) -> None:
    miopen_for_this_gpu(it)
    it.miopen(".cache/miopen/3.4.0.x/gfx90a68.ukdb", "90a")


def miopen_stored_plainly(it: Machine) -> None:
    it.miopen(".cache/miopen/3.4.0.x/gfx942130.ukdb", "942", packed=False)


def miopen_code_of_another_gpu(it: Machine) -> None:
    it.miopen(".cache/miopen/3.4.0.x/gfx942130.ukdb", "942", "90a")


def miopen_no_database(it: Machine) -> None:
    it.miopen(".cache/miopen/3.4.0.x/gfx942130.ukdb", "942").write_bytes(b"no database" * 1000)


def miopen_endless(it: Machine) -> None:
    path = it.home / ".cache/miopen/3.4.0.x/gfx942130.ukdb"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as database:
        database.execute(ENDLESS)


CASES: list[tuple[Callable[[Machine], None], Truth, str]] = [
    (triton_for_this_gpu, "holds", "1 kernel for gfx942"),
    (triton_for_this_gpu_and_another, "holds", "1 kernel for gfx942, 1 for others"),
    (triton_for_another_gpu_only, "holds", "0 kernels for gfx942, 1 for others"),
    (triton_older_than_the_compiler, "holds", "1 kernel for gfx942"),
    (triton_without_metadata_for_another_gpu, "holds", "1 kernel for gfx942, 1 for others"),
    (triton_cut_for_another_gpu, "holds", "1 kernel for gfx942, 1 for others"),
    (triton_named_and_empty, "holds", "0 kernels for gfx942"),
    (triton_at_home_with_other_files, "holds", "1 kernel for gfx942"),
    (triton_code_of_another_gpu, "broken", "kept for gfx942, but its code is for gfx90a"),
    (triton_code_of_the_other_setting, "broken", "but its code is for gfx942:xnack+"),
    (triton_cut_off, "broken", "is not an ELF"),
    (triton_a_pipe, "broken", "is not a regular file"),
    (triton_metadata_too_deep, "broken", "is not an ELF"),
    (triton_overridden, "open", "TRITON_KERNEL_OVERRIDE=1 is set"),
    (inductor_by_its_variable, "holds", "1 kernel for gfx942"),
    (inductor_code_of_another_gpu, "broken", "but its code is for gfx90a"),
    (aiter_in_the_package, "holds", "2 modules, 1 with device code"),
    (aiter_by_its_variable, "holds", "1 module, 1 with device code"),
    (aiter_brought_by_the_wheel, "holds", "1 module, 1 with device code"),
    (aiter_for_another_gpu, "open", "1 of 2 modules"),
    (aiter_cut_off, "open", "1 of 1 module"),
    (aiter_older_than_its_package, "open", "older than the installed aiter"),
    (miopen_for_this_gpu, "holds", "2 kernels for gfx942"),
    (miopen_for_another_gpu_beside, "holds", "2 kernels for gfx942, 1 database for others"),
    (miopen_stored_plainly, "holds", "1 kernel for gfx942"),
    (miopen_code_of_another_gpu, "broken", "has code for gfx90a"),
    (miopen_no_database, "open", "file is not a database"),
    (miopen_endless, "open", "interrupted"),
]


@pytest.fixture
def machine(code: Mapping[str, Path], bare: Environment, tmp_path: Path) -> Machine:
    home = tmp_path / "home"
    home.mkdir()
    environment = bare.copy(tmp_path / "environment")
    variables = {"HOME": str(home), "TMPDIR": str(home), "TRITON_HOME": str(home)}
    return Machine(home, environment, code, variables)


def judge(project: Project, machine: Machine) -> dict[str, Any]:
    python = str(machine.environment.python)
    found = results(project, "--python", python, "--arch", MI300, **machine.variables)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.verdict
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_a_cache_is_judged_by_what_it_finds_for_the_gpu(
    project: Project,
    machine: Machine,
    judged: Judged,
    case: tuple[Callable[[Machine], None], Truth, str],
) -> None:
    build, truth, said = case
    build(machine)
    found = judge(project, machine)
    judged("kernels", truth, found["verdict"])
    assert said in f"{found['seen']}; {found['reason']}"
    assert found["claim"] == f"gives only kernels for {MI300}"


def test_kernels_of_another_triton_are_counted_and_may_go(
    project: Project, machine: Machine
) -> None:
    triton_older_than_the_compiler(machine)
    told = {each["name"]: each["value"] for each in judge(project, machine)["evidence"]}
    assert told["compiled by"] == (
        "Triton 3.1.0, 1 kernel: not found by 3.5.0, which is installed, and may go"
    )


def test_what_is_stale_comes_with_what_to_delete(project: Project, machine: Machine) -> None:
    aiter_for_another_gpu(machine)
    module = machine.environment.site / "aiter/jit/module_gemm.so"
    assert judge(project, machine)["action"].startswith(f"rm -r {module} (AITER_REBUILD=1 ")


def test_a_cache_is_judged_as_one_where_its_path_is_given(
    project: Project, machine: Machine
) -> None:
    triton_for_another_gpu_only(machine)
    where = str(machine.home)
    (found,) = results(project, where, "--arch", MI300, **machine.variables)
    (moved,) = results(project, where, "--arch", MI300, HOME="/nowhere", TRITON_HOME="/nowhere")
    assert (found["verdict"], moved["verdict"]) == ("proven", "proven")
    assert found["subject"] == f"Triton's cache {machine.triton_root}"


def test_without_a_gpu_a_cache_is_counted_only(project: Project, machine: Machine) -> None:
    triton_for_this_gpu_and_another(machine)
    python = str(machine.environment.python)
    (found,) = results(project, "--python", python, **machine.variables, PATH="/nowhere")
    assert (found["verdict"], found["seen"]) == ("unproven", "2 kernels")


def test_a_cache_that_is_a_file_is_told(project: Project, machine: Machine) -> None:
    machine.variables["TRITON_CACHE_DIR"] = __file__
    found = judge(project, machine)
    assert (found["verdict"], found["seen"]) == ("unproven", "not a directory")
    assert found["action"] == "set TRITON_CACHE_DIR to a directory"


def test_only_the_folder_of_the_kernel_is_said_to_be_deleted(
    project: Project, machine: Machine
) -> None:
    triton_at_home_with_other_files(machine)
    path = machine.triton(machine.home, "mul", "90a", "gfx942")
    assert judge(project, machine)["action"] == f"rm -r {path.parent}; they are compiled again"


def test_reading_a_cache_changes_nothing_in_it(project: Project, machine: Machine) -> None:
    miopen_for_this_gpu(machine)
    triton_for_this_gpu(machine)
    before = {each: each.stat().st_mtime_ns for each in machine.home.rglob("*")}
    project.run(
        *("verify", "kernels", "--python", str(machine.environment.python), "--arch", MI300),
        **machine.variables,
    )
    assert {each: each.stat().st_mtime_ns for each in machine.home.rglob("*")} == before
