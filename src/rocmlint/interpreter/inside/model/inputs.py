"""Inputs of a forward of a model with vision: of the factory, or made of its configuration."""

from __future__ import annotations

import importlib
import inspect
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import CannotAnswerError
from ..factory import torch_of_the_job
from .parts import SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .parts import ModelParts

Grid = tuple[int, int, int]
"""Frames, height and width of an image or a video, in patches."""

_VISION = re.compile(r"pixel_values|^(images?|videos?|image_embeds|mm_encoder_outputs)$")
_TEXT = 4
"""Tokens of text behind each image."""
_START = ("vision_start_token_id", "image_start_token_id")
_END = ("vision_end_token_id", "image_end_token_id")
_IMAGE = ("image_token_id", "image_token_index")
_VIDEO = ("video_token_id", "video_token_index")


def is_vision(name: str) -> bool:
    """Return whether an argument of a forward holds pixels, or what an encoder made of them."""
    return _VISION.search(name) is not None


def inputs_for(parts: ModelParts, *, labels: bool = False) -> dict[str, Any]:
    """Return keyword arguments for a forward of the model, on its device.

    They are those of the factory; else the first batch of its trainer; else an image and text,
    made as Qwen-VL takes them; else the ``dummy_inputs`` of transformers. Raises
    CannotAnswerError.
    """
    add_batch(parts)
    if parts.inputs is None:
        made = _made(parts)
        if labels:
            made["labels"] = made["input_ids"]
    elif hasattr(parts.inputs, "keys"):
        made = {str(name): parts.inputs[name] for name in parts.inputs.keys()}  # noqa: SIM118 - any
    else:
        message = "the inputs must be keyword arguments (a dictionary) for this check"
        raise CannotAnswerError(message)
    values: dict[str, Any] = moved(made, parts.model)
    return values


def add_batch(parts: ModelParts) -> None:
    """Take the first batch of a trainer where the factory returns no inputs."""
    if parts.inputs is None and parts.trainer is not None:
        with suppress(Exception):  # a trainer without data
            parts.inputs = next(iter(parts.trainer.get_train_dataloader()))
            parts.notes.append("the inputs are the first batch of the trainer")


def _made(parts: ModelParts) -> dict[str, Any]:
    if layout(parts.model) is not None:
        made = of_grids(parts.model, images=[(1, 4, 4)])
        parts.notes.append("the inputs are made: one image of 4 x 4 patches, and text")
        return made
    try:
        dummy = dict(parts.model.dummy_inputs)
    except Exception as error:  # a property of somebody else's class
        message = "the factory returns no inputs, and none can be made for this model"
        raise CannotAnswerError(message) from error
    parts.notes.append("the inputs are the dummy_inputs of the model")
    return dummy


def layout(model: Any) -> dict[str, int] | None:
    """Return how a model takes images as packed patches; None where it does not."""
    config = getattr(model, "config", None)
    vision = getattr(config, "vision_config", None)
    found = {
        "merge": getattr(vision, "spatial_merge_size", None),
        "patch": getattr(vision, "patch_size", None),
        "frames": getattr(vision, "temporal_patch_size", None),
        "channels": _first(vision, ("in_channels", "in_chans")),
        "image": _first(config, _IMAGE),
    }
    if any(not isinstance(each, int) for each in found.values()):
        return None
    return {name: int(each) for name, each in found.items()}


def _first(holder: Any, names: Sequence[str]) -> Any:
    held = (getattr(holder, name, None) for name in names)
    return next((each for each in held if each is not None), None)


def of_grids(
    model: Any, images: Sequence[Grid] = (), videos: Sequence[Grid] = (), before: int = 1
) -> dict[str, Any]:
    """Return the inputs of a forward for images, then videos of these grids, and text around them.

    Raises CannotAnswerError for a model whose configuration does not say how.
    """
    torch = torch_of_the_job()
    how = layout(model)
    if how is None:
        message = "the configuration of the model does not tell how it takes packed patches"
        raise CannotAnswerError(message)
    config, merge = model.config, how["merge"] ** 2
    words = _words(model)
    tokens, kinds = words[:before], [0] * before
    start, end = _first(config, _START), _first(config, _END)
    for kind, grids in ((1, images), (2, videos)):
        token = how["image"] if kind == 1 else _first(config, _VIDEO)
        for frames, height, width in grids:
            many = frames * height * width // merge
            text = words[:_TEXT]
            piece = [*([start] if start is not None else []), *[token] * many]
            piece += [*([end] if end is not None else []), *text]
            tokens += piece
            kinds += [kind if each == token else 0 for each in piece]
    row = how["channels"] * how["frames"] * how["patch"] ** 2
    random = torch.Generator().manual_seed(SEED)
    made = {
        "input_ids": torch.tensor([tokens]),
        "attention_mask": torch.ones(1, len(tokens), dtype=torch.long),
        "mm_token_type_ids": torch.tensor([kinds], dtype=torch.int),
    }
    for name, grids in (("", images), ("_videos", videos)):
        if grids:
            patches = sum(frames * height * width for frames, height, width in grids)
            grid = "video_grid_thw" if name else "image_grid_thw"
            made[f"pixel_values{name}"] = torch.randn(patches, row, generator=random)
            made[grid] = torch.tensor([list(each) for each in grids])
    names = arguments_of(model)
    return {name: value for name, value in made.items() if name in names}


def _words(model: Any) -> list[int]:
    """Return ids that stand for text."""
    special = {each for each in vars(model.config).values() if isinstance(each, int)}
    size = model.get_input_embeddings().weight.shape[0]
    found = [each for each in range(min(size, 4096)) if each not in special]
    if len(found) < _TEXT:
        message = f"the embeddings of the model have {size} rows, too few for a text"
        raise CannotAnswerError(message)
    return found[-64:]


def arguments_of(model: Any) -> set[str]:
    """Return what a forward names, also where a subclass takes it as **kwargs."""
    names: set[str] = set()
    for kind in type(model).__mro__:
        forward = vars(kind).get("forward")
        if forward is not None and kind.__module__.partition(".")[0] != "torch":
            with suppress(TypeError, ValueError):  # what is not written in Python
                names |= set(inspect.signature(forward).parameters)
    return names


def moved(values: Any, model: Any) -> Any:
    """Return a structure with its tensors on the device of a model."""
    torch = torch_of_the_job()
    tree_map = importlib.import_module("torch.utils._pytree").tree_map
    device = next((each.device for each in model.parameters()), None) if model is not None else None

    def on_device(leaf: Any) -> Any:
        is_tensor = isinstance(leaf, torch.Tensor)
        return leaf.to(device) if is_tensor and device is not None else leaf

    return tree_map(on_device, values)
