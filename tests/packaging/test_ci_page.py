"""The jobs in ``docs/ci.md`` and ``ci/``: valid for their systems, and their commands work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.scripts import UNSAFE, WARNED

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text()
GITLAB = ROOT / "ci" / "gitlab.yml"
SYSTEMS = {"jobs": "github-workflows", "include": "gitlab-ci", "trigger": "azure-pipelines"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def system_of(document: dict[str, Any]) -> str:
    return next(system for key, system in SYSTEMS.items() if key in document)


def examples(system: str) -> list[str]:
    return [each for each in blocks("yaml") if system_of(yaml.safe_load(each)) == system]


def documents(system: str) -> list[dict[str, Any]]:
    return [yaml.safe_load(each) for each in examples(system)]


def github_steps() -> list[dict[str, Any]]:
    workflows = documents("github-workflows")
    return [step for each in workflows for step in each["jobs"]["rocmlint"]["steps"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a repository with an error and a warning, below a folder."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(UNSAFE)
    (tmp_path / "src" / "b.py").write_text(WARNED)
    return tmp_path


def sh(command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a job with the rocmlint that is tested."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["sh", "-ec", command],
        cwd=folder,
        env={**os.environ, "PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


# GitLab


def gitlab(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the job that is included, with the variables of a project."""
    job = yaml.safe_load(GITLAB.read_text())["rocmlint"]
    given = {"CI_PROJECT_DIR": str(folder), **job["variables"], **variables}
    expanded = {
        name: value.replace("$CI_PROJECT_DIR", str(folder)) for name, value in given.items()
    }
    install, lint = job["script"]
    assert install.startswith("python -m pip install ")
    return sh(lint, folder, **expanded)


def test_the_job_for_gitlab_reports_code_quality_and_keeps_its_cache(folder: Path) -> None:
    ended = gitlab(folder)
    job = yaml.safe_load(GITLAB.read_text())["rocmlint"]
    report = json.loads((folder / job["artifacts"]["reports"]["codequality"]).read_text())
    assert ended.returncode == 1
    assert {each["location"]["path"] for each in report} == {"src/a.py", "src/b.py"}
    assert "\x1b[" in ended.stdout
    assert all((folder / each).is_dir() for each in job["cache"]["paths"] if "rocmlint" in each)


def test_the_example_for_gitlab_sets_what_the_job_knows(folder: Path) -> None:
    (example,) = documents("gitlab-ci")
    known = yaml.safe_load(GITLAB.read_text())["rocmlint"]["variables"]
    assert set(example["rocmlint"]["variables"]) <= set(known)
    (folder / "scripts").mkdir()
    ended = gitlab(folder, **example["rocmlint"]["variables"])
    assert (ended.returncode, "2 findings" in ended.stderr) == (1, True)


# The others


def test_the_example_for_azure_prints_issues_and_writes_what_it_publishes(folder: Path) -> None:
    (example,) = documents("azure-pipelines")
    (line,) = [each["script"] for each in example["steps"] if "rocmlint ." in str(each)]
    (published,) = [each["inputs"] for each in example["steps"] if "Publish" in str(each)]
    ended = sh(line.replace("$(Agent.TempDirectory)", "temp"), folder)
    assert ended.returncode == 1
    assert ended.stdout.count("##vso[task.logissue type=") == 2
    report = published["testResultsFiles"].replace("$(Agent.TempDirectory)", "temp")
    assert "ROC602" in (folder / report).read_text()


def test_the_example_for_jenkins_writes_what_it_records(folder: Path) -> None:
    (example,) = blocks("groovy")
    (lines,) = re.findall(r"sh '''(.*?)'''", example, re.DOTALL)
    *_, lint = lines.strip().splitlines()
    ended = sh(lint.strip().removeprefix(".venv/bin/"), folder)
    (recorded,) = re.findall(r"sarif\(pattern: '(.*?)'", example)
    assert ended.returncode == 0
    assert len(json.loads((folder / recorded).read_text())["runs"][0]["results"]) == 2


def test_the_example_for_reviewdog_writes_what_it_reads(folder: Path) -> None:
    steps = [
        step for each in documents("github-workflows") for step in each["jobs"]["rocmlint"]["steps"]
    ]
    (lint,) = [each["run"] for each in steps if each.get("run", "").startswith("rocmlint ")]
    (review,) = [each["run"] for each in steps if each.get("run", "").startswith("reviewdog ")]
    assert sh(lint, folder).returncode == 0
    read = folder / review.rpartition("< ")[2]
    assert len(json.loads(read.read_text())["diagnostics"]) == 2


def test_the_examples_for_github_give_the_action_inputs_that_it_has() -> None:
    known = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    steps = [
        step for each in documents("github-workflows") for step in each["jobs"]["rocmlint"]["steps"]
    ]
    given = [each["with"] for each in steps if each.get("uses", "").startswith("rocmlint/")]
    assert len(given) == 2
    assert {name for each in given for name in each} <= set(known)


# The files


@pytest.mark.parametrize("system", [*SYSTEMS.values(), "github-actions"])
def test_each_file_follows_the_schema_of_its_system(system: str, tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema")
    files = {"gitlab-ci": [GITLAB], "github-actions": [ROOT / "action.yml"]}.get(system, [])
    for example in examples(system):
        files.append(tmp_path / f"{len(files)}.yml")
        files[-1].write_text(example)
    # Some patterns are those of Python, and no others are understood by all versions.
    command = ["--regex-variant", "python", "--builtin-schema", f"vendor.{system}"]
    checked = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *command, *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
