"""The model as it is: in a process of its own, without patches or registrations."""

from __future__ import annotations

import copy
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import torch
from rocmlint.export.agreement.compare import differing, says_nothing
from rocmlint.export.agreement.leaves import digest
from rocmlint.export.agreement.running import Ran, ran

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocmlint.export.agreement.cases import Case, Scenario

_LARGE = 2_000_000_000
"""Bytes of weights; of a larger model no copy is made for each case."""


def weights(model: Any) -> str:
    """Return a hash of the parameters and buffers, which should be equal in all processes."""
    return digest([*model.named_parameters(), *model.named_buffers()])


def file_of(folder: str, number: int) -> str:
    """Return the file with the results of a scenario."""
    return os.path.join(folder, f"reference-{number}.pt")


def write(
    model: Any, scenarios: Sequence[Scenario], folder: str, told: Callable[[str], None]
) -> dict[str, Any]:
    """Run all cases of all scenarios; write what they return, and give what was noticed."""
    copies = _size(model) <= _LARGE
    facts = []
    for number, scenario in enumerate(scenarios):
        results, cases = [], []
        for case in scenario.cases:
            told(f"the model itself: {scenario.name}, {case.name}")
            once, again = _run(model, case, copies, 0), _run(model, case, copies, 1)
            results.append(asdict(once))
            cases.append(_noticed(case, once, again))
        torch.save(results, file_of(folder, number))
        facts.append({"name": scenario.name, "cases": cases})
    return {"scenarios": facts, "weights": weights(model), "training": bool(model.training)}


def read(folder: str, number: int) -> list[Ran]:
    """Return what ``write`` has written; the file holds tensors and plain values, and no code."""
    results = torch.load(file_of(folder, number), weights_only=True)
    return [Ran(**each) for each in results]


def _size(model: Any) -> int:
    return sum(each.numel() * each.element_size() for each in model.parameters())


def _run(model: Any, case: Case, copies: bool, seed: int) -> Ran:
    """Run one case on a copy: a model may keep more than buffers from one call to the next."""
    own = copied(model) if copies else model
    return ran(own, own, case, seed)


def copied(model: Any) -> Any:
    """Return a copy of a model; the model itself where it cannot be copied."""
    try:
        return copy.deepcopy(model)
    except Exception:  # noqa: BLE001 - whatever an attribute of the user's class raises
        return model


def _noticed(case: Case, once: Ran, again: Ran) -> dict[str, Any]:
    changed = None if once.error else differing(once.leaves, again.leaves)
    return {
        "name": case.name,
        "counts": case.counts,
        "was_given": case.was_given,
        "sizes": case.sizes,
        "digest": case.digest,
        "error": once.error,
        "place": once.place,
        "random": changed["what"] if changed else "",
        "says_nothing": not once.error and says_nothing(once.leaves),
    }
