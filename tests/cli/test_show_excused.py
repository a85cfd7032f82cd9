"""``--show-excused``: what a rule looked at and left alone, with the reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from jsonschema import validate  # type: ignore[import-untyped]

from tests.support.notebooks import dumped, notebook
from tests.support.reports import JSON

if TYPE_CHECKING:
    from tests.support.project import Project

TIMED = """\
import time
import torch

for batch in loader:
    optimizer.step()
    torch.cuda.synchronize()  # because the other process reads the buffer
    times.append(time.time())
"""
TAKEN_APART = "import torch\nprint(torch.version.cuda.split('.'))\n"
MESSAGE = "ROC501 excused: Waits for a time or a value, in a benchmark or with a comment"
INSTALL = "FROM rocm/pytorch:latest\n\nRUN pip install --no-deps xformers\n"

AUTOCAST = "import torch\n\nwith torch.cuda.amp.autocast():\n    pass\n"
LOAD = 'import torch\n\nmodel = torch.load("model.pt")\nmodel.eval()\n'
LOSS = "from transformers.utils import LossKwargs\n"


def test_a_place_an_excuse_and_a_reason_follow_the_findings(project: Project) -> None:
    project.write("train.py", TIMED)
    project.write("use.py", TAKEN_APART)
    ended = project.run("--show-excused")
    *_, last = ended.stdout.splitlines()
    assert "use.py:2:7: warning ROC304" in ended.stdout
    assert last.startswith(f"train.py:6:5: {MESSAGE}")
    assert last.endswith("[is_explained]")


def test_a_cache_hides_nothing(project: Project) -> None:
    project.write("train.py", TIMED)
    before = project.run().stdout
    assert MESSAGE in project.run("--show-excused").stdout
    assert MESSAGE in project.run("--show-excused").stdout
    assert project.run().stdout == before == ""


def test_what_was_piped_in_is_shown_too(project: Project) -> None:
    ended = project.run("-", "--stdin-filename", "a.py", "--show-excused", stdin=TIMED)
    assert ended.stdout.startswith(f"a.py:6:5: {MESSAGE}")


def test_a_file_of_a_kind_that_the_rule_skips_is_a_reason(project: Project) -> None:
    project.write("tests/test_a.py", TAKEN_APART)
    shown = project.run("--show-excused").stdout
    assert shown == "tests/test_a.py:2:7: ROC304 excused: skipped: test file [skips test]\n"


def test_commands_of_other_formats_have_their_place(project: Project) -> None:
    project.write("Dockerfile", INSTALL)
    (line,) = project.run("--show-excused", "--select", "ROC201").stdout.splitlines()
    assert line.startswith("Dockerfile:3:")
    assert "[takes_no_dependencies]" in line


def test_a_cell_of_a_notebook_is_named(project: Project) -> None:
    project.write("a.ipynb", dumped(notebook("x = 1", TIMED)))
    assert project.run("--show-excused").stdout.startswith(f"a.ipynb:cell 2:6:5: {MESSAGE}")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_document_has_them_and_fits_its_schema(project: Project, jobs: str) -> None:
    project.write("train.py", TIMED)
    flags = ("--jobs", jobs, "--output-format", "json")
    document = json.loads(project.run("--show-excused", *flags).stdout)
    validate(document, JSON)
    (excused,) = document["excused"]
    assert (excused["path"], excused["line"], excused["code"]) == ("train.py", 6, "ROC501")
    assert excused["excuse"] == "is_explained"
    assert "excused" not in json.loads(project.run(*flags).stdout)


@pytest.mark.parametrize(
    ("rule", "module", "around"),
    [
        ("ROC213 is_needed_for_older", AUTOCAST, {"requirements.txt": "torch>=2.3\n"}),
        ("ROC216 is_ready", LOAD, {f"net{n}.py": f"safe_globals({n})\n" for n in range(5)}),
        ("ROC212 is_pinned_in_code", LOSS, {"install.py": 'PINS = ["transformers==4.51.3"]\n'}),
    ],
)
def test_it_names_the_files_in_which_an_excuse_is_found(
    project: Project, rule: str, module: str, around: dict[str, str]
) -> None:
    """Each of two modules names them, though the answer for the second is known from the first."""
    for name, text in {"a/one.py": module, "a/two.py": module, "b.py": "", **around}.items():
        project.write(name, text)
    code, excuse = rule.split()
    flags = ("--isolated", "--jobs", "1", "--select", code, "--show-excused")
    one, two = json.loads(project.run(*flags, "--output-format", "json").stdout)["excused"]
    assert (one["path"], two["path"]) == ("a/one.py", "a/two.py")
    for each in (one, two):
        assert each["excuse"] == excuse
        assert [place.partition(":")[0] for place in each["found_in"]] == [*around]
    named = "net0.py, net1.py, net2.py and 2 more" if code == "ROC216" else next(iter(around))
    assert project.run(*flags).stdout.count(f" (from {named}") == 2


def test_the_file_itself_is_named_so(project: Project) -> None:
    project.write("train.py", TIMED)
    assert " (from this file) [" in project.run("--show-excused").stdout
