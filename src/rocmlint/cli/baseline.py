"""The findings that are known already: left out, or written down."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rocmlint.errors import ConfigError
from rocmlint.lint import baseline
from rocmlint.lint.lines import Lines

if TYPE_CHECKING:
    from rocmlint.cli.job import Job, State


def leave_out(job: Job, state: State) -> State:
    """Leave out the findings that the baseline knows."""
    path = job.settings.baseline
    if path is None:
        return state
    new, stale = baseline.filter_known(path, state.findings, Lines(job.texts), job.paths)
    if stale and not job.flags.quiet:
        entries = "1 entry matches" if len(stale) == 1 else f"{len(stale)} entries match"
        print(
            f"{os.path.relpath(path)}: {entries} nothing any more; --write-baseline tidies up",
            file=sys.stderr,
        )
    return state._replace(findings=new)


def write(job: Job, state: State) -> State:
    """Write all findings to the baseline, so that none is left."""
    path = job.settings.baseline
    if path is None:
        message = "--write-baseline needs --baseline FILE, or baseline in the configuration"
        raise ConfigError(message)
    baseline.write(path, state.findings, Lines(job.texts), job.paths)
    return state._replace(findings=(), settled=len(state.findings))
