"""Bad weather: full disks, signals, odd interpreters and packages; one line, and nothing left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from rocmlint.interpreter.ask import Interpreter, InterpreterError
from rocmlint.interpreter.inside import write_json
from tests.interpreter.test_ask import is_running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.project import Project

pytestmark = pytest.mark.slow

VERBS_THAT_ASK = [("live", "json"), ("stock", "pytest"), ("variables",)]


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """Yield a disk with room for one small file."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(disk)]
    if not sys.platform.startswith("linux") or subprocess.run(mount, check=False).returncode:
        pytest.skip("needs the right to mount a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def wait_for(path: Path) -> str:
    """Wait until a file has been written."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if path.exists() and path.read_text():
            return path.read_text()
        time.sleep(0.02)
    pytest.fail(f"{path} was not written")


@pytest.mark.parametrize("verb", VERBS_THAT_ASK)
def test_a_full_temporary_folder_is_one_line(
    project: Project, full: Path, verb: tuple[str, ...]
) -> None:
    done = project.run("verify", *verb, "--python", sys.executable, TMPDIR=str(full))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("cannot be written: No space left on device\n")


def test_a_full_folder_of_witnesses_is_one_line_and_nothing_stays_there(
    project: Project, full: Path
) -> None:
    done = project.run("verify", "run", "--keep", str(full), "--", sys.executable, "-c", "pass")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "No space left on device" in done.stderr
    assert list(full.iterdir()) == []


def test_json_that_cannot_be_written_leaves_nothing_behind(full: Path) -> None:
    with pytest.raises(OSError, match="No space left"):
        write_json(str(full / "answer"), "x" * 10_000)
    assert list(full.iterdir()) == []


def test_a_report_that_cannot_be_written_is_printed(project: Project) -> None:
    command = (sys.executable, "-c", "pass")
    done = project.run("verify", "run", "--output", "no/such/report", "--", *command)
    assert done.returncode == 2
    assert "ends with exit code 0" in done.stdout
    assert (
        done.stderr
        == "error: --output no/such/report: cannot be written: No such file or directory\n"
    )


@pytest.mark.parametrize("limit", ["-1", "nan", "soon", ""])
@pytest.mark.parametrize("verb", [("live", "json"), ("run",), ("ranks", ".")])
def test_what_is_no_time_limit_is_refused(
    project: Project, verb: tuple[str, ...], limit: str
) -> None:
    done = project.run("verify", *verb, f"--timeout={limit}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: argument --timeout: {limit!r} is not a valid number of seconds\n"


@pytest.mark.parametrize("limit", ["1e300", "inf"])
def test_a_time_limit_may_be_for_ever(project: Project, limit: str) -> None:
    assert project.code("verify", "live", "json", "--timeout", limit) == 0


@pytest.mark.parametrize(
    "stays",
    [
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n",
        "import os, time\nif os.fork() == 0:\n    time.sleep(600)\n",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(20)\n",
    ],
    ids=["thread", "fork", "daemon"],
)
def test_an_answer_counts_though_something_of_the_package_stays(
    project: Project, stays: str
) -> None:
    project.write("lasting.py", stays)
    assert (
        Interpreter(timeout=15, environment={"PYTHONPATH": str(project.root)}).ask(
            "job.loads", {"module": "lasting"}
        )["error"]
        is None
    )


def test_an_interpreter_that_leaves_silently_is_told_with_its_exit_code(project: Project) -> None:
    project.write("leaving.py", "import os\nos._exit(7)\n")
    with pytest.raises(InterpreterError, match=r"printed nothing \(exit code 7\)"):
        Interpreter(environment={"PYTHONPATH": str(project.root)}).ask(
            "job.loads", {"module": "leaving"}
        )


def test_a_broken_start_of_python_is_told_with_the_error_first(project: Project) -> None:
    project.write("sitecustomize.py", "raise SystemExit('no licence')\n")
    with pytest.raises(InterpreterError) as caught:
        Interpreter(environment={"PYTHONPATH": str(project.root)}).ask(
            "job.loads", {"module": "json"}
        )
    assert "without an answer: SystemExit: no licence" in str(caught.value).splitlines()[0]


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.8"])
def test_an_old_python_is_named(version: str) -> None:
    where = os.path.expanduser("~/.pyenv/versions")
    names = os.listdir(where) if os.path.isdir(where) else []
    found = [each for each in names if each.startswith(f"{version}.")]
    if not found:
        pytest.skip(f"needs Python {version}")
    with pytest.raises(InterpreterError, match=rf"3\.9 or later, this is {version}"):
        Interpreter(os.path.join(where, found[0], "bin", "python")).ask(
            "job.loads", {"module": "os"}
        )


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_leaves_no_child_and_no_folder(
    project: Project, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int
) -> None:
    scratch = project.root / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    project.write("hanging.py", HANGING)
    child = project.start("verify", "live", "hanging")
    inside = int(wait_for(project.root / "pid"))
    child.send_signal(number)
    child.send_signal(number)
    _, errors = child.communicate(timeout=20)
    assert (child.returncode, "Traceback" in errors) == (code, False)
    assert list(scratch.iterdir()) == []
    assert not is_running(inside)


def test_a_killed_rocmlint_leaves_no_child(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(project.root))  # whose folder nobody can remove then
    project.write("hanging.py", HANGING)
    child = project.start("verify", "live", "hanging")
    inside = int(wait_for(project.root / "pid"))
    child.kill()
    child.communicate(timeout=20)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and is_running(inside):
        time.sleep(0.05)
    assert not is_running(inside)


HANGING = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("verb", [("live", "loud"), ("kernels", "--arch", "gfx942", ".")])
def test_a_full_stderr_hides_no_results(project: Project, verb: tuple[str, ...]) -> None:
    project.write("loud.py", "print('loud')\n\n\ndef f():\n    pass\n")
    command = [sys.executable, "-m", "rocmlint", "verify", *verb]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command, cwd=project.root, stdout=subprocess.PIPE, stderr=full, text=True, check=False
        )
    assert done.returncode == project.code("verify", *verb)
    assert done.stdout


@pytest.mark.parametrize("verb", ["dtype", "probe"])
def test_an_error_of_the_users_code_is_told_without_frames_of_rocmlint(
    project: Project, verb: str
) -> None:
    pytest.importorskip("torch")
    project.write("failing.py", "def run():\n    raise ValueError('no weights')\n")
    done = project.run("verify", verb, "failing:run")
    assert (done.returncode, done.stdout) == (2, "")
    assert "ValueError: no weights\n" in done.stderr
    assert f'File "{project.root / "failing.py"}", line 2, in run' in done.stderr
    assert "inside" not in done.stderr


def test_what_is_no_model_is_one_line(project: Project) -> None:
    pytest.importorskip("torch")
    project.write("wrong.py", "def make():\n    return 5\n")
    done = project.run("verify", "dtype", "wrong:make", "--python", sys.executable)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "wrong:make returned int" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_a_manifest_that_never_ends_is_one_line(project: Project) -> None:
    done = project.run("verify", "patches", "--manifest", "/dev/zero")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr == "error: /dev/zero: cannot be read: not a regular file\n"
