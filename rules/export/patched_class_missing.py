"""ROC851, patched-class-missing."""

from __future__ import annotations

from ._patched import PatchRule


class PatchedClassMissing(PatchRule):
    """Patched class or function does not exist in the library.

    ## Why it matters
    A name that the library dropped is an ``AttributeError`` as soon as the module of the patch is
    imported, even for models that do not need the patch. Patches that are found by their path are
    skipped without a word: the export runs the code that was to be replaced.

    Read are classes with ``_PATCHED_CLASS_`` and ``_PATCHES_``, functions whose docstring has
    ``[patch:dotted.path]``, and factories below ``@register_patch(backend, *dotted_paths)`` or in
    ``patch_attribute(owner, "name", factory)``. The library is a package of the project or the
    installed one (``--environment``, or where the file lies among installed packages); without a
    source of it nothing is reported. A patch names the kinds of problems that it wants in
    ``_PATCH_ALLOWS_ = [...]``, here ``class-missing``, ``function-missing``, ``not-a-class``.

    ## Example
    ```python title="acme.py"
    class Attention:
        def forward(self, query, mask=None): ...
    ```
    ```python title="patches.py"
    import acme

    class patched_Attention:
        _PATCHES_ = ["forward"]
        _PATCHED_CLASS_ = acme.SelfAttention
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

    code = "ROC851"
    name = "patched-class-missing"
