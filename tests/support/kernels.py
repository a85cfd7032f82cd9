"""``verify kernels`` in a project: run it, and take its results apart."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

MI300 = "gfx942:sramecc+:xnack-"


def put(project: Project, source: Path, *names: str) -> None:
    for name in names:
        (project.root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, project.root / name)


def results(project: Project, *arguments: str, **environment: str) -> list[dict[str, Any]]:
    formatted = (*arguments, "--output-format", "json")
    ended = project.run("verify", "kernels", *formatted, **environment)
    document = json.loads(ended.stdout or "{}")
    assert ended.returncode == document.get("exit_code"), ended.stderr
    found: list[dict[str, Any]] = document["results"]
    return found


def judged(
    project: Project, path: Path, arch: str, **environment: str
) -> tuple[str, str, dict[str, Any]]:
    (result,) = results(project, str(path), "--arch", arch, **environment)
    return result["verdict"], result["seen"].split(";")[0], result
