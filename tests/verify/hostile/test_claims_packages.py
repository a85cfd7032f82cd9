"""Kernel packages that code imports, on a machine with an MI300X: which of them have code for it.

The device code is real; ``rocminfo`` is a script that prints what it prints on such a machine. The
truth of a case is whether the package finds kernels for the GPU in its own files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.hip_objects import Compiler, needs_compiler
from tests.support.kernels import put
from tests.support.project import Project
from tests.verify.test_kernels_gpu import ROCMINFO, program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.verdicts import Judged, Truth

pytestmark = [pytest.mark.slow, needs_compiler]

AITER = {
    "aiter/__init__.py": "__version__ = '0.1.7'\n",
    "amd_aiter-0.1.7.dist-info/METADATA": "Name: amd-aiter\nVersion: 0.1.7\n",
    "amd_aiter-0.1.7.dist-info/RECORD": "aiter/__init__.py,,\naiter_meta/hsa/a.co,,\n",
}
AHEAD = "aiter/ops/triton/aot/{}/k.hsaco"
IMPORT, GUARDED = (
    "import aiter\n",
    "try:\n    import aiter\nexcept ImportError:\n    aiter = None\n",
)


@dataclass(frozen=True)
class Case:
    """Packages, with their device code, and the code that claims something of them."""

    name: str
    truth: Truth
    verdict: str
    code: Mapping[str, str] = field(default_factory=lambda: {"job.py": IMPORT})
    """In the checkout; the rest is in the environment."""
    texts: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


CASES = [
    Case("without device code", "holds", "proven", texts=AITER),
    Case(
        "built ahead for another GPU, and code for this one in a folder beside",
        "holds",
        "proven",
        texts=AITER,
        files={AHEAD.format("a"): "co-90a", "aiter_meta/hsa/gfx942/fwd.co": "co-942"},
    ),
    Case(
        "built ahead for another GPU only, and compiled for this one when it runs",
        "open",
        "unproven",
        texts=AITER,
        files={AHEAD.format("a"): "co-90a", AHEAD.format("b"): "co-90a"},
    ),
    Case(
        "with a module that was compiled for another GPU on an earlier run",
        "holds",
        "proven",
        texts=AITER,
        files={"aiter/jit/module_norm.so": "so-90a"},
    ),
    Case(
        "with its library for another GPU only",
        "broken",
        "contradicted",
        {"job.py": "import bitsandbytes\n"},
        {"bitsandbytes/__init__.py": ""},
        {"bitsandbytes/libbitsandbytes_rocm64.so": "so-90a"},
    ),
    Case(
        "with its library for this GPU",
        "holds",
        "proven",
        {"job.py": "import bitsandbytes\n"},
        {"bitsandbytes/__init__.py": ""},
        {"bitsandbytes/libbitsandbytes_rocm64.so": "so-942"},
    ),
    Case("that is not installed", "broken", "contradicted", {"job.py": "import xformers\n"}),
    Case(
        "that is not installed, and that all code can do without",
        "open",
        "unproven",
        {"job.py": GUARDED, "more.py": GUARDED},
    ),
    Case(
        "that is not installed, and that some code can do without",
        "broken",
        "contradicted",
        {"job.py": IMPORT, "more.py": GUARDED},
    ),
    Case(
        "whose import fails",
        "broken",
        "contradicted",
        texts={"aiter/__init__.py": "import a_module_that_is_nowhere\n"},
    ),
    Case(
        "that only the checkout has",
        "open",
        "unproven",
        {"job.py": IMPORT, "aiter/__init__.py": "raise SystemExit('the checkout was run')\n"},
    ),
]


@pytest.fixture(scope="module")
def objects(compiler: Compiler) -> dict[str, Path]:
    return {
        "co-942": compiler.loose("p942.co", "gfx942"),
        "co-90a": compiler.loose("p90a.co", "gfx90a"),
        "so-942": compiler.library("p942.so", "gfx942"),
        "so-90a": compiler.library("p90a.so", "gfx90a"),
    }


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("site"))


def verify(project: Project, site: Path, *paths: str) -> list[dict[str, Any]]:
    """Verify files on a machine with an MI300X."""
    done = project.run(
        *("verify", *paths, "--output-format", "json"),
        PATH=program(project, "rocminfo", ROCMINFO),
        PYTHONPATH=str(site),
    )
    results: list[dict[str, Any]] = json.loads(done.stdout)["results"]
    return results


@pytest.mark.verdict
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_package(
    project: Project, site: Project, objects: dict[str, Path], judged: Judged, case: Case
) -> None:
    for name, text in case.code.items():
        project.write(name, text)
    for name, text in case.texts.items():
        site.write(name, text)
    for name, kind in case.files.items():
        put(site, objects[kind], name)
    (found,) = verify(project, site.root, *(each for each in case.code if "/" not in each))
    judged("claims", case.truth, found["verdict"])
    assert found["verdict"] == case.verdict


def test_a_package_whose_code_is_for_another_gpu_is_named_with_the_gpu(
    project: Project, site: Project, objects: dict[str, Path]
) -> None:
    project.write("job.py", "import bitsandbytes\n")
    site.write("bitsandbytes/__init__.py", "")
    put(site, objects["so-90a"], "bitsandbytes/libbitsandbytes_rocm64.so")
    (found,) = verify(project, site.root, "job.py")
    assert "it has no code for gfx942" in found["reason"]
