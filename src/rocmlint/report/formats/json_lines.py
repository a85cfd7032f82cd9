"""One JSON object a line; ``docs/schema/report.json`` describes it as ``$defs/line``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.report.formats.json_document import VERSION, objects
from rocmlint.text.json import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.report import Report


def render(report: Report, *, color: bool) -> Iterator[str]:  # noqa: ARG001 - JSON has no colours
    """Yield a line for each finding, then one for each problem."""
    for each in objects(report):
        yield dumps({"version": VERSION, "type": "finding", **each}) + "\n"
    for problem in report.problems:
        yield dumps({"version": VERSION, "type": "problem", "message": problem}) + "\n"
