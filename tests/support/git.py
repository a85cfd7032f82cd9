"""A project in a real git repository, to compare branches of."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from tests.support.project import Project
from tests.support.scripts import UNSAFE
from tests.support.tools import program

if TYPE_CHECKING:
    from pathlib import Path

SOMEBODY = ("user.name=Ada", "user.email=ada@example.org", "protocol.file.allow=always")


def git(folder: Path, *arguments: str) -> str:
    """Run git as somebody, with no configuration but the repository's own."""
    settings = [part for each in SOMEBODY for part in ("-c", each)]
    result = subprocess.run(
        [program("git"), *settings, *arguments],
        cwd=folder,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        check=True,
    )
    return os.fsdecode(result.stdout).strip()


class GitProject(Project):
    """A folder with a repository, to run the command in."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        root.mkdir(parents=True, exist_ok=True)
        git(root, "init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        return git(self.root, *arguments)

    def commit(self, **files: str | None) -> None:
        """Write files (``__`` is a dot), delete those that are None, and commit everything."""
        for name, text in files.items():
            path = name.replace("__", ".")
            if text is None:
                (self.root / path).unlink()
            else:
                self.write(path, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=change")

    def branch(self, name: str = "topic") -> None:
        self.git("checkout", "--quiet", "-b", name)

    def new(self, *arguments: str) -> list[tuple[str, str]]:
        """Return the path and code of each finding that is new, compared with main."""
        return self.findings("diff", *(arguments or ("main",)))


def branched(root: Path) -> GitProject:
    """Return a project with one finding on ``main``, and a branch ``topic`` checked out."""
    made = GitProject(root)
    made.commit(old__py=UNSAFE)
    made.branch()
    return made
