"""Inputs of each step of generate: vision once, and pixels that fit their grid."""

from __future__ import annotations

import inspect
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from .. import CannotAnswerError
from ..factory import torch_of_the_job
from ..places import place_of
from ..tensors import tensors_in
from . import inputs as model_inputs
from . import parts as model_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOWERS = frozenset({"visual", "vision_tower", "vision_model", "vision_encoder", "vision_embed"})
_GRIDS = {"image_grid_thw": "pixel_values", "video_grid_thw": "pixel_values_videos"}
_LONGEST = 400


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Generate ``steps`` tokens, and return what the model was called with in each step.

    Raises CannotAnswerError.
    """
    parts = model_parts.parts_of(request)
    model = parts.needed("model", "a model")
    facts: dict[str, Any] = {"model": parts.name, "missing": "", "calls": [], "error": None}
    try:
        given = model_inputs.inputs_for(parts)
    except CannotAnswerError as error:
        facts["missing"] = str(error)
        given = {}
    given.pop("labels", None)
    facts["notes"] = [*model_parts.versions(), *parts.notes]
    if not facts["missing"]:
        facts["missing"] = _missing(model, given)
    if facts["missing"]:
        return facts
    torch = torch_of_the_job()
    watch = _Watch(model)
    with ExitStack() as undo, torch.no_grad():
        for handle in watch.hooks():
            undo.callback(handle.remove)
        try:
            model.eval().generate(**given, **_limits(request["steps"]))
        except Exception as error:  # noqa: BLE001 - the model's own, and told as such
            facts["error"] = _error(error)
    facts["calls"], facts["encoded_before"] = watch.calls, watch.encoded_before
    facts["given"] = _seen(given, model)
    facts["takes_grid"] = [
        each for each in _GRIDS if each in inspect.signature(model.forward).parameters
    ]
    facts["merge"] = (model_inputs.layout(model) or {}).get("merge")
    facts["prepares"] = _place(model)
    return facts


def _limits(steps: int) -> dict[str, Any]:
    return {
        "max_new_tokens": steps,
        "min_new_tokens": steps,
        "do_sample": False,
        "num_beams": 1,
        "use_cache": True,
    }


def _missing(model: Any, given: dict[str, Any]) -> str:
    if not callable(getattr(model, "generate", None)):
        return f"{type(model).__name__} has no generate()"
    if not _seen(given, model)["vision"]:
        return "the inputs have no pixels, so that no step can be seen to take them"
    return ""


def _error(error: Exception) -> dict[str, str]:
    trail = error.__traceback__
    while trail is not None and trail.tb_next is not None:
        trail = trail.tb_next
    message = f"{type(error).__name__}: {error}".splitlines()[0][:_LONGEST]
    return {"text": message, "place": place_of(trail.tb_frame) if trail else ""}


def _place(model: Any) -> str:
    """Return where the code is that prepares the inputs of each step."""
    with suppress(Exception):  # a class of the user's own
        function = inspect.unwrap(model.prepare_inputs_for_generation)
        code = function.__code__
        return f"{code.co_filename}:{code.co_firstlineno}"
    return ""


class _Watch:
    """Notes what a model is called with, and whether its vision encoder runs."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.calls: list[dict[str, Any]] = []
        self.encoded_before = 0
        """How often the vision encoder ran before the first step, as newer versions have it."""

    def hooks(self) -> Iterator[Any]:
        """Put hooks on the model; yields the handles that take them off."""
        names = list(inspect.signature(self._model.forward).parameters)

        def called(_: Any, args: Any, kwargs: Any) -> None:
            given = {**{names[at]: each for at, each in enumerate(args)}, **kwargs}
            self.calls.append({**_seen(given, self._model), "encoder": 0})

        def encoded(*_: Any) -> None:
            if self.calls:
                self.calls[-1]["encoder"] += 1
            else:
                self.encoded_before += 1

        yield self._model.register_forward_pre_hook(called, with_kwargs=True)
        for name, module in self._model.named_modules():
            *above, last = name.split(".")
            if last in _TOWERS and not _TOWERS & set(above):
                yield module.register_forward_pre_hook(encoded)


def _seen(given: dict[str, Any], model: Any) -> dict[str, Any]:
    """Return what of the arguments of a forward matters here."""
    length = next(
        (
            int(given[name].shape[1])
            for name in ("input_ids", "inputs_embeds")
            if given.get(name) is not None
        ),
        None,
    )
    vision = {
        name: [list(each.shape) for each in tensors_in(value) if each.numel()]
        for name, value in given.items()
        if value is not None and model_inputs.is_vision(name)
    }
    grids = {
        name: int(given[name].prod(-1).sum())
        for name in _GRIDS
        if given.get(name) is not None and given[name].numel()
    }
    return {
        "length": length,
        "vision": {name: shapes for name, shapes in vision.items() if shapes},
        "patches": grids,
        "tokens": _tokens(given, model),
    }


def _tokens(given: dict[str, Any], model: Any) -> dict[str, int]:
    """Count the tokens that stand for images and for videos; empty without ids."""
    ids = given.get("input_ids")
    if ids is None:
        return {}
    found = {}
    for grid, name in (("image_grid_thw", "image_token_id"), ("video_grid_thw", "video_token_id")):
        number = getattr(model.config, name, None)
        if isinstance(number, int):
            found[grid] = int((ids == number).sum())
    return found
