"""ROC853, patch-signature-drift."""

from __future__ import annotations

from ._patched import PatchRule


class PatchSignatureDrift(PatchRule):
    """Patch does not take the parameters of the original.

    ## Why it matters
    Callers in the library pass what the original takes. A parameter that the patch does not take
    is a ``TypeError``; one that ends in ``**kwargs`` and is never read changes the result without
    a word, as did ``position_bias`` of T5 when ``sdpa_attention_forward`` got it.

    ## Example
    ```python title="acme.py"
    class Attention:
        def forward(self, query, mask=None): ...
    ```
    ```python title="patches.py"
    import acme

    class patched_Attention:
        _PATCHES_ = ["forward"]
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query, **kwargs): ...
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

    code = "ROC853"
    name = "patch-signature-drift"
