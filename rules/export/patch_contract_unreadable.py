"""ROC859, patch-contract-unreadable."""

from __future__ import annotations

from ._patched import PatchRule


class PatchContractUnreadable(PatchRule):
    """Contract of a patch cannot be read.

    ## Why it matters
    What applies patches reads ``_PATCHES_`` and ``_PATCHED_CLASS_``: a string instead of a
    list is a list of letters, and of two patches of the same method only the last one counts. A
    kind that is misspelled in ``_PATCH_ALLOWS_`` allows nothing.

    What counts as a patch, and which version of the library is read, is told as for
    patched-class-missing (ROC851). Kinds for ``_PATCH_ALLOWS_``: ``contract-unreadable``,
    ``unknown-allow``, ``patched-twice``.

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
    ```python title="acme.py"
    class Attention:
        def forward(self, query, mask=None): ...
    ```
    ```python title="patches.py"
    import acme

    class patched_Attention:
        _PATCHES_ = ["forward"]
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query, mask=None): ...
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/export.html
    - https://github.com/sdpython/onnx-diagnostic
    """

    code = "ROC859"
    name = "patch-contract-unreadable"
    since = "0.1.0"
