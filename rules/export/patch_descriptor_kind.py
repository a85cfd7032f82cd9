"""ROC854, patch-descriptor-kind."""

from __future__ import annotations

from ._patched import PatchRule


class PatchDescriptorKind(PatchRule):
    """Patch and original differ in kind: method, static method, class method, property.

    ## Why it matters
    What is installed in the class is what the patch has: a plain function instead of a static
    method gets the instance as its first argument, and a property instead of a method cannot
    be called.

    What counts as a patch, and which version of the library is read, is told as for
    patched-class-missing (ROC851). The kind for ``_PATCH_ALLOWS_``: ``descriptor-kind``.

    ## Example
    ```python title="acme.py"
    class Mask:
        @staticmethod
        def causal(size, device=None): ...
    ```
    ```python title="patches.py"
    import acme

    class patched_Mask:
        _PATCHES_ = ["causal"]
        _PATCHED_CLASS_ = acme.Mask
        def causal(size, device=None): ...
    ```

    ## Use instead
    ```python title="acme.py"
    class Mask:
        @staticmethod
        def causal(size, device=None): ...
    ```
    ```python title="patches.py"
    import acme

    class patched_Mask:
        _PATCHES_ = ["causal"]
        _PATCHED_CLASS_ = acme.Mask
        @staticmethod
        def causal(size, device=None): ...
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/export.html
    - https://github.com/sdpython/onnx-diagnostic
    """

    code = "ROC854"
    name = "patch-descriptor-kind"
    since = "0.1.0"
