"""``verify live``: kernels that are registered under an operator of the module from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.live_cases import Case, run_cases
from tests.support.verify_jobs import MODULE, Job

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.live_cases import Seen
    from tests.support.verdicts import Judged, Truth

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]
pytest.importorskip("torch")

FILES = {
    "hfkit/__init__.py": "",
    "hfkit/ops.py": """\
import torch

@torch.library.custom_op("hfkit::scale", mutates_args=())
def scale(x: torch.Tensor, by: float) -> torch.Tensor:
    return x * by

@scale.register_fake
def _(x, by):
    return torch.empty_like(x)

lib = torch.library.Library("hfkit", "FRAGMENT")
lib.define("plus(Tensor x) -> Tensor")

@torch.library.impl(lib, "plus", "CPU")
def plus_cpu(x):
    return x + 1

def run():
    x = torch.ones(())
    return float(scale(x, 2.0)), float(torch.ops.hfkit.plus(x))
""",
    "hfkit/more.py": """\
from . import ops

@ops.scale.register_kernel("cuda")
def _(x, by):
    return x * by
""",
    "hfkit/uses.py": """\
import torch
from . import ops

def run():
    return float(torch.ops.hfkit.plus(torch.ones(())))
""",
}
LIBRARY = "import torch; m.kept = torch.library.Library('hfkit', 'IMPL')\n"


def case(change: str, truth: Truth | None = None, module: str = "hfkit.ops") -> Case:
    return Case(
        change.rpartition("\n")[2] + f" in {module}", change, "m.run()", truth, module=module
    )


CASES = [
    case(f"{LIBRARY}m.kept.impl('scale', lambda x, by: x * 9, 'CPU', allow_override=True)"),
    case(f"{LIBRARY}m.kept.impl('plus', lambda x: x * 9, 'CPU', allow_override=True)"),
    case(f"{LIBRARY}m.kept.impl('plus', lambda x: x * 9, 'CPU')", module="hfkit.uses"),
    case("m.scale.register_kernel('cpu')(lambda x, by: x * 9)"),
    case("m.scale.register_kernel('cpu')(eval('lambda x, by: x * 9'))"),
    case("m.scale.register_fake(lambda x, by: x.new_empty(3))", "broken"),
    case("m.scale.register_autograd(lambda ctx, g: (g * 0, None))", "broken"),
    case("pass"),
    case("pass", module="hfkit.uses"),
    case("import hfkit.more"),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    return run_cases(CASES, tmp_path_factory.mktemp("operators"), FILES, "torch")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_an_operator_runs_decides_the_verdict(
    case: Case, seen: dict[str, Seen], judged: Judged
) -> None:
    found = seen[case.name]
    judged("live", found.truth, found.result.verdict)


KERNEL = """\
lib = torch.library.Library("hfkit", "IMPL")
lib.impl("scale", lambda x, by: x * 9, "CPU", allow_override=True)
"""
"""A finalizer of torch takes it back when the program ends."""
PROGRAM = """\
import torch, hfkit.ops
{}
assert float(hfkit.ops.scale(torch.ones(()), 2.0)) == {}
"""
JOBS: dict[str, tuple[Truth, str]] = {
    "nothing": ("holds", PROGRAM.format("", 2)),
    "in the program": ("broken", PROGRAM.format(KERNEL, 9)),
    "by an imported module": ("broken", PROGRAM.format("import patcher", 9)),
    "and os._exit": ("broken", PROGRAM.format(KERNEL, 9) + "import os; os._exit(0)\n"),
}


@pytest.mark.parametrize("name", JOBS)
def test_what_an_operator_ran_in_a_job_decides_too(
    name: str, tmp_path: Path, judged: Judged
) -> None:
    truth, program = JOBS[name]
    job = Job(tmp_path)
    for path, text in FILES.items():
        job.write(f"site/{path}", text)
    job.write("site/patcher.py", "import torch\n" + KERNEL)
    job.script(program)
    watched = job.watch(flags=("--module", "hfkit.ops"))
    assert watched.witnesses[0]["failure"] is None
    judged("live", truth, watched.one(MODULE)["verdict"])
