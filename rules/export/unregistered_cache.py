"""ROC806, unregistered-cache."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import PythonRule, calls, compile_lazily, once_per_file

from ._flow import span_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_CACHE = compile_lazily(r"\b\w+Cache\b")
_EXPORTERS = frozenset({"torch.export.export", "torch.export.draft_export", "torch.onnx.export"})
_REGISTERS = (
    r"register_pytree_node|register_\w*cache\w*|register_dataclass|register_\w*serialization"
    r"|torch_export_patches|bypass_export_some_errors|rocmlint\.export|transformers\.exporters"
    r"|TorchExportableModule|register_class\b"
)
"""How a project registers cache classes, itself or with a library that does."""
_REGISTERED_BEFORE = (4, 56)
"""The release of transformers since which importing it no longer registers DynamicCache."""


class _Passing(NamedTuple):
    call: cst.Call
    cache: str


def is_registered(found: _Passing, source: Source) -> bool:
    """Projects that register cache classes with pytree somewhere, or use a library that does."""
    del found
    here = re.search(_REGISTERS, source.code) is not None
    return here or bool(source.modules_with(source.root, (_REGISTERS,)))


def is_registered_on_import(found: _Passing, source: Source) -> bool:
    """Projects that may run a transformers before 4.56, which registers `DynamicCache` itself."""
    del found
    return any(_is_before(each.lowest or each.version) for each in source.versions("transformers"))


class UnregisteredCache(PythonRule["cst.Call"]):
    """Cache class is an export input but is not registered.

    ## Why it matters
    ``torch.export`` takes inputs apart with pytree, which knows tuples, lists and dictionaries. A
    ``DynamicCache`` that nobody registered stops it with "Unsupported input type" or "Cannot
    associate shape". Since transformers 4.56 importing it registers no cache class any more.

    ## Example
    ```python
    import torch
    from transformers import DynamicCache

    def export(model, input_ids):
        inputs = {"input_ids": input_ids, "past_key_values": DynamicCache()}
        return torch.export.export(model, (), inputs)
    ```

    ## Use instead
    ```python
    import torch
    from transformers import DynamicCache
    from transformers.integrations.executorch import register_dynamic_cache_export_support

    def export(model, input_ids):
        register_dynamic_cache_export_support()
        inputs = {"input_ids": input_ids, "past_key_values": DynamicCache()}
        return torch.export.export(model, (), inputs)
    ```

    ## References
    - https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/integrations/executorch.py
    - https://docs.pytorch.org/docs/stable/pytree.html
    """

    code = "ROC806"
    name = "unregistered-cache"
    since = "0.1.0"
    profile = "export"
    on = calls("export", "draft_export")
    excuses = (is_registered_on_import, is_registered)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find exports that get a cache whose class nothing registers."""
        if _CACHE.search(source.code) is None:
            return
        span = source.span(node)
        cache = _passed(source).get((span.line, span.column))
        if cache is None or source.resolve(node.func) not in _EXPORTERS:
            return
        if self.is_excused(_Passing(node, cache), source):
            return
        message = f"A `{cache}` is exported as an input, and nothing registers it with pytree"
        how = (
            "Call `register_dynamic_cache_export_support()` of transformers.integrations.executorch"
            if cache == "DynamicCache"
            else "Register the class with `torch.utils._pytree.register_pytree_node`"
        )
        help = (
            f"{how} before the export. `torch.export` takes no objects that pytree cannot flatten."
        )
        yield self.finding(node, source, message, help=help)


@once_per_file
def _passed(source: Source) -> dict[tuple[int, int], str]:
    """Return the caches that calls pass, by where the calls begin."""
    from ._exports import caches_passed  # noqa: PLC0415 - few files export

    tree = source.python_tree
    if tree is None:
        return {}
    places = ((span_of(each.call, source), each.cache) for each in caches_passed(tree))
    return {(span.line, span.column): cache for span, cache in places}


def _is_before(version: object) -> bool:
    return getattr(version, "release", (99,))[:2] < _REGISTERED_BEFORE
