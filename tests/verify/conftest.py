"""What several tests of ``verify`` share: device code, a trace, a job, a patched environment."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.environments import Environment
from tests.support.hip_objects import COMPRESSED, Compiler
from tests.support.live import TICK
from tests.support.patched import INSTALLED, NEW
from tests.support.traces import SOURCES, compiled, profiled
from tests.support.verdicts import RIGHT
from tests.support.verify_jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.live import Live
    from tests.support.project import Project
    from tests.support.verdicts import Judged, Truth


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that compile, so that `-m needs_compiler` selects them."""
    for item in items:
        if "compiler" in getattr(item, "fixturenames", ()):
            item.add_marker("needs_compiler")


@pytest.fixture(autouse=True)
def without_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the caches that torch names in the variables of a process that compiles something."""
    for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tmp_path_factory.mktemp("compiled"))


@pytest.fixture(scope="session")
def plain(compiler: Compiler) -> Path:
    return compiler.library("plain.so", "gfx942", "gfx90a:xnack+")


@pytest.fixture(scope="session")
def library(compiler: Compiler) -> Path:
    return compiler.library("a.so", "gfx942", "gfx90a:xnack+", flags=COMPRESSED)


@pytest.fixture(scope="session")
def loose(compiler: Compiler) -> Path:
    return compiler.loose("a.co", "gfx942")


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Record what torch.profiler writes of one attention on the CPU."""
    pytest.importorskip("torch")
    return profiled(tmp_path_factory.mktemp("recorded") / "cpu.json")


@pytest.fixture(scope="session")
def site(compiler: Compiler) -> Path:
    """Make an environment with real device code where the libraries have theirs."""
    root = compiler.folder / "env" / "site-packages"
    compiled(SOURCES["aiter"], root / "aiter_meta/hsa/gfx942/fmha_v3_fwd/fwd.co", "gfx942")
    compiled(SOURCES["torch"], root / "torch/lib/libtorch_hip.so", "gfx942", "gfx90a", fat=True)
    tensile = root / "torch/lib/hipblaslt/library/Kernels.so-000-gfx942.hsaco"
    compiled(SOURCES["tensile"], tensile, "gfx942")
    return root


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """Make an environment with a package of which one file is patched."""
    made = Environment(tmp_path / "environment")
    made.install("tiny", "1.0", INSTALLED)
    made.write("tiny/mod.py", NEW)
    return made


@pytest.fixture
def live(project: Project) -> Live:
    """Run the command in a project; give its results by subject."""

    def run(*arguments: str, **environment: str) -> dict[str, dict[str, Any]]:
        variables = {"PYTHONDONTWRITEBYTECODE": "", **environment}
        command = ("verify", "live", *arguments, "--output-format", "json")
        time.sleep(TICK)
        ran = project.run(*command, **variables)
        assert ran.returncode in {0, 1, 3}, ran.stderr
        document: dict[str, Any] = json.loads(ran.stdout)
        assert document["exit_code"] == ran.returncode
        return {each["subject"]: each for each in document["results"]}

    return run


@pytest.fixture
def judged(record_property: Callable[[str, object], None]) -> Judged:
    """Compare the verdict on a case with the truth, and note both for the table of the cases.

    ``needless``: the claim holds, and it is known that nothing here can tell.
    """

    def judge(area: str, truth: Truth, verdict: str, *, needless: bool = False) -> None:
        for name, value in (("area", area), ("truth", truth), ("verdict", verdict)):
            record_property(name, value)
        right = RIGHT[truth] | ({"unproven"} if needless else set())
        assert verdict in right, f"{verdict}, and in truth it is {truth}"

    return judge
