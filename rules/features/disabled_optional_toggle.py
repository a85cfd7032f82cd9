"""ROC303, disabled-optional-toggle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule.claims import fast_path

from ._disabled import ToggleRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Comment, Finding, Source


class DisabledOptionalToggle(ToggleRule):
    """A switch that is often left off on purpose, in a comment with no word of why.

    ## Why it matters
    torch.compile, gradient checkpointing, offloading, slicing and tiling cost something as well
    as they help, and an attention that the user chooses may be any. Where such a line is
    commented out without a reason, nobody can tell a choice from a workaround.

    ## Example
    ```python
    import torch

    model = torch.nn.Linear(8, 8)
    # model = torch.compile(model)
    print(model(torch.ones(8)))
    ```

    ## Use instead
    Restore the line, write the reason beside it, or delete it.
    ```python
    import torch

    model = torch.nn.Linear(8, 8)
    # Not worth it for one call:
    # model = torch.compile(model)
    print(model(torch.ones(8)))
    ```

    ## Options
    - ``toggles``: further names of functions, arguments, attributes and environment variables
      that switch something on, where what they are set to is an attribute.

    ## References
    - https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    - https://docs.pytorch.org/docs/stable/checkpoint.html
    """

    code = "ROC303"
    name = "disabled-optional-toggle"
    since = "0.1.0"
    preview = True

    def check(self, node: Comment, source: Source) -> Iterator[Finding]:
        """Find comments that are a toggle of something optional."""
        found = self.disabled(node, source)
        if found is None or not found.is_doubtful:
            return
        toggle = found.toggle
        message = (
            f"`{found.shown}` is commented out and nothing says why, so {toggle.feature.title} is "
            "off. Restore it, or write the reason (an issue's link) beside it."
        )
        claims = () if toggle.feature.doubtful else (fast_path(toggle.key, toggle.value),)
        yield self.finding(node, source, message, claims=claims)
