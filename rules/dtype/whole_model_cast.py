"""ROC402, whole-model-cast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule
from rocmlint.rule.claims import dtypes

from ._default_dtype import TRAINS
from ._whole_models import (
    CASTS_MODEL,
    ModelCast,
    cast_help,
    cast_message,
    contradiction,
    is_loaded_so,
    is_of_no_training,
    is_option,
    model_cast,
    parts_of_own_types,
    pipeline_help,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class WholeModelCast(PythonRule["cst.Call"]):
    """Whole model is cast, including parts with a dtype of their own.

    ## Why it matters
    Vision-language models, action models and models with adapters are built of parts that want
    different types: norms, routers and rotary tables stay in float32, adapters train in another
    type than their base. ``model.half()`` after the model was built overwrites all of that,
    whatever type the checkpoint was loaded in: a bfloat16 base becomes float16, and large
    activations become inf.

    The rule reports casts to another 16-bit type than the model was loaded in, casts of diffusion
    pipelines with ``half()``, casts after an adapter was loaded, and casts of a model whose parts
    the same function works on. In a file that trains it also reports models that are multimodal by
    the name of their class, and adapters that were just made.

    ## Example
    ```python
    from peft import PeftModel

    def load(base, adapter):
        model = PeftModel.from_pretrained(base, adapter)
        return model.half()
    ```

    ## Use instead
    Pass ``dtype=`` where the model is loaded, which respects what the model keeps in float32, or
    cast the one part that needs it, and cast activations at the boundary.
    ```python
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    def load(name, adapter):
        base = AutoModelForCausalLM.from_pretrained(name, dtype=torch.bfloat16)
        return PeftModel.from_pretrained(base, adapter)
    ```

    ## References
    - https://huggingface.co/docs/transformers/main_classes/model
    - https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.half
    """

    code = "ROC402"
    name = "whole-model-cast"
    since = "0.1.0"
    on = CASTS_MODEL
    severity = "warning"
    skips = frozenset({"test", "script"})
    retired = {"ROC406": "composite-model-cast"}  # noqa: RUF012 - a constant of the class
    excuses = (
        is_loaded_so,
        is_option,
    )
    doubts = (is_of_no_training,)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find casts of all of a model that shows types of its own."""
        cast = model_cast(node, source)
        told = None if cast is None else _problem(cast, source)
        severity = self.severity_of(cast, source) if cast is not None and told else None
        if told is not None and severity is not None:
            message, help = told
            yield self.finding(
                node, source, message, help=help, severity=severity, claims=(dtypes(),)
            )


def _problem(cast: ModelCast, source: Source) -> tuple[str, str] | None:
    """Return the message and help where something shows that the cast is wrong."""
    loaded = contradiction(cast, source)
    if loaded is not None:
        lost = "range" if cast.dtype == "float16" else "digits"
        message = f"The model is loaded in {loaded} and then cast to {cast.dtype}"
        help = (
            f"Load it in {cast.dtype}, or leave out the cast. "
            f"From one type to the other it loses {lost}."
        )
        return message, help
    if cast.is_of_pipeline:
        advice = pipeline_help(cast, source)
        return None if advice is None else (cast_message(cast, source), advice)
    reason = parts_of_own_types(cast, trains=TRAINS.search(source.code) is not None)
    return None if reason is None else (cast_message(cast, source), cast_help(reason))
