"""Methods of Trainer that got a parameter, and what overrides of them must take."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Fix

from ._trainers import is_method, trainer_classes

if TYPE_CHECKING:
    from rocmlint.project.versions import Candidate
    from rocmlint.rule import Severity, Source

    from ._trainers import OwnClass


_LOOPS = ("train", "_inner_training_loop")
_CALLERS = {
    "compute_loss": ("training_step", *_LOOPS),
    "training_step": _LOOPS,
    "log": ("_maybe_log_save_evaluate", *_LOOPS),
    "_get_train_sampler": ("get_train_dataloader", *_LOOPS),
}
"""Which methods of Trainer call one of its methods, if only through another one of them."""


@dataclass(frozen=True)
class Contract:
    """A parameter that Trainer passes to one of its methods, from a release of transformers on."""

    method: str
    parameter: str
    since: str
    position: int | None = None
    """Which argument it is, from 1 and without `self`; None where it is passed by its name."""

    def is_met(self, node: cst.FunctionDef) -> bool:
        """Return whether a method takes the parameter, as Trainer passes it."""
        own = node.params
        if self.position is not None:
            taken = len(own.posonly_params) + len(own.params) - 1
            return taken >= self.position or isinstance(own.star_arg, cst.Param)
        named = (*own.params, *own.kwonly_params)
        return own.star_kwarg is not None or any(
            each.name.value == self.parameter for each in named
        )


@dataclass(frozen=True)
class OldOverride:
    """An override that does not take what Trainer passes, and the version that counts."""

    node: cst.FunctionDef
    contract: Contract
    classes: tuple[OwnClass, ...]
    candidate: Candidate
    severity: Severity


def is_called_as_before(found: OldOverride, source: Source) -> bool:
    """Classes that replace what calls the method, and call it themselves with what it takes.

    Written for kapilw25/finetuning_evaluation, comparative_study/0b_GRIT_utils/grit/trainer.py.
    """
    del source
    callers = _CALLERS[found.contract.method]
    passed, methods = re.escape(found.contract.parameter), "|".join(map(re.escape, callers))
    goes_on = rf"\b(?:super|{passed}|self\.(?:{methods}))\b"
    replaced = ((own, own.method(name)) for own in found.classes for name in callers)
    return any(
        method is not None and re.search(goes_on, own.source.text_of(method.body)) is None
        for own, method in replaced
    )


def old_override(node: cst.FunctionDef, contract: Contract, source: Source) -> OldOverride | None:
    """Return a method that overrides one of Trainer and does not take what that passes.

    None where some version that may be installed does not pass it yet.
    """
    if not is_method(node, source) or contract.is_met(node):
        return None
    classes = trainer_classes(node, source)
    judged = _judged(contract, source) if classes else None
    if judged is None:
        return None
    return OldOverride(node, contract, classes, *judged)


def _judged(contract: Contract, source: Source) -> tuple[Candidate, Severity] | None:
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    since = Version(contract.since)
    candidates = source.versions("transformers")
    if not candidates or any(each.version < since for each in candidates):
        return None
    certain = all(
        each.declared and (each.certain or (each.lowest is not None and each.lowest >= since))
        for each in candidates
    )
    if not certain and source.project.is_in_image("transformers"):
        return None
    return candidates[0], "error" if certain else "warning"


def words(found: OldOverride) -> tuple[str, str]:
    """Return the message and the help for an old override."""
    contract, candidate = found.contract, found.candidate
    message = (
        f"`{contract.method}` does not take `{contract.parameter}`, "
        f"which Trainer passes since transformers {contract.since}"
    )
    help = (
        f"Add `{contract.parameter}=None`, or the call is a TypeError. "
        f"transformers {candidate.version} is {candidate.said}."
    )
    return message, help


def fix(found: OldOverride, source: Source) -> Fix | None:
    """Add the parameter behind the last one, on a line of its own where they all have one."""
    params, added = found.node.params, f"{found.contract.parameter}=None"
    taken = [*params.posonly_params, *params.params]
    if found.contract.position is None and isinstance(params.star_arg, cst.Param):
        taken += [params.star_arg, *params.kwonly_params]
    if not taken:
        return None
    last = taken[-1]
    behind = last.default or (last.annotation and last.annotation.annotation) or last.name
    if behind.lpar:
        return None
    line = source.lines[source.span(last).line - 1]
    blanks = line[: len(line) - len(line.lstrip())]
    is_alone = line.strip().startswith(last.name.value)
    joint = f",\n{blanks}" if is_alone else ", "
    edit = source.replace(behind, f"{source.text_of(behind)}{joint}{added}")
    return Fix(f"Take `{found.contract.parameter}`", (edit,), safe=True)
