"""ROC303, disabled-optional-toggle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._disabled import ToggleRule, claiming_line
from ._doubt import is_doubtful

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Comment, Finding, Source


class DisabledOptionalToggle(ToggleRule):
    """An optional switch that is commented out without a reason.

    ## Why it matters
    Gradient checkpointing, offloading, slicing and tiling cost time as well as they save memory.
    TF32, fused kernels, xformers and torch.compile are often speed-ups that somebody tried, and an
    attention that nothing else in the project asks for may be left to PyTorch. Where such a line is
    commented out without a reason, nobody can tell a choice from a workaround.

    ## Example
    ```python
    from diffusers import AutoencoderKL

    vae = AutoencoderKL.from_pretrained("stabilityai/sdxl-vae")
    # vae.enable_tiling()
    ```

    ## Use instead
    Restore the line, write the reason beside it, or delete it.
    ```python
    from diffusers import AutoencoderKL

    vae = AutoencoderKL.from_pretrained("stabilityai/sdxl-vae")
    # Not needed below 2 megapixels:
    # vae.enable_tiling()
    ```

    ## Options
    - ``toggles``: further names of functions, arguments, attributes and environment variables
      that switch something on, where what they are set to is an attribute.

    ## References
    - https://huggingface.co/docs/diffusers/optimization/memory
    - https://docs.pytorch.org/docs/stable/checkpoint.html
    """

    code = "ROC303"
    name = "disabled-optional-toggle"
    since = "0.1.0"
    preview = True

    def check(self, node: Comment, source: Source) -> Iterator[Finding]:
        """Find comments that are a toggle of something optional."""
        found = self.disabled(node, source)
        if found is None or not is_doubtful(found, source):
            return
        if claiming_line(found, source) is not None:
            return
        message = f"`{found.shown(60)}` is commented out without a reason"
        title = found.toggle.feature.title
        advice = f"Restore the line, write beside it why {title} is off, or delete it."
        yield self.finding(node, source, message, help=advice, claims=found.claims(source))
