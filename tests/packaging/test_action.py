"""``action.yml``: its scripts run as GitHub's runner does it, also with hostile inputs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from rocmlint import __version__
from tests.support.actions import Runner, scripts
from tests.support.scripts import CLEAN, UNSAFE, WARNED
from tests.support.tools import program, skip_where_offline

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"
DOCUMENT = yaml.safe_load(ACTION.read_text())
HOSTILE = ("$(touch pwned)`touch pwned`", '"; touch pwned; "', "a\nb")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """Return a runner with a repository, after the installation."""
    made = Runner(tmp_path, ACTION)
    (made.workspace / ".git").mkdir()
    (made.workspace / "sub").mkdir()
    (made.workspace / "sub" / "a.py").write_text(UNSAFE)
    made.contexts["steps.install.outputs.bin"] = str(Path(sys.executable).parent)
    return made


def test_findings_are_annotated_and_summarized_and_the_exit_code_is_kept(runner: Runner) -> None:
    ended = runner.run("lint")
    assert ended.code == 1
    assert ended.outputs == {"exit-code": "1"}
    assert "\n::error file=sub/a.py,line=6," in f"\n{ended.log}"
    assert "- `sub/a.py:6:5` error **ROC602**" in ended.summary


def test_a_clean_project_passes(runner: Runner) -> None:
    (runner.workspace / "sub" / "a.py").write_text(CLEAN)
    ended = runner.run("lint")
    assert (ended.code, ended.outputs) == (0, {"exit-code": "0"})
    assert "No issues found in 1 file." in ended.summary


def test_paths_are_those_of_the_repository_in_any_working_directory(runner: Runner) -> None:
    runner.contexts |= {"inputs.working-directory": "sub", "inputs.upload-sarif": "true"}
    ended = runner.run("lint")
    assert "::error file=sub/a.py,line=6," in ended.log
    (run,) = json.loads(Path(ended.outputs["sarif"]).read_text())["runs"]
    (place,) = run["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "sub/a.py"


def test_inputs_become_flags(runner: Runner) -> None:
    (runner.workspace / "b c.py").write_text(WARNED)
    (runner.workspace / "lenient.toml").write_text("preview = true\n")
    runner.contexts |= {
        "inputs.src": "b c.py\nsub\n",
        "inputs.args": "--ignore ROC602 --select 'ROC5,ROC6' --verbose",
        "inputs.config": "lenient.toml",
        "inputs.fail-on": "error",
        "inputs.annotations": "false",
        "inputs.summary": "false",
        "inputs.outputs": "junit:out/junit.xml\nconcise:out/a b.txt\n",
    }
    ended = runner.run("lint")
    assert (ended.code, ended.summary) == (0, "")
    assert "b c.py:7:5: warning ROC501" in ended.log
    assert "lenient.toml" in ended.log
    assert "ROC501" in (runner.workspace / "out" / "a b.txt").read_text()
    assert (runner.workspace / "out" / "junit.xml").exists()


def test_results_are_kept_where_the_cache_steps_look(runner: Runner) -> None:
    (kept,) = {
        runner.expand(each["with"]["path"])
        for each in DOCUMENT["runs"]["steps"]
        if each.get("uses", "").startswith("actions/cache/")
    }
    runner.contexts["inputs.cache"] = "false"
    runner.run("lint")
    assert not Path(kept).exists()
    runner.contexts["inputs.cache"] = "true"
    runner.run("lint")
    assert list(Path(kept).rglob("*.json"))


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("name", ["src", "args", "config", "fail-on", "outputs"])
def test_nothing_in_an_input_is_run(runner: Runner, name: str, text: str) -> None:
    runner.contexts[f"inputs.{name}"] = text
    ended = runner.run("lint")
    assert (ended.code, ended.outputs["exit-code"]) == (2, "2")
    assert not list(runner.workspace.rglob("pwned*"))


@pytest.mark.parametrize("text", [*HOSTILE, "--index-url=x", "0.1 @ git+https://example.org/x"])
@pytest.mark.parametrize("name", ["version", "extras"])
def test_what_is_installed_is_a_version_and_extras(runner: Runner, name: str, text: str) -> None:
    runner.contexts[f"inputs.{name}"] = text
    ended = runner.run("install")
    assert ended.code == 2
    assert "::error title=rocmlint::not a valid version" in ended.log
    assert not list(runner.workspace.rglob("pwned*"))


def test_no_module_of_the_repository_is_imported(runner: Runner) -> None:
    for name in ("rocmlint", "shlex", "os", "json", "libcst", "venv", "pip", "sitecustomize"):
        (runner.workspace / f"{name}.py").write_text("open('pwned', 'w')\n")
    assert runner.run("lint").code == 1
    assert not (runner.workspace / "pwned").exists()


@pytest.mark.slow
def test_the_action_installs_its_own_version_and_the_extras(runner: Runner) -> None:
    (runner.workspace / "venv.py").write_text("open('pwned', 'w')\n")
    runner.contexts["inputs.extras"] = "watch"
    ended = runner.run("install")
    skip_where_offline(ended.code, ended.log)
    assert ended.code == 0, ended.log
    assert ended.outputs["version"] == __version__
    runner.contexts["steps.install.outputs.bin"] = ended.outputs["bin"]
    assert runner.run("lint").code == 1
    assert (Path(ended.outputs["bin"]) / "watchfiles").exists()
    assert not (runner.workspace / "pwned").exists()


# The file


def test_no_script_has_an_expression_in_it() -> None:
    assert [each for each in scripts(DOCUMENT) if "${{" in each] == []


def test_every_input_is_used_and_documented() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", ACTION.read_text()))
    page = (ROOT / "docs" / "ci.md").read_text()
    documented = set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE))
    assert used == set(DOCUMENT["inputs"])
    assert set(DOCUMENT["inputs"]) | set(DOCUMENT["outputs"]) <= documented


def test_the_scripts_are_without_a_fault_that_shellcheck_knows() -> None:
    shellcheck = program("shellcheck")
    for script in scripts(DOCUMENT):
        checked = subprocess.run(
            [shellcheck, "--shell=bash", "-"],
            input=script,
            capture_output=True,
            text=True,
            check=False,
        )
        assert checked.stdout == ""
