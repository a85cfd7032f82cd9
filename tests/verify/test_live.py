"""``rocmlint verify live``: whether the code in memory is that of the file, and what is unsure."""

from __future__ import annotations

import os
import py_compile
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.support.live import NEW, OLD, UNWRITTEN, evidence, manifest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.live import Live
    from tests.support.project import Project

pytestmark = pytest.mark.slow

UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH


def test_code_that_is_the_source_is_proven_live(project: Project, live: Live) -> None:
    project.write("m.py", OLD)
    result = live("m")["m"]
    assert (result["verdict"], result["strength"]) == ("proven", "live")
    assert result["seen"] == "2 functions match"


def test_a_file_copied_after_the_import_is_contradicted(project: Project, live: Live) -> None:
    project.write("m.py", OLD)
    project.write("late.py", f"import m\nopen(m.__file__, 'w').write({NEW!r})\n")
    result = live("late", "m")["m"]
    assert (result["verdict"], result["strength"]) == ("contradicted", "live")
    assert evidence(result, "differs") == f"f ({project.root}/m.py:2)"
    assert "restart the job" in result["action"]


def test_a_function_added_to_the_file_after_the_import_is_missing(
    project: Project, live: Live
) -> None:
    project.write("m.py", OLD)
    project.write("late.py", "import m\nopen(m.__file__, 'a').write('    def h(self): pass\\n')\n")
    result = live("late", "m")["m"]
    assert result["verdict"] == "contradicted"
    assert evidence(result, "missing") == "C.h"


def test_a_constant_changed_in_the_file_after_the_import_is_not_proven(
    project: Project, live: Live
) -> None:
    project.write("m.py", OLD)
    text = OLD.replace("STEP = 1", "STEP = 2")
    project.write("late.py", f"import m\nopen(m.__file__, 'w').write({text!r})\n")
    result = live("late", "m", **UNWRITTEN)["m"]
    assert result["verdict"] == "unproven"
    assert result["reason"].startswith("STEP: not the value in")


def test_a_file_copied_before_the_import_by_the_same_program_is_proven(
    project: Project, live: Live
) -> None:
    project.write("m.py", OLD)
    project.write("early.py", f"open('m.py', 'w').write({NEW!r})\n")
    assert live("early", "m")["m"]["verdict"] == "proven"


def stale_bytecode_of_equal_time_and_size(project: Project) -> None:
    path = project.write("m.py", OLD)
    py_compile.compile(str(path))
    times = path.stat()
    path.write_text(NEW)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def stale_bytecode_of_the_same_second(project: Project) -> None:
    path = project.write("m.py", OLD)
    os.utime(path, (1_000_000.25, 1_000_000.25))
    py_compile.compile(str(path))
    path.write_text(NEW)
    os.utime(path, (1_000_000.75, 1_000_000.75))


def stale_bytecode_that_is_not_checked(project: Project) -> None:
    path = project.write("m.py", OLD)
    py_compile.compile(str(path), invalidation_mode=UNCHECKED)
    path.write_text(NEW)


STALE = [
    stale_bytecode_of_equal_time_and_size,
    stale_bytecode_of_the_same_second,
    stale_bytecode_that_is_not_checked,
]


@pytest.mark.parametrize("build", STALE)
def test_stale_bytecode_is_contradicted_by_its_path(
    build: Callable[[Project], None], project: Project, live: Live
) -> None:
    build(project)
    result = live("m")["m"]
    assert (result["verdict"], result["strength"]) == ("contradicted", "live")
    assert "__pycache__/m.cpython" in result["action"]


def test_stale_bytecode_of_a_module_without_functions_is_contradicted(
    project: Project, live: Live
) -> None:
    path = project.write("m.py", "STEP = 1\n")
    py_compile.compile(str(path), invalidation_mode=UNCHECKED)
    path.write_text("STEP = 2\n")
    assert live("m")["m"]["verdict"] == "contradicted"


def test_bytecode_without_source_is_unproven(project: Project, live: Live) -> None:
    path = project.write("m.py", OLD)
    py_compile.compile(str(path), cfile=str(project.root / "m.pyc"))
    path.unlink()
    result = live("m")["m"]
    assert result["verdict"] == "unproven"
    assert "no source beside it" in result["reason"]


