"""What the tests of jobs and of ranks share: a project with a patched module, and the reports."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import textwrap
from glob import glob
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.project import Project
from tests.support.tools import path_of

if TYPE_CHECKING:
    from pathlib import Path

STOCK = "def f():\n    return 1\n"
PATCHED = "def f():\n    return 2\n"
MANIFEST = """\
version = 1
[package]
name = "patched"
requires = "==1.0"
[[file]]
path = "patched.py"
sha256 = "{}"
"""
MODULE = "runs the code of"
"""What every claim on a module says."""


class Job(Project):
    """A project with a patched module on PYTHONPATH, and what ``verify run`` says of it."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.write("site/patched.py", PATCHED)
        self.write("stock/patched.py", STOCK)
        sha256 = hashlib.sha256(PATCHED.encode()).hexdigest()
        self.write("patched.toml", MANIFEST.format(sha256))

    def script(self, text: str, name: str = "job.py") -> None:
        self.write(name, textwrap.dedent(text))

    def watch(self, *command: str, flags: tuple[str, ...] = (), **environment: str) -> Watched:
        report = self.root / "report.json"
        report.unlink(missing_ok=True)
        ran = self.run(
            *("verify", "run", *(flags or ("--manifest", "patched.toml"))),
            *("--keep", "kept", "--output", "report.json", "--output-format", "json"),
            *("--", *(command or (sys.executable, "job.py"))),
            **{"PYTHONPATH": str(self.root / "site"), **environment},
        )
        assert report.exists(), ran.stderr
        return Watched(ran, json.loads(report.read_text()), self.root / "kept")


class Watched:
    """What came of it."""

    def __init__(
        self, ran: subprocess.CompletedProcess[str], document: dict[str, Any], kept: Path
    ) -> None:
        self.ran = ran
        self.results: list[dict[str, Any]] = document["results"]
        assert document["exit_code"] == ran.returncode
        self.witnesses = [json.loads(each.read_text()) for each in kept.rglob("witness.*.json")]

    def verdicts(self, claim: str) -> list[str]:
        return [each["verdict"] for each in self.results if claim in each["claim"]]

    def one(self, claim: str) -> dict[str, Any]:
        (found,) = [each for each in self.results if claim in each["claim"]]
        return found

    def named(self, subject: str) -> list[dict[str, Any]]:
        return [each for each in self.results if subject in each["subject"]]

    def started(self, how: str) -> list[dict[str, Any]]:
        return [each for each in self.witnesses if each["start"] == how]


class Results:
    """What ``verify ranks`` says."""

    def __init__(self, ran: subprocess.CompletedProcess[str], text: str | None = None) -> None:
        self.code = ran.returncode
        self.all: list[dict[str, Any]] = json.loads(ran.stdout if text is None else text)["results"]

    def one(self, subject: str, claim: str) -> dict[str, Any]:
        (found,) = [it for it in self.all if subject in it["subject"] and claim in it["claim"]]
        return found

    def verdicts(self, claim: str) -> dict[str, str]:
        """Return the verdicts by rank."""
        found = [each for each in self.all if claim in each["claim"]]
        return {each["subject"].partition(" (")[0]: each["verdict"] for each in found}


def ranks(project: Project, *arguments: str, **environment: str) -> Results:
    ran = project.run("verify", "ranks", *arguments, "--output-format", "json", **environment)
    assert ran.returncode in {0, 1, 3}, ran.stderr
    return Results(ran)


def python_of(version: str) -> str:
    """Find another interpreter, or skip."""
    found = glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python"))
    for each in [*found, path_of(f"python{version}")]:
        if each and not subprocess.run([each, "-V"], capture_output=True, check=False).returncode:
            return each
    pytest.skip(f"there is no Python {version} here")
