"""The findings that are known already: left out, or written down."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rocmlint.errors import ConfigError
from rocmlint.lint.discovery.discover import is_excluded
from rocmlint.lint.selection import is_off
from rocmlint.paths import relative
from rocmlint.report import baseline
from rocmlint.report.fingerprint import posix
from rocmlint.report.lines import Lines

if TYPE_CHECKING:
    from rocmlint.cli.job import Job, RunState
    from rocmlint.report.baseline import Linted


def leave_out(job: Job, state: RunState) -> RunState:
    """Leave out the findings that the baseline knows."""
    path = job.settings.baseline
    if path is None:
        return state
    new, stale = baseline.filter_known(
        path, state.findings, Lines({**state.texts, **job.piped}), _linted(job)
    )
    if stale and not job.flags.quiet:
        entries = "1 stale entry" if len(stale) == 1 else f"{len(stale)} stale entries"
        them = "it" if len(stale) == 1 else "them"
        print(
            f"{relative(path)}: {entries}; use --write-baseline to remove {them}",
            file=sys.stderr,
        )
    return state._replace(findings=new)


def write(job: Job, state: RunState) -> RunState:
    """Write all findings to the baseline, so that none is left."""
    path = job.settings.baseline
    if path is None:
        message = "--write-baseline needs --baseline FILE, or baseline in the configuration"
        raise ConfigError(message)
    baseline.write(path, state.findings, Lines({**state.texts, **job.piped}), _linted(job))
    return state._replace(findings=(), settled=state.findings)


def _linted(job: Job) -> Linted:
    """Return what the run looked for and where: no rules that are off, no excluded files."""
    below = baseline.below(*job.paths)
    named = set() if job.flags.force_exclude else set(map(os.path.abspath, job.paths))

    def linted(path: str, code: str, is_note: bool) -> bool:
        settings = job.configuration.settings_for(os.path.dirname(path))
        return (
            below(path, code, is_note)
            and not (is_note and settings.notes == "off")
            and (path in named or not is_excluded(path, settings))
            and not is_off(code, settings, posix(relative(path, settings.root)))
        )

    return linted
