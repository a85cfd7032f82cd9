"""Findings that the excuses of rules kept back, for ``--show-excused``: text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.text.visible import BOLD, at_line_start, paint, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Excused


def render(excused: Sequence[Excused], *, color: bool) -> Iterator[str]:
    """Yield ``path:line:column: CODE excused: reason (from place) [excuse]`` for each candidate."""
    for each in excused:
        path = paint(at_line_start(visible(each.path)), BOLD, color=color)
        reason = visible(f"{each.reason} (from {each.origin})" if each.origin else each.reason)
        yield f"{path}:{each.shown}: {each.code} excused: {reason} [{each.excuse}]\n"


def objects(excused: Sequence[Excused]) -> list[dict[str, object]]:
    """Return each candidate as a JSON object."""
    return [
        {
            "path": each.path,
            **each.shown._asdict(),
            "code": each.code,
            "name": each.name,
            "excuse": each.excuse,
            "reason": each.reason,
            "found_in": each.found_in,
        }
        for each in excused
    ]
