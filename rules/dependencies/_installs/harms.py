"""What an install does to the ROCm torch: a harm for each word, of torch's family for the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.pytorch_index import FAMILY

from . import conda, consequences, locked
from .cases import LOCKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.rule import File

    from .cases import Case, Harm


def harms(case: Case, file: File, is_excused: Callable[[Harm, File], bool]) -> Iterator[Harm]:
    """Yield how torch is replaced, where nothing excuses it."""
    if case.install.tool in {"conda", "uv sync"}:
        found = conda.harm(case) if case.install.tool == "conda" else locked.sync_harm(case, file)
        if found is not None and not is_excused(found, file):
            yield found
        return
    resolves_anew = case.install.tool in LOCKING  # for all of a list at once
    harm_of = locked.add_harm if resolves_anew else consequences.harm
    seen: set[object] = set()
    replaces_torch = False
    for asked in case.everything.asked:
        text = str(asked.requirement)
        place = asked.word if resolves_anew else asked.listed or asked.word
        if place in seen or text in seen:
            continue
        is_family = asked.requirement.name.lower() in FAMILY
        if is_family and replaces_torch:
            continue  # torchvision beside torch: one advice for both
        seen.add(text)
        harm = harm_of(asked, case, file)
        if harm is not None and not is_excused(harm, file):
            seen.add(place)
            replaces_torch = replaces_torch or is_family
            yield harm
