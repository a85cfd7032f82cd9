"""``rocmlint verify ranks`` and ``run``: ranks that end early, and what they have and load."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.verify_jobs import MODULE, Job, Results, Watched, ranks

if TYPE_CHECKING:
    from tests.support.hip_objects import Compiler
    from tests.support.verdicts import Judged, Truth

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("hostile_jobs")]

MANIFEST = ("--manifest", "patched.toml")

FOUR_RANKS = """
import os, subprocess, sys
ranks = []
for rank in range(4):
    environment = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "4"}
    ranks.append(subprocess.Popen([sys.executable, "rank.py"], env=environment))
sys.exit(max(abs(each.wait()) for each in ranks))
"""


def run_ranks(job: Job, program: str, *flags: str, **environment: str) -> tuple[Watched, Results]:
    """Run four ranks of a program; give what ``run`` says, and ``ranks`` of the witnesses."""
    job.write("rank.py", f"import os, sys\nrank = int(os.environ['RANK'])\n{program}")
    job.script(FOUR_RANKS)
    shutil.rmtree(job.root / "kept", ignore_errors=True)
    watched = job.watch(flags=(*MANIFEST, *flags), **environment)
    return watched, ranks(job, "kept", *MANIFEST, *flags)


def by_rank(watched: Watched, claim: str) -> dict[str, str]:
    found = [each for each in watched.results if claim in each["claim"]]
    return {each["subject"].partition(" (")[0]: each["verdict"] for each in found}


KILLED = """
import patched
if rank == 3:
    import signal
    if os.environ["CASE"] == "replaced":
        patched.f = lambda: 3
    print(patched.f(), flush=True)
    signal.raise_signal(signal.SIGKILL)
"""


@pytest.mark.verdict
@pytest.mark.parametrize("case", ["replaced", "unchanged"])
def test_a_rank_whose_end_nobody_saw_is_unproven_and_counted(
    job: Job, judged: Judged, case: str
) -> None:
    watched, found = run_ranks(job, KILLED, CASE=case)
    assert watched.ran.stdout == {"replaced": "3\n", "unchanged": "2\n"}[case]
    truth: Truth = "broken" if case == "replaced" else "holds"
    judged("jobs", truth, found.verdicts(MODULE)["rank 3"], needless=True)
    assert set(found.verdicts(MODULE).values()) == {"proven", "unproven"}
    assert found.code == 3
    ends = found.one("the job", "seen at their end")
    assert (ends["seen"], ends["verdict"]) == ("3 of 4 ranks", "unproven")
    assert ends["evidence"][0]["value"].startswith("rank 3 (pid")


@pytest.mark.verdict
def test_four_ranks_that_end_by_themselves_are_all_seen(job: Job, judged: Judged) -> None:
    watched, found = run_ranks(job, "import patched\nif rank == 3:\n    os._exit(0)\n")
    assert watched.ran.returncode == 0, watched.results
    assert found.code == 0
    assert found.one("the job", "seen at their end")["seen"] == "4 of 4 ranks"
    for verdict in found.verdicts(MODULE).values():
        judged("jobs", "holds", verdict)


EARLY = {
    "an exception": "raise KeyError('early')",
    "a kill": "import signal; signal.raise_signal(signal.SIGKILL)",
    "a signal of its own": "os.kill(os.getpid(), 15)",
}


@pytest.mark.verdict
@pytest.mark.parametrize("how", EARLY)
def test_a_rank_that_fell_before_the_import_contradicts_no_import(
    job: Job, judged: Judged, how: str
) -> None:
    program = f"if rank == 2:\n    {EARLY[how]}\nimport patched\n"
    watched, found = run_ranks(job, program)
    judged("jobs", "open", found.verdicts("is loaded")["rank 2"])
    judged("jobs", "open", by_rank(watched, "is loaded")["rank 2"])
    assert watched.verdicts("exit code 0") == ["contradicted"]
    assert [by_rank(watched, MODULE)[f"rank {rank}"] for rank in (0, 1, 3)] == ["proven"] * 3


def test_if_no_rank_came_to_the_import_nothing_is_contradicted_but_the_command(job: Job) -> None:
    watched, _ = run_ranks(job, "raise KeyError('early')\nimport patched\n")
    bad = [each["claim"] for each in watched.results if each["verdict"] == "contradicted"]
    assert bad == ["ends with exit code 0"]
    reason = watched.one("is loaded")["reason"]
    assert "ended by KeyError" in reason


@pytest.mark.verdict
def test_a_rank_that_ended_without_the_import_contradicts_it(job: Job, judged: Judged) -> None:
    watched, found = run_ranks(job, "if rank == 2:\n    sys.exit(0)\nimport patched\n")
    judged("jobs", "broken", found.verdicts("is loaded")["rank 2"])
    assert by_rank(watched, "is loaded") == {"rank 2": "contradicted"}


# What a rank has


VARIABLES = """
if rank == 1 and os.environ["CASE"] == "changed":
    os.environ["NCCL_ALGO"] = "Tree"
