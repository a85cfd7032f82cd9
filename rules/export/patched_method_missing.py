"""ROC852, patched-method-missing."""

from __future__ import annotations

from ._patched import PatchRule


class PatchedMethodMissing(PatchRule):
    """Patched method is missing from the class or from the patch.

    ## Why it matters
    A method that the library no longer has is added to the class, and nothing calls it. A method
    that the patch lists and does not define fails when the patch is applied; one that it uses and
    does not list fails when the model runs.

    ## Example
    ```python title="acme.py"
    class Attention:
        def forward(self, query, mask=None): ...
    ```
    ```python title="patches.py"
    import acme

    class patched_Attention:
        _PATCHES_ = ["forwrd"]
        _PATCHED_CLASS_ = acme.Attention
        def forwrd(self, query, mask=None): ...
    ```

    ## Use instead
    ```python title="patches.py"
    import acme

    class patched_Attention:
        _PATCHES_ = ["forward"]
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query, mask=None): ...
    ```
    """

    code = "ROC852"
    name = "patched-method-missing"
