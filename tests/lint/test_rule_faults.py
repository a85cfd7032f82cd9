"""An exception in a local rule is its author's: one line with its place, and nothing is hidden."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import rocmlint

if TYPE_CHECKING:
    from tests.support.project import Project

RULES = '''\
from rocmlint.rule import PartRule, PythonRule, calls, commands


class Crash(PythonRule["cst.Call"]):
    """A rule with a mistake."""

    code, name, since = "ACME101", "crash", "1"
    on = calls("item")

    def check(self, node, source):
        yield self.finding(node, source, node.attr.value)


class Sound(PythonRule["cst.Call"]):
    """A rule without one."""

    code, name, since = "ACME102", "sound", "1"
    on = calls("item")

    def check(self, node, source):
        yield self.finding(node, source, "item is called")


class Silent(PythonRule["cst.Call"]):
    """A rule that forgets to yield."""

    code, name, since = "ACME103", "silent", "1"
    on = calls("nothing")

    def check(self, node, source):
        return None


class Command(PartRule["Command"]):
    """A rule about commands, with a mistake."""

    code, name, since = "ACME104", "command", "1"
    on = commands("serve", described="commands with `serve`")

    def check(self, node, file):
        raise SystemExit(3)
'''
PLACE = "error in your rule own/rules.py"
CRASH = f"{PLACE}:11: AttributeError: 'Call' object has no attribute 'attr' (ACME101)"


@pytest.fixture
def team(project: Project) -> Project:
    project.write("own/rules.py", RULES)
    project.write("rocmlint.toml", 'rules = ["own"]\nselect = ["ACME"]\n')
    for name in ("a.py", "b.py", "c.py"):
        project.write(f"src/{name}", "x.item()\n")
    return project


@pytest.mark.parametrize("flags", [["--no-cache"], [], ["--jobs", "1"]], ids=str)
def test_it_is_one_line_for_all_files_and_hides_no_finding(team: Project, flags: list[str]) -> None:
    for _ in range(2):  # the second time with a cache
        ended = team.run("--output-format", "json", *flags, "src")
        assert ended.returncode == 2
        assert [each["code"] for each in json.loads(ended.stdout)["findings"]] == ["ACME102"] * 3
        line, *rest = ended.stderr.splitlines()
        assert line == f"{CRASH}, first in src/a.py"
        assert len(rest) == 1
        assert "report it" not in ended.stderr
        assert "Traceback" not in ended.stderr


def test_it_is_the_same_from_worker_processes(team: Project) -> None:
    for number in range(4):
        team.write(f"src/large{number}.py", "x.item()\n" + "y = 1\n" * 50_000)
    ended = team.run("--no-cache", "--jobs", "2", "--output-format", "json", "src")
    assert ended.returncode == 2
    assert len(json.loads(ended.stdout)["findings"]) == 7
    assert ended.stderr.splitlines()[0] == f"{CRASH}, first in src/a.py"
    assert ended.stderr.count(PLACE) == 1


def test_verbose_prints_the_traceback_once(team: Project) -> None:
    ended = team.run("--verbose", "src")
    assert ended.stderr.count("Traceback (most recent call last):") == 1
    assert '/own/rules.py", line 11, in check\n' in ended.stderr


def test_a_check_that_yields_nothing_to_iterate_over_has_the_line_of_the_method(
    team: Project,
) -> None:
    team.write("src/a.py", "nothing()\n")
    ended = team.run("src/a.py")
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{PLACE}:30: TypeError: 'NoneType' object is not iterable")


def test_it_is_the_same_in_other_formats_and_notebooks(team: Project) -> None:
    team.write("run.sh", "serve model\n")
    assert team.run("run.sh").stderr.startswith(f"{PLACE}:41: SystemExit: 3 (ACME104), first in ")
    cell = {"cell_type": "code", "source": ["x.item()"], "metadata": {}, "outputs": []}
    team.write("a.ipynb", json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}))
    assert team.run("a.ipynb").stderr.startswith(f"{CRASH}, first in a.ipynb")


def test_it_is_the_same_on_standard_input(team: Project) -> None:
    ended = team.run("--verbose", "-", stdin="x.item()\n")
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{CRASH}, first in stdin.py")
    assert "Traceback" in ended.stderr


def test_a_severity_that_is_not_valid_is_told_with_the_line_that_passes_it(team: Project) -> None:
    team.write("own/rules.py", RULES.replace("node.attr.value", '"x", severity="warn"'))
    ended = team.run("src")
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{PLACE}:11: ValueError: invalid value 'warn' for severity ")


def test_the_python_interface_raises_it(team: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(team.root)
    with pytest.raises(rocmlint.RocmlintError, match=r"^error in your rule own/rules.py:11: "):
        rocmlint.lint_paths(["src"])
    with pytest.raises(rocmlint.RocmlintError, match=r"^error in your rule own/rules.py:11: "):
        rocmlint.lint_source("x.item()\n")


@pytest.mark.slow
def test_flake8_tells_it_once_and_goes_on(team: Project) -> None:
    pytest.importorskip("flake8")
    command = [sys.executable, "-m", "flake8", "--jobs=1", "--isolated", "src"]
    ended = subprocess.run(
        command, cwd=team.root, capture_output=True, text=True, check=False, timeout=120
    )
    lines = ended.stdout.splitlines()
    assert [each.split()[1] for each in lines].count("ACME102") == 3
    assert sum("error in your rule own/rules.py:11: AttributeError" in each for each in lines) == 1
    assert "report it" not in ended.stdout
