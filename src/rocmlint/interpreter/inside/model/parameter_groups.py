"""The parameters of a model, and what its optimizer does with each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import parts as model_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .parts import ModelParts


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return each parameter once, and the groups of the optimizer by the names of parameters.

    Raises CannotAnswerError.
    """
    parts = model_parts.parts_of(request, weights=False, processor=False)
    model = parts.needed("model", "a model")
    error = _made_optimizer(parts)
    names = {id(each): name for name, each in model.named_parameters()}
    return {
        "model": parts.name,
        "notes": [*model_parts.versions(), *parts.notes],
        "parameters": list(_parameters(model)),
        "optimizer": type(parts.optimizer).__name__ if parts.optimizer is not None else None,
        "optimizer_error": error,
        "groups": list(_groups(parts.optimizer, names)),
    }


def _made_optimizer(parts: ModelParts) -> str:
    """Have a Trainer make its optimizer, as it does at the start of training."""
    make = getattr(parts.trainer, "create_optimizer", None)
    if parts.optimizer is not None or make is None:
        return ""
    try:
        make()
    except Exception as error:  # noqa: BLE001 - the trainer of the user
        return f"create_optimizer: {type(error).__name__}: {error}"
    parts.optimizer = getattr(parts.trainer, "optimizer", None)
    return ""


def _parameters(model: Any) -> Iterator[dict[str, Any]]:
    for name, parameter in model.named_parameters():
        yield {
            "name": name,
            "elements": parameter.numel(),
            "bytes": parameter.numel() * parameter.element_size(),
            "trained": bool(parameter.requires_grad),
        }


def _groups(optimizer: Any, names: dict[int, str]) -> Iterator[dict[str, Any]]:
    """Yield each group of an optimizer: rate, name, and its parameters (None: not of the model)."""
    for number, group in enumerate(getattr(optimizer, "param_groups", ())):
        rate = group.get("initial_lr", group.get("lr"))  # a warm-up begins with 0
        yield {
            "name": str(group.get("name", number)),
            "rate": None if rate is None else float(rate),
            "parameters": [names.get(id(each)) for each in group["params"]],
        }
