"""Output formats: what a run found, for people and for programs.

Each format is a module with one function, ``render(report, *, color)``, that yields text; it is
imported when it is used. What it yields is the same for the same findings, and no character of a
path or a source line in it can steer a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TextIO

    from rocmlint.findings import Excused, Finding
    from rocmlint.report.attached import Attached

FORMATS: Mapping[str, str] = {
    "text": "text",
    "concise": "concise",
    "json": "json_document",
    "json-lines": "json_lines",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
    "azure": "azure",
    "rdjson": "rdjson",
    "grouped": "grouped",
    "pylint": "pylint",
    "markdown": "markdown",
    "html": "html",
}
"""The formats, by name, and their modules."""
STATISTICS = ("text", "json")
"""The formats that statistics can be printed in."""
SHOWN_EXCUSED = ("text", "concise", "json")
"""The formats that can also show what the excuses of rules kept back."""


class Report(NamedTuple):
    """The results of a run; ``findings`` are sorted, ``problems`` are one line each.

    Formats for people leave the problems to stderr.
    """

    findings: Sequence[Finding]
    files: int
    """How many files were looked at."""
    problems: Sequence[str] = ()
    texts: Mapping[str, str] = {}
    """The texts of files that are not to be read from disk, such as standard input."""
    rule_folders: tuple[str, ...] = ()
    """The folders of local rules, for formats that describe the rules."""
    attached: Sequence[Attached] = ()
    """Results of other verbs, for formats that show them next to the findings."""
    notes: str = "short"
    """How formats for people show notes: ``short``, ``full``, or ``off`` for not at all."""
    notes_fail: bool = False
    """Whether notes make the run fail."""
    links: bool = False
    """Whether codes are links to the pages of the rules: only on a terminal."""
    excused: Sequence[Excused] | None = None
    """Findings that the excuses of rules kept back; None if the run did not record them."""
    evidence: Mapping[str, object] | None = None
    """Which files were examined and how; None if unknown."""


def write(name: str, report: Report, stream: TextIO, *, color: bool = False) -> None:
    """Write a report in a format; what the stream's encoding lacks is written as an escape."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    report = report._replace(links=color and stream.isatty())
    stream.writelines(
        chunk.encode(encoding, "backslashreplace").decode(encoding)
        for chunk in _render(name, report, color=color)
    )


def write_file(name: str, report: Report, path: str) -> None:
    """Write a report to a file, whole or not at all. Raises RocmlintError."""
    import os  # noqa: PLC0415

    from rocmlint.disk.write import write_atomically  # noqa: PLC0415 - few runs write files

    content = "".join(_render(name, report, color=False))
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        write_atomically(path, content.encode("utf-8", "backslashreplace"))
    except OSError as error:
        message = f"cannot write the {name} report to {path}: {error.strerror}"
        raise RocmlintError(message) from error


def _render(name: str, report: Report, *, color: bool) -> Iterator[str]:
    from importlib import import_module  # noqa: PLC0415

    module = import_module(f"{__name__}.formats.{FORMATS[name]}")
    rendered: Iterator[str] = module.render(report, color=color)
    return rendered
