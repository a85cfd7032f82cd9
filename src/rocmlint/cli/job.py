"""The job of a run of ``check``, and its state after each step."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.config.configuration import Configuration
from rocmlint.config.settings import FAIL_ON
from rocmlint.disk.repository import repositories
from rocmlint.disk.state import CACHE
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import SimpleNamespace

    from rocmlint.config.settings import Settings
    from rocmlint.findings import Excused, Finding
    from rocmlint.lint.evidence import Evidence
    from rocmlint.lint.rule_fault import RuleFault

STDIN = "stdin.py"
"""The name of standard input if ``--stdin-filename`` is not given."""


class Job(NamedTuple):
    """The task, and the settings that hold for the run as a whole."""

    flags: SimpleNamespace
    paths: Sequence[str]
    configuration: Configuration
    settings: Settings
    """Those of the first path: they say where cache and baseline are."""
    stdin: bytes | None
    started: float

    @property
    def cache(self) -> str | None:
        """The folder of the cache, None for no cache."""
        if self.flags.no_cache:
            return None
        return self.settings.cache_dir or os.path.join(self.settings.root, CACHE)

    @property
    def cache_within(self) -> str | None:
        """The folder that the cache must lie in, None where the command says where it is.

        That is the repository, else the folder of the configuration.
        """
        if self.configuration.is_given_by_command("cache-dir"):
            return None
        return next(repositories(self.settings.root), self.settings.root)

    @property
    def changes_files(self) -> bool:
        """Whether findings are to be fixed or hidden."""
        return bool(self.flags.fix or self.flags.diff or self.flags.add_ignore is not None)

    def fails(self, finding: Finding) -> bool:
        """Return whether a finding makes the run fail, by the configuration of its file."""
        folder = os.path.dirname(os.path.abspath(finding.path))
        fail_on = self.configuration.settings_for(folder).fail_on
        return finding.severity in FAIL_ON[FAIL_ON.index(fail_on) :]

    @property
    def piped(self) -> Mapping[str, str]:
        """The text of what was piped in, which must not be read from disk."""
        return {} if self.stdin is None else {self.paths[0]: text_of(self.paths[0], self.stdin)}


class RunState(NamedTuple):
    """The state of a run after one step, for the next."""

    findings: Sequence[Finding] = ()
    problems: Sequence[str] = ()
    """Errors of this run: such a run does not count as clean."""
    files: int = 0
    remarks: Sequence[str] = ()
    """Faults that do not touch the result."""
    settled: Sequence[Finding] = ()
    """The findings that were fixed or hidden, or would be."""
    changed: int = 0
    """In how many files."""
    texts: Mapping[str, str] = {}
    """The texts of files with findings, as far as they are known; others are read again."""
    faults: Sequence[RuleFault] = ()
    """Exceptions inside local rules."""
    evidence: Evidence | None = None
    """Which files were examined and how."""
    excused: Sequence[Excused] = ()
    """Findings that the excuses of rules kept back, if requested."""


def job_of(flags: SimpleNamespace, options: Mapping[str, object]) -> Job:
    """Read standard input if it is linted, and the settings. Raises ConfigError."""
    paths, stdin = flags.paths or ["."], None
    if paths == ["-"]:
        if sys.stdin is None:
            message = "-: standard input is closed"
            raise ConfigError(message)
        paths, stdin = [flags.stdin_filename or STDIN], sys.stdin.buffer.read()
    configuration = Configuration(
        options, config=flags.config, isolated=flags.isolated, without_notes=flags.hook
    )
    first = os.path.abspath(paths[0])
    folder = first if os.path.isdir(first) else os.path.dirname(first)
    settings = configuration.settings_for(folder)
    return Job(flags, paths, configuration, settings, stdin, time.monotonic())


def text_of(path: str, data: bytes) -> str:
    """Decode a file, to nothing where that is not possible."""
    from rocmlint.source import decoding as content  # noqa: PLC0415 - a clean run reads no text

    try:
        return content.text_of(path, data)
    except (SyntaxError, ValueError):
        return ""
