"""Inputs of models that see or hear: pixels, sound, and text with places for images."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement import text
from rocmlint.export.agreement.child_torch import Tensor, torch
from rocmlint.export.agreement.leaves import tensors

if TYPE_CHECKING:
    from collections.abc import Callable

Inputs = list[dict[str, Any]]
_BATCHES = (2, 1, 3)
_LENGTHS = (3200, 2400, 4001)
"""Samples of sound, enough for what convolutions leave of it."""
_FRAMES = (48, 40, 57)


def encoder_inputs(model: Any, names: set[str]) -> Inputs:
    """Return pixels or sound, as the configuration says; nothing for other models."""
    if "pixel_values" in names and "input_ids" not in names:
        return [{"pixel_values": pixels(model, batch)} for batch in _BATCHES]
    if "input_features" in names:
        return _features(model.config)
    if "input_values" in names:
        return _sound(model.config)
    return []


def pixels(model: Any, batch: int) -> Tensor:
    """Return random images of the size in the configuration."""
    config = getattr(model.config, "vision_config", None) or model.config
    encoder = getattr(config, "encoder", None)
    config = encoder if hasattr(encoder, "image_size") else config
    size = getattr(config, "image_size", None) or 64
    height, width = size if isinstance(size, (list, tuple)) else (size, size)
    channels = getattr(config, "num_channels", None) or getattr(config, "in_channels", None) or 3
    return _random(batch, channels, height, width)


def _random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def _features(config: Any) -> Inputs:
    bins = getattr(config, "num_mel_bins", None)
    positions = getattr(config, "max_source_positions", None)
    if bins and positions and not hasattr(config, "input_feat_per_channel"):
        # Whisper: two frames of sound become one position, and all positions are used.
        return [{"input_features": _random(batch, bins, 2 * positions)} for batch in _BATCHES]
    width = (
        getattr(config, "input_feat_per_channel", None)
        or getattr(config, "feature_projection_input_dim", None)
        or getattr(config, "input_dim", None)
    )
    if not isinstance(width, int):
        return []
    return [
        {"input_features": _random(batch, frames, width)}
        for batch, frames in zip(_BATCHES, _FRAMES, strict=True)
    ]


def _sound(config: Any) -> Inputs:
    bins, most = getattr(config, "num_mel_bins", None), getattr(config, "max_length", None)
    if bins and most and not hasattr(config, "conv_kernel"):
        return [{"input_values": _random(batch, most, bins)} for batch in _BATCHES]
    return [
        {"input_values": _random(batch, length)}
        for batch, length in zip(_BATCHES, _LENGTHS, strict=True)
    ]


def beside_text(model: Any) -> Inputs:
    """Return images and texts of a model that compares them."""
    return [
        {
            "input_ids": text.ids(model, batch, tokens),
            "attention_mask": torch.ones(batch, tokens, dtype=torch.long),
            "pixel_values": pixels(model, batch),
        }
        for batch, tokens in text.sizes(model)
    ]


def with_image_tokens(model: Any) -> Inputs:
    """Return texts with an image each, whose places are tokens; nothing where there are none."""
    config = model.config
    token = getattr(config, "image_token_id", None)
    token = getattr(config, "image_token_index", None) if token is None else token
    if not isinstance(token, int):
        return []
    places = _places(model)
    if places is None:
        return []
    made = []
    for batch, after in text.SIZES:
        row = torch.full((batch, places), token)
        words = text.ids(model, batch, after + 2)
        found = torch.cat([words[:, :2], row, words[:, 2:]], 1)
        inputs = {"input_ids": found, "attention_mask": torch.ones_like(found)}
        if "token_type_ids" in inspect.signature(model.forward).parameters:
            # Without these, attention to images has another mask while tracing than otherwise.
            inputs["token_type_ids"] = (found == token).long()
        made.append({**inputs, "pixel_values": pixels(model, batch)})
    return made


def _places(model: Any) -> int | None:
    """Return how many tokens an image takes: as many as the model makes of it."""
    count = getattr(model.config, "image_seq_length", None)
    features = getattr(model, "get_image_features", None)
    hidden = model.get_input_embeddings().weight.shape[1]
    if features is not None:
        try:
            with torch.no_grad():
                result = features(pixel_values=pixels(model, 1))
        except Exception:  # noqa: BLE001 - other arguments in other models
            result = None
        held = getattr(result, "pooler_output", result)
        for each in reversed(list(tensors(held).values())):
            if each.shape[-1] == hidden:
                return int(each.numel() // hidden)
    return count if isinstance(count, int) else None


def with_grids(model: Any, grids: Callable[..., dict[str, Any]]) -> Inputs:
    """Return a text with packed patches: one image, a larger one, two of them."""
    plans = ([(1, 4, 4)], [(1, 4, 8)], [(1, 8, 4), (1, 4, 4)])
    return [grids(model, images=each) for each in plans]
