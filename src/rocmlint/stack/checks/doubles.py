"""Packages of the stack that are there twice: over one another, or one hidden by another."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.stack.installed.distributions import is_of_stack
from rocmlint.stack.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.stack.installed.distributions import Distribution, Environment


def doubles(environment: Environment) -> Iterator[Verdict]:
    """Yield a conflict for two versions in one folder, and a note for one that is not used.

    The same version again is one that an editable install and its checkout both have.
    """
    for hidden in environment.hidden:
        used = environment.get(hidden.name)
        if used is None or not is_of_stack(hidden.name) or hidden.version == used.version:
            continue
        name, place = used.name, _folder(used)
        verdict = Verdict(
            name,
            used.version,
            name,
            hidden.version,
            f"one {name}",
            "built",
            "note",
            reason=f"{hidden} in {_folder(hidden)} is not used: {used} in {place} comes first",
            source=hidden.place,
        )
        if _folder(hidden) == place:
            verdict = replace(
                verdict,
                judgement="conflict",
                reason=f"{place} has the metadata of both: one was installed over the other",
                action=f"repeat pip uninstall {name} until it is gone, then install it again",
            )
        yield verdict


def _folder(distribution: Distribution) -> str:
    return os.path.dirname(distribution.place)
