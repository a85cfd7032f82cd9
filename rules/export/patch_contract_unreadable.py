"""ROC859, patch-contract-unreadable."""

from __future__ import annotations

from ._patched import PatchRule


class PatchContractUnreadable(PatchRule):
    """Contract of a patch cannot be read.

    ## Why it matters
    What applies patches reads ``_PATCHES_`` and ``_PATCHED_CLASS_``: a string instead of a
    list is a list of letters, and of two patches of the same method only the last one counts. A
    kind that is misspelled in ``_PATCH_ALLOWS_`` allows nothing.

    ## Example
    ```python title="acme.py"
    class Attention:
        def forward(self, query, mask=None): ...
    ```
    ```python title="patches.py"
    import acme

    class patched_Attention:
        _PATCHES_ = "forward"
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query, mask=None): ...
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

    code = "ROC859"
    name = "patch-contract-unreadable"
