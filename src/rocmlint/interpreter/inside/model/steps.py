"""One training step, as often as it is wanted: of the factory, of its trainer, or a usual one."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

from ..factory import torch_of_the_job
from . import inputs as model_inputs

if TYPE_CHECKING:
    from collections.abc import Callable

    from .parts import ModelParts


def step_of(parts: ModelParts) -> Callable[[int], object]:
    """Return what makes the step of a number. Raises CannotAnswerError."""
    if parts.step is not None:
        parts.notes.append("the step is the one of the factory")
        return _numbered(parts.step)
    parts.needed("model", "a model or a training step")
    if callable(getattr(parts.trainer, "training_step", None)):
        parts.notes.append("the step is training_step() of the trainer")
        return _of_trainer(parts)
    parts.notes.append("the step is forward, backward, optimizer.step() and zero_grad()")
    return _usual(parts)


def _numbered(step: Any) -> Callable[[int], object]:
    """Let a step take its number or nothing."""
    try:
        inspect.signature(step).bind(0)
    except (TypeError, ValueError):
        return lambda _: step()
    numbered: Callable[[int], object] = step
    return numbered


def _optimizer(parts: ModelParts) -> Any:
    """Return the optimizer, or a plain one that has state as the usual ones do."""
    if parts.optimizer is None:
        torch = torch_of_the_job()
        trained = [each for each in parts.model.parameters() if each.requires_grad]
        parts.optimizer = torch.optim.AdamW(trained, lr=1e-6)
    return parts.optimizer


def _of_trainer(parts: ModelParts) -> Callable[[int], object]:
    given = model_inputs.inputs_for(parts, labels=True)
    if parts.optimizer is None and callable(getattr(parts.trainer, "create_optimizer", None)):
        parts.trainer.create_optimizer()
        parts.optimizer = parts.trainer.optimizer
    optimizer = _optimizer(parts)
    if not hasattr(parts.trainer, "current_gradient_accumulation_steps"):
        parts.trainer.current_gradient_accumulation_steps = 1  # as train() sets it

    def step(_: int) -> None:
        parts.trainer.training_step(parts.model, dict(given))
        optimizer.step()
        optimizer.zero_grad()

    return step


def _usual(parts: ModelParts) -> Callable[[int], object]:
    model, arguments = parts.model.train(), ()
    if hasattr(parts.inputs, "keys") or parts.inputs is None:
        keywords = model_inputs.inputs_for(parts, labels=True)
    else:
        arguments, keywords = tuple(model_inputs.moved(parts.inputs, model)), {}
    optimizer = _optimizer(parts)

    def step(_: int) -> None:
        loss_of(model(*arguments, **keywords)).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def loss_of(output: Any) -> Any:
    """Return the loss in what a model returns; the mean of its first tensor where it has none."""
    loss = output.get("loss") if hasattr(output, "get") else getattr(output, "loss", None)
    if loss is not None:
        return loss.mean()
    torch = torch_of_the_job()
    leaves = importlib.import_module("torch.utils._pytree").tree_flatten(output)[0]
    floats = (it for it in leaves if isinstance(it, torch.Tensor) and it.is_floating_point())
    return next(floats).float().mean()
