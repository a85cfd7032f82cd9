"""Taking patches to every place that has the original, and back again: one search for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.export.aliases import search, unseen
from rocmlint.export.kept_originals import Kept
from rocmlint.export.targets import is_made

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.export.installation import Installation


def replace_aliases(installations: Sequence[Installation], *, rebind: bool) -> None:
    """Replace the originals in all other places, except where a replacement needs its original."""
    searched = [each for each in installations if each.is_searched]
    if not searched:
        return
    originals = [each.target.functions[0] for each in searched]
    kept = Kept(originals)
    for each in searched:
        kept.add_needs(each.target.patch.replacement)
    for each, aliases in zip(searched, search(originals, kept), strict=True):
        each.replace_aliases(aliases, rebind=rebind)
    numbers = {id(each): number for number, each in enumerate(originals)}
    for number, where in kept.shared(numbers):
        searched[number].add_stale(where)
    for each, count in zip(searched, unseen(originals), strict=True):
        each.add_hidden(count)


def undo_aliases(installations: Sequence[Installation]) -> None:
    """Put the originals where the replacements got to while they were installed."""
    used = [each for each in installations if is_made(each.target)]
    functions = [each.target.functions[1] for each in used]
    if functions:
        for each, aliases in zip(used, search(functions, Kept(())), strict=True):
            each.undo_aliases(aliases)
