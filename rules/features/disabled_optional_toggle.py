"""ROC303, disabled-optional-toggle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import Comment, Option, PythonRule
from rocmlint.rule.claims import fast_path

from ._disabled import EXCUSES, NAMES_TOGGLE, disabled, names_one_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.rule import Finding, Source


class DisabledOptionalToggle(PythonRule[Comment]):
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
    severity = "warning"
    preview = True
    on = NAMES_TOGGLE
    skips = frozenset({"test", "docs"})
    options = {  # noqa: RUF012 - a constant of the class, like its code
        "toggles": Option("strings", (), "further names that switch something on")
    }
    excuses = EXCUSES

    def __init__(self, *, settings: Mapping[str, object]) -> None:
        """Look for the toggles of the user as well."""
        super().__init__(settings=settings)
        names = settings["toggles"]
        self._more = tuple(names) if isinstance(names, (list, tuple)) else ()
        if self._more:
            self.on = self.on | names_one_of(self._more)

    def check(self, node: Comment, source: Source) -> Iterator[Finding]:
        """Find comments that are a toggle of something optional."""
        found = disabled(node, self._more, source)
        if found is None or not found.is_doubtful or self.is_excused(found, source):
            return
        toggle = found.toggle
        message = (
            f"`{found.shown}` is commented out and nothing says why, so {toggle.feature.title} is "
            "off. Restore it, or write the reason (an issue's link) beside it."
        )
        claims = () if toggle.feature.doubtful else (fast_path(toggle.key, toggle.value),)
        yield self.finding(node, source, message, claims=claims)
