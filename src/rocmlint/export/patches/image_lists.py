"""Features of images that are cut into a list, one for each image, and joined again."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin, replaces
from rocmlint.export.patches.edit import edited

if TYPE_CHECKING:
    from collections.abc import Iterator

METHODS = ("get_image_features", "get_video_features")
SIZES = (r"split_sizes = \([^\n]*\)\.tolist\(\)", "split_sizes = None")
REAL = (r"image_features\.split\(num_real_images_per_batch\.tolist\(\)\)", "(image_features,)")
MASKS = (
    r"pixel_attention_mask\.view\(batch_size \* num_images, \*pixel_attention_mask\.shape\[2:\]\)",
    "pixel_attention_mask.flatten(0, 1)",
)
CHANGES = (
    (SIZES, (r"torch\.split\(([\w.]+), split_sizes\)", r"(\1,)")),
    (
        SIZES,
        (r"= torch\.split\(([\w.]+), split_sizes\)", r"= (\1,)"),
        (r"torch\.split\(feat, split_sizes\) for feat", "(feat,) for feat"),
    ),
    (REAL, MASKS),
    (REAL,),
    ((r"= list\(image_features\)", "= [image_features.flatten(0, 1)]"),),
    (MASKS,),
)
"""Ways in which features are cut, and what makes a list of one tensor instead.

``MASKS`` cuts nothing: it only joins two dimensions without asking about their product.
"""
JOINED = re.compile(
    r"torch\.cat\((?:image_features|image_embeds|image_hidden_states|mm_encoder_outputs\b)"
)


def find(model: Any) -> Iterator[Patch]:
    """Yield patches for each class that cuts features, and whose ``forward`` only joins them."""
    for cls in dict.fromkeys(type(each) for each in model.modules()):
        names = [name for name in METHODS if name in vars(cls)]
        ways = CHANGES if names and JOINED.search(_source(cls.forward)) else ((MASKS,),)
        for name in names:
            function = _joined(vars(cls)[name], ways)
            if function is not None:
                yield Patch(cls, name, function)


@replaces(
    "transformers.models.llava.modeling_llava.LlavaModel.get_image_features",
    "transformers.models.idefics3.modeling_idefics3.Idefics3Model.get_image_features",
    "transformers.models.qwen2_vl.modeling_qwen2_vl.Qwen2VLModel.get_image_features",
    "transformers.models.qwen2_vl.modeling_qwen2_vl.Qwen2VLModel.get_video_features",
)
def _joined(original: Any, ways: tuple[tuple[tuple[str, str], ...], ...]) -> Any:
    functions = (edited(original, *changes) for changes in ways)
    return next((each for each in functions if each is not None), None)


def _source(function: Any) -> str:
    try:
        return inspect.getsource(inspect.unwrap(function))
    except (OSError, TypeError):
        return ""


BUILTIN = Builtin(
    name="image-lists",
    reason="Features are cut into one tensor for each image, so that the number of images, or "
    "their sizes, are fixed; `forward` joins them again.",
    since="5.0",
    before="6",
    links=("https://github.com/huggingface/transformers/pull/41992",),
    find=find,
)
