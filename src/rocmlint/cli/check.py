"""``rocmlint check``: lint, leave out what is known, fix, report."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Literal

from rocmlint.cli.environment import fill_in, variable
from rocmlint.cli.flags import FLAGS, attribute, overrides
from rocmlint.cli.job import Job, RunState, job_of
from rocmlint.cli.main import VERBS
from rocmlint.cli.output import conclude, read_attached, report, settle_outputs
from rocmlint.config.settings import OPTIONS
from rocmlint.errors import ConfigError
from rocmlint.report import SHOWN_EXCUSED, STATISTICS

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint check``."""
    flags = read(arguments)
    if flags.paths and arguments[0].startswith("-"):
        flags.paths = _without_verb(flags.paths)
    refuse_contradictions(flags)
    if not flags.watch:
        return check(flags)
    from rocmlint.cli.watch import watch  # noqa: PLC0415 - few runs watch

    return watch(flags, check)


def read(arguments: Sequence[str]) -> SimpleNamespace:
    """Read the arguments of ``check``, then the environment. Raises ConfigError."""
    flags = defaults()
    if any(each.startswith("-") for each in arguments):
        from rocmlint.cli.parser import check_parser  # noqa: PLC0415 - an eighth of a whole start

        flags = check_parser().parse(arguments, flags)
    else:
        flags.paths = list(arguments)
    settle(flags)
    return flags


def settle(flags: SimpleNamespace) -> None:
    """Let the environment set what was not given, and read what is attached. Raises ConfigError."""
    settle_outputs(flags)
    fill_in(flags)
    flags.output_format = flags.output_format or FLAGS["output-format"].default
    read_attached(flags)


def defaults() -> SimpleNamespace:
    """Return the flags of a command line that has none."""
    flags = SimpleNamespace(**dict.fromkeys(attribute(name) for name in OPTIONS))
    for name, option in FLAGS.items():
        default = option.default
        setattr(flags, attribute(name), list(default) if isinstance(default, tuple) else default)
    flags.output_format = None  # not given
    return flags


def check(flags: SimpleNamespace) -> int:
    """Do what the flags say, and give the exit code."""
    job = job_of(flags, overrides(flags))
    if flags.show_settings or flags.show_files:
        from rocmlint.cli import show  # noqa: PLC0415 - few runs show anything

        return show.settings(job) if flags.show_settings else show.files(job)
    # Where files are changed, each place is.
    state = (
        lint(job, folds=not job.changes_files) if job.stdin is None else _lint_stdin(job, job.stdin)
    )
    if flags.write_baseline or job.settings.baseline is not None:
        from rocmlint.cli import baseline  # noqa: PLC0415 - few runs have one

        state = (baseline.write if flags.write_baseline else baseline.leave_out)(job, state)
    if job.changes_files and (state.findings or job.stdin is not None):
        from rocmlint.cli.changes import change  # noqa: PLC0415 - few runs change files

        job, state = change(job, state)
    state = report(job, state)
    conclude(job, state)
    return exit_code(job, state)


def _without_verb(paths: list[str]) -> list[str]:
    """Return the paths after flags: ``check`` may still follow these, other verbs come first."""
    first, *rest = paths
    if first not in VERBS or os.path.lexists(first):
        return paths
    if first == "check":
        return rest
    message = f"the verb must come first: rocmlint {first} ..."
    raise ConfigError(message)


def refuse_contradictions(flags: SimpleNamespace) -> None:
    """Check what the parser cannot, and let flags that imply others set them."""
    flags.quiet = flags.quiet or flags.silent
    flags.fix = (flags.fix or flags.unsafe_fixes or flags.fix_only) and not flags.diff
    changing = [name for name in ("fix", "diff", "write_baseline") if getattr(flags, name)]
    changing += ["add_ignore"] if flags.add_ignore is not None else []
    changing += ["ignore_noqa"] if flags.ignore_noqa and flags.add_ignore is not None else []
    message = None
    if len(changing) > 1:
        names = " and ".join(f"--{name.replace('_', '-')}" for name in changing)
        message = f"{names} cannot be used together"
    elif "-" in flags.paths and len(flags.paths) > 1:
        message = "- (standard input) must be the only PATH"
    elif flags.stdin_filename and flags.paths != ["-"]:
        message = "--stdin-filename requires - as the only PATH"
    elif flags.statistics and flags.output_format not in STATISTICS:
        message = f"--statistics can be printed as text or json, not as {flags.output_format}"
        if os.environ.get(variable("output-format")) == flags.output_format:
            message += f" ({variable('output-format')})"
    elif flags.show_excused and flags.output_format not in SHOWN_EXCUSED:
        message = (
            f"--show-excused can be printed as {', '.join(SHOWN_EXCUSED[:-1])} or "
            f"{SHOWN_EXCUSED[-1]}, not as {flags.output_format}"
        )
    elif flags.watch and flags.paths == ["-"]:
        message = "--watch cannot be used with - (standard input)"
    elif flags.output_file is not None and (flags.diff or flags.fix_only):
        other = "--diff" if flags.diff else "--fix-only"
        message = f"--output-file is for findings, which {other} does not print"
    elif flags.add_ignore is not None and _is_path(flags.add_ignore):
        message = (
            f"--add-ignore needs a reason, and {flags.add_ignore!r} is a path: "
            "rocmlint --add-ignore=REASON PATH"
        )
    elif flags.jobs is not None and flags.jobs < 1:
        message = f"--jobs must be at least 1, not {flags.jobs}"
    if message is not None:
        raise ConfigError(message)


