"""One JSON document; ``docs/schema/verify.json`` describes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rocmlint.text.json import array, dumps
from rocmlint.verify.result import EXIT_CODES, overall
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.verify.result import Result

VERSION = 1
"""Grows when a field changes its meaning or goes; new fields may come without."""


def render(
    results: Sequence[Result],
    *,
    color: bool,  # noqa: ARG001 - no colours
    width: int | None,  # noqa: ARG001 - no lines that need to fit
) -> Iterator[str]:
    """Yield the document, one result a line."""
    verdict = overall(results)
    head = {"name": "rocmlint", "version": __version__}
    yield f'{{"version": {VERSION}, "tool": {dumps(head)},\n'
    yield f'"verdict": {dumps(verdict)}, "exit_code": {EXIT_CODES[verdict]},\n"results": '
    yield from array(asdict(each) for each in results)
    yield "}\n"
