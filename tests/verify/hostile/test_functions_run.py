"""Functions that must be those of a file, in processes that run: calls, children, early ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.function_cases import DECO, OPS, VICTIM
from tests.support.verify_jobs import ranks

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.verdicts import Judged, Truth

pytestmark = [pytest.mark.verdict, pytest.mark.slow]

NAME = "victim.mod:f"
MANIFEST = f'version = 1\n[[function]]\nname = "{NAME}"\nfile = "ops.py"\n'
WRAP = """
    import functools, ops, victim.mod as m
    def wrap(function):
        @functools.wraps(function)
        def wrapper(*a):
            return {calls}
        return wrapper
    m.f = wrap(ops.fast)
    """
AROUND = """
    import ops, victim.mod as m
    class Around:
        def __init__(self, function):
            self.function = function
        def __call__(self, *a):
            return {calls}
    m.f = Around(ops.fast)
    """
RUN = "\n    def run():\n        m.f(0)\n"


@pytest.fixture
def job(project: Project) -> Project:
    project.write("site-packages/victim/__init__.py", "")
    project.write("site-packages/victim/mod.py", VICTIM)
    project.write("site-packages/deco/__init__.py", DECO)
    project.write("ops.py", OPS)
    project.write("m.toml", MANIFEST)
    return project


BACK = """
    import ops, victim.mod as m
    old, m.f = m.f, ops.fast
    def run():
        m.f(0)
        m.f = old
    """
INSTALL = "import ops, victim.mod as m\n    m.f = ops.fast"
LATER = "import ops, victim.mod as m\n    def run():\n        m.f = ops.fast\n        m.f(0)\n"
NOT_CALLED = INSTALL + "\n    def run(): pass"
BESIDE = WRAP.format(calls="1") + "\n    def run():\n        m.f(0)\n        ops.fast(0)\n"
BY_NAME = INSTALL + "\n    m.f = lambda *a: ops.fast(*a)" + RUN
BOUND = INSTALL + "\n    import functools\n    m.f = functools.partial(ops.fast, 1)" + RUN
EXECUTED: dict[str, tuple[str, Truth, str, str]] = {
    "plain": (INSTALL + RUN, "holds", "proven", ""),
    "not called": (NOT_CALLED, "open", "unproven", "did not run it"),
    "wrapper that calls it": (WRAP.format(calls="function(*a)") + RUN, "holds", "proven", ""),
    "wrapper that does not": (WRAP.format(calls="1") + RUN, "broken", "unproven", "prog.py"),
    "wrapper that does not, beside a direct call": (BESIDE, "broken", "unproven", "through there"),
    "object that calls it": (AROUND.format(calls="self.function(*a)") + RUN, "holds", "proven", ""),
    "object that does not": (AROUND.format(calls="1") + RUN, "broken", "unproven", "Around"),
    "called by name": (BY_NAME, "holds", "proven", ""),
    "bound arguments": (BOUND, "holds", "proven", ""),
    "installed by the call": (LATER, "holds", "proven", ""),
    "set back by the call": (BACK, "broken", "contradicted", "is the original"),
}


@pytest.mark.parametrize("case", EXECUTED.values(), ids=EXECUTED)
def test_a_call_decides(job: Project, case: tuple[str, Truth, str, str], judged: Judged) -> None:
    program, truth, verdict, said = case
    job.write("prog.py", textwrap.dedent("    " + program.strip("\n ")))
    ran = job.run(
        *("verify", "live", "prog", "--manifest", "m.toml", "--executed", "--call", "prog:run"),
        *("--output-format", "json"),
        PYTHONPATH=str(job.root / "site-packages"),
    )
    found = {each["subject"]: each for each in json.loads(ran.stdout)["results"]}[NAME]
    judged("functions", truth, found["verdict"])
    assert (found["verdict"], said in found["reason"]) == (verdict, True), found
    assert (found["strength"] == "executed") == (verdict == "proven")


START = "import os, sys, ops, victim.mod as m\n"
AT_EXIT = """
import atexit
old, m.f = m.f, ops.fast
atexit.register(lambda: setattr(m, 'f', old))
"""
THREAD = """
import threading
start = threading.Event()
thread = threading.Thread(target=lambda: (start.wait(), m.f(0)))
thread.start()
m.f = ops.fast
start.set()
thread.join()
"""
PROFILED = "import cProfile; m.f = ops.fast; cProfile.run('m.f(0)')"
UNSEEN = "import ctypes; ctypes.CDLL(None)._exit(0)"
"""An end that nothing in Python can see."""
JOBS: dict[str, tuple[str, Truth, str]] = {
    "to the end": ("m.f = ops.fast; m.f(0)", "holds", "proven"),
    "called by a thread": (THREAD, "holds", "proven"),
    "called in C": ("m.f = ops.fast; list(map(m.f, range(3000)))", "holds", "proven"),
    "under a profiler": (PROFILED, "holds", "proven"),
    "never called": ("m.f = ops.fast", "open", "unproven"),
    "called only before": ("m.f(0); m.f = ops.fast", "open", "unproven"),
    "set back": ("old = m.f; m.f = ops.fast; m.f = old", "broken", "contradicted"),
    "set back at exit": (AT_EXIT, "broken", "contradicted"),
    "killed by itself": ("m.f = ops.fast; m.f(0); os.kill(os.getpid(), 9)", "holds", "proven"),
    "left by os._exit": ("m.f = ops.fast; m.f(0); os._exit(0)", "holds", "proven"),
    "left without an end": (f"m.f = ops.fast; {UNSEEN}", "open", "unproven"),
    "never installed": ("", "broken", "contradicted"),
}


@pytest.mark.parametrize("case", JOBS.values(), ids=JOBS)
def test_the_end_of_a_process_counts(
    job: Project, case: tuple[str, Truth, str], judged: Judged
) -> None:
    program, truth, verdict = case
    job.write("job.py", f"{START}{program}\n")
    (found,) = of_functions(watched(job))
    judged("functions", truth, found["verdict"])
    assert found["verdict"] == verdict, found
    assert (found["strength"] == "executed") == (verdict == "proven"), found


def test_a_function_that_no_process_calls_would_run(job: Project) -> None:
    job.write("job.py", f"{START}m.f = ops.fast\n")
    (found,) = of_functions(watched(job))
    assert found["seen"].endswith("would run; was not called (at its end)")
    assert found["reason"] == f"a call of {NAME} would run it, but the job did not call it"
    assert "rocmlint verify live --manifest MANIFEST --executed --call" in found["action"]


RANK = """
m.f = ops.fast
if os.environ.get("RANK") == "0":
    m.f(0)
