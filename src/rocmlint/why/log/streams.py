"""The lines of each process of a log, which may be interleaved line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.why.log import lines as of_line
from rocmlint.why.log.exceptions import Numbered, chains_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.why.log.clean import LogLine
    from rocmlint.why.log.log_data import Chain


def chains_of_all(lines: Sequence[LogLine]) -> Iterator[Chain]:
    """Yield the chains of all processes, process by process."""
    for stream in _streams(lines).values():
        yield from chains_in(stream)


def _streams(lines: Sequence[LogLine]) -> dict[str, list[Numbered]]:
    """Sort lines by their process.

    Where a launcher marks only the first line of what a process wrote at once, the lines of a
    traceback below it are of the same process.
    """
    with_frames = {
        each.source
        for each in lines
        if each.source and "ile " in each.text and of_line.frame_in(each.text) is not None
    }
    found: dict[str, list[Numbered]] = {}
    lender: LogLine | None = None
    for number, line in enumerate(lines, 1):
        of = line
        if line.source:
            begins = of_line.START in line.text and line.source not in with_frames
            lender = line if begins else None
        elif lender is not None and line.text:
            of = lender
        else:
            lender = None
        numbered = Numbered(number, line.text, of.rank, line.is_record)
        found.setdefault(of.source, []).append(numbered)
    return found