def test_a_module_in_a_zip_is_compared_with_the_source_in_it(project: Project, live: Live) -> None:
    with zipfile.ZipFile(project.root / "lib.zip", "w") as archive:
        archive.writestr("m.py", OLD)
    result = live("m", PYTHONPATH="lib.zip")["m"]
    assert (result["verdict"], result["seen"]) == ("proven", "2 functions match")
    assert evidence(result, "loader") == "zipimporter"


def test_stale_bytecode_in_a_zip_is_contradicted(project: Project, live: Live) -> None:
    old = project.write("old.py", OLD)
    os.utime(old, (1_000_000_000, 1_000_000_000))
    py_compile.compile(str(old), cfile=str(project.root / "m.pyc"), invalidation_mode=UNCHECKED)
    with zipfile.ZipFile(project.root / "lib.zip", "w") as archive:
        archive.writestr("m.py", NEW)
        archive.write(project.root / "m.pyc", "m.pyc")
    (project.root / "m.pyc").unlink()
    assert live("m", PYTHONPATH="lib.zip")["m"]["verdict"] == "contradicted"


def test_a_namespace_package_is_unproven(project: Project, live: Live) -> None:
    (project.root / "empty").mkdir()
    result = live("empty")["empty"]
    assert result["verdict"] == "unproven"
    assert "namespace package" in result["reason"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sys", "built into"),
        ("_frozen_importlib", "frozen"),
        ("_ctypes", "extension module"),
        ("nothere.x", "ModuleNotFoundError: No module named 'nothere'"),
        ("leaves", "SystemExit: 5"),
        ("broken", "SyntaxError"),
        ("made", "created by a program"),
    ],
)
def test_what_has_no_source_or_no_import_is_unproven_with_the_reason(
    name: str, reason: str, project: Project, live: Live
) -> None:
    project.write("leaves.py", "raise SystemExit(5)\n")
    project.write("broken.py", "def f(:\n")
    project.write("maker.py", "import sys, types\nsys.modules['made'] = types.ModuleType('made')\n")
    results = live("maker", name)
    assert results["maker"]["verdict"] == "proven"
    assert results[name]["verdict"] == "unproven"
    assert reason in results[name]["reason"]


@pytest.mark.parametrize(
    ("end", "seen", "action"),
    [
        ("import os\nos._exit(3)\n", "not imported", "fix the import first"),
        ("import time\ntime.sleep(60)\n", "not checked", "--timeout SECONDS"),
    ],
)
def test_a_module_that_ends_or_holds_the_child_does_not_hide_the_others(
    end: str, seen: str, action: str, project: Project, live: Live
) -> None:
    project.write("m.py", OLD)
    project.write("bad.py", end)
    results = live("m", "bad", "--timeout", "3")
    assert {name: each["verdict"] for name, each in results.items()} == {
        "m": "proven",
        "bad": "unproven",
    }
    assert results["bad"]["seen"] == seen
    assert action in results["bad"]["action"]


CLOCK = """\
import itertools, time
now = itertools.count(time.monotonic(), 10)
time.monotonic = lambda: next(now)
"""
"""A module after whose import each look at the clock takes ten seconds."""


def test_what_was_compared_before_time_ran_out_is_kept(project: Project, live: Live) -> None:
    project.write("clock.py", CLOCK)
    names = [f"m{number}" for number in range(8)]
    for each in names:
        project.write(f"{each}.py", OLD)
    results = live("clock", *names, "--timeout", "250")
    verdicts = {name: each["verdict"] for name, each in results.items()}
    assert verdicts.keys() == {"clock", *names}
    assert verdicts["clock"] == verdicts["m0"] == "proven"
    assert verdicts["m7"] == "unproven"
    assert results["m7"]["seen"] == "not checked"
    assert "--timeout" in results["m7"]["action"]