if "RANK" not in os.environ:
    import subprocess
    for rank in "01":
        variables = {**os.environ, "RANK": rank, "WORLD_SIZE": "2"}
        subprocess.run([sys.executable, "job.py"], env=variables)
"""


def test_each_rank_is_to_call_it(job: Project) -> None:
    job.write("job.py", START + RANK)
    found = {each["subject"][:6]: each["verdict"] for each in of_functions(watched(job))}
    assert (found["rank 0"], found["rank 1"]) == ("proven", "unproven")


def test_workers_that_do_not_call_it_would_run_it(job: Project) -> None:
    program = CHILD.format(how="fork", child="pass", parent="pass") + "    m.f(0)\n"
    job.write("job.py", textwrap.dedent(program))
    parent, worker = of_functions(watched(job))
    assert (parent["verdict"], worker["verdict"]) == ("proven", "proven")
    assert worker["claim"] == f"{NAME} would run the code of ops.py"


CHILD = """
    import multiprocessing, os, sys, victim.mod as m

    def child(old):
        {child}

    if __name__ == "__main__":
        import ops
        old, m.f = m.f, ops.fast
        {parent}
        one = multiprocessing.get_context("{how}").Process(target=child, args=(None,))
        one.start()
        one.join()
    """
CHILDREN: dict[str, tuple[str, str, Truth, str]] = {
    "a fork has it": ("fork", "assert m.f(0) == 'fast 1'", "holds", "proven"),
    "a fork replaces it": ("fork", "m.f = lambda *a: 1", "broken", "contradicted"),
    "a fork sets it back": ("fork", "m.f = m.TABLE['sdpa']", "broken", "contradicted"),
    "a spawned child has not": ("spawn", "m.f(0)", "broken", "unproven"),
    "a spawned child installs it": ("spawn", "import ops; m.f = ops.fast", "holds", "proven"),
    "a spawned child replaces it": ("spawn", "m.f = lambda *a: 1", "broken", "contradicted"),
}


@pytest.mark.parametrize("case", CHILDREN.values(), ids=CHILDREN)
def test_children_are_told_of_apart(
    job: Project, case: tuple[str, str, Truth, str], judged: Judged
) -> None:
    how, child, truth, verdict = case
    job.write("job.py", textwrap.dedent(CHILD.format(how=how, child=child, parent="m.f(0)")))
    found = of_functions(watched(job))
    (parent,) = [each for each in found if how not in each["subject"]]
    (its,) = [each for each in found if how in each["subject"]]
    judged("functions", truth, its["verdict"])
    assert (parent["verdict"], its["verdict"]) == ("proven", verdict), its


LAUNCHER = """
    import os, subprocess, sys, victim.mod
    sys.exit(subprocess.call([sys.executable, "job.py"]))
    """


@pytest.mark.parametrize("name", ["f", "marked"])
def test_an_installed_launcher_needs_no_replacement(
    job: Project, name: str, judged: Judged
) -> None:
    job.write("site-packages/launcher/__main__.py", textwrap.dedent(LAUNCHER))
    job.write("job.py", f"{START}m.{name} = ops.fast\nm.{name}(0)\n")
    job.write("m.toml", MANIFEST.replace("mod:f", f"mod:{name}"))
    found = watched(job, "-m", "launcher")
    judged("functions", "holds", found["verdict"])
    assert len([each for each in found["results"] if "ops.py" in each["claim"]]) == 1


def test_an_installed_program_that_is_the_job_needs_it(job: Project, judged: Judged) -> None:
    job.write("site-packages/launcher/__main__.py", "import victim.mod\n")
    (found,) = of_functions(watched(job, "-m", "launcher"))
    judged("functions", "broken", found["verdict"])
    assert found["verdict"] == "contradicted"


def test_a_program_of_the_project_that_starts_the_job_is_told(job: Project, judged: Judged) -> None:
    job.write("start.py", textwrap.dedent(LAUNCHER))
    job.write("job.py", START + "m.f = ops.fast\nm.f(0)\n")
    started, program = of_functions(watched(job, "start.py"))
    judged("functions", "open", started["verdict"])
    assert (started["verdict"], program["verdict"]) == ("unproven", "proven")


def test_the_program_of_a_launcher_needs_it(job: Project, judged: Judged) -> None:
    job.write("site-packages/launcher/__main__.py", textwrap.dedent(LAUNCHER))
    job.write("job.py", "import victim.mod\n")
    found = {
        each["subject"]: each["verdict"] for each in of_functions(watched(job, "-m", "launcher"))
    }
    judged("functions", "broken", max(found.values(), key="contradicted".__eq__))
    assert sorted(found.values()) == ["contradicted", "unproven"]


def test_a_program_that_records_its_own_state_is_judged(job: Project, judged: Judged) -> None:
    program = (
        "import rocmlint\nrocmlint.bear_witness('kept', manifest='m.toml')\n"
        "m.f = ops.fast\nm.f(0)\n"
    )
    job.write(
        "job.py",
        START.replace("import os, sys,", "import os, sys; os.environ['RANK'] = '0'\nimport")
        + program
        + "os._exit(0)\n",
    )
    environment = {"PYTHONPATH": f"{job.root / 'site-packages'}:{job.root}"}
    subprocess.run(
        [sys.executable, "job.py"], cwd=job.root, env={**os.environ, **environment}, check=True
    )
    found = ranks(job, "kept", "--manifest", "m.toml", "--world-size", "1").one(
        "rank 0", f"{NAME} runs "
    )
    judged("functions", "holds", found["verdict"])
    assert "(at its end)" in found["seen"]


def test_a_module_that_cannot_be_imported_is_named(job: Project, judged: Judged) -> None:
    job.write("m.toml", MANIFEST.replace("victim.mod:f", "nothere:f"))
    ran = job.run("verify", "live", "--manifest", "m.toml", "--output-format", "json")
    (found,) = json.loads(ran.stdout)["results"]
    judged("functions", "open", found["verdict"])
    assert "the import failed: ModuleNotFoundError" in found["reason"]


def watched(job: Project, *command: str) -> dict[str, Any]:
    job.run(
        *("verify", "run", "--manifest", "m.toml", "--output", "report.json"),
        *("--output-format", "json", "--", sys.executable, *(command or ("job.py",))),
        PYTHONPATH=f"{job.root / 'site-packages'}:{job.root}",
    )
    document: dict[str, Any] = json.loads(job.read("report.json"))
    return document


def of_functions(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in document["results"] if each["claim"].startswith(f"{NAME} ")]
