"""ROC855, dead-version-gate."""

from __future__ import annotations

from ._patched import PatchRule


class DeadVersionGate(PatchRule):
    """Version condition has the same result in every supported version.

    ## Why it matters
    A branch for versions that the project no longer supports is not run, tested or kept up to
    date. Counted are conditions that some other version would decide in the other way; the
    supported versions are what the project requires, unless it pins one.

    ## Example
    ```text
    acme>=2.0
    ```
    ```python title="acme.py"
    class Attention:
        def forward(self, query, mask=None): ...
    ```
    ```python title="patches.py"
    import acme
    from packaging.version import Version

    class patched_Attention:
        _PATCHES_ = ["forward"] if Version(acme.__version__) < Version("1.5") else []
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query, mask=None): ...
    ```

    ## Use instead
    ```python title="patches.py"
    import acme
    from packaging.version import Version

    class patched_Attention:
        _PATCHES_ = ["forward"] if Version(acme.__version__) < Version("2.5") else []
        _PATCHED_CLASS_ = acme.Attention
        def forward(self, query, mask=None): ...
    ```
    """

    code = "ROC855"
    name = "dead-version-gate"
