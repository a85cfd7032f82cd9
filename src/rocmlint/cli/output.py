"""The output of ``check``: reports, statistics, problems and the summary."""

from __future__ import annotations

import io
import os
import sys
import time
from typing import TYPE_CHECKING

from rocmlint.cli.evidence import document, in_full, in_short
from rocmlint.cli.flags import FLAGS
from rocmlint.config.option import problem
from rocmlint.errors import ConfigError, RocmlintError
from rocmlint.paths import relative
from rocmlint.report import Report, write, write_file
from rocmlint.report.summary import fixed_rules, number_of, summary
from rocmlint.text.visible import at_line_start, visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import SimpleNamespace
    from typing import TextIO

    from rocmlint.cli.job import Job, RunState


def settle_outputs(flags: SimpleNamespace) -> None:
    """Let an output to ``-`` be the format of what is printed. Raises ConfigError."""
    files = []
    for each in flags.output or ():
        name, path = split_output(each, f"--output {each}")
        if path != "-":
            files.append(each)
        elif flags.output_format is None:
            flags.output_format = name
        else:
            message = f"--output {each}: standard output already gets {flags.output_format}"
            raise ConfigError(message)
    flags.output = files


def split_output(text: str, given_as: str) -> tuple[str, str]:
    """Return the format and the file of an output. Raises ConfigError."""
    name, colon, path = text.partition(":")
    wrong = problem("FORMAT", FLAGS["output-format"], name) if colon and path else None
    if wrong is not None or not (colon and path):
        message = f"{given_as}: {wrong or 'must be FORMAT:FILE'}"
        raise ConfigError(message)
    return name, path


def read_attached(flags: SimpleNamespace) -> None:
    """Read what a report shows besides the findings. Raises ConfigError where no report can."""
    flags.attached = ()
    if not flags.attach:
        return
    formats = {flags.output_format, *(each.partition(":")[0] for each in flags.output)}
    if "html" not in formats:
        message = "--attach needs an HTML report: --output html:FILE or --output-format html"
        raise ConfigError(message)
    from rocmlint.report.attached import read  # noqa: PLC0415 - few reports have any

    flags.attached = [read(path) for path in flags.attach]


def report(job: Job, state: RunState) -> RunState:
    """Write the findings to where they are wanted; a file that cannot be written is a problem."""
    flags = job.flags
    whole = Report(
        state.findings,
        state.files,
        state.problems,
        {**state.texts, **job.piped},
        job.settings.rules,
        flags.attached,
        _shown_notes(job, state),
        _notes_fail(job, state),
        excused=state.excused if flags.show_excused else None,
        evidence=None if state.evidence is None else document(state.evidence),
    )
    problems = list(state.problems)
    for each in flags.output:
        name, _, path = each.partition(":")
        try:
            write_file(name, whole, path)
        except RocmlintError as error:
            problems.append(str(error))
    # What was piped in and changed is on stdout already.
    stream = sys.stderr if job.stdin is not None and job.changes_files else sys.stdout
    kept = io.StringIO() if flags.output_file is not None or flags.silent else None
    stream = kept or stream
    color = in_color(flags.color, stream)
    if flags.statistics:
        from rocmlint.report import statistics  # noqa: PLC0415 - few runs print them

        stream.writelines(statistics.render(flags.output_format, whole, color=color))
    elif not (flags.diff or flags.fix_only):
        write(flags.output_format, whole, stream, color=color)
        if flags.show_excused and flags.output_format != "json":
            from rocmlint.report import excused  # noqa: PLC0415 - few runs ask for it

            stream.writelines(excused.render(state.excused, color=color))
    stream.flush()
    if kept is not None and flags.output_file is not None:
        problems += _saved(kept.getvalue(), flags.output_file)
    return state._replace(problems=problems)


def _notes_fail(job: Job, state: RunState) -> bool:
    return any(each.severity == "note" and job.fails(each) for each in state.findings)


def _shown_notes(job: Job, state: RunState) -> str:
    """Return how people see notes; what makes the run fail is always shown."""
    if _notes_fail(job, state):
        return "full"
    return "off" if job.flags.quiet else job.settings.notes


def _saved(text: str, path: str) -> Iterator[str]:
    """Write a file, and yield what went wrong."""
    from rocmlint.disk.write import write_atomically  # noqa: PLC0415 - few runs write files

    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        write_atomically(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        yield f"cannot write the findings to {path}: {error.strerror}"


def conclude(job: Job, state: RunState) -> None:
    """Print the problems, and in one line what the run came to."""
    for line in (*state.problems, *([] if job.flags.silent else state.remarks)):
        print(at_line_start(visible(line)), file=sys.stderr)
    if job.flags.verbose:
        for fault in state.faults:
            print(*map(visible, fault.traceback.splitlines()), sep="\n", file=sys.stderr)
        print("\n".join(_details(job)), file=sys.stderr)
        if state.evidence is not None:
            print(*map(visible, in_full(state.evidence)), sep="\n", file=sys.stderr)
    if job.flags.quiet:
        return
    if job.flags.show_fixes and (job.flags.fix or job.flags.diff):
        sys.stderr.writelines(fixed_rules(state.settled))
    if state.files or state.findings:
        is_lint = not (job.flags.diff or job.flags.write_baseline)
        seen = f" {in_short(state.evidence)}" if is_lint and state.evidence else ""
        print(f"{_summary(job, state)}{seen}", file=sys.stderr)
    elif not state.problems:  # else they say why
        hint = "" if job.settings.documents is not False else " (documents = false)"
        print(f"warning: no files to check{hint}", file=sys.stderr)


def _details(job: Job) -> Iterator[str]:
    yield f"configuration: {', '.join(job.settings.sources) or 'none'}"
    yield f"root: {job.settings.root}"
    yield f"cache: {job.cache or 'none'}"
    yield f"time: {time.monotonic() - job.started:.2f} s"


def _summary(job: Job, state: RunState) -> str:
    flags = job.flags
    many = number_of(state.settled)
    where = _number(state.changed, "file")
    if flags.diff:
        return f"Would fix {many} in {where}."
    if flags.write_baseline:
        return f"Wrote {many} to {relative(job.settings.baseline or '')}."
    line = summary(
        state.findings,
        state.files,
        fixed=len(state.settled) if flags.fix else 0,
        notes_fail=_notes_fail(job, state),
    )
    return line if flags.add_ignore is None else f"Suppressed {many} in {where}. {line}"


def _number(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def in_color(wanted: str, stream: TextIO, *, exact: bool = False) -> bool:
    """Return whether to write in colour to a stream.

    What a program may want to read, such as a diff, is ``exact``: then FORCE_COLOR is not obeyed.
    """
    if wanted != "auto":
        return wanted == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") and not exact:
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
