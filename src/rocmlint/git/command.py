"""Running git so that it only reads: nothing that a checkout configures is run, nothing fetched."""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple

from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SETTINGS = {
    "core.attributesFile": os.devnull,
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "safe.bareRepository": "explicit",
}
"""Laid over the configuration of the repository: what it could name here are commands."""
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",  # whatever the configuration allows
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_OF_HOOKS = frozenset(
    {
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"),
        *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE"),
        *("GIT_EXTERNAL_DIFF", "GIT_CONFIG"),
    }
)
"""Variables that git sets for a hook that runs us, and that would lead to another repository."""


class GitError(RocmlintError):
    """Git cannot answer; the message is its own, or says what to do."""


class GitAnswer(NamedTuple):
    """Output of git, and its exit code."""

    code: int
    output: bytes
    error: str

    @property
    def line(self) -> str:
        """The output as one line."""
        return os.fsdecode(self.output).rstrip("\n")


class Git(NamedTuple):
    """Git, asked in one folder."""

    folder: str

    def ask(self, *arguments: str) -> GitAnswer:
        """Return what git answers, whatever its exit code. Raises GitError where it is missing."""
        try:
            done = subprocess.run(
                _command(arguments),
                cwd=self.folder,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise _not_started(error) from error
        return GitAnswer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def answer(self, *arguments: str) -> GitAnswer:
        """Return what git answers. Raises GitError with its own words where it fails."""
        answer = self.ask(*arguments)
        if answer.code:
            raise GitError(_why(answer.error, arguments))
        return answer

    @contextmanager
    def fed(self, lines: Iterable[str], *arguments: str) -> Iterator[IO[bytes]]:
        """Give the stream in which git answers to these lines. Raises GitError."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
            given.writelines(os.fsencode(line) + b"\n" for line in lines)
            given.seek(0)
            try:
                child = subprocess.Popen(
                    _command(arguments),
                    cwd=self.folder,
                    env=_environment(),
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=said,
                )
            except OSError as error:
                raise _not_started(error) from error
            with child:
                assert child.stdout is not None
                try:
                    yield child.stdout
                except BaseException:
                    child.kill()
                    raise
            if child.returncode:
                said.seek(0)
                raise GitError(_why(said.read().decode("utf-8", "replace"), arguments))


def _command(arguments: Iterable[str]) -> list[str]:
    settings = [part for pair in _SETTINGS.items() for part in ("-c", "=".join(pair))]
    return ["git", "--no-pager", *settings, *arguments]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _OF_HOOKS}
    return {**kept, **_VARIABLES}


def _not_started(error: OSError) -> GitError:
    if isinstance(error, FileNotFoundError):
        return GitError("git is not installed, or not on PATH")
    return GitError(f"git cannot be run: {error.strerror}")


def _why(said: str, arguments: Iterable[str]) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    reason = next((line for line in lines if line.startswith("fatal: ")), *lines[:1] or ("failed",))
    return f"git {next(iter(arguments))}: {reason.removeprefix('fatal: ')}"
