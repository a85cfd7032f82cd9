"""``rocmlint verify ranks``: real jobs of several ranks."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.project import COMMAND, Project
from tests.support.verify_jobs import MODULE, Job, Results, ranks

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ranks")]

RANKS = """
    import os, sys, time

    rank = int(os.environ["RANK"])
    if rank == 1:
        sys.path.insert(0, "stock")
    if rank == int(os.environ.get("HANGS", -1)):
        time.sleep(600)
    import patched
    if rank == 3:
        patched.f = lambda: 3
    {torch}
    {collective}
    """
GLOO = {
    "torch": "import torch\n    torch.distributed.init_process_group('gloo')",
    "collective": "numbers = torch.ones(1)\n    torch.distributed.all_reduce(numbers)\n"
    "    assert numbers.item() == 4\n    torch.distributed.destroy_process_group()",
}
LAUNCHER = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4")


@pytest.fixture(scope="session")
def gloo_job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """Four ranks with gloo, of which 1 has a stock copy and 3 replaces a function."""
    pytest.importorskip("torch")
    job = Job(tmp_path_factory.mktemp("job"))
    job.script(RANKS.format(**GLOO))
    watched = job.watch(*LAUNCHER, "job.py")
    assert watched.verdicts("exit code 0") == ["proven"], watched.ran.stderr
    return job


def test_a_shadowed_and_a_replaced_rank_are_both_named(gloo_job: Job) -> None:
    found = ranks(gloo_job, "kept", "--manifest", "patched.toml")
    assert found.code == 1
    assert found.verdicts(MODULE) == {
        "rank 0": "proven",
        "rank 1": "contradicted",
        "rank 2": "proven",
        "rank 3": "contradicted",
    }
    assert "stock/patched.py" in found.one("rank 1", MODULE)["reason"]
    assert "replaced by" in found.one("rank 3", MODULE)["reason"]


def test_what_is_alike_in_all_ranks_is_proven(gloo_job: Job) -> None:
    found = ranks(gloo_job, "kept", "--manifest", "patched.toml")
    alike = {each["claim"]: each["verdict"] for each in found.all if each["subject"] == "ranks 0-3"}
    assert set(alike.values()) == {"proven"}
    assert len(alike) == 7


def test_without_a_manifest_the_groups_are_named_and_no_majority_wins(gloo_job: Job) -> None:
    result = ranks(gloo_job, "kept", "--module", "patched").one("ranks", "the same source")
    assert result["verdict"] == "contradicted"
    (evidence,) = result["evidence"]
    groups = {line.partition(":")[0] for line in evidence["value"].splitlines()}
    assert groups == {"rank 1", "ranks 0, 2-3"}


@pytest.fixture(scope="session")
def hung_job(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Job]:
    """Start the same, but rank 2 hangs, so the others wait for it in the rendezvous."""
    pytest.importorskip("torch")
    job = Job(tmp_path_factory.mktemp("job"))
    job.script(RANKS.format(**GLOO))
    flags = ("verify", "run", "--manifest", "patched.toml", "--keep", "kept")
    child = subprocess.Popen(
        [*COMMAND, *flags, "--", *LAUNCHER, "job.py"],
        cwd=job.root,
        env={**os.environ, "PYTHONPATH": str(job.root / "site"), "HANGS": "2"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    yield job
    child.send_signal(signal.SIGTERM)
    child.wait(timeout=60)


def test_a_hung_rank_is_named_while_the_job_hangs(hung_job: Job) -> None:
    while len(list((hung_job.root / "kept").rglob("*.rank[013].program.*"))) < 3:
        time.sleep(0.1)  # until those that do not hang are there
    flags = ("--manifest", "patched.toml", "--world-size", "4", "--timeout", "3")
    found = ranks(hung_job, "kept", *flags)
    assert found.one("rank 2", "patched is loaded")["seen"] == "not imported so far"
    assert found.verdicts(MODULE) == {
        "rank 0": "proven",
        "rank 1": "contradicted",
        "rank 3": "contradicted",
    }
    assert found.one("rank 3", MODULE)["seen"].endswith("(while it ran)")


def test_ranks_meet_without_torchrun(job: Job) -> None:
    pytest.importorskip("torch")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [*COMMAND, "verify", "ranks", "--store", f"127.0.0.1:{port}", "--world-size", "2"]
    command += ["--manifest", "patched.toml", "--output-format", "json", "--rank"]
    children = [
        subprocess.Popen(
            [*command, str(rank)],
            cwd=job.root,
            env={**os.environ, "PYTHONPATH": str(job.root / folder)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank, folder in enumerate(("site", "stock"))
    ]
    told = [child.communicate(timeout=100)[0] for child in children]
    assert [child.returncode for child in children] == [1, 1]
    assert not told[1]
    results = json.loads(told[0])["results"]
    verdicts = {it["subject"][:6]: it["verdict"] for it in results if MODULE in it["claim"]}
    assert verdicts == {"rank 0": "proven", "rank 1": "contradicted"}


def test_under_torchrun_even_the_first_rank_may_hang(job: Job) -> None:
    pytest.importorskip("torch")
    hang = "import os, time\nif os.environ.get('RANK') == '0':\n    time.sleep(600)\n"
    job.write("site/sitecustomize.py", hang)
    launcher = [*LAUNCHER[:-1], "2", "-m", "rocmlint", "verify", "ranks"]
    flags = ["--manifest", "patched.toml", "--timeout", "15"]
    report = ["--output", "report.json", "--output-format", "json"]
    ran = subprocess.run(
        [*launcher, *flags, *report],
        cwd=job.root,
        env={**os.environ, "PYTHONPATH": str(job.root / "site")},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    found = Results(ran, job.read("report.json"))
    assert ran.returncode == 1  # torchrun's own, whatever the ranks gave
    assert found.one("rank 0", "is there")["verdict"] == "unproven"
    assert found.verdicts(MODULE) == {"rank 1": "proven"}


def test_a_program_can_bear_witness_without_a_launcher(job: Job) -> None:
    job.script("""
        import os, patched
        from rocmlint import bear_witness
        patched.f = bear_witness
        bear_witness("kept", manifest="patched.toml")
        os._exit(0)
        """)
    subprocess.run(
        [sys.executable, "job.py"],
        cwd=job.root,
        env={**os.environ, "PYTHONPATH": str(job.root / "site"), "RANK": "0", "WORLD_SIZE": "1"},
        check=True,
    )
    result = ranks(job, "kept", "--manifest", "patched.toml").one("rank 0", MODULE)
    assert result["verdict"] == "contradicted"
    assert result["seen"].endswith("(at its end)")


# Usage


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing",), "missing: cannot be read"),
        ((".",), "contains no witness"),
        ((), "requires a directory of witnesses"),
        (("--store", "nowhere"), "must be HOST:PORT"),
        (("--store", "localhost:1"), "--rank R"),
        (("--store", "localhost:1", "--rank", "2", "--world-size", "2"), "is out of range for 2"),
        ((".", "--rank", "1"), "use either"),
        ((".", "--world-size", "0"), "at least 1"),
    ],
)
def test_wrong_usage_is_one_line(
    project: Project, arguments: tuple[str, ...], message: str
) -> None:
    ran = project.run("verify", "ranks", *arguments)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_without_torch_the_store_is_refused_in_one_line(project: Project) -> None:
    project.write("torch.py", "raise ImportError('no torch here')\n")
    flags = ("--store", "localhost:1", "--rank", "1", "--world-size", "2")
    ran = project.run("verify", "ranks", *flags)
    assert ran.returncode == 2
    assert "requires torch" in ran.stderr


def test_ranks_imports_no_torch_by_itself(project: Project) -> None:
    code = "import sys; import rocmlint.cli.verify.ranks as _; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=project.root)
