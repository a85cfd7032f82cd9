"""ROC857, patch-attribute-missing."""

from __future__ import annotations

from ._patched import PatchRule


class PatchAttributeMissing(PatchRule):
    """Patch reads an attribute that the patched class lacks.

    ## Why it matters
    A patch runs with instances of the library's class, not with its own: what ``__init__`` there
    no longer sets is an ``AttributeError`` when the model runs. An attribute counts as there if
    any method of the class or of its bases sets or reads it; so does what the patch asks for with
    ``hasattr``.

    ## Example
    ```python title="acme.py"
    class Attention:
        def __init__(self): self.scaling = 1.0
        def forward(self, query): ...
    ```
    ```python title="patches.py"
    import acme

    class patched_Attention:
        _PATCHES_ = ["forward"]
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query): return query * self.scale
    ```

    ## Use instead
    ```python title="patches.py"
    import acme

    class patched_Attention:
        _PATCHES_ = ["forward"]
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query): return query * self.scaling
    ```
    """

    code = "ROC857"
    name = "patch-attribute-missing"