if rank == 1 and os.environ["CASE"] == "removed":
    del os.environ["NCCL_ALGO"]
if os.environ["CASE"] == "all":
    os.environ["NCCL_ALGO"] = "Tree"
os.environ["HF_TOKEN"] = f"hush{rank}"
os.environ["VLLM_API_KEY"] = f"hush{rank}"
os.environ["HF_HOME"] = f"/{rank}"
import patched
"""


@pytest.mark.verdict
@pytest.mark.parametrize(
    ("case", "alike", "is_ring"),
    [
        ("kept", "proven", ["proven"] * 4),
        ("changed", "contradicted", ["proven", "contradicted", "proven", "proven"]),
        ("removed", "contradicted", ["proven", "contradicted", "proven", "proven"]),
        ("all", "proven", ["contradicted"] * 4),
    ],
)
def test_the_variables_that_ranks_really_have_are_judged(
    job: Job, judged: Judged, case: str, alike: str, is_ring: list[str]
) -> None:
    flags = ("--variable", "NCCL_ALGO=Ring")
    _, found = run_ranks(job, VARIABLES, *flags, CASE=case, NCCL_ALGO="Ring")
    result = found.one("ranks 0-3", "variables that choose")
    judged("jobs", "holds" if alike == "proven" else "broken", result["verdict"])
    verdicts = [found.verdicts("NCCL_ALGO is 'Ring'")[f"rank {rank}"] for rank in range(4)]
    assert (result["verdict"], verdicts) == (alike, is_ring)
    for verdict, right in zip(verdicts, is_ring, strict=True):
        judged("jobs", "holds" if right == "proven" else "broken", verdict)
    assert found.one("ranks 0-3", "variables of Python")["verdict"] == "proven"


@pytest.mark.verdict
def test_a_variable_set_after_the_start_is_told_and_not_proven(job: Job, judged: Judged) -> None:
    program = "os.environ['NCCL_ALGO'] = 'Tree'\nimport patched\n"
    _, found = run_ranks(job, program, "--variable", "NCCL_ALGO=Tree")
    result = found.one("rank 0", "NCCL_ALGO is")
    judged("jobs", "open", result["verdict"])
    assert result["seen"] == "'Tree', at its start not set"


@pytest.mark.verdict
def test_a_variable_of_python_in_one_rank_is_named(job: Job, judged: Judged) -> None:
    program = "if rank == 1:\n    os.environ['PYTHONHASHSEED'] = '1'\nimport patched\n"
    _, found = run_ranks(job, program)
    result = found.one("ranks 0-3", "variables of Python")
    judged("jobs", "broken", result["verdict"])
    (evidence,) = result["evidence"]
    assert "rank 1: 1 (at its start: not set)" in evidence["value"]


def test_no_secret_is_in_a_witness(job: Job) -> None:
    run_ranks(job, VARIABLES, CASE="kept", NCCL_ALGO="Ring")
    texts = [path.read_text() for path in (job.root / "kept").rglob("witness.*.json")]
    assert texts
    assert not any("hush" in text for text in texts)


@pytest.mark.parametrize(
    ("variable", "message"),
    [("NCCL_ALGO", "must be NAME=VALUE"), ("HF_TOKEN=x", "is a secret"), ("=x", "NAME=VALUE")],
)
def test_a_wrong_variable_is_one_line(job: Job, variable: str, message: str) -> None:
    ran = job.run("verify", "run", "--variable", variable, "--", "true")
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1)
    assert message in ran.stderr


@pytest.mark.verdict
def test_the_library_that_a_rank_maps_without_code_for_the_gpu_is_named(
    job: Job, judged: Judged, compiler: Compiler
) -> None:
    for name, target in (("right", "gfx942"), ("wrong", "gfx90a")):
        path = compiler.library(f"{name}.so", target)
        shutil.copy(path, job.root / f"librocblas_{name}.so")
    program = """
