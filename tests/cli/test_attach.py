"""``--attach``: the HTML report of a run shows what other verbs found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.scripts import CLEAN, UNSAFE

if TYPE_CHECKING:
    from tests.support.project import Project

VERIFY = json.dumps({"version": 1, "verdict": "unproven", "results": []})


def test_a_run_writes_a_page_with_what_is_attached(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.write("verify.json", VERIFY)
    ended = project.run("a.py", "--output", "html:report/index.html", "--attach", "verify.json")
    assert ended.returncode == 1
    assert "a.py:6:5: error ROC602" in ended.stdout
    page = project.read("report/index.html")
    assert "There was nothing to check." in page
    assert "exif_transpose" in page


def test_attach_without_an_html_report_is_refused(project: Project) -> None:
    project.write("a.py", CLEAN)
    project.write("verify.json", VERIFY)
    ended = project.run("a.py", "--attach", "verify.json")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "--attach needs an HTML report" in ended.stderr


def test_what_cannot_be_attached_is_told_before_anything_is_linted(project: Project) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run("a.py", "--output-format", "html", "--attach", "nosuch.json")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("error: --attach nosuch.json: cannot be read: ")
