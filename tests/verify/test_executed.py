"""``verify live --executed``: which functions of a module really ran."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.live import evidence, manifest
from tests.verify.test_live_stock import PYTHONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project

    Executed = Callable[..., dict[str, dict[str, Any]]]

pytestmark = pytest.mark.slow

MODULE = """\
def used(a):
    return [inner() for inner in (lambda: a,)]
def unused():
    return 2
class C:
    def used(self):
        def below():
            return 1
        return below()
    async def later(self):
        return 1
    def steps(self):
        yield 1
"""


@pytest.fixture(params=PYTHONS)
def executed(request: pytest.FixtureRequest, project: Project) -> Executed:
    """Run a call in a project with one of the interpreters; give the results by subject."""
    project.write("m.py", MODULE)

    def run(text: str, *arguments: str) -> dict[str, dict[str, Any]]:
        project.write("prog.py", text)
        ran = project.run(
            *("verify", "live", "m", "--executed", "--call", "prog:run", "--output-format", "json"),
            *("--python", request.param, *arguments),
        )
        assert ran.returncode in {0, 1, 3}, ran.stderr
        return {each["subject"]: each for each in json.loads(ran.stdout)["results"]}

    return run


def test_the_functions_that_ran_are_told_from_those_that_did_not(executed: Executed) -> None:
    results = executed("import m\ndef run():\n    m.used(1)\n    m.C().used()\n    m.used(2)\n")
    assert (results["m"]["verdict"], results["m"]["strength"]) == ("proven", "executed")
    assert evidence(results["m"], "ran") == "used\nC.used\nC.used.<locals>.below"
    assert evidence(results["m"], "never ran") == "unused\nC.later\nC.steps"
    assert results["prog:run"]["verdict"] == "proven"


def test_the_names_are_told_to_people_too(project: Project) -> None:
    project.write("m.py", MODULE)
    project.write("prog.py", "import m\ndef run():\n    m.used(1)\n")
    ran = project.run("verify", "live", "m", "--executed", "--call", "prog:run")
    last = (
        "\nm\n  ran: used\n  never ran: unused, C.used, C.used.<locals>.below, C.later, C.steps\n"
    )
    assert ran.stdout.endswith(last)


def test_code_that_is_live_but_not_used_is_unproven(executed: Executed) -> None:
    results = executed("import m\nm.used(1)\ndef run():\n    pass\n")
    assert (results["m"]["verdict"], results["m"]["strength"]) == ("unproven", "live")
    assert "prog:run ran none of its functions" in results["m"]["reason"]


def test_coroutines_generators_and_threads_are_seen(executed: Executed) -> None:
    results = executed(
        "import m, threading\nasync def run():\n    await m.C().later()\n    list(m.C().steps())\n"
        "    thread = threading.Thread(target=m.unused)\n    thread.start()\n    thread.join()\n"
    )
    assert evidence(results["m"], "ran") == "unused\nC.later\nC.steps"


def test_a_call_that_fails_is_unproven_and_what_ran_is_told(executed: Executed) -> None:
    results = executed("import m\ndef run():\n    m.used(1)\n    raise SystemExit('no GPU')\n")
    assert results["prog:run"]["verdict"] == "unproven"
    assert results["prog:run"]["reason"].startswith("SystemExit: no GPU")
    assert evidence(results["m"], "ran") == "used"


@pytest.mark.parametrize("text", ["run = 3\n", "walk = 1\n", "import nothere\n"])
def test_what_cannot_be_called_is_unproven(text: str, executed: Executed) -> None:
    results = executed(text)
    assert [each["verdict"] for each in results.values()] == ["unproven", "unproven"]


def test_the_replacement_of_a_function_is_not_taken_for_it(executed: Executed) -> None:
    results = executed("import m\nm.used = lambda a: a\ndef run():\n    m.used(1)\n")
    assert results["m"]["verdict"] == "contradicted"
    assert evidence(results["m"], "ran") == ""


def test_a_running_profiler_is_told(executed: Executed) -> None:
    results = executed(
        "import m, sys\n"
        "if hasattr(sys, 'monitoring'):\n"
        "    for tool in range(6):\n"
        "        sys.monitoring.use_tool_id(tool, 'other')\n"
        "else:\n"
        "    sys.setprofile(lambda *a: None)\n"
        "def run():\n    m.used(1)\n"
    )
    assert results["prog:run"]["verdict"] == "unproven"
    assert results["prog:run"]["reason"].startswith("nothing can be watched: ")


def test_each_file_of_a_manifest_needs_a_function_that_ran(project: Project) -> None:
    project.write("pack/__init__.py", "")
    project.write("pack/one.py", MODULE)
    project.write("pack/two.py", MODULE)
    project.write("overlay/pack/two.py", MODULE)
    project.write("prog.py", "from pack import one\ndef run():\n    one.used(1)\n")
    path = manifest(project, "pack/one.py", MODULE)
    ran = project.run(
        *("verify", "live", "--manifest", path, "--executed", "--call", "prog:run"),
        *("--output-format", "json"),
    )
    results = {each["subject"]: each for each in json.loads(ran.stdout)["results"]}
    assert (results["pack.one"]["verdict"], results["pack.two"]["verdict"]) == (
        "proven",
        "unproven",
    )
    assert ran.returncode == 3


def test_watching_again_sees_what_runs_again() -> None:
    text = (
        "from rocmlint.interpreter.inside.live import executed\n"
        "def f(): pass\n"
        "for _ in range(2):\n"
        "    executed.start(); executed.start(); f(); executed.stop(); executed.stop()\n"
        "print([each.co_name for each in executed.ran([f.__code__.co_filename])])\n"
    )
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ran.stdout == "['f']\n"