def test_a_hook_that_rewrites_code_is_unproven(project: Project, live: Live) -> None:
    project.write("m.py", "def f(a):\n    assert a\n    return a\n")
    project.write(
        "hook.py",
        "import sys\nfrom _pytest.config import Config, get_config\n"
        "from _pytest.assertion import install_importhook\n"
        "hook = install_importhook(get_config())\nhook.fnpats = ['m.py']\n"
        "hook._must_rewrite.add('m')\nhook.session = None\n",
    )
    result = live("hook", "m")["m"]
    assert result["verdict"] == "unproven"
    assert "hook that rewrites code" in result["reason"]


@pytest.mark.parametrize(
    "data",
    [
        b"# coding: latin-1\ndef f():\n    return '\xe9'\n",
        b"\xef\xbb\xbfdef f():\r\n    return '\\\r\n'\r\n",
        b"def f():\r    return 1\r",
        b"def f():\n\x0c\n    return 1\n",
        b"from __future__ import annotations\ndef f(a: int) -> str: ...",
    ],
)
def test_encodings_and_line_ends_are_those_of_an_import(
    data: bytes, project: Project, live: Live
) -> None:
    (project.root / "m.py").write_bytes(data)
    assert live("m")["m"]["seen"] == "1 function matches"


@pytest.mark.parametrize("level", ["1", "2"])
def test_the_optimisation_level_of_the_process_counts(
    level: str, project: Project, live: Live
) -> None:
    project.write("m.py", 'def f(a):\n    """Words."""\n    assert a\n    return a\n')
    assert live("m", PYTHONOPTIMIZE=level)["m"]["verdict"] == "proven"


# Manifests


def test_a_manifest_names_the_modules_and_their_content(project: Project, live: Live) -> None:
    project.write("pack/__init__.py", "")
    project.write("pack/m.py", NEW)
    project.write("pack/data.json", "{}")
    project.write("overlay/pack/data.json", "{}")
    results = live("--manifest", manifest(project, "pack/m.py", NEW))
    assert {name: (each["verdict"], each["strength"]) for name, each in results.items()} == {
        "pack.m": ("proven", "live"),
        "pack/data.json": ("proven", "hashed"),
    }


def test_a_file_that_is_not_the_manifests_is_contradicted(project: Project, live: Live) -> None:
    project.write("pack/__init__.py", "")
    project.write("pack/m.py", OLD)
    project.write("pack/data.json", "{}")
    project.write("overlay/pack/data.json", "[]")
    results = live("--manifest", manifest(project, "pack/m.py", NEW))
    assert {name: (each["verdict"], each["strength"]) for name, each in results.items()} == {
        "pack.m": ("contradicted", "hashed"),
        "pack/data.json": ("contradicted", "hashed"),
    }


def test_the_manifests_file_is_no_proof_when_it_came_after_the_import(
    project: Project, live: Live
) -> None:
    project.write("pack/__init__.py", "")
    project.write("pack/m.py", OLD)
    path = manifest(project, "pack/m.py", NEW)
    project.write("late.py", "import pack.m, shutil\nshutil.copy('overlay/pack/m.py', 'pack')\n")
    result = live("late", "--manifest", path)["pack.m"]
    assert (result["verdict"], result["strength"]) == ("contradicted", "live")


# Usage


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to check"),
        (("m", "--executed"), "must be used together"),
        (("m", "--call", "m:f"), "must be used together"),
        (("m.py", "a-b"), "'a-b' is not a valid module name"),
        (("m", "--executed", "--call", "m.f"), "must be PKG.MOD:FUNC"),
        (("m", "--manifest", "nothere.toml"), "nothere.toml"),
        (("m", "--python", "./nothere"), "cannot be started"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_two(
    arguments: tuple[str, ...], message: str, project: Project
) -> None:
    ran = project.run("verify", "live", *arguments)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr


def test_an_interpreter_that_answers_nothing_is_an_error(project: Project) -> None:
    ran = project.run("verify", "live", "m", "--python", "false")
    assert ran.returncode == 2
    assert "ended without an answer" in ran.stderr


def test_what_modules_print_stays_out_of_the_report(project: Project, live: Live) -> None:
    project.write("m.py", f"print('noise')\n{OLD}")
    assert live("m")["m"]["verdict"] == "proven"
