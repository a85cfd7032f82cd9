"""Trees of real device code that may fool ``verify kernels``, and what a GPU would find in them.

The truth of a case is whether the files that a program would load for the GPU are for it, as read
from the objects by LLVM's own tools, or known from the libraries that install them so.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tests.support.hip_objects import COMPRESSED, Compiler, bundle, compressed, needs_compiler
from tests.support.kernels import put, results

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.project import Project
    from tests.support.verdicts import Judged, Truth

pytestmark = [pytest.mark.slow, needs_compiler]

RECORD = "amd_aiter-0.1.7.dist-info/RECORD"
METADATA = "amd_aiter-0.1.7.dist-info/METADATA"
AITER = {METADATA: "Name: amd-aiter\nVersion: 0.1.7\n", RECORD: "aiter/,,\naiter_meta/,,\n"}
MEASURED = """\
import re, sys
from rocmlint.verify.code_objects.file_report import read_file
report = read_file(sys.argv[1])
status = open("/proc/self/status").read()
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) >> 10
print(len(report.entries), report.error, peak, sep="\\n")
"""
"""``getrusage`` would count what the process that starts this one had at its peak."""
AOT = "aiter/ops/triton/configs/gemm/aot/kernel_1/k.hsaco"
FWD, BWD = "aiter_meta/hsa/gfx942/fwd.co", "aiter_meta/hsa/gfx942/bwd.co"
AOT_2 = "aiter/ops/triton/configs/gemm/aot/kernel_2/k.hsaco"
ROCBLAS = ("rocblas/library/a.co", "rocblas/library/b.co")
MI300, MI200, NAVI = "gfx942:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", "gfx1100"


@dataclass(frozen=True)
class Case:
    """A tree: what each file is, by a name of :func:`objects`, and the verdict on each subject."""

    name: str
    files: Mapping[str, str]
    arch: str
    truth: Truth
    verdicts: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[str, ...] = (".",)


CASES = [
    Case(
        "kernels built ahead for another GPU, and others of the package for this one",
        {AOT: "co-90a", AOT_2: "co-90a", FWD: "co-942", BWD: "co-942"},
        MI300,
        "open",
        {
            "aiter/ops/triton/configs/gemm/aot/**/*.hsaco": "unproven",
            "aiter_meta/hsa/**/*.co": "proven",
        },
        AITER,
    ),
    Case(
        "the same without the metadata of the package, as in an editable install",
        {AOT: "co-90a", AOT_2: "co-90a", FWD: "co-942", BWD: "co-942"},
        MI300,
        "open",
        {
            "aiter/ops/triton/configs/gemm/aot/**/*.hsaco": "unproven",
            "aiter_meta/hsa/**/*.co": "proven",
        },
    ),
    Case(
        "a package that has no code for the GPU at all",
        {AOT: "co-90a", AOT_2: "co-90a", FWD: "co-942", BWD: "co-942"},
        NAVI,
        "broken",
        {
            "aiter/ops/triton/configs/gemm/aot/**/*.hsaco": "contradicted",
            "aiter_meta/hsa/**/*.co": "contradicted",
        },
        AITER,
    ),
    Case(
        "code for the GPU in another package only",
        {AOT: "co-90a", AOT_2: "co-90a", **dict.fromkeys(ROCBLAS, "co-942")},
        MI300,
        "broken",
        {
            "aiter/ops/triton/configs/gemm/aot/**/*.hsaco": "contradicted",
            "rocblas/library/**/*.co": "proven",
        },
        AITER | {"rocblas-1.dist-info/METADATA": "Name: rocblas\n"}
        | {"rocblas-1.dist-info/RECORD": "rocblas/,,\n"},
    ),
    Case(
        "a named library without device code",
        {"libhost.so": "host"},
        MI300,
        "open",
        {"libhost.so": "unproven"},
        paths=("libhost.so",),
    ),
    Case(
        "one library for each GPU, named after it",
        {"p/libk_gfx90a.so": "so-90a", "p/libk_gfx942.so": "so-942"},
        MI300,
        "holds",
        {"p/libk_gfx*.so": "proven"},
    ),
    Case(
        "one library for each GPU, and none for this one",
        {"p/libk_gfx90a.so": "so-90a", "p/libk_gfx942.so": "so-942"},
        NAVI,
        "broken",
        {"p/libk_gfx*.so": "contradicted"},
    ),
    Case(
        "two bundles in the library for the GPU, one of them for another",
        {"p/libk_gfx942.so": "so-two", "p/libk_gfx90a.so": "so-90a"},
        MI300,
        "open",
        {"p/libk_gfx*.so": "unproven"},
    ),
    Case(
        "a library whose name says another GPU than its code",
        {"p/libk_gfx942.so": "so-90a"},
        MI300,
        "broken",
        {"p/libk_gfx*.so": "contradicted"},
    ),
    Case(
        "libraries of two kinds, of which one lacks the GPU",
        {"p/liba_gfx942.so": "so-942", "p/libb_gfx90a.so": "so-90a"},
        MI300,
        "open",
        {"p/liba_gfx*.so": "proven", "p/libb_gfx*.so": "unproven"},
    ),
    Case(
        "the library for another GPU, named itself",
        {"p/libk_gfx90a.so": "so-90a", "p/libk_gfx942.so": "so-942"},
        MI300,
        "broken",
        {"p/libk_gfx90a.so": "contradicted"},
        paths=("p/libk_gfx90a.so",),
    ),
    Case(
        "a compressed library",
        {"p/_C.so": "so-ccob"},
        MI300,
        "holds",
        {"p/_C.so": "proven"},
    ),
    Case(
        "the settings of the GPU in the other order",
        {"p/_C.so": "so-90a+"},
        "gfx90a:xnack+:sramecc-",
        "holds",
        {"p/_C.so": "proven"},
    ),
    Case(
        "code for the other setting of xnack",
        {"p/_C.so": "so-90a+"},
        MI200,
        "broken",
        {"p/_C.so": "contradicted"},
    ),
    Case(
        "a library without code for the GPU beside loose files with it, in one package",
        {"aiter/_C.so": "so-90a", FWD: "co-942", BWD: "co-942"},
        MI300,
        "broken",
        {"aiter/_C.so": "contradicted", "aiter_meta/hsa/**/*.co": "proven"},
        AITER,
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def objects(compiler: Compiler) -> dict[str, Path]:
    return {
        "co-942": compiler.loose("k942.co", "gfx942"),
        "co-90a": compiler.loose("k90a.co", "gfx90a"),
        "so-942": compiler.library("k942.so", "gfx942"),
        "so-90a": compiler.library("k90a.so", "gfx90a"),
        "so-90a+": compiler.library("k90aon.so", "gfx90a:xnack+"),
        "so-ccob": compiler.library("kccob.so", "gfx942", "gfx90a", flags=COMPRESSED),
        "so-two": compiler.library_of_two("ktwo.so", "gfx942", "gfx90a"),
        "host": compiler.host_only("khost.so"),
    }


@pytest.mark.verdict
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_tree_of_device_code_is_judged_as_a_gpu_would_find_it(
    project: Project, objects: dict[str, Path], case: Case, judged: Judged
) -> None:
    for name, kind in case.files.items():
        put(project, objects[kind], name)
    for name, text in case.texts.items():
        project.write(name, text)
    found = {each["subject"]: each for each in results(project, *case.paths, "--arch", case.arch)}
    verdicts = {name: each["verdict"] for name, each in found.items()}
    whole = "contradicted" if "contradicted" in verdicts.values() else "proven"
    judged("kernels", case.truth, "unproven" if "unproven" in verdicts.values() else whole)
    assert verdicts == case.verdicts


def test_nobody_is_told_to_install_what_would_change_nothing(
    project: Project, objects: dict[str, Path]
) -> None:
    case = CASES[0]
    for name, kind in case.files.items():
        put(project, objects[kind], name)
    for name, text in case.texts.items():
        project.write(name, text)
    ahead, _ = sorted(results(project, ".", "--arch", MI300), key=lambda each: each["subject"])
    assert f"other files of amd-aiter are, such as {BWD}" in ahead["reason"]
    assert "install" not in ahead["action"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gfx94", "gfx94 is not a GPU; did you mean 'gfx942'?"),
        ("gfx9422", "gfx9422 is not a GPU; did you mean 'gfx942'?"),
        ("gfx942:foo+", "gfx942 has no feature 'foo': there are sramecc and xnack"),
        ("gfx1100:xnack-", "gfx1100 has no feature 'xnack'"),
        ("gfx9-generic", "gfx9-generic is what code is compiled for, not a GPU"),
        ("amdgcnspirv", "amdgcnspirv is what code is compiled for, not a GPU"),
        ("GFX942", "is not a valid target, such as gfx942 or gfx90a:sramecc+:xnack-"),
        ("gfx942:xnack+:xnack-", "contains a feature twice"),
        ("MI300X", "is not a valid target"),
    ],
)
def test_what_no_gpu_can_be_is_refused_with_the_nearest(
    project: Project, name: str, said: str
) -> None:
    ended = project.run("verify", "kernels", ".", "--arch", name)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr


@pytest.mark.parametrize("name", ["gfx942", "gfx90a:xnack+:sramecc-", "gfx1201", "gfx1250:xnack+"])
def test_a_gpu_that_there_is_is_taken(project: Project, name: str) -> None:
    assert project.run("verify", "kernels", ".", "--arch", name).returncode == 3


@pytest.mark.parametrize("kind", ["plain", "compressed"])
def test_memory_does_not_grow_with_the_size_of_a_file(
    tmp_path: Path, objects: dict[str, Path], kind: str
) -> None:
    padding = os.urandom(1_000_000)  # cannot be compressed
    one = bundle({"gfx942": objects["co-942"].read_bytes() + padding})
    if kind == "compressed":
        one = compressed(one, 3, "zstd")
        one += bytes(-len(one) % 4096)
    count = 360_000_000 // len(one)
    path = tmp_path / "large.co"
    with path.open("wb") as file:
        for _ in range(count):
            file.write(one)
    told = subprocess.run(
        [sys.executable, "-c", MEASURED, path], capture_output=True, text=True, check=True
    ).stdout
    path.unlink()
    entries, error, megabytes = told.splitlines()
    assert (entries, error) == (str(count), "")
    assert int(megabytes) < 200
