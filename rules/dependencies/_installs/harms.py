"""What an install does to the ROCm torch, one harm for each word that does any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import conda, consequences, locked
from .cases import LOCKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.rule import File, Word

    from .cases import Case, Harm


def harms(case: Case, file: File, is_excused: Callable[[Harm, File], bool]) -> Iterator[Harm]:
    """Yield how torch is replaced, where nothing excuses it."""
    if case.install.tool in {"conda", "uv sync"}:
        found = conda.harm(case) if case.install.tool == "conda" else locked.sync_harm(case, file)
        if found is not None and not is_excused(found, file):
            yield found
        return
    harm_of = locked.add_harm if case.install.tool in LOCKING else consequences.harm
    seen: set[Word | str] = set()
    for asked in case.everything.asked:
        text = str(asked.requirement)
        if asked.word in seen or text in seen:
            continue
        seen.add(text)
        harm = harm_of(asked, case, file)
        if harm is not None and not is_excused(harm, file):
            seen.add(asked.word)
            yield harm
