"""A tiny Qwen2.5-VL with random weights, what belongs to it, and how it is asked about."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
if not hasattr(transformers, "Qwen2_5_VLConfig"):
    pytest.skip("this transformers has no Qwen2.5-VL", allow_module_level=True)

nn: Any = torch.nn
SPECIAL = {
    "<|endoftext|>": 0,
    "<|im_start|>": 1,
    "<|im_end|>": 2,
    "<|vision_start|>": 3,
    "<|vision_end|>": 4,
    "<|image_pad|>": 5,
    "<|video_pad|>": 6,
}
IMAGE = SPECIAL["<|image_pad|>"]
ROW = 3 * 2 * 14 * 14
"""Numbers of a patch: channels, frames, height, width."""


def config(**more: Any) -> Any:
    return transformers.Qwen2_5_VLConfig(
        **{
            "text_config": {
                "vocab_size": 128,
                "hidden_size": 32,
                "intermediate_size": 64,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "rope_parameters": {
                    "rope_type": "default",
                    "mrope_section": [1, 1, 2],
                    "rope_theta": 10000.0,
                },
                "bos_token_id": 0,
                "eos_token_id": 2,
                "pad_token_id": 0,
            },
            "vision_config": {
                "depth": 2,
                "hidden_size": 32,
                "intermediate_size": 64,
                "num_heads": 4,
                "out_hidden_size": 32,
                "window_size": 56,
                "fullatt_block_indexes": [1],
            },
            "image_token_id": SPECIAL["<|image_pad|>"],
            "video_token_id": SPECIAL["<|video_pad|>"],
            "vision_start_token_id": SPECIAL["<|vision_start|>"],
            "vision_end_token_id": SPECIAL["<|vision_end|>"],
            "architectures": ["Qwen2_5_VLForConditionalGeneration"],
            **more,
        }
    )


def model(kind: Any = None, **more: Any) -> Any:
    torch.manual_seed(0)
    return (kind or transformers.Qwen2_5_VLForConditionalGeneration)(config(**more))


def tokenizer(special: dict[str, int] = SPECIAL, *, registered: bool = True) -> Any:
    letters = {each: 10 + at for at, each in enumerate("abcdefghijklmnopqrstuvwxyz")}
    ends = dict(zip(("bos_token", "eos_token"), ("<|endoftext|>", "<|im_end|>"), strict=True))
    made = transformers.Qwen2Tokenizer(vocab={**special, **letters}, merges=[], **ends)
    if registered:
        made.add_special_tokens({"additional_special_tokens": list(special)})
    return made


class Processor:
    """The image processor and the tokenizer, joined as Qwen2_5_VLProcessor does.

    That one also needs a video processor, and so torchvision.
    """

    def __init__(self, **sizes: Any) -> None:
        self.image_token = "<|image_pad|>"  # noqa: S105 - not a password
        self.tokenizer = tokenizer()
        self.image_processor = image_processor(**sizes)
        self.image_token_id = IMAGE


def image_processor(**sizes: Any) -> Any:
    pytest.importorskip("PIL")
    name = "Qwen2VLImageProcessorPil"
    kind = getattr(transformers, name, None) or transformers.Qwen2VLImageProcessor
    return kind(**sizes)


def inputs(grids: tuple[tuple[int, int, int], ...] = ((1, 4, 4),), text: int = 4) -> dict[str, Any]:
    """Return what a forward takes: images of these grids, each followed by text."""
    ids, pixels = [SPECIAL["<|im_start|>"]], 0
    for frames, height, width in grids:
        pixels += frames * height * width
        ids += [SPECIAL["<|vision_start|>"], *[IMAGE] * (frames * height * width // 4)]
        ids += [SPECIAL["<|vision_end|>"], *range(10, 10 + text)]
    input_ids = torch.tensor([ids])
    return {
        "input_ids": input_ids,
        "attention_mask": torch.ones_like(input_ids),
        "mm_token_type_ids": (input_ids == IMAGE).int(),
        "pixel_values": torch.randn(pixels, ROW, generator=torch.Generator().manual_seed(1)),
        "image_grid_thw": torch.tensor(grids),
    }


def saved(folder: Path) -> Path:
    """Write the configuration into a folder, as it is in a checkpoint."""
    config().save_pretrained(folder)
    return folder


def ask(check: str, build: Callable[[], Any] | None, **request: Any) -> dict[str, Any]:
    """Ask about what a function of this process returns: what a child process would answer."""
    here = sys.modules[__name__]
    here.__dict__["asked_factory"] = build
    inside: Any = importlib.import_module(f"rocmlint.interpreter.inside.model.{check}")
    asked = {"factory": f"{__name__}:asked_factory", "config": None, "device": None, **request}
    answer: dict[str, Any] = inside.answer(asked)
    return answer
