"""A small module, old and new, and what ``verify live`` says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.project import Project

Live = Callable[..., dict[str, dict[str, Any]]]
"""Runs ``verify live`` in a project, and gives its results by subject."""
OLD = "STEP = 1\ndef f(a):\n    return a + 1\nclass C:\n    def g(self):\n        return 1\n"
NEW = OLD.replace("a + 1", "a + 2")
UNWRITTEN = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Or a file that is written twice in a second would not be read twice: stale bytecode."""
TICK = 0.03
"""Seconds; the system tells when a process started in hundredths, and files must be older."""


def evidence(result: dict[str, Any], name: str) -> str:
    return "".join(each["value"] for each in result["evidence"] if each["name"] == name)


def manifest(project: Project, path: str, text: str) -> str:
    package, _, below = path.partition("/")
    project.write(f"overlay/{package}/{below}", text)
    written = project.run("verify", "manifest", "overlay", "--package", package)
    assert written.returncode == 0, written.stderr
    project.write("patch.toml", written.stdout)
    return "patch.toml"
