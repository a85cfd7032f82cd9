"""``rocmlint why -- COMMAND``: the job runs as it would alone; its failure is explained."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from rocmlint.cli.why.job import run_job
from rocmlint.errors import ConfigError
from tests.support.environments import Environment
from tests.support.project import COMMAND
from tests.support.tools import program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a job is watched on Linux")
FAILS = "raise ImportError(\"cannot import name 'a' from 'b'\")"
ANSWER = "why: ImportError: cannot import name 'a' from 'b'  unknown"


def test_output_is_passed_on_unchanged_and_the_answer_is_on_stderr(project: Project) -> None:
    code = f"import os; os.write(1, b'\\x00\\xffout\\r'); os.write(2, b'err\\n'); {FAILS}"
    alone = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    ran = subprocess.run(
        [*COMMAND, "why", "--", sys.executable, "-c", code],
        cwd=project.root,
        capture_output=True,
        check=False,
    )
    assert ran.stdout == alone.stdout
    assert ran.stderr.startswith(alone.stderr)
    assert ANSWER in ran.stderr[len(alone.stderr) :].decode()
    assert ran.returncode == alone.returncode == 1


def test_a_job_that_succeeds_prints_nothing_more(project: Project) -> None:
    ran = project.run("why", "--", sys.executable, "-c", "print('ImportError: not really')")
    assert (ran.stdout, ran.stderr, ran.returncode) == ("ImportError: not really\n", "", 0)


@pytest.mark.parametrize(("shell", "code"), [("exit 7", 7), ("kill -9 $$", 137), ("false", 1)])
def test_the_exit_code_is_that_of_the_job(shell: str, code: int, project: Project) -> None:
    assert project.run("why", "--", program("sh"), "-c", shell).returncode == code


def test_the_job_gets_standard_input_and_all_its_arguments(project: Project) -> None:
    ran = project.run("why", "--", "sh", "-c", 'cat; echo "$@"', "-", "--", "a b", stdin="given\n")
    assert ran.stdout == "given\n-- a b\n"


def test_output_comes_at_once(project: Project) -> None:
    code = "import time; print('first', flush=True); time.sleep(60)"
    job = project.start("why", "--", sys.executable, "-c", code)
    assert job.stdout is not None
    assert job.stdout.readline() == "first\n"
    assert job.poll() is None
    os.killpg(job.pid, signal.SIGINT)
    job.communicate(timeout=60)


def test_ctrl_c_ends_the_job_without_an_answer(project: Project) -> None:
    code = "import time; print('ready', flush=True); time.sleep(60)"
    job = project.start("why", "--", sys.executable, "-c", code)
    assert job.stdout is not None
    job.stdout.readline()
    os.killpg(job.pid, signal.SIGINT)
    _, said = job.communicate(timeout=60)
    assert job.returncode == 130
    assert "KeyboardInterrupt" in said
    assert "why:" not in said


def test_on_a_terminal_the_job_has_one_too(project: Project) -> None:
    terminal, given = pty.openpty()
    code = "import os; print(os.isatty(1), os.isatty(2), os.get_terminal_size(1).columns)"
    subprocess.run(
        [*COMMAND, "why", "--", sys.executable, "-c", code],
        cwd=project.root,
        stdout=given,
        stderr=given,
        check=True,
    )
    os.close(given)
    assert os.read(terminal, 1000) == b"True True 0\r\n"
    os.close(terminal)


def test_what_nobody_reads_ends_the_job(project: Project) -> None:
    code = "import itertools\nfor each in itertools.count(): print(each)"
    job = project.start("why", "--", sys.executable, "-c", code)
    assert job.stdout is not None
    job.stdout.readline()
    job.stdout.close()
    began = time.monotonic()
    job.wait(timeout=60)
    assert time.monotonic() - began < 50


def test_a_process_that_is_left_behind_is_not_waited_for(project: Project) -> None:
    began = time.monotonic()
    ran = project.run("why", "--", "sh", "-c", "sleep 30 & echo done")
    assert ran.stdout == "done\n"
    assert time.monotonic() - began < 20


def test_much_output_is_passed_on_and_the_error_in_it_found(project: Project) -> None:
    code = f"for each in range(300_000): print('step', each)\n{FAILS}"
    ran = project.run("why", "--", sys.executable, "-c", code)
    assert len(ran.stdout.splitlines()) == 300_000
    assert ANSWER in ran.stderr


def test_the_packages_are_those_of_the_process_that_failed(
    project: Project, tmp_path: Path
) -> None:
    environment = Environment(tmp_path / "venv")
    environment.install("torch", "2.4.1", {"torch/__init__.py": ""})
    project.write("extra/b/__init__.py", "")
    project.write("job.sh", f"PYTHONPATH=extra exec {environment.python} -c 'from b import a'\n")
    ran = project.run("why", "--output-format", "json", "-o", "a.json", "--", "sh", "job.sh")
    assert ran.returncode == 1
    facts = {each["fact"]: each for each in json.loads(project.read("a.json"))["facts"]}
    assert facts["torch"]["value"] == "2.4.1"


def test_the_variables_are_those_of_the_job(project: Project) -> None:
    project.write(
        "job.sh",
        "export ROCR_VISIBLE_DEVICES=0 HIP_VISIBLE_DEVICES=1\n"
        f"exec {sys.executable} -c \"raise RuntimeError('HIP error: invalid device ordinal')\"\n",
    )
    assert "known (devices-filtered-twice)" in project.run("why", "--", "sh", "job.sh").stderr


LAUNCHER = """\
import os, subprocess, sys
ranks = [
    subprocess.Popen([sys.executable, "job.py"], env={**os.environ, "RANK": str(rank)})
    for rank in range(2)
]
sys.exit(max([each.wait() for each in ranks]))
"""


def test_the_rank_that_failed_is_named(project: Project) -> None:
    project.write("launch.py", LAUNCHER)
    project.write("job.py", f"import os\nif os.environ['RANK'] == '1':\n    {FAILS}\n")
    ran = project.run("why", "--", sys.executable, "launch.py")
    assert "why: rank 1: ImportError" in ran.stderr


def test_a_job_is_watched_on_linux_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(ConfigError, match="requires Linux; elsewhere, pipe the output"):
        run_job(["true"], [])


@pytest.mark.slow
def test_torchrun(project: Project) -> None:
    pytest.importorskip("torch")
    project.write(
        "train.py",
        dedent("""\
            import time, torch.distributed as dist
            dist.init_process_group("gloo")
            if dist.get_rank() == 1:
                from json import no_such_name
            time.sleep(100)
            """),
    )
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    ran = project.run("why", "-o", "a.json", "--output-format", "json", "--", *launcher, "train.py")
    assert ran.returncode == 1
    first, *others = json.loads(project.read("a.json"))["input"]["exceptions"]
    assert (first["type"], first["rank"]) == ("ImportError", 1)
    assert [each["type"].rpartition(".")[2] for each in others] == ["ChildFailedError"]
