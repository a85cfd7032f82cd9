"""Running the steps of a composite action or of a job as a runner does: as shell scripts."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from tests.support.tools import program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
_COMPARISON = re.compile(r"(\S+) ([!=]=) '(.*)'")


class Ended(NamedTuple):
    """How a step ended: its exit code, its log, its outputs, and the summary of the job."""

    code: int
    log: str
    outputs: Mapping[str, str]
    summary: str


class Runner:
    """A runner with a workspace, which knows the contexts that expressions name."""

    def __init__(self, folder: Path, action: Path) -> None:
        self.workspace = folder / "workspace"
        self._temporary = folder / "temp"
        for each in (self.workspace, self._temporary):
            each.mkdir()
        self._action = action
        self._steps = yaml.safe_load(action.read_text())["runs"]["steps"]
        self.contexts: dict[str, str] = {"runner.temp": str(self._temporary)}
        for name, about in yaml.safe_load(action.read_text())["inputs"].items():
            self.contexts[f"inputs.{name}"] = about["default"]

    def run(self, step: str, **variables: str) -> Ended:
        """Run the script of a step with its variables and those that a runner sets."""
        (found,) = [each for each in self._steps if each.get("id") == step]
        files = {name: self._temporary / f"{step}-{name}" for name in ("outputs", "summary")}
        for file in files.values():
            file.write_text("")
        given = {name: self.expand(str(value)) for name, value in found.get("env", {}).items()}
        folder = self.workspace / self.expand(found.get("working-directory", "."))
        process = subprocess.run(
            [program("bash"), "--noprofile", "--norc", "-eo", "pipefail", "-c", found["run"]],
            cwd=folder,
            env={
                **os.environ,
                "GITHUB_ACTION_PATH": str(self._action.parent),
                "GITHUB_OUTPUT": str(files["outputs"]),
                "GITHUB_STEP_SUMMARY": str(files["summary"]),
                "GITHUB_WORKSPACE": str(self.workspace),
                "RUNNER_TEMP": str(self._temporary),
                **given,
                **variables,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        outputs = dict(line.split("=", 1) for line in files["outputs"].read_text().splitlines())
        return Ended(process.returncode, process.stdout, outputs, files["summary"].read_text())

    def expand(self, text: str) -> str:
        """Put the values of contexts in place of expressions: a name, or one that is compared."""
        return _EXPRESSION.sub(lambda match: self._value(match[1].strip()), text)

    def _value(self, expression: str) -> str:
        compared = _COMPARISON.fullmatch(expression)
        if compared is None:
            return self.contexts[expression]
        is_equal = self.contexts[compared[1]] == compared[3]
        return str(is_equal is (compared[2] == "==")).lower()


def scripts(document: Any) -> list[str]:
    """Return the scripts of an action's steps."""
    return [each["run"] for each in document["runs"]["steps"] if "run" in each]
