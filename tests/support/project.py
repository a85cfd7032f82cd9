"""A folder to run the command in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.support import fork_server

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = fork_server.PATIENCE
COMMAND = (sys.executable, "-m", "rocmlint")


class Project:
    """A folder to run the command in."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, name: str) -> str:
        return (self.root / name).read_text()

    def run(
        self,
        *arguments: str,
        stdin: str = "",
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        variables = {**os.environ, **environment}
        if fork_server.is_enough_for(variables):
            return fork_server.run(arguments, self.root, variables, stdin)
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=self.root,
            input=stdin,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start the command in a group of its own, as a terminal does."""
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def code(self, *arguments: str) -> int:
        return self.run(*arguments).returncode

    def findings(self, *arguments: str) -> list[tuple[str, str]]:
        found = json.loads(self.run(*arguments, "--output-format", "json").stdout)["findings"]
        return [(each["path"], each["code"]) for each in found]
