"""What every check of a claim needs: where to ask, and what is known to be right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.verify.devices import find_devices
from rocmlint.verify.result import Evidence, Judgement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.verify.devices import Devices
    from rocmlint.verify.interpreter import Interpreter
    from rocmlint.verify.manifest import Manifest

Checked = tuple[Judgement, tuple[Evidence, ...]]
"""What is made of a claim, and what it rests on."""

_SHOWN = 5
"""How many places or files are named of many."""


@dataclass(frozen=True)
class Context:
    """Where claims are checked, and the manifests that tell what is right."""

    interpreter: Interpreter
    manifests: tuple[Manifest, ...] = ()

    @cached_property
    def devices(self) -> Devices:
        """The GPUs that are found here."""
        return find_devices(self.interpreter)


def as_evidence(name: str, values: Sequence[str]) -> tuple[Evidence, ...]:
    """Name the first of many, and how many there are."""
    found = tuple(Evidence(name, each) for each in values[:_SHOWN])
    more = len(values) - _SHOWN
    return (*found, Evidence(name, f"and {more:,} more")) if more > 0 else found
