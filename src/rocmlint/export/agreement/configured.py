"""The inputs of a model of transformers that was built from its configuration alone.

Which inputs follows from its forward and its configuration; each scenario has at least three
sizes, and what differs between them is dynamic. Ids are random, without the special ones.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement import media, text
from rocmlint.export.agreement.asked import varying
from rocmlint.export.agreement.cases import Case, Scenario, with_other_values

if TYPE_CHECKING:
    from collections.abc import Callable

    Grids = Callable[..., dict[str, Any]]

Inputs = list[dict[str, Any]]


class NoInputsError(Exception):
    """No inputs can be made for a model; the message says why."""


def scenarios(model: Any, grids: Grids, layout: Any) -> tuple[Any, list[Scenario]]:
    """Return the model and the ways of calling it.

    ``grids(model, images=...)`` makes inputs of models that take packed patches, of which
    ``layout`` is not None. Raises NoInputsError.
    """
    made = _made(model, grids, layout)
    if not made:
        message = (
            f"{type(model).__name__}: its configuration does not tell what its forward takes; "
            "write a factory that returns (model, inputs)"
        )
        raise NoInputsError(message)
    return model, [_scenario(name, inputs) for name, inputs in made.items()]


def _scenario(name: str, inputs: Inputs) -> Scenario:
    labels = ("as traced", "batch 1", "odd sizes", "past beyond the window")
    cases = [
        Case(labels[at] if at < len(labels) else f"inputs {at + 1}", (), each, was_given=False)
        for at, each in enumerate(inputs)
    ]
    scenario = Scenario(name, cases, varying(cases))
    scenario.notes.append(f"the inputs of {name} are made: {', '.join(inputs[0])}")
    cases += with_other_values(scenario)
    return scenario


def _made(model: Any, grids: Grids, layout: Any) -> dict[str, Inputs]:
    config = model.config
    names = set(inspect.signature(model.forward).parameters)
    has_text, has_images = "input_ids" in names, "pixel_values" in names
    if layout is not None and has_text:
        return {"forward": media.with_grids(model, grids)}
    if getattr(config, "is_encoder_decoder", False) and "decoder_input_ids" in names:
        return text.encoder_decoder(model, media.encoder_inputs(model, names))
    if has_text and has_images:
        inputs = media.with_image_tokens(model) or media.beside_text(model)
        return {"forward": inputs}
    if has_text and (text.cache_name(names) or "cache_params" in names):
        return text.decoder(model)
    if has_text:
        return {"forward": text.encoder(model, names)}
    inputs = media.encoder_inputs(model, names)
    return {"forward": inputs} if inputs else {}
