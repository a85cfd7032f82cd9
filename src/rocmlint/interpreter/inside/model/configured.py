"""A model with random weights, and its processor, from a folder of Hugging Face: no code needed."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from .. import CannotAnswerError
from ..factory import imported, torch_of_the_job
from .parts import ModelParts

_MOST = 2_000_000_000
"""Bytes of weights; a larger model is built with fewer layers."""
_LAYERS = 2
_DEPTHS = ("num_hidden_layers", "depth", "n_layer", "num_layers")
_BY_LAYER = ("layer_types",)
_INDEXES = ("fullatt_block_indexes", "deepstack_visual_indexes")
_AUTO = (
    "AutoModelForImageTextToText",
    "AutoModelForVision2Seq",
    "AutoModelForCausalLM",
    "AutoModel",
)


def parts_of_folder(folder: str, *, weights: bool, processor: bool) -> ModelParts:
    """Build what a folder with a config.json describes. Raises CannotAnswerError."""
    # A folder describes all that is built; nothing is fetched for it.
    os.environ["HF_HUB_OFFLINE"] = "1"
    transformers = imported("transformers", "use --python to name the interpreter of the job")
    try:
        config = transformers.AutoConfig.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # whatever a version raises for a config that it does not know
        message = (
            f"{folder}: this transformers ({transformers.__version__}) cannot read it: {error}"
        )
        raise CannotAnswerError(message) from error
    parts = ModelParts()
    parts.model = _model(transformers, config, parts.notes, weights=weights)
    if processor:
        parts.processor = _processor(transformers, folder, parts.notes)
    return parts


def _model(transformers: Any, config: Any, notes: list[str], *, weights: bool) -> Any:
    torch = torch_of_the_job()
    build = _builder(transformers, config)
    with torch.device("meta"):
        model = build()
    size = sum(each.numel() * each.element_size() for each in model.parameters())
    if not weights:
        notes.append("the model is built without weights")
        return model
    if size > _MOST:
        notes.append(f"built with {_LAYERS} layers of each kind, since it has {size / 1e9:,.0f} GB")
        _cut(config)
        with torch.device("meta"):
            model = build()
        size = sum(each.numel() * each.element_size() for each in model.parameters())
        if size > 2 * _MOST:
            message = (
                f"even with {_LAYERS} layers the model has {size / 1e9:,.0f} GB of weights; write "
                "a factory that builds a smaller one"
            )
            raise CannotAnswerError(message)
    notes.append("the weights are random")
    return build().eval()


def _builder(transformers: Any, config: Any) -> Any:
    """Return what builds the model of a config, by its architecture or by its type."""
    for name in getattr(config, "architectures", None) or ():
        made = getattr(transformers, str(name), None)
        if made is not None:
            return lambda: made(config)
    for name in _AUTO:
        auto = getattr(transformers, name, None)
        if auto is not None and type(config) in getattr(auto, "_model_mapping", ()):
            return lambda: auto.from_config(config)
    message = (
        f"this transformers ({transformers.__version__}) has no model for {type(config).__name__}"
    )
    raise CannotAnswerError(message)


def _cut(config: Any) -> None:
    """Leave two layers of each part."""
    for part in [config, *(each for each in vars(config).values() if hasattr(each, "to_dict"))]:
        for name in _BY_LAYER:
            if getattr(part, name, None):
                setattr(part, name, list(getattr(part, name))[:_LAYERS])
        for name in _INDEXES:
            if getattr(part, name, None):
                setattr(part, name, [_LAYERS - 1])
        for name in _DEPTHS:
            with suppress(AttributeError):
                if isinstance(getattr(part, name, None), int):
                    setattr(part, name, min(_LAYERS, getattr(part, name)))


class _Loose:
    """The parts of a processor in a folder without all of its files."""

    def __init__(self, image_processor: Any, tokenizer: Any) -> None:
        self.image_processor, self.tokenizer = image_processor, tokenizer


def _processor(transformers: Any, folder: str, notes: list[str]) -> Any:
    """Return the processor of a folder, as much of it as there is; None without any."""
    names = os.listdir(folder)
    # Without their files some versions make up a tokenizer that knows no token.
    has_tokens = any(each.startswith(("tokenizer", "vocab", "merges", "spiece")) for each in names)
    has_images = any(each.endswith("processor_config.json") for each in names)
    wanted = {"AutoProcessor": has_tokens and has_images}
    wanted |= {"AutoTokenizer": has_tokens, "AutoImageProcessor": has_images}
    found = {}
    for name in (each for each, is_there in wanted.items() if is_there):
        try:
            found[name] = getattr(transformers, name).from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:  # noqa: BLE001 - damaged files, packages that are not there
            first = (str(error).strip().splitlines() or [""])[0]
            notes.append(f"no {name[4:]}: {type(error).__name__}: {first[:200]}")
        if hasattr(found.get("AutoProcessor"), "tokenizer"):
            return found["AutoProcessor"]
    if not has_tokens:
        notes.append(f"{folder} has no files of a tokenizer")
    if not has_images:
        notes.append(f"{folder} has no preprocessor_config.json")
    images, tokens = found.get("AutoImageProcessor"), found.get("AutoTokenizer")
    return _Loose(images, tokens) if images or tokens else None
