"""Rewriting one statement of a file, for a fix of a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.models.control_flow.file import File
from rocmlint.models.control_flow.imports import import_edits
from rocmlint.models.control_flow.nodes import anchor, anchors, rewrite_node
from rocmlint.models.control_flow.refusals import RefusedError
from rocmlint.models.control_flow.rewrite import Options

if TYPE_CHECKING:
    from rocmlint.models.tensors.dependence import Dependence


class Replacement(NamedTuple):
    """A text in place of a span; both are offsets in the text of the file."""

    start: int
    end: int
    text: str


def replacements(
    unedited: File, dependence: Dependence, *, plain_torch: bool = False
) -> tuple[Replacement, ...]:
    """Return what rewrites the statement that depends on a tensor, and the import that it needs.

    What it contains is rewritten too. Returns nothing for a statement that is refused.
    """
    options = Options(plain_torch=plain_torch)
    file = File(unedited.layout, unedited.inference, options, unedited)
    found = anchors(file)
    file.unsettled |= set(found)
    wanted = anchor(file, dependence)
    inner = [each for each in found if file.is_within(each, wanted)]
    for node in sorted(inner, key=lambda each: -file.depth(each)):
        try:
            rewrite_node(file, node)
        except RefusedError:
            return ()
    outermost = file.edits[-1:]
    return tuple(
        Replacement(each.start, each.end, "\n".join(line.text for line in each.lines))
        for each in (*outermost, *import_edits(file))
    )
