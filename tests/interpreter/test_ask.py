"""Asking another interpreter: whatever it does, there is an answer or one clear line."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from rocmlint.interpreter.ask import Interpreter, InterpreterError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

pytestmark = pytest.mark.slow


def loads(module: str, folder: Path, **options: object) -> dict[str, object]:
    """Ask whether a module of a folder can be imported."""
    interpreter = Interpreter(environment={"PYTHONPATH": str(folder)}, **options)  # type: ignore[arg-type]
    answer: dict[str, object] = interpreter.ask("job.loads", {"module": module})
    return answer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fine.py").write_text("print('hello from the package')\n__version__ = '1.2'\n")
    (tmp_path / "failing.py").write_text("raise OSError('libamdhip64.so.7: cannot open')\n")
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit('no GPU found')\n")
    (tmp_path / "crashing.py").write_text("import os, signal\nos.kill(os.getpid(), 11)\n")
    (tmp_path / "hanging.py").write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open(__file__ + '.pid', 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    return tmp_path


def test_what_the_package_prints_is_no_part_of_the_answer(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = loads("fine", folder)
    assert (answer["error"], answer["version"]) == (None, "1.2")
    assert capfd.readouterr() == ("", "hello from the package\n")


def test_how_far_a_long_task_has_come_is_shown(folder: Path) -> None:
    (folder / "long.py").write_text(
        "import time\n"
        "from rocmlint_inside.progress import report\n"
        "report('step 3 of 50')\n"
        "time.sleep(2.5)\n"
    )
    shown: list[str] = []
    interpreter = Interpreter(environment={"PYTHONPATH": str(folder)})
    interpreter.ask("job.loads", {"module": "long"}, shown.append)
    assert shown
    assert set(shown) == {"step 3 of 50"}


def test_an_import_that_fails_is_an_answer(folder: Path) -> None:
    assert loads("failing", folder)["error"] == "OSError: libamdhip64.so.7: cannot open"


def test_a_package_that_ends_the_interpreter_is_told_with_its_last_words(folder: Path) -> None:
    with pytest.raises(InterpreterError, match="ended without an answer: no GPU found"):
        loads("leaving", folder)


def test_a_package_that_crashes_the_interpreter_is_told_with_the_signal(folder: Path) -> None:
    with pytest.raises(InterpreterError, match="was killed by SIGSEGV without an answer"):
        loads("crashing", folder)


def test_a_package_that_hangs_is_ended_with_all_that_it_started(folder: Path) -> None:
    with pytest.raises(InterpreterError, match="did not answer within 3 s"):
        loads("hanging", folder, timeout=3.0)
    pid = int((folder / "hanging.py.pid").read_text())
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and is_running(pid):
        time.sleep(0.05)
    assert not is_running(pid)


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("python", ["/no/such/python", os.devnull, "/"])
def test_an_interpreter_that_cannot_be_started_is_named(python: str) -> None:
    with pytest.raises(InterpreterError, match=f"--python {python}: cannot be started"):
        Interpreter(python).ask("job.loads", {"module": "os"})


def test_what_is_no_python_is_told_with_what_it_printed() -> None:
    with pytest.raises(InterpreterError, match="ended without an answer"):
        Interpreter("/bin/echo").ask("job.loads", {"module": "os"})


def test_what_prints_without_end_is_told_in_a_line(folder: Path) -> None:
    (folder / "sitecustomize.py").write_text("while True:\n    print('y' * 10_000)\n")
    with pytest.raises(InterpreterError) as raised:
        loads("fine", folder)
    assert str(raised.value) == f"{sys.executable} printed more than 50,000,000 bytes"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("[" * 100_000, "its answer is not JSON: maximum recursion depth exceeded"),
        ("\\377", "its answer is not JSON: 'utf-8' codec can't decode"),
        ("5", "its answer is not one to the question: "),
        ('{"error": 5}', "its answer is not one to the question: "),
        ('{"answer": {"error": 5}}', "its answer is not one to the question: "),
    ],
)
def test_an_answer_that_somebody_else_wrote_is_told_in_a_line(
    tmp_path: Path, answer: str, said: str
) -> None:
    python = tmp_path / "python"
    written = tmp_path / "written"
    written.write_text(answer)
    python.write_text(f'#!/bin/sh\nprintf "$(cat \'{written}\')" > "$5"\n')
    python.chmod(0o755)
    with pytest.raises(InterpreterError) as raised:
        Interpreter(str(python)).ask("job.loads", {"module": "os"}, shape={"error": str})
    assert str(raised.value).startswith(f"{python}: {said}")
    assert len(str(raised.value).splitlines()) == 1


def test_the_working_folder_comes_first_as_under_python_m(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    request = {"modules": ["fine"], "files": [], "call": None}
    assert Interpreter().ask("job.loaded", request)["failed"] == {}


def test_the_interpreter_needs_no_rocmlint(folder: Path) -> None:
    bare = Interpreter(sys.executable, environment={"PYTHONPATH": str(folder)})
    assert bare.ask("imports.defined", {"targets": [("fine", "main")]})[0]["found"]


def test_a_module_that_nests_too_deeply_is_found_without_its_lines(folder: Path) -> None:
    (folder / "deep.py").write_text(f"def main(): ...\nx = {'-' * 90_000}1\n")
    bare = Interpreter(environment={"PYTHONPATH": str(folder)})
    (told,) = bare.ask("imports.defined", {"targets": [("deep", "main")]})
    assert (told["found"], told["line"]) == (True, None)


def test_a_hanging_package_hides_no_other_claim(project: Project, folder: Path) -> None:
    installed = folder / "site-packages"
    installed.mkdir()
    (installed / "aiter.py").write_text((folder / "hanging.py").read_text())
    (installed / "xformers.py").write_text("__version__ = '0.1'\n")
    project.write("job.py", "import aiter\nimport xformers\n")
    done = project.run("verify", "job.py", "--timeout", "3", PYTHONPATH=str(installed))
    assert done.returncode == 3
    assert "1 proven, 0 contradicted, 1 unproven." in done.stdout
