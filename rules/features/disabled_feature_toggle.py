"""ROC301, disabled-feature-toggle."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ._disabled import ToggleRule, claiming_line
from ._doubt import is_doubtful

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Comment, Finding, Source


class DisabledFeatureToggle(ToggleRule):
    """Fast path is commented out without a reason.

    ## Why it matters
    ``# set_use_aiter_attention(True)`` or ``# attn_implementation="flash_attention_2"`` is what
    is left when a call failed and somebody wanted the script to run: the function is missing
    because a patched or newer file is not the one that is loaded, the kernel because a package
    was built for another PyTorch. The run goes on two to four times slower, nothing says so, and
    published numbers are those of the slow path.

    The rule reports comments that read as one statement, or as arguments of a call, where something
    shows that the fast path was meant to be on:

    - a log beside the comment says that it is on (an error, for every feature)
    - the file imports a function that only the comment calls
    - the file chooses the same option for another model, or its package does, unless the call
      names a class of its own instead of ``AutoModel...``, or that is another arm of the same `if`
    - it switches AITER on by a call or a variable of the environment
    - it compiles with torch.compile in a chosen mode, under no condition, and the package
      compiles in a mode elsewhere, or the precision for it is set beside the comment

    All others may be off on purpose (see disabled-optional-toggle): arguments of models that are
    frozen or only evaluated, or that ask for ``"sdpa"`` instead, TF32, fused optimizers,
    xformers. One call that is off for several objects of a file is reported once. There is no
    fix: restoring the line would hide the cause once more.

    ## Example
    ```python
    from transformers import AutoModelForCausalLM

    actor = AutoModelForCausalLM.from_pretrained("a", attn_implementation="flash_attention_2")
    critic = AutoModelForCausalLM.from_pretrained(
        "b",
        # attn_implementation="flash_attention_2",
    )
    ```

    ## Use instead
    Find out what failed: ``inspect.getfile`` tells which file is loaded, ``pip show`` which
    package. Fix that and restore the line. If it stays off, write the reason or the issue's link
    into the comment, or delete it.
    ```python
    from transformers import AutoModelForCausalLM

    actor = AutoModelForCausalLM.from_pretrained("a", attn_implementation="flash_attention_2")
    critic = AutoModelForCausalLM.from_pretrained("b", attn_implementation="flash_attention_2")
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
        said_in = None if found is None else claiming_line(found, source)
        if found is None or (is_doubtful(found, source) and said_in is None):
            return
        title = found.toggle.feature.title
        if said_in is not None:
            message = (
                f"`{found.shown(30)}` is commented out, but {source.named_line(said_in)} logs that "
                f"it is on"
            )
            advice = (
                f"Restore the line, or correct the log. Results are taken for those of {title}, "
                f"which did not run."
            )
            yield self.finding(
                node, source, message, help=advice, severity="error", claims=found.claims(source)
            )
            return
        message = f"`{found.shown(60)}` is commented out without a reason"
        advice = (
            f"Restore the line, or write beside it why {title} is off. If it fails, "
            f"`inspect.getfile` shows which files are loaded."
        )
        finding = self.finding(node, source, message, help=advice, claims=found.claims(source))
        alike = found.alike(source)
        yield replace(finding, once=f"{self.code} {alike}" if alike else "")
