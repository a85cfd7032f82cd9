"""What a run says it looked at: in its last line, with ``--verbose`` and as JSON."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import validate  # type: ignore[import-untyped]

from tests.support.reports import JSON
from tests.support.scripts import CLEAN

if TYPE_CHECKING:
    from tests.support.project import Project

ROCM = "FROM ubuntu\nFROM rocm/pytorch:latest\n"
LIST = "numpy\n# the one that is tested\ntorch==2.4.1\n"


def last_line(project: Project, *arguments: str) -> str:
    return project.run(*arguments).stderr.splitlines()[-1]


def evidence(project: Project, *arguments: str) -> dict[str, Any]:
    document = json.loads(project.run(*arguments, "--output-format", "json").stdout)
    validate(document, JSON)
    found: dict[str, Any] = document["evidence"]
    return found


def test_the_last_line_names_the_version_of_torch_and_the_sign_for_rocm(project: Project) -> None:
    project.write("a.py", CLEAN)
    project.write("requirements.txt", LIST)
    project.write("Dockerfile", ROCM)
    (project.root / ".git").mkdir()
    for _ in range(2):  # the second time from the cache
        line = last_line(project)
        assert line.startswith("No issues found in 3 files. ")
        assert line.endswith("rules; torch 2.4.1 (requirements.txt:3); for ROCm (Dockerfile:2)")


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "torch not declared; not known to be for ROCm (set rocm = true)"),
        ({"rocmlint.toml": "rocm = true"}, "torch not declared; for ROCm (rocm = true)"),
        ({"rocmlint.toml": "rocm = false"}, "not for ROCm alone (rocm = false)"),
        ({"Dockerfile": "FROM nvidia/cuda:12.1-base"}, "not for ROCm alone (Dockerfile)"),
        (
            {"requirements.txt": "transformers==4.40.0"},
            "; transformers 4.40.0 (requirements.txt:1)",
        ),
        ({"requirements.txt": "\ntransformers<5"}, "(the newest for requirements.txt:2)"),
        ({"README.md": "```\npip install torch==2.3.0\n```\n"}, "torch 2.3.0 (README.md"),
        ({"requirements.txt": "torch @ https://a.example/t.whl"}, "torch of unknown version"),
        (
            {
                "requirements.txt": "torch==2.1.0",
                "pyproject.toml": "[project]\nname='a'\nversion='1'\n"
                "dependencies = ['torch==2.2.0']",
            },
            "torch 2.1.0, 2.2.0 (",
        ),
    ],
    ids=str,
)
def test_what_decides_is_said_in_any_case(
    project: Project, files: dict[str, str], told: str
) -> None:
    project.write("a.py", CLEAN)
    for name, text in files.items():
        project.write(name, text)
    assert told in last_line(project)
    assert told in last_line(project)


def test_another_pin_is_told_at_once_though_no_file_with_code_changed(project: Project) -> None:
    project.write("a.py", CLEAN)
    project.write("requirements.txt", "torch==2.4.1\n")
    assert "torch 2.4.1" in last_line(project, "a.py")
    assert "torch 2.4.1" in last_line(project, "a.py")
    project.write("requirements.txt", "torch==2.5.1\n")
    assert "torch 2.5.1" in last_line(project, "a.py")


def test_files_that_were_not_read_are_counted_also_from_the_cache(project: Project) -> None:
    project.write("a.py", "import torch\ntorch.save(\n")
    for _ in range(2):
        assert last_line(project, ".").endswith("; 1 file not fully read")
        (unread,) = evidence(project)["unread"]
        assert unread.startswith("a.py:")


def test_of_several_projects_the_first_is_named(project: Project) -> None:
    for name, torch in (("one", "2.4.1"), ("two", "2.5.1")):
        project.write(f"{name}/.git/HEAD", "")
        project.write(f"{name}/a.py", CLEAN)
        project.write(f"{name}/requirements.txt", f"torch=={torch}\n")
    line = last_line(project, ".")
    assert "torch 2.4.1 (requirements.txt:1)" in line
    assert line.endswith("in one, the first of 2 projects")
    told = project.run("-v").stderr
    assert "project: one\n" in told
    assert "project: two\n" in told
    assert "torch 2.5.1: pinned in requirements.txt (requirements.txt:1)" in told


def test_all_of_it_is_in_the_document(project: Project) -> None:
    project.write("a.py", "from transformers import AdamW\n")
    project.write("requirements.txt", LIST)
    project.write("third_party/b.py", CLEAN)
    project.write("skipped/c.py", CLEAN)
    whole = evidence(project, "--exclude", "skipped", "--preview")
    assert whole == evidence(project, "--exclude", "skipped", "--preview")
    assert whole["left_out"] == [{"path": "third_party", "reason": "code of other projects"}]
    assert whole["excluded"] == [os.path.join("skipped", "")]
    (root,) = whole["projects"]
    assert (root["path"], root["rocm"]) == (".", None)
    torch, transformers = root["versions"]
    assert (torch["version"], torch["place"]) == ("2.4.1", "requirements.txt:3")
    assert not transformers["declared"]
    asked = {each["package"] for each in whole["versions"]}
    assert "transformers" in asked
    rules = whole["rules"]
    assert rules["used"] > 50
    assert "profile export" in rules["not_used"]


def test_quiet_says_nothing_and_the_details_are_in_verbose(project: Project) -> None:
    project.write("a.py", CLEAN)
    assert project.run("-q").stderr == ""
    told = project.run("-v").stderr
    assert "rules: " in told
    assert "for ROCm only: unknown, no file names ROCm" in told


def test_a_damaged_fact_in_the_cache_is_made_anew(project: Project) -> None:
    project.write("a.py", CLEAN)
    before = last_line(project)
    (results,) = (project.root / ".rocmlint_cache").rglob("*.json")
    stored = json.loads(results.read_text())
    for damage in ({}, {"": [3, []]}, {name: [[True], []] for name in stored["facts"]}, 7):
        results.write_text(json.dumps({**stored, "facts": damage}))
        assert last_line(project) == before
