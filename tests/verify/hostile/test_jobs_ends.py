"""``rocmlint verify run``: however a process ends, its verdict is not better than what was seen.

Each case is a program of its own (tests/support/job_ends.py); one job starts them all.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.verify.job.watch import watch_of
from rocmlint.verify.job.witness_file import of_processes
from rocmlint.verify.job.witnesses import read
from rocmlint.verify.result import overall
from tests.support.job_ends import BEGIN, LOST, PROGRAMS, REPLACED, UNCHANGED
from tests.support.verify_jobs import MODULE, Job

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.verify.result import Result, Verdict
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("hostile_jobs")]

START = """
import os, subprocess, sys
running = []
for at in range({count}):
    environment = dict(os.environ)
    if at == {rank}:
        environment.update(RANK="0", WORLD_SIZE="1")
    running.append(subprocess.Popen([sys.executable, f"case{{at}}.py"], env=environment))
    if len(running) == 4:
        running.pop(0).wait()
for each in running:
    each.wait()
"""


class Cases:
    """What the job's witnesses say of each program and of the processes that it started."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._watch = watch_of([str(root / "patched.toml")], [])
        self._witnesses, problems = read(str(root / "kept"))
        assert not problems
        self._parents = {it.pid: it.facts.get("parent") for it in self._witnesses}
        self._roots = {
            it.pid: name
            for it in self._witnesses
            for at, name in enumerate(PROGRAMS)
            if f"case{at}.py" in it.command and it.start == "program"
        }

    def results(self, name: str) -> list[Result]:
        its = [each for each in self._witnesses if self._name(each.pid) == name]
        its.sort(key=lambda each: float(each.facts["began"]))
        return list(of_processes("run", its, self._watch))

    def _name(self, pid: int | None) -> str | None:
        while pid is not None and pid not in self._roots:
            pid = self._parents.get(pid)
        return None if pid is None else self._roots[pid]

    def verdict(self, name: str) -> Verdict:
        return overall(self.results(name))

    def was_right(self, name: str) -> bool:
        said = (self._root / f"said.{list(PROGRAMS).index(name)}").read_text()
        assert said
        return set(said) == {"2"}


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Cases:
    job = Job(tmp_path_factory.mktemp("ends"))
    for at, code in enumerate(PROGRAMS.values()):
        lines = code.strip("\n").splitlines()
        margin = len(lines[0]) - len(lines[0].lstrip())
        body = "\n".join(f"    {line[margin:]}" for line in lines)
        job.write(f"case{at}.py", BEGIN.replace("NAME", str(at)) + body + "\n")
    rank = list(PROGRAMS).index("restored in a rank after some seconds, replaced")
    job.script(START.format(count=len(PROGRAMS), rank=rank))
    assert job.watch().ran.returncode == 1
    return Cases(job.root)


@pytest.mark.verdict
@pytest.mark.parametrize("name", REPLACED)
def test_what_was_replaced_is_never_proven(cases: Cases, judged: Judged, name: str) -> None:
    name = f"{name}, replaced"
    assert not cases.was_right(name)
    judged("jobs", "broken", cases.verdict(name))


@pytest.mark.verdict
@pytest.mark.parametrize("name", UNCHANGED)
def test_what_was_not_changed_is_proven(cases: Cases, judged: Judged, name: str) -> None:
    assert cases.was_right(name)
    judged("jobs", "holds", cases.verdict(name))


@pytest.mark.verdict
@pytest.mark.parametrize("name", LOST)
def test_what_nobody_saw_is_unproven_and_says_why(cases: Cases, judged: Judged, name: str) -> None:
    name = f"{name}, lost"
    assert cases.was_right(name)
    judged("jobs", "holds", cases.verdict(name), needless=True)
    (result,) = cases.results(name)
    assert result.seen.endswith("its end was not seen")
    assert "last look" in result.reason


SEEN = [
    "os._exit",
    "posix._exit",
    "os.abort",
    "SIGKILL",
    "SIGTERM",
    "SIGTERM to its group",
    "a fork that leaves by os._exit",
    "a fork made by C code",
    "os.execv of another program",
    "os.execvp of another Python",
    "an exec that fails, then one that does not",
    "an atexit handler of the job",
    "a child that is terminated",
    "a child that is killed",
    "restored, but for a fork",
    "restored by a reload, but for a fork",
    "restored in a rank after some seconds",
]


@pytest.mark.parametrize("name", SEEN)
def test_what_a_look_saw_is_contradicted(cases: Cases, name: str) -> None:
    assert cases.verdict(f"{name}, replaced") == "contradicted"


def test_what_was_restored_is_told_with_both_moments(cases: Cases) -> None:
    results = cases.results("restored, but for a fork, replaced")
    (result,) = [it for it in results if "not so at its end" in it.seen]
    assert "put right before the last look" in result.reason


def test_a_process_that_became_another_program_has_two_results(cases: Cases) -> None:
    results = cases.results("os.execvp of another Python, replaced")
    assert [it.verdict for it in results if MODULE in it.claim] == ["contradicted", "proven"]


CALLS = """
import functools, inspect, multiprocessing, os, pickle, signal, subprocess, sys


class Exits:
    leave = os._exit


def shown(name, *arguments):
    try:
        getattr(os, name)(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def status(work):
    pid = os.fork()
    if not pid:
        work()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=os._exit, args=(4,))
    child.start()
    child.join()
    print(child.exitcode)
    print(pickle.loads(pickle.dumps(os._exit)) is os._exit, os._exit, callable(os._exit))
    print(os._exit.__name__, os._exit.__module__, inspect.signature(os.kill))
    print(shown("_exit", "x"), shown("_exit"), shown("execv", "/nowhere", ["x"]))
    print(shown("kill", 1 << 40, 9), shown("kill", os.getpid(), 0), shown("killpg", "x", 9))
    print(status(lambda: Exits().leave(5)), status(lambda: functools.partial(os._exit, 6)()))
    print(status(lambda: os._exit(status=7)), status(os.abort))
    print(status(lambda: os.kill(os.getpid(), signal.SIGTERM)))
    print(status(lambda: os.execlp("sh", "sh", "-c", "exit 8")), os.system("exit 9"))
    child = subprocess.Popen(["sleep", "60"])
    child.terminate()
    print(child.wait())
"""


def test_the_calls_that_are_watched_do_what_they_did(job: Job) -> None:
    job.script(CALLS)
    command = [sys.executable, "job.py"]
    alone = subprocess.run(command, cwd=job.root, capture_output=True, text=True, check=True)
    assert len(alone.stdout.splitlines()) == 10
    assert job.watch().ran.stdout == alone.stdout
