"""``rocmlint verify run``: however a Python process is started, it has a witness or is named."""

from __future__ import annotations

import sys

import pytest

from rocmlint.verify.job.processes import isolation
from tests.support.verify_jobs import MODULE, Job, Watched, python_of

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("run")]


@pytest.fixture(scope="session")
def every_start(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """Run a job with every way to start a Python process."""
    job = Job(tmp_path_factory.mktemp("job"))
    job.script("""
        import multiprocessing, os, subprocess, sys

        def work(_):
            import patched
            return os.getpid()

        if __name__ == "__main__":
            for how in ("fork", "spawn", "forkserver"):
                pool = multiprocessing.get_context(how).Pool(1)
                pool.map(work, [0])
                pool.close()
                pool.join()
            python = [sys.executable, "-c"]
            subprocess.run([*python, "import patched"])
            subprocess.run([*python, "import patched, os; os._exit(0)"])
            subprocess.run([*python, "import patched, os; os.kill(os.getpid(), 9)"])
            import patched
            child = os.fork()
            if not child:
                os._exit(0)
            os.wait()
        """)
    return job.watch()


@pytest.mark.parametrize(("how", "count"), [("program", 4), ("spawn", 1), ("forkserver", 1)])
def test_each_started_process_has_a_witness_of_the_module(
    every_start: Watched, how: str, count: int
) -> None:
    found = every_start.started(how)
    assert len(found) == count
    assert all("patched" in each["modules"] for each in found)


def test_forks_have_a_witness_of_their_own(every_start: Watched) -> None:
    found = every_start.started("fork")
    pids = {each["pid"] for each in every_start.witnesses}
    assert len(found) == 2
    assert all("patched" in each["modules"] and each["parent"] in pids for each in found)


def test_helpers_of_multiprocessing_are_seen_too(every_start: Watched) -> None:
    assert every_start.started("forkserver server")
    assert every_start.started("resource tracker")


def test_children_that_leave_by_os_exit_are_seen_again_at_their_end(every_start: Watched) -> None:
    found = [*every_start.started("spawn"), *every_start.started("forkserver")]
    moments = [each["moment"] for each in found]
    assert moments == ["exit", "exit"]


def test_a_process_that_kills_itself_is_seen_before(every_start: Watched) -> None:
    (killed,) = [each for each in every_start.witnesses if "9)" in str(each["command"])]
    assert killed["moment"] == "signal"
    result = next(each for each in every_start.named(str(killed["pid"])))
    assert result["verdict"] == "proven"
    assert result["seen"].endswith("(right before a signal ended it)")


def test_all_processes_of_a_right_job_are_proven(every_start: Watched) -> None:
    assert every_start.ran.returncode == 0
    assert every_start.verdicts(MODULE) == ["proven"] * 8


# Processes that no witness gets into


UNSEEN = {
    "-I": "[sys.executable, '-I', *wait]",
    "-E": "[sys.executable, '-E', *wait]",
    "-S": "[sys.executable, '-S', *wait]",
    "combined": "[sys.executable, '-Bsu', '-X', 'dev', '-bE', *wait]",
}


@pytest.fixture(scope="session")
def unseen(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """Run a job with the processes that no witness gets into."""
    job = Job(tmp_path_factory.mktemp("job"))
    commands = ", ".join(UNSEEN.values())
    job.script(f"""
        import os, subprocess, sys
        wait = ["-c", "import time; time.sleep(0.5)"]
        children = [subprocess.Popen(each) for each in ({commands})]
        children.append(subprocess.Popen([sys.executable, *wait, "cleared"], env={{}}))
        changed = {{**os.environ, "PYTHONPATH": "elsewhere"}}
        children.append(subprocess.Popen([sys.executable, *wait, "changed"], env=changed))
        no_user_site = {{**os.environ, "PYTHONNOUSERSITE": "1"}}
        children.append(subprocess.Popen([sys.executable, "-s", *wait], env=no_user_site))
        children.append(subprocess.Popen(["sleep", "0.5"]))
        for child in children:
            child.wait()
        """)
    return job.watch()


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        (" -I ", "-I makes Python ignore"),
        (" -E ", "-E makes Python ignore"),
        (" -S ", "-S makes Python ignore"),
        (" -bE ", "-E makes Python ignore"),
        ("cleared", "its own environment"),
        ("changed", "PYTHONPATH was changed"),
    ],
)
def test_a_process_that_no_witness_gets_into_is_named(
    unseen: Watched, mark: str, reason: str
) -> None:
    (result,) = [
        each
        for each in unseen.results
        if any(it["name"] == "command" and mark in it["value"] for it in each["evidence"])
    ]
    assert result["verdict"] == "unproven"
    assert reason in result["reason"]