def _is_path(reason: str) -> bool:
    """Return whether a reason was meant as a path: one that is there, or one with a typo."""
    from rocmlint.lint.discovery.discover import is_linted  # noqa: PLC0415 - few runs give a reason

    return os.path.exists(reason) or (len(reason.split()) == 1 and is_linted(reason))


def lint(job: Job, *, folds: bool) -> RunState:
    """Lint the paths of a job; with ``folds`` report once what holds for a whole project."""
    from rocmlint.cli.progress import Progress  # noqa: PLC0415 - nothing to lint on stdin
    from rocmlint.lint.run import Options, run  # noqa: PLC0415

    progress = Progress(shown=not job.flags.quiet)
    texts: dict[str, str] | None = None if job.changes_files else {}
    options = Options(
        jobs=job.flags.jobs,
        cache_dir=job.cache,
        cache_within=job.cache_within,
        force_exclude=job.flags.force_exclude,
        folds=folds,
        excused=job.flags.show_excused,
        evidence=_wanted_evidence(job),
        progress=progress,
        texts=texts,
    )
    try:
        outcome = run(job.paths, job.configuration.settings_for, options)
    finally:
        progress.close()
    if not outcome.files:
        from rocmlint.lint.selection import enabled_rules  # noqa: PLC0415 - loads the rules

        enabled_rules(job.settings)  # nobody has looked for mistakes in them yet
    return RunState(
        outcome.findings,
        outcome.problems,
        outcome.files,
        outcome.remarks,
        texts=texts or {},
        faults=outcome.faults,
        excused=outcome.excused,
        evidence=outcome.evidence,
    )


def _wanted_evidence(job: Job) -> Literal["", "short", "full"]:
    """Return how much evidence the run is to collect and report."""
    flags = job.flags
    if flags.verbose or "json" in {flags.output_format, *(each[:4] for each in flags.output)}:
        return "full"
    return "" if flags.quiet else "short"


def _lint_stdin(job: Job, data: bytes) -> RunState:
    from rocmlint.lint.discovery.discover import is_excluded, why_not_linted  # noqa: PLC0415
    from rocmlint.lint.guard import DEATH, guarded  # noqa: PLC0415
    from rocmlint.lint.linter import Linter  # noqa: PLC0415 - loads the rules

    path = job.paths[0]
    linter = Linter(job.settings._replace(named=True), excused=job.flags.show_excused)
    if job.flags.force_exclude and is_excluded(os.path.abspath(path), job.settings):
        return RunState()
    refusal = why_not_linted(path, data, job.settings)
    if refusal is not None:
        return RunState(remarks=[f"{path}: {refusal}"])
    ((_, analysis),) = guarded(lambda data: linter.lint(path, data), [data])
    if analysis is None:
        return RunState(linter.unreadable(path, DEATH).findings, [f"{path}: {DEATH}"], files=1)
    findings = analysis.findings
    if not os.path.exists(path):  # then no command about the file could work
        from dataclasses import replace  # noqa: PLC0415 - a fifth of a start that needs no rule

        findings = [replace(each, claims=()) for each in findings]
    excused = () if analysis.kept_back is None else analysis.kept_back.excused
    return RunState(findings, analysis.problems, files=1, faults=analysis.faults, excused=excused)


def exit_code(job: Job, state: RunState) -> int:
    """Return the exit code for what a run has found and changed."""
    flags = job.flags
    if state.problems:
        return 2
    if flags.exit_zero:
        return 0
    if flags.diff or flags.fix_only:
        return int(bool(state.changed) and (flags.diff or flags.exit_non_zero_on_fix))
    failed = any(map(job.fails, state.findings))
    return int(failed or bool(flags.exit_non_zero_on_fix and state.changed))