import mmap, patched  # what maps them in truth, the dynamic linker, wants HIP too
names = ["librocblas_right.so", *["librocblas_wrong.so"] * (rank == 3)]
mapped = [mmap.mmap(os.open(each, os.O_RDONLY), 0, prot=mmap.PROT_READ) for each in names]
"""
    watched, _ = run_ranks(job, program)
    assert watched.verdicts("exit code 0") == ["proven"], watched.ran.stderr
    found = ranks(job, "kept", *MANIFEST, "--arch", "gfx942")
    result = found.one("rank 3", "librocblas_wrong.so has code")
    judged("jobs", "broken", result["verdict"])
    assert "rank 3 mapped librocblas_wrong.so without code for gfx942" in result["reason"]
    assert (
        found.one("ranks 0-3", "maps libraries with code that runs on gfx942")["seen"]
        == "1 library"
    )
    (job.root / "librocblas_right.so").rename(job.root / "before.so")
    (job.root / "librocblas_right.so").write_bytes(b"other")
    gone = ranks(job, "kept", *MANIFEST, "--arch", "gfx90a").verdicts("maps libraries with code")
    judged("jobs", "open", gone["rank 0"])


def test_a_gpu_that_is_none_is_one_line(job: Job) -> None:
    job.write("kept/x", "")
    ran = job.run("verify", "ranks", "kept", "--arch", "bogus")
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1)


# torchrun


TRAINING = """
import os, sys
import torch

torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
torch.distributed.barrier()
if rank == 2:
    raise KeyError("early")
import patched
if rank == 3:
    patched.f = lambda: 3
torch.distributed.all_reduce(torch.ones(1))
"""


@pytest.fixture(scope="session")
def crash(tmp_path_factory: pytest.TempPathFactory) -> tuple[Watched, Results]:
    """Run four ranks of which one fails, so that torchrun ends the others in a collective."""
    pytest.importorskip("torch")
    job = Job(tmp_path_factory.mktemp("crash"))
    job.write("job.py", TRAINING)
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4")
    watched = job.watch(sys.executable, *launcher, "job.py")
    return watched, ranks(job, "kept", *MANIFEST)


@pytest.mark.verdict
def test_one_failed_rank_says_nothing_bad_of_the_others(
    crash: tuple[Watched, Results], judged: Judged
) -> None:
    watched, found = crash
    assert watched.verdicts("exit code 0") == ["contradicted"]
    for results in (by_rank(watched, MODULE), found.verdicts(MODULE)):
        for rank in (0, 1):
            assert results[f"rank {rank}"] != "contradicted"
    judged("jobs", "open", found.verdicts("is loaded")["rank 2"])


@pytest.mark.verdict
def test_a_rank_that_the_launcher_ended_is_seen_before(
    crash: tuple[Watched, Results], judged: Judged
) -> None:
    _, found = crash
    judged("jobs", "broken", found.verdicts(MODULE)["rank 3"])
