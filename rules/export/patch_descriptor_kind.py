"""ROC854, patch-descriptor-kind."""

from __future__ import annotations

from ._patched import PatchRule


class PatchDescriptorKind(PatchRule):
    """Patch and original differ in kind: method, static method, class method, property.

    ## Why it matters
    What is installed in the class is what the patch has: a plain function instead of a static
    method gets the instance as its first argument, and a property instead of a method cannot
    be called.

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
    ```python title="patches.py"
    import acme

    class patched_Mask:
        _PATCHES_ = ["causal"]
        _PATCHED_CLASS_ = acme.Mask
        @staticmethod
        def causal(size, device=None): ...
    ```
    """

    code = "ROC854"
    name = "patch-descriptor-kind"
