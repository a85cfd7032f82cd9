"""ROC311, private-flash-attn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, dotted_text, imports, walk

from ._caught import ANY_ERROR, handler_of
from ._vendor import is_for_cuda_alone, knows_amd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_PACKAGES = ("flash_attn", "xformers")
_EXTENSIONS = frozenset({"flash_attn_2_cuda", "flash_attn_cuda"})
_NO_MODULE = ANY_ERROR | {"ImportError", "ModuleNotFoundError"}


def is_one_of_several(node: cst.Import | cst.ImportFrom, source: Source) -> bool:
    """Imports in a `try` that looks for the name in two places, one of them in the `except`."""
    if source.enclosing(node, cst.ExceptHandler) is not None:
        return True
    handler = handler_of(node, source, _NO_MODULE)
    return handler is not None and any(
        isinstance(each, (cst.Import, cst.ImportFrom)) for each in walk(handler)
    )


class PrivateFlashAttn(PythonRule["cst.Import | cst.ImportFrom"]):
    """Code uses a private name of an attention package.

    ## Why it matters
    ``flash_attn`` for ROCm has two backends, CK and Triton, and with the second one there is no
    extension ``flash_attn_2_cuda``. Names with an underscore change as well:
    ``_flash_attn_forward`` returned eight values before flash-attn 2.7, and four since. Where the
    import is in a ``try``, one missing name switches flash attention off, and nothing says so.

    With the version that a project is pinned to such an import may well work.

    ## Example
    ```python
    try:
        from flash_attn import flash_attn_func
        from flash_attn.flash_attn_interface import _flash_attn_forward
    except ImportError:
        flash_attn_func = None
    ```

    ## Use instead
    The functions without an underscore return the log-sum-exp and more with
    ``return_attn_probs=True``.
    ```python
    try:
        from flash_attn import flash_attn_func
    except ImportError:
        flash_attn_func = None
    ```

    ## References
    - https://github.com/Dao-AILab/flash-attention#amd-rocm-support
    """

    code = "ROC311"
    name = "private-flash-attn"
    since = "0.1.0"
    severity = "note"
    skips = frozenset({"test"})
    on = imports(*_PACKAGES, *sorted(_EXTENSIONS))
    excuses = (is_for_cuda_alone, knows_amd, is_one_of_several)

    def check(self, node: cst.Import | cst.ImportFrom, source: Source) -> Iterator[Finding]:
        """Find private names of attention packages, and their extensions for CUDA."""
        found = next(_private(node), None)
        if found is None or source.is_for_types_only(node) or self.is_excused(node, source):
            return
        package, name = found
        if name in _EXTENSIONS:
            message = f"`{name}` is the extension for CUDA, which builds for ROCm may not have"
        else:
            message = f"`{name}` is private to `{package}`, and builds for ROCm may not have it"
        advice = (
            "Use the public functions: `flash_attn_func`, `flash_attn_varlen_func` or "
            "`memory_efficient_attention`. If this one is needed, import it apart from them."
        )
        yield self.finding(node, source, message, help=advice)


def _private(node: cst.Import | cst.ImportFrom) -> Iterator[tuple[str, str]]:
    """Yield the private names that an import names, each with its package."""
    if isinstance(node.names, cst.ImportStar):
        return
    module = ""
    if isinstance(node, cst.ImportFrom):
        if node.module is None or node.relative:
            return
        module = dotted_text(node.module) or ""
    for alias in node.names:
        parts = [*filter(None, module.split(".")), *(dotted_text(alias.name) or "").split(".")]
        if parts[0] not in _PACKAGES and parts[0] not in _EXTENSIONS:
            continue
        for part in parts:
            private = part.startswith("_") and not part.startswith("__")
            if private or part in _EXTENSIONS:
                yield parts[0], part
