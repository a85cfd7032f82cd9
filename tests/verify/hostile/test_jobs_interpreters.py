"""``rocmlint verify run``: the ends of processes are seen by other interpreters, and with torch."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.verify_jobs import MODULE, Job, Watched, python_of

if TYPE_CHECKING:
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("hostile_jobs")]

ENDS = """
import multiprocessing, os, subprocess, sys
import patched


def work(_):
    return patched.f()


def wrong(_):
    patched.f = lambda: 3
    return patched.f()


if __name__ == "__main__":
    code = wrong if "wrong" in sys.argv else work
    for how in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(how).Pool(1) as pool:
            print(pool.map(code, [0]))
    for _ in range(2):
        if not os.fork():
            code(0)
            if not os.fork():
                os._exit(0)
            os.wait()
            os._exit(0)
        os.wait()
    subprocess.run(["true"], preexec_fn=os.setsid)
"""


@pytest.mark.verdict
@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13"])
def test_other_interpreters_see_the_ends_too(job: Job, judged: Judged, version: str) -> None:
    job.script(ENDS)
    python = python_of(version)
    right = job.watch(python, "-W", "error::DeprecationWarning", "job.py")
    assert (right.ran.stdout, right.ran.stderr) == ("[2]\n" * 3, "")
    assert right.ran.returncode == 0, right.results
    for verdict in right.verdicts(MODULE):
        judged("jobs", "holds", verdict)
    wrong = job.watch(python, "job.py", "wrong")
    assert wrong.ran.stdout == "[3]\n" * 3
    children = {
        each["subject"].partition(", ")[2]: each["verdict"]
        for each in wrong.results
        if MODULE in each["claim"] and ", " in each["subject"]
    }
    assert children == dict.fromkeys(("fork)", "spawn)", "forkserver)"), "contradicted")


LOADERS = """
import patched, sys, torch
from torch.utils.data import DataLoader


class Numbers:
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return patched.f()


if __name__ == "__main__":
    loader = DataLoader(Numbers(), num_workers=2, multiprocessing_context="fork")
    print([int(each) for each in loader])
    kept = DataLoader(Numbers(), num_workers=1, persistent_workers=True)
    print([int(each) for each in kept])
    print([int(each) for each in kept])
"""


@pytest.fixture(scope="session")
def loaders(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """Run the workers of torch's DataLoader, of which some live until the program ends."""
    pytest.importorskip("torch")
    job = Job(tmp_path_factory.mktemp("loaders"))
    job.script(LOADERS)
    return job.watch(sys.executable, "job.py", RANK="0", WORLD_SIZE="1")


@pytest.mark.verdict
def test_workers_of_a_data_loader_are_seen_at_their_end(loaders: Watched, judged: Judged) -> None:
    assert loaders.ran.stdout == "[2, 2, 2, 2]\n" * 3, loaders.ran.stderr
    assert len(loaders.started("fork")) == 3
    verdicts = loaders.verdicts(MODULE)
    assert len(verdicts) == 4
    for verdict in verdicts:
        judged("jobs", "holds", verdict)
    assert loaders.ran.returncode == 0
