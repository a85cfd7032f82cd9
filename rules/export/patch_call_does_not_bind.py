"""ROC856, patch-call-does-not-bind."""

from __future__ import annotations

from ._patched import PatchRule


class PatchCallDoesNotBind(PatchRule):
    """Patch calls a library function that is gone or takes other arguments.

    ## Why it matters
    A patch is often a copy of the code of one version, with a few lines changed. The functions
    that it calls go on changing: a call with an argument too few is a ``TypeError`` in the first
    forward, and a name that is gone an ``AttributeError``.

    ## Example
    ```python title="acme.py"
    class Attention:
        def forward(self, query): ...
    def can_fuse(key, value): ...
    ```
    ```python title="patches.py"
    import acme

    class patched_Attention:
        _PATCHES_ = ["forward"]
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query): return acme.can_fuse(query)
    ```

    ## Use instead
    ```python title="patches.py"
    import acme

    class patched_Attention:
        _PATCHES_ = ["forward"]
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query): return acme.can_fuse(query, query)
    ```
    """

    code = "ROC856"
    name = "patch-call-does-not-bind"
