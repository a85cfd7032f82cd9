"""What a factory returned: a model, its inputs, and which of their dimensions are dynamic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.asked import groups, guessed, of_shapes, varying
from rocmlint.export.agreement.cases import Case, Scenario, with_other_values
from rocmlint.export.agreement.child_torch import torch
from rocmlint.export.agreement.resize import Sizes, derived, resized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.export.agreement.cases import Asked

_LEAST = 3
"""Sizes at which a program is compared."""


class NotAFactoryError(Exception):
    """A factory returned something else than it should; the message says what."""


def of_factory(made: Any, name: str) -> tuple[Any, list[Scenario]]:
    """Return the model and the scenario of what a factory returned. Raises NotAFactoryError.

    That is ``(model, inputs)`` or ``(model, inputs, dynamic_shapes)``. Inputs are a dictionary of
    keyword arguments, a tuple of positional ones, or a list of these, one for each size; the first
    is exported.
    """
    if not isinstance(made, (tuple, list)) or len(made) not in {2, 3}:
        message = (
            f"{name} returned {type(made).__name__}; it must return (model, inputs) or "
            "(model, inputs, dynamic_shapes)"
        )
        raise NotAFactoryError(message)
    model, inputs, *shapes = made
    if not isinstance(model, torch.nn.Module):
        message = f"{name}: the model is {type(model).__name__}, not a torch.nn.Module"
        raise NotAFactoryError(message)
    cases = _cases(inputs, name)
    if not shapes:
        asked = varying(cases) if len(cases) > 1 else guessed(cases[0])
        return model, [_filled(Scenario("forward", _to_trace(cases, asked), asked), model)]
    scenario = Scenario("forward", cases, of_shapes(shapes[0], cases[0]), shapes[0])
    if not scenario.asked:
        scenario.notes.append("no dimension is dynamic")
    return model, [_filled(scenario, model)]


def _cases(inputs: Any, name: str) -> list[Case]:
    several = inputs if isinstance(inputs, list) else [inputs]
    if not several:
        message = f"{name}: the list of inputs is empty"
        raise NotAFactoryError(message)
    return [_case(each, number, name) for number, each in enumerate(several, 1)]


def _case(inputs: Any, number: int, name: str) -> Case:
    label = f"inputs {number}"
    if hasattr(inputs, "keys"):
        return Case(label, (), {str(each): inputs[each] for each in inputs.keys()})  # noqa: SIM118
    if isinstance(inputs, torch.Tensor):
        return Case(label, (inputs,), {})
    if isinstance(inputs, tuple) and len(inputs) == 2 and _is_call(inputs):
        return Case(label, tuple(inputs[0]), inputs[1])
    if isinstance(inputs, tuple):
        return Case(label, inputs, {})
    message = f"{name}: inputs are {type(inputs).__name__}, not a dictionary, a tuple or a list"
    raise NotAFactoryError(message)


def _to_trace(cases: list[Case], asked: Asked) -> list[Case]:
    """Return the cases with one in front that has no dynamic dimension of size 1.

    torch.export makes a dimension of size 0 or 1 static; so of a single input a second row is made.
    Source: https://docs.pytorch.org/docs/stable/export/programming_model.html
    """
    found = next((each for each in cases if 1 not in groups(asked, each.named()).values()), None)
    if found is not None:
        return [found, *(each for each in cases if each is not found)]
    sizes = {name: max(size, 2) for name, size in groups(asked, cases[0].named()).items()}
    return [resized(cases[0], asked, Sizes("as traced, size 1 made 2", sizes)), *cases]


def _is_call(inputs: Sequence[Any]) -> bool:
    """Return whether inputs are (args, kwargs)."""
    return isinstance(inputs[0], tuple) and isinstance(inputs[1], dict)


def _filled(scenario: Scenario, model: Any) -> Scenario:
    """Add the sizes that are missing, and other values."""
    first = scenario.cases[0]
    if len(scenario.cases) < _LEAST and scenario.asked:
        made = derived(first, scenario.asked, window(model), longest(model))
        scenario.cases += made
        scenario.notes.append(f"sizes made of the inputs: {', '.join(it.name for it in made)}")
    scenario.cases += with_other_values(scenario)
    return scenario


def window(model: Any) -> int | None:
    """Return the sliding window of a model of transformers; None without one."""
    return _number(model, ("sliding_window", "attention_window"))


def longest(model: Any) -> int | None:
    """Return how many positions a model of transformers has; None where it does not say."""
    return _number(model, ("max_position_embeddings", "n_positions"))


def _number(model: Any, names: Sequence[str]) -> int | None:
    config = getattr(model, "config", None)
    text = getattr(config, "get_text_config", None)
    for holder in (config, text() if callable(text) else None):
        for name in names:
            value = getattr(holder, name, None)
            if isinstance(value, int) and value > 0:
                return value
    return None
