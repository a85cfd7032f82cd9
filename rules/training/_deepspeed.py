"""DeepSpeed's engines: what ``deepspeed.initialize`` returns, and the steps that it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import calls_in, compile_lazily, dotted_text, fitted, last_name

from ._bound import bound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Binding, Source

_MAKES_ENGINE = "deepspeed.initialize"
_IMPORTED = compile_lazily(r"\bimport[\s\\]+deepspeed\b|\bfrom[\s\\]+deepspeed\b")


def engine_of(step: cst.CSTNode, source: Source) -> str | None:
    """Return the name of the DeepSpeed engine that makes a training step, if one does.

    It is one that ``deepspeed.initialize`` made, in the function, in a method of the class or at
    the top of the file; or a parameter that runs both passes as only an engine does.
    """
    owners = dict.fromkeys(_owners(step))
    return next((each for each in owners if is_engine(each, step, source)), None)


def message_of_engine(function: str, engine: str) -> str:
    """Return the message about a call in a step of an engine."""
    return fitted(
        "`{function}()` runs on every step of the DeepSpeed engine `{}`", engine, function=function
    )


def is_engine(name: str, at: cst.CSTNode, source: Source) -> bool:
    """Check whether a name stands for a DeepSpeed engine at a node."""
    bindings = bound(name, at, source)
    if any(_is_engine_made_by(each, name, source) for each in bindings):
        return True
    is_parameter = [each.kind for each in bindings] == ["parameter"]
    return is_parameter and _IMPORTED.search(source.code) is not None


def _owners(step: cst.CSTNode) -> Iterator[str]:
    """Yield the names that run both ``backward(loss)`` and ``step()``, or ``train_batch()``."""
    called: dict[str, set[str]] = {}
    for call in calls_in(step):
        owner = dotted_text(call.func.value) if isinstance(call.func, cst.Attribute) else None
        name = last_name(call.func) or ""
        if owner is not None and (name != "backward" or call.args):
            called.setdefault(owner, set()).add(name)
    for owner, names in called.items():
        if names >= {"backward", "step"} or "train_batch" in names:
            yield owner


def _is_engine_made_by(binding: Binding, name: str, source: Source) -> bool:
    """Check for ``engine, optimizer, _, _ = deepspeed.initialize(…)``."""
    node = binding.node
    if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Call):
        return False
    if source.resolve(node.value.func) != _MAKES_ENGINE:
        return False
    target = node.targets[0].target
    if isinstance(target, (cst.Tuple, cst.List)):
        return dotted_text(target.elements[0].value) == name
    return dotted_text(target) == name
