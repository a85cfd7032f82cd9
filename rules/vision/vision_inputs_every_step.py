"""ROC603, vision-inputs-every-step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, definitions, fitted, walk

from ._generation import METHOD, drops_it, gate, handed_on, is_no_model, methods

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

    from ._generation import HandedOn


def has_encoder(found: HandedOn, source: Source) -> bool:
    """Models with an encoder of their own, which ``generate`` runs once."""
    del source
    return any(
        isinstance(each, cst.Name) and each.value in {"encoder_outputs", "decoder_input_ids"}
        for each in walk(found.method)
    )


class VisionInputsEveryStep(PythonRule["cst.FunctionDef"]):
    """``prepare_inputs_for_generation`` passes images on every step.

    ## Why it matters
    ``generate`` asks this method for the inputs of each step. The image belongs to the first one
    only: afterwards ``input_ids`` holds the new token and no placeholder for an image. A model
    that is given the pixels again runs its vision tower for every token, and where it matches
    features and placeholders it fails with a shape that has a zero in it.

    ## Example
    ```python
    from transformers import GenerationMixin, PreTrainedModel

    class Captioner(PreTrainedModel, GenerationMixin):
        def forward(self, input_ids, pixel_values=None, past_key_values=None):
            return self.decoder(self.merge(input_ids, self.vision_tower(pixel_values)))

        def prepare_inputs_for_generation(self, input_ids, pixel_values=None, **kwargs):
            inputs = super().prepare_inputs_for_generation(input_ids, **kwargs)
            inputs["pixel_values"] = pixel_values
            return inputs
    ```

    ## Use instead
    transformers 5 says which step is the first. Before that, it is the one whose
    ``cache_position`` begins with 0.
    ```python
    from transformers import GenerationMixin, PreTrainedModel

    class Captioner(PreTrainedModel, GenerationMixin):
        def prepare_inputs_for_generation(
            self, input_ids, pixel_values=None, is_first_iteration=False, **kwargs
        ):
            inputs = super().prepare_inputs_for_generation(input_ids, **kwargs)
            if is_first_iteration or not kwargs.get("use_cache", True):
                inputs["pixel_values"] = pixel_values
            return inputs
    ```

    ## References
    - https://huggingface.co/docs/transformers/main_classes/text_generation
    """

    code = "ROC603"
    name = "vision-inputs-every-step"
    since = "0.1.0"
    severity = "warning"
    on = definitions(METHOD, suspects=methods)
    skips = frozenset({"test"})
    excuses = (is_no_model,)
    doubts = (has_encoder,)

    def check(self, node: cst.FunctionDef, source: Source) -> Iterator[Finding]:
        """Find what is put among the inputs without a condition on the step."""
        found = handed_on(node, source)
        if found is None or drops_it(found, source) is not False:
            return
        severity = self.severity_of(found, source)
        if severity is None:
            return
        message = fitted("`{method}` hands `{}` on on every step", found.name, method=METHOD)
        yield self.finding(node.name, source, message, help=gate(found, source), severity=severity)
