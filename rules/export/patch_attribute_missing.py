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

    What counts as a patch, and which version of the library is read, is told as for
    patched-class-missing (ROC851). The kind for ``_PATCH_ALLOWS_``: ``attribute-missing``.

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
        def forward(self, query): return query * self.scaling
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/export.html
    - https://github.com/sdpython/onnx-diagnostic
    """

    code = "ROC857"
    name = "patch-attribute-missing"
    since = "0.1.0"
