"""Run rocmlint in a process of its own and read the findings that it prints."""

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

INSTALLED = Path(sysconfig.get_path("scripts"), "rocmlint")
"""The rocmlint of the Python that runs this."""


def lint(tree: Path, *arguments: str, program: Path = INSTALLED) -> dict[str, Any]:
    """Lint from within a tree, as anybody's machine would, and return the JSON document."""
    command = [str(program), "--no-cache", "--isolated", "--output-format", "json", *arguments]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) and not done.stdout.strip():
        message = f"rocmlint failed in {tree} with exit code {done.returncode}:\n{done.stderr}"
        raise SystemExit(message)
    document: dict[str, Any] = json.loads(done.stdout)
    return document
