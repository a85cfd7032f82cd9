"""ROC610, vision-inputs-left-to-forward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, definitions, fitted

from ._generation import METHOD, drops_it, gate, handed_on, is_no_model, methods

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class VisionInputsLeftToForward(PythonRule["cst.FunctionDef"]):
    """Only a length test stops pixels from being passed on every step.

    ## Why it matters
    Models such as LLaVA are given the image on each step and leave it alone where there is only
    one new token. That holds for plain decoding. Assisted generation, prompt look-up and a chat
    that goes on from a filled cache take several tokens at once: then the vision tower runs again,
    and its features go where there is no placeholder. See vision-inputs-every-step (ROC603) for
    models that do not even check for a single token.

    ## Example
    ```python
    from transformers import LlamaForCausalLM

    class LlavaForCausalLM(LlamaForCausalLM):
        def forward(self, input_ids, images=None, **kwargs):
            embeds = None if input_ids.shape[1] == 1 else self.join(input_ids, images)
            return super().forward(input_ids, inputs_embeds=embeds, **kwargs)

        def prepare_inputs_for_generation(self, input_ids, images=None, **kwargs):
            inputs = super().prepare_inputs_for_generation(input_ids, **kwargs)
            return {**inputs, "images": images}
    ```

    ## Use instead
    ```python
    from transformers import LlamaForCausalLM

    class LlavaForCausalLM(LlamaForCausalLM):
        def prepare_inputs_for_generation(self, input_ids, is_first_iteration=False, **kwargs):
            images = kwargs.pop("images", None)
            inputs = super().prepare_inputs_for_generation(input_ids, **kwargs)
            if is_first_iteration:
                inputs["images"] = images
            return inputs
    ```

    ## References
    - https://huggingface.co/docs/transformers/main_classes/text_generation
    """

    code = "ROC610"
    name = "vision-inputs-left-to-forward"
    since = "0.1.0"
    severity = "note"
    preview = True
    on = definitions(METHOD, suspects=methods)
    skips = frozenset({"test"})
    excuses = (is_no_model,)

    def check(self, node: cst.FunctionDef, source: Source) -> Iterator[Finding]:
        """Find what is put among the inputs without a condition on the step."""
        found = handed_on(node, source)
        if found is None or drops_it(found, source) is not True:
            return
        if self.is_excused(found, source):
            return
        message = fitted(
            "`{method}` leaves it to `forward` to drop `{}`", found.name, method=METHOD
        )
        yield self.finding(node.name, source, message, help=gate(found, source))
