"""ROC806, unregistered-cache."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    argument,
    calls,
    compile_lazily,
    constant,
    dotted_text,
    last_name,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_CACHE = compile_lazily(r"\b\w+Cache\b")
_CACHES = frozenset(
    {
        *("DynamicCache", "StaticCache", "EncoderDecoderCache", "HybridCache", "MambaCache"),
        *("OffloadedCache", "OffloadedStaticCache", "QuantizedCache", "SlidingWindowCache"),
    }
)
_HOPS = 3
"""How many names are followed to what makes a cache."""
_EXPORTERS = frozenset({"torch.export.export", "torch.export.draft_export"})
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
    """Projects that register cache classes with pytree somewhere, or use a library that does.

    Written for huggingface/transformers, src/transformers/integrations/executorch.py.
    """
    del found
    here = re.search(_REGISTERS, source.code) is not None
    return here or bool(source.modules_with(source.root, (_REGISTERS,)))


def is_registered_on_import(found: _Passing, source: Source) -> bool:
    """Projects that may run a transformers before 4.56, which registers `DynamicCache` itself.

    Written for huggingface/transformers, src/transformers/cache_utils.py, as of 4.55.
    """
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
        if _CACHE.search(source.code) is None or not _is_export(node, source):
            return
        cache = _cache_among(node, source)
        if not cache or self.is_excused(_Passing(node, cache), source):
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


def _is_export(call: cst.Call, source: Source) -> bool:
    """Return whether a call exports by pytree: that of ONNX does with `dynamo=True`."""
    exporter = source.resolve(call.func)
    dynamo = argument(call, None, "dynamo")
    is_by_dynamo = dynamo is not None and constant(dynamo) == "True"
    return exporter in _EXPORTERS or (exporter == "torch.onnx.export" and is_by_dynamo)


def _cache_among(call: cst.Call, source: Source) -> str:
    """Return the class of a cache among the inputs of an export, "" for none."""
    inputs = (argument(call, 1, "args"), argument(call, 2, "kwargs"))
    found = (_cache_in(each, source, _HOPS) for each in inputs if each is not None)
    return next(filter(None, found), "")


def _cache_in(node: cst.BaseExpression, source: Source, hops: int) -> str:
    """Return the class of a cache in an expression, or in what its names are assigned."""
    parts: list[cst.BaseExpression | None] = []
    if isinstance(node, cst.Call):
        name = last_name(node.func) or ""
        if name in _CACHES:
            return name
        parts = [each.value for each in node.args] if name in {"dict", "list", "tuple"} else []
    elif isinstance(node, (cst.Dict, cst.List, cst.Tuple)):
        parts = [each.value for each in node.elements]
    elif isinstance(node, cst.Name) and hops:
        parts = [each.value for each in source.bindings(node.value, node)]
        parts += _put_into(node, source)
    found = (_cache_in(each, source, hops - 1) for each in parts if each is not None)
    return next(filter(None, found), "")


def _put_into(name: cst.Name, source: Source) -> Iterator[cst.BaseExpression]:
    """Yield what a function puts into a dictionary: ``inputs["past_key_values"] = cache``."""
    function = source.function(name)
    for each in () if function is None else walk(function):
        if isinstance(each, cst.Assign):
            targets = [target.target for target in each.targets]
            if any(
                isinstance(target, cst.Subscript) and dotted_text(target.value) == name.value
                for target in targets
            ):
                yield each.value


def _is_before(version: object) -> bool:
    return getattr(version, "release", (99,))[:2] < _REGISTERED_BEFORE