def test_no_other_process_is_said_to_be_unseen(unseen: Watched) -> None:
    assert len(unseen.verdicts("is watched")) == 6


def test_what_an_unseen_process_loaded_is_open(unseen: Watched) -> None:
    assert unseen.verdicts("patched is loaded") == ["unproven"]


@pytest.mark.parametrize(
    ("command", "flag"),
    [
        ("python -I x.py", "-I"),
        ("python -uS x.py", "-S"),
        ("python -W error -E x.py", "-E"),
        ("python -Xdev -I", "-I"),
        ("python --check-hash-based-pycs always -I x.py", "-I"),
        ("python x.py -I", None),
        ("python -m job -I", None),
        ("python -c pass -I", None),
        ("python -WI x.py", None),
        ("python -s x.py", None),
        ("python - -I", None),
        ("python", None),
    ],
)
def test_flags_that_keep_a_witness_out(command: str, flag: str | None) -> None:
    assert isolation(command.split()) == flag


# Other interpreters


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13"])
def test_other_interpreters_have_witnesses_too(job: Job, version: str) -> None:
    job.script("""
        import multiprocessing

        def work():
            import patched

        if __name__ == "__main__":
            child = multiprocessing.get_context("forkserver").Process(target=work)
            child.start()
            child.join()
        """)
    watched = job.watch(python_of(version), "job.py")
    (result,) = watched.named("forkserver")
    assert result["verdict"] == "proven"
    assert result["seen"].endswith("(at its end)")


def test_an_interpreter_that_is_too_old_is_told(job: Job) -> None:
    watched = job.watch(python_of("3.8"), "-c", "print('runs')")
    assert watched.ran.stdout == "runs\n"
    assert "needs Python 3.9" in watched.one("is watched")["seen"]


# torchrun


@pytest.fixture(scope="session")
def torch_job(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """Run two ranks, in each a DataLoader with a spawned worker and a forkserver pool."""
    pytest.importorskip("torch")
    job = Job(tmp_path_factory.mktemp("job"))
    job.script("""
        import multiprocessing

        class Numbers:
            def __len__(self):
                return 2

            def __getitem__(self, index):
                import patched
                return patched.f()

        def work(_):
            import patched
            return patched.f()

        if __name__ == "__main__":
            import patched
            from torch.utils.data import DataLoader

            loader = DataLoader(Numbers(), num_workers=1, multiprocessing_context="spawn")
            assert [int(each) for each in loader] == [2, 2]
            with multiprocessing.get_context("forkserver").Pool(1) as pool:
                assert pool.map(work, [0]) == [2]
        """)
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    return job.watch(sys.executable, *launcher, "job.py")


@pytest.mark.parametrize("how", ["program", "spawn", "forkserver"])
def test_both_ranks_of_torchrun_and_their_children_have_a_witness(
    torch_job: Watched, how: str
) -> None:
    found = [each for each in torch_job.started(how) if "patched" in each["modules"]]
    told = sorted((each["rank"], each["local_rank"], each["world_size"]) for each in found)
    assert told == [(0, 0, 2), (1, 1, 2)]


def test_the_agent_of_torchrun_has_a_witness_without_a_rank(torch_job: Watched) -> None:
    agents = [each for each in torch_job.started("program") if each["rank"] is None]
    assert [each["modules"] for each in agents] == [{}]


def test_every_process_of_torchrun_is_proven(torch_job: Watched) -> None:
    assert torch_job.ran.returncode == 0, torch_job.results
    assert torch_job.verdicts(MODULE) == ["proven"] * 6
