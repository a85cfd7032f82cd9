"""ROC858, patched-body-changed."""

from __future__ import annotations

from ._patched import PatchRule


class PatchedBodyChanged(PatchRule):
    """Library code differs from the code that the patch was reviewed for.

    ## Why it matters
    A copy goes stale without any change of a signature: the library fixes a bug, and the patch
    brings it back. ``rocmlint export check --lock`` writes fingerprints of all replaced code to
    ``rocmlint-export.lock``; this rule compares them. Comments, annotations and docstrings do not
    count.

    ## Example
    ```json title="rocmlint-export.lock"
    {"version": 1, "targets": {"acme.Attention.forward": {"version": "1.0", "sha256":
    "0000000000000000000000000000000000000000000000000000000000000000"}}}
    ```
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

    ## Use instead
    ```json title="rocmlint-export.lock"
    {"version": 1, "targets": {"acme.Attention.forward": {"version": "1.0", "sha256":
    "d7d66b4bac67c9054523ad0f136eeb9ea5ee066faeb9d2800d1fcdc336a88ee9"}}}
    ```
    ```python title="acme.py"
    class Attention:
        def forward(self, query, mask=None):
            return query
    ```
    ```python title="patches.py"
    import acme
    class patched_Attention:
        _PATCHES_ = ["forward"]
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query, mask=None): ...
    ```
    """

    code = "ROC858"
    name = "patched-body-changed"
