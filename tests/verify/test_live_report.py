"""What people read of ``verify live`` and ``verify run``: each wrapper by its place."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.live import OLD, evidence

if TYPE_CHECKING:
    from tests.support.live import Live
    from tests.support.project import Project
    from tests.support.verify_jobs import Job

pytestmark = pytest.mark.slow

DECO = "def twice(f):\n    def run(*a):\n        return f(*a)\n    return run\n"
DECORATED = (
    "from deco import twice\n@twice\ndef f(a):\n    return a\n@twice\ndef g(a):\n    return a\n"
)
TIMED = "import m\ndef put(old):\n    return lambda *a: old(*a)\nm.f = put(m.f)\n"


def test_a_proven_module_names_each_wrapper_once_with_its_place(project: Project) -> None:
    project.write("deco.py", DECO)
    project.write("m.py", DECORATED)
    ran = project.run("verify", "live", "m")
    assert f"\nm\n  wrapped: f, g by {project.root}/deco.py:2\n" in ran.stdout


def test_processes_of_a_job_with_the_same_wrappers_are_told_together(job: Job) -> None:
    job.write("site/deco.py", DECO)
    job.write("site/patched.py", DECORATED)
    job.script(f"""
        import os, patched, subprocess, sys
        if not os.environ.get("CHILD"):
            subprocess.run([{sys.executable!r}, __file__], env={{**os.environ, "CHILD": "1"}})
        """)
    ran = job.run(
        *("verify", "run", "--module", "patched", "--", sys.executable, "job.py"),
        PYTHONPATH=str(job.root / "site"),
    )
    assert ran.stdout.count(f"  wrapped: f, g by {job.root}/site/deco.py:2\n") == 1
    assert " and 1 more\n  wrapped:" in ran.stdout


def test_a_job_with_a_foreign_wrapper_is_unproven_by_its_place(job: Job) -> None:
    job.script("""
        import patched
        def put(old):
            return lambda: old()
        patched.f = put(patched.f)
        """)
    result = job.watch().one("runs the code of")
    assert result["verdict"] == "unproven"
    assert f"<lambda> at {job.root}/job.py:4" in result["reason"]
    assert "rocmlint verify live patched --executed --call" in result["action"]


def test_what_ran_behind_a_wrapper_is_named(project: Project) -> None:
    project.write("m.py", OLD)
    project.write("timing.py", f"{TIMED}def run():\n    m.f(1)\n")
    ran = project.run("verify", "live", "timing", "m", "--executed", "--call", "timing:run")
    assert ran.returncode == 0
    told = f"\nm\n  ran behind a wrapper: f behind function put.<locals>.<lambda> at {project.root}"
    assert told.replace("put.<locals>.", "") in ran.stdout.replace("put.<locals>.", "")


def test_a_changed_loader_is_blamed_and_not_the_bytecode(project: Project, live: Live) -> None:
    project.write("m.py", OLD)
    project.write(
        "hook.py",
        "from importlib.machinery import SourceFileLoader\n"
        "kept = SourceFileLoader.source_to_code\n"
        "def source_to_code(self, data, path, **options):\n"
        "    return kept(self, bytes(data).replace(b'a + 1', b'a + 9'), path, **options)\n"
        "SourceFileLoader.source_to_code = source_to_code\n",
    )
    result = live("hook", "m", PYTHONDONTWRITEBYTECODE="1")["m"]
    assert result["verdict"] == "contradicted"
    assert f"{project.root}/hook.py:3" in result["reason"]
    assert "pyc" not in result["reason"] + result["action"]
    assert evidence(result, "differs").startswith("f (")
