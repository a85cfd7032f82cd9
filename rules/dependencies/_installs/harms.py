"""What an install does to the ROCm torch: a harm for each word, of torch's family for the first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.paths import relative
from rocmlint.published.pytorch_index import FAMILY

from . import conda, consequences, locked
from .cases import LOCKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.rule import File, Related

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


def once_of(code: str, harm: Harm, file: File) -> str:
    """Return what is the same for all commands that install a list; "" without one."""
    if harm.asked is None or harm.asked.listed is None:
        return ""
    path, span = harm.asked.listed
    place = f"{relative(path, file.project.folders[-1])}:{span.line}"
    return f"{code} {place} {harm.asked.requirement}"


def help_at_command(harm: Harm) -> str:
    """Return what to do, and which line of a list asks for it."""
    where = "" if harm.asked is None else harm.asked.where
    return f"{harm.help[:-1]} ({where} asks for it)." if where else harm.help


def listed_at(harm: Harm, file: File) -> tuple[Related, ...]:
    """Return the line of a list that asks for it, as a related place."""
    from rocmlint.rule import Related  # noqa: PLC0415 - few commands do harm

    if harm.asked is None or harm.asked.listed is None:
        return ()
    path, span = harm.asked.listed
    near = relative(path, os.path.dirname(os.path.abspath(file.path)))
    shown = os.path.normpath(os.path.join(os.path.dirname(file.path), near))
    return (Related(shown, span.line, span.column, str(harm.asked.requirement)),)
