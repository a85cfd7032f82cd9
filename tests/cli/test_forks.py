"""Tests run the command in forks of one that is loaded: they see what its users see."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.project import COMMAND

if TYPE_CHECKING:
    from tests.support.project import Project

DROPPED = "from PIL import ImageOps\nImageOps.exif_transpose(image)\n"


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        ((), ""),
        (("--no-cache", "--output-format", "json"), ""),
        (("--diff", "--unsafe-fixes", "-"), DROPPED),
        (("--wrong",), ""),
        (("verify", "kernels", "--help"), ""),
        (("verify", "live", "a"), ""),
    ],
)
def test_a_fork_says_what_a_process_of_its_own_says(
    project: Project, arguments: tuple[str, ...], stdin: str
) -> None:
    project.write("a.py", DROPPED)
    alone = subprocess.run(
        [*COMMAND, *arguments],
        cwd=project.root,
        env=dict(os.environ),
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    forked = project.run(*arguments, stdin=stdin)
    expected = (alone.returncode, alone.stdout, alone.stderr)
    assert (forked.returncode, forked.stdout, forked.stderr) == expected


def test_a_fork_has_the_variables_it_is_given(project: Project) -> None:
    project.write("found/m.py", "")
    assert "No module named 'm'" in project.run("verify", "live", "m").stdout
    assert "No module named" not in project.run("verify", "live", "m", PYTHONPATH="found").stdout
