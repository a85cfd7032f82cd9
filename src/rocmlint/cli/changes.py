"""Changing files: fixes and comments that hide, written, shown as a diff, or sent on from stdin."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from rocmlint.change.add_ignore import ignore_bytes
from rocmlint.change.change import Change, diff, write
from rocmlint.change.fix import fix_bytes
from rocmlint.cli.job import text_of
from rocmlint.cli.output import in_color
from rocmlint.disk.read import MAXIMUM_READ, read_small
from rocmlint.lint.by_settings import BySettings
from rocmlint.lint.fold import folded
from rocmlint.lint.linter import Linter
from rocmlint.report.baseline import below, filter_known
from rocmlint.report.diff import write_diff
from rocmlint.report.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.change.change import Lint
    from rocmlint.cli.job import Job, RunState
    from rocmlint.findings import Finding


TERMINATED = 143


def change(job: Job, state: RunState) -> tuple[Job, RunState]:
    """Change the files that have findings, and say what is left to report."""
    # Whoever ends us shall find each file old or new, and nothing half written beside it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    linters = BySettings(Linter)
    found: dict[str, list[Finding]] = {}
    for finding in state.findings:
        found.setdefault(finding.path, []).append(finding)
    paths = {each.path: found[each.path] for each in state.findings if _is_wanted(job, each)}
    changes = [_finished(job, _change(job, path, paths[path], linters)) for path in paths]
    if job.stdin is not None and not job.flags.diff:
        job = job._replace(stdin=changes[0].after if changes else job.stdin)
        sys.stdout.buffer.write(job.stdin or b"")
    left = [each for each in state.findings if each.path not in paths]
    left += [finding for each in changes for finding in each.left]
    return job, state._replace(
        findings=folded(sorted(left, key=lambda finding: finding.sort_key)),
        problems=[*state.problems, *(each.problem for each in changes if each.problem)],
        settled=[finding for each in changes for finding in each.settled],
        changed=sum(each.after != each.before for each in changes),
    )


def _is_wanted(job: Job, finding: Finding) -> bool:
    if job.flags.add_ignore is not None:
        return finding.severity != "note" or job.settings.notes == "full" or job.fails(finding)
    return finding.fix is not None and (finding.fix.safe or job.flags.unsafe_fixes)


def _change(job: Job, path: str, found: Sequence[Finding], linters: BySettings[Linter]) -> Change:
    """Change a file in which a run has found something."""
    data, settings = job.stdin, job.settings
    if data is None:
        settings = job.configuration.settings_for(os.path.dirname(os.path.abspath(path)))
        try:
            data = read_small(path, MAXIMUM_READ)
        except OSError as error:
            problem = f"{path}: cannot be read: {error.strerror}"
            return Change(path, b"", b"", found, (), found, problem)
    linter = linters.of(settings)

    def lint(changed: bytes) -> Sequence[Finding]:
        found = linter.lint(path, changed, folds=False).findings
        if job.settings.baseline is None:
            return found
        # What the baseline knows is not to be touched either.
        lines = Lines({path: text_of(path, changed)})
        return filter_known(job.settings.baseline, found, lines, below(path)).new

    if job.flags.add_ignore is not None:
        return _ignore(job, path, data, lint)
    return fix_bytes(path, data, lint, unsafe=job.flags.unsafe_fixes)


def _ignore(job: Job, path: str, data: bytes, lint: Lint) -> Change:
    """Add comments for what fails or is asked for; other notes are left, where they are then."""
    made = ignore_bytes(
        path,
        data,
        lambda changed: [each for each in lint(changed) if _is_wanted(job, each)],
        job.flags.add_ignore,
    )
    notes = [each for each in lint(made.after) if not _is_wanted(job, each)]
    return made._replace(left=[*made.left, *notes])


def _finished(job: Job, made: Change) -> Change:
    """Move a change to where it belongs."""
    if job.flags.diff:
        if not job.flags.silent:
            colored = in_color(job.flags.color, sys.stdout, exact=True)
            write_diff(diff(made), sys.stdout, color=colored)
        return made._replace(left=made.found)
    return made if job.stdin is not None else write(made)
