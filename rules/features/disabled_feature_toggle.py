"""ROC301, disabled-feature-toggle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule.claims import fast_path

from ._disabled import ToggleRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Comment, Finding, Source


class DisabledFeatureToggle(ToggleRule):
    """A fast path that is switched off by a comment sign, with no word of why.

    ## Why it matters
    ``# set_use_aiter_attention(True)`` or ``# attn_implementation="flash_attention_2"`` is what
    is left when a call failed and somebody wanted the script to run: the function is missing
    because a patched or newer file is not the one that is loaded, the kernel because a package
    was built for another PyTorch. The run goes on two to four times slower, nothing says so, and
    published numbers are those of the slow path.

    Found are comments that read as one statement, or as arguments of a call, that switch
    attention, AITER, TF32, Liger or fused kernels on. There is no fix: to bring the line back is
    to hide the cause once more.

    ## Example
    ```python
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(
        "Qwen/Qwen3-8B",
        # attn_implementation="flash_attention_2",
    )
    ```

    ## Use instead
    Find out what failed: ``inspect.getfile`` tells which file is loaded, ``pip show`` which
    package. Fix that and restore the line. If it stays off, write the reason or the issue's link
    into the comment, or delete it.
    ```python
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(
        "Qwen/Qwen3-8B",
        attn_implementation="flash_attention_2",
    )
    ```

    ## Options
    - ``toggles``: further names of functions, arguments, attributes and environment variables
      that switch a fast path on.

    ## References
    - https://huggingface.co/docs/transformers/attention_interface
    - https://rocm.docs.amd.com/en/latest/how-to/rocm-for-ai/inference-optimization/index.html
    """

    code = "ROC301"
    name = "disabled-feature-toggle"
    since = "0.1.0"

    def check(self, node: Comment, source: Source) -> Iterator[Finding]:
        """Find comments that are a toggle of a fast path."""
        found = self.disabled(node, source)
        if found is None or found.is_doubtful:
            return
        toggle = found.toggle
        message = (
            f"`{found.shown}` is commented out and nothing says why, so {toggle.feature.title} is "
            "off. Restore it, or write the reason (an issue's link) beside it. If it fails, "
            "`inspect.getfile` tells which files are loaded."
        )
        claims = (fast_path(toggle.key, toggle.value),)
        yield self.finding(node, source, message, claims=claims)
