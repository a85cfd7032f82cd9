"""``rocmlint diff``: the findings that a branch adds, compared with where it left another."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.cli.check import defaults, exit_code, lint, refuse_contradictions, settle
from rocmlint.cli.flags import FLAGS, overrides
from rocmlint.cli.job import job_of
from rocmlint.cli.output import conclude, report
from rocmlint.cli.parser import Parser
from rocmlint.cli.parser import add_arguments as add_arguments_of_check
from rocmlint.cli.versions import Commit, unpacked
from rocmlint.errors import ConfigError
from rocmlint.git.renames import renames
from rocmlint.git.repository import repository_of
from rocmlint.lint.discovery.discover import may_be_linted
from rocmlint.lint.fold import folded
from rocmlint.report.fingerprint import posix
from rocmlint.report.known_findings import as_known, compare
from rocmlint.report.lines import Lines
from rocmlint.text.words import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Sequence
    from types import SimpleNamespace

    from rocmlint.cli.job import Job, RunState
    from rocmlint.findings import Finding
    from rocmlint.git.repository import Repository

_CHANGING = ("fix", "unsafe-fixes", "fix-only", "diff", "exit-non-zero-on-fix", "add-ignore")
_OTHERS = ("write-baseline", "stdin-filename", "show-files", "show-settings", "watch")
WITHOUT = frozenset({*_CHANGING, *_OTHERS}) & FLAGS.keys()
"""The flags of ``check`` that make no sense for two versions."""
_HASH = 10
"""How many digits of a commit are shown."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint diff``."""
    parser.add_argument("base", metavar="BASE", help="the branch or commit to compare with")
    parser.add_argument(
        "--head",
        metavar="REV",
        help="the branch or commit whose findings are reported (default: the files as they are "
        "now, with uncommitted changes and untracked files)",
    )
    add_arguments_of_check(parser, WITHOUT)


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint diff``."""
    parser = Parser(
        "diff [flags] BASE [PATH ...]",
        "Report the findings that a branch adds: those that the merge base of BASE and the branch "
        "does not have. Both versions are linted with the configuration and the local rules of the "
        "current files.",
        "exit codes: 0 no new findings, 1 new findings, 2 usage error or internal error",
    )
    add_arguments(parser)
    flags = parser.parse(arguments, defaults())
    if "-" in flags.paths:
        message = "diff: standard input cannot be compared; name files and directories"
        raise ConfigError(message)
    settle(flags)
    refuse_contradictions(flags)
    return diff(flags)


def diff(flags: SimpleNamespace) -> int:
    """Lint, leave out what is not new, report. Raises RocmlintError."""
    job = job_of(flags, overrides(flags))
    first = os.path.abspath(job.paths[0])
    repository = repository_of(first if os.path.isdir(first) else os.path.dirname(first))
    base = repository.merge_base(flags.base, flags.head or "HEAD")
    with ExitStack() as left_over:
        head = None
        if flags.head is not None:
            head = left_over.enter_context(unpacked(repository, repository.commit(flags.head)))
        state = _linted(job, repository, head)
        known = 0
        if state.findings:
            before = left_over.enter_context(unpacked(repository, base))
            new = _new(job, state, Versions(repository, head, before))
            known = len(state.findings) - len(new)
            state = state._replace(
                findings=folded(new), remarks=[*state.remarks, *_unknown(new, before)]
            )
    state = report(job, state)
    conclude(job, state)
    if not flags.quiet:
        where = f"{flags.base} at {base[:_HASH]}"
        print(f"Compared with {where}: {counted(known, 'known finding')}.", file=sys.stderr)
    return exit_code(job, state)


class Versions(NamedTuple):
    """The versions to compare: a commit, None for the files as they are, with an earlier one."""

    repository: Repository
    head: Commit | None
    before: Commit

    def now(self, path: str) -> str:
        """Return where the content of a file (from the top) is."""
        path = os.path.join(self.repository.top, path)
        return path if self.head is None else self.head.place(path)

    def then(self, path: str) -> str:
        """Return where the content of a file (from the top) was, if there was one."""
        return self.before.place(os.path.join(self.repository.top, path))


def _linted(job: Job, repository: Repository, head: Commit | None) -> RunState:
    """Lint what is compared: each place, since a fault may be known of some."""
    if head is None:
        state = _without_other_repositories(lint(job, folds=False), repository)
    else:
        state = head.lint(job, _absolute(job, repository))
    if job.settings.baseline is None:
        return state
    from rocmlint.cli import baseline  # noqa: PLC0415 - few runs have one

    return baseline.leave_out(job, state)


def _absolute(job: Job, repository: Repository) -> list[str]:
    inside = map(repository.inside, job.paths)
    return [os.path.normpath(os.path.join(repository.top, each)) for each in inside]


def _new(job: Job, state: RunState, versions: Versions) -> Sequence[Finding]:
    """Return the findings that the earlier version does not have, in order.

    Of that only the files are linted that now have findings.
    """
    before, top = versions.before, versions.repository.top
    inside = versions.repository.inside
    places = {path: inside(path) for path in {each.path for each in state.findings}}
    old_path = _renamed(set(places.values()), versions)
    renamed = [os.path.join(top, each) for each in old_path.values()]
    paths = [*_absolute(job, versions.repository), *renamed]
    paths = [each for each in paths if os.path.lexists(before.place(each))]
    known = before.lint(job, paths, [*renamed, *(os.path.join(top, p) for p in places.values())])
    new_path = {old: new for new, old in old_path.items()}
    old_lines, lines = Lines(known.texts), Lines(state.texts)
    left = []
    for each in known.findings:
        path = inside(each.path)
        left.append(as_known(each, posix(new_path.get(path, path)), old_lines))
    found = [(each, as_known(each, posix(places[each.path]), lines)) for each in state.findings]
    new = compare(found, left).new
    codes = tuple({each.code for each in new if each.once})
    if not codes:
        return new
    # What holds for the whole project is known, wherever else it shows now.
    once = {each.once for each in before.lint(job, paths, codes=codes).findings if each.once}
    return [each for each in new if each.once not in once]


def _renamed(found: set[str], versions: Versions) -> dict[str, str]:
    """Return the old paths of the files with findings that were renamed."""
    added = {each: versions.now(each) for each in found}
    added = {each: now for each, now in added.items() if not os.path.lexists(versions.then(each))}
    if not added:
        return {}
    gone = (path for path in versions.before.files if not os.path.lexists(versions.now(path)))
    return renames({path: versions.then(path) for path in gone if may_be_linted(path)}, added)


def _without_other_repositories(state: RunState, repository: Repository) -> RunState:
    """Leave out findings in submodules and other repositories, which the branch does not hold."""
    own = [each for each in state.findings if repository.holds(each.path)]
    others = len(state.findings) - len(own)
    if not others:
        return state
    remark = f"{counted(others, 'finding')} in other repositories, such as submodules: not compared"
    return state._replace(findings=own, remarks=[*state.remarks, remark])


def _unknown(new: Sequence[Finding], before: Commit) -> Iterator[str]:
    """Yield a line for each file with new findings whose old content is not there."""
    elsewhere = {os.path.join(before.top, each) for each in before.elsewhere}
    for path in dict.fromkeys(each.path for each in new):
        if os.path.abspath(path) in elsewhere:
            yield f"{path}: all findings count as new: run `git lfs fetch` to get its old content"
