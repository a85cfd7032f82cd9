"""ROC406, composite-model-cast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule
from rocmlint.rule.claims import dtypes

from ._cast import precision_tests
from ._whole_models import (
    CASTS_MODEL,
    ModelCast,
    cast_help,
    cast_message,
    casts_part_below,
    contradiction,
    is_casting_function,
    is_loaded_so,
    is_option,
    keeps_float32_below,
    likely_parts,
    model_cast,
    pipeline_help,
    sure_parts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


def is_flag_for_pipeline(cast: ModelCast, source: Source) -> bool:
    """Pipelines that are cast because a flag says so (`if args.fp16`)."""
    return cast.is_of_pipeline and is_option(cast, source)


def keeps_parts(cast: ModelCast, source: Source) -> bool:
    """Casts after which parts get a type of their own, where no option asked for the cast."""
    if cast.is_of_pipeline or precision_tests(cast.call, source):
        return False
    return keeps_float32_below(cast, source) or casts_part_below(cast, source)


def is_found_by_other_rule(cast: ModelCast, source: Source) -> bool:
    """Casts that are wrong without doubt: those are reported by whole-model-cast."""
    if cast.is_of_pipeline:
        return pipeline_help(cast, source) is not None
    if contradiction(cast, source) is not None:
        return not is_option(cast, source)
    unasked = not precision_tests(cast.call, source)
    return unasked and sure_parts(cast) is not None


class CompositeModelCast(PythonRule["cst.Call"]):
    """A cast of a whole pipeline, or of a model that may have parts of several types.

    ## Why it matters
    The VAE of SDXL overflows in float16, and vision-language models keep norms and rotary tables
    in float32. A cast of everything, by an option or by habit, overwrites that. Only the class or
    the code around shows that the model has such parts. Adapters are trained in another type than
    their base.

    ## Example
    ```python
    import torch
    from diffusers import StableDiffusionXLPipeline

    pipeline = StableDiffusionXLPipeline.from_pretrained("stabilityai/sdxl-turbo")
    pipeline = pipeline.to("cuda", torch.float16)
    ```

    ## Use instead
    Pass the dtype where the model is loaded.
    ```python
    import torch
    from diffusers import StableDiffusionXLPipeline

    pipeline = StableDiffusionXLPipeline.from_pretrained(
        "stabilityai/sdxl-turbo", torch_dtype=torch.bfloat16
    )
    ```

    ## References
    - https://huggingface.co/docs/diffusers/api/models/autoencoderkl
    - https://huggingface.co/docs/transformers/main_classes/model
    """

    code = "ROC406"
    name = "composite-model-cast"
    since = "0.1.0"
    on = CASTS_MODEL
    severity = "warning"
    preview = True
    skips = frozenset({"test", "script"})
    excuses = (
        is_casting_function,
        is_loaded_so,
        is_flag_for_pipeline,
        keeps_parts,
        is_found_by_other_rule,
    )

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find casts of all of a model that is likely to have parts of their own types."""
        cast = model_cast(node, source)
        reason = None if cast is None else likely_parts(cast, source)
        if cast is not None and reason is not None and not self.is_excused(cast, source):
            message, help = cast_message(cast, source), cast_help(reason)
            yield self.finding(node, source, message, help=help, claims=(dtypes(),))
