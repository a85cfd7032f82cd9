"""A repository: its working tree, the commits that people name, and where two of them parted."""

from __future__ import annotations

import os
from typing import NamedTuple

from rocmlint.config.option import did_you_mean
from rocmlint.git.command import Git, GitError

_FETCH = (
    "this clone is shallow; fetch the history with `git fetch --unshallow` "
    "(`fetch-depth: 0` of actions/checkout, `GIT_DEPTH: 0` in GitLab)"
)
_NAMES = ("refs/heads", "refs/remotes", "refs/tags")


class Repository(NamedTuple):
    """A working tree (its real path), and git there."""

    top: str
    git: Git

    def commit(self, revision: str) -> str:
        """Return the hash of the commit that a revision names. Raises GitError."""
        if revision and not revision.startswith("-") and "\0" not in revision:
            named = f"{revision}^{{commit}}"
            answer = self.git.ask("rev-parse", "--verify", "--quiet", named)
            if not answer.code:
                return answer.line
        message = f"there is no commit {revision!r} in {self.top}"
        raise GitError(message + (self._meant(revision) or self._when_shallow()))

    def merge_base(self, base: str, head: str) -> str:
        """Return the commit at which a branch (``head``) left another. Raises GitError."""
        answer = self.git.ask("merge-base", self.commit(base), self.commit(head))
        if answer.code or not answer.line:
            message = f"{base!r} and {head!r} have no common ancestor"
            raise GitError(message + self._when_shallow())
        return answer.line.partition("\n")[0]

    def inside(self, path: str) -> str:
        """Return the path of a file or folder from the top of the working tree. Raises GitError.

        A link that is named itself is that link.
        """
        folder, name = os.path.split(os.path.abspath(path))
        real = os.path.join(os.path.realpath(folder), name) if name else folder
        relative = os.path.relpath(real, self.top)
        if relative.startswith(os.pardir) and os.path.realpath(path) == self.top:
            return os.curdir
        if relative.split(os.sep)[0] == os.pardir:
            message = f"{path}: not in the repository {self.top}"
            raise GitError(message)
        return relative

    def holds(self, path: str) -> bool:
        """Return whether a file below the top is of this repository, not of one inside it."""
        folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
        while folder not in {self.top, os.path.dirname(folder)}:
            if os.path.lexists(os.path.join(folder, ".git")):
                return False
            folder = os.path.dirname(folder)
        return True

    def _meant(self, revision: str) -> str:
        names = self.git.ask("for-each-ref", "--format=%(refname:short)", *_NAMES).line.split("\n")
        remote = [name for name in names if name.endswith(f"/{revision}")]
        return f"; did you mean {remote[0]!r}?" if remote else did_you_mean(revision, names, 0.7)

    def _when_shallow(self) -> str:
        shallow = self.git.ask("rev-parse", "--is-shallow-repository").line == "true"
        return f": {_FETCH}" if shallow else ""


def repository_of(folder: str) -> Repository:
    """Return the repository that a folder lies in. Raises GitError."""
    git = Git(folder)
    answer = git.ask("rev-parse", "--show-toplevel")
    if not answer.code and answer.line:
        return Repository(os.path.normpath(answer.line), git)
    if "not a git repository" in answer.error:
        message = f"{folder} is not in a git repository"
        raise GitError(message)
    git.answer("rev-parse", "--show-toplevel")
    message = f"{folder} is not in the working tree of a git repository"
    raise GitError(message)
