"""ROC606, home-grown-rope-index."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    calls_in,
    compile_lazily,
    conditions,
    fitted,
    last_name,
    nodes,
    walk,
)

from ._packed import is_of_transformers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_INDEX, _ROTARY = "get_rope_index", "apply_multimodal_rotary_pos_emb"
_OWNERS = ("transformers", "vllm", "sglang", "lmdeploy", "mlx_vlm", "liger_kernel", "comfy")
"""Packages with models of their own, which define the positions of these."""
_NEAR = 3
"""How far above a package without ``__init__.py`` files the owner's folder may lie."""
_OTHER_FRAMEWORKS = compile_lazily(r"(?m)^[ \t]*(?:import|from)[ \t]+(?:mlx|jax|tensorflow)\b")
_BUILDS = frozenset({"arange", "cumsum", "meshgrid"})
_TOKEN = compile_lazily(r"token(?:_id|_idx|_index)?\Z")
"""How a copy calls the id of a token that it looks for."""
_DEFINED_OR_SET = compile_lazily(rf"def[\s\\]+\w*{_INDEX}|(?:{_INDEX}|{_ROTARY})\w*[\s\\]*=(?!=)")


def _named(source: Source) -> Iterator[re.Match[str]]:
    """Find where names with these words, whatever else is in them, are defined or set."""
    return _DEFINED_OR_SET.finditer("" if is_of_transformers(source) else source.text)


class HomeGrown(NamedTuple):
    """A function that replaces one of transformers, or the assignment that does so."""

    node: cst.FunctionDef | cst.Assign
    name: str


def is_in_own_model(found: HomeGrown, source: Source) -> bool:
    """Packages with models of their own, such as serving engines, and other frameworks."""
    del found
    package, folder = source.package or ("", "")
    around = {*source.place.split("/"), *folder.split(os.sep)[-_NEAR:]}
    if package in _OWNERS or around & {*_OWNERS[1:]}:
        return True
    return _OTHER_FRAMEWORKS.search(source.text) is not None


def is_for_old_versions(found: HomeGrown, source: Source) -> bool:
    """Stand-ins for what an older transformers lacks, below a check of that."""
    tests = (source.text_of(each.test) for each in conditions(found.node, source))
    return any(re.search(r"hasattr|version|is_\w+_available", each) for each in tests)


def asks_for_ids(found: HomeGrown, source: Source) -> bool:
    """Copies that are given the ids of the image tokens, or ask the processor for them."""
    del source
    return isinstance(found.node, cst.FunctionDef) and not any(map(_writes_id, walk(found.node)))


def is_wrapper(found: HomeGrown, source: Source) -> bool:
    """Functions that call the one they replace, which they were given or saved before."""
    function = found.node
    if isinstance(function, cst.Assign):
        bound = source.bindings(found.name, function.value)
        node = bound[0].node if bound else None
        if not isinstance(node, cst.FunctionDef):
            return False
        function = node
    called = (last_name(each.func) or "" for each in calls_in(function))
    return any(_INDEX in each for each in called if each != function.name.value)


class HomeGrownRopeIndex(PythonRule["cst.FunctionDef | cst.Assign"]):
    """Private copy or patch replaces a model's ``get_rope_index``.

    ## Why it matters
    Qwen2-VL and its successors number tokens in three dimensions: time, height and width. The
    model's own ``get_rope_index`` works these positions out from ``image_grid_thw``, and releases
    of transformers have changed it: seconds for each grid, several videos in a row, timestamps.
    A copy with the ids of the image tokens written out keeps the old numbers. Training then sees
    other positions than generation does, or an index outside of the rotary table, which CUDA and
    HIP report long after.

    ## Example
    ```python
    import torch

    def get_rope_index_25(merge_size, input_ids, image_grid_thw):
        image_token_id = 151655
        positions = torch.ones(3, *input_ids.shape)
        for grid, height, width in image_grid_thw:
            rows = torch.arange(height // merge_size)
            positions[1, input_ids == image_token_id] = rows
        return positions
    ```

    ## Use instead
    Leave it to the model: without ``position_ids`` it calls its own method. Where a dataset needs
    the positions earlier, call the method of the installed release on a model without weights.
    ```python
    import torch
    from transformers import Qwen2_5_VLModel

    def positions_of(config):
        with torch.device("meta"):
            return Qwen2_5_VLModel(config).get_rope_index
    ```

    ## References
    - https://huggingface.co/docs/transformers/model_doc/qwen2_5_vl
    """

    code = "ROC606"
    name = "home-grown-rope-index"
    since = "0.1.0"
    severity = "note"
    preview = True
    on = nodes(
        "FunctionDef",
        "Assign",
        words=(_INDEX, _ROTARY),
        suspects=_named,
        described=f"functions named like `{_INDEX}`, and assignments to `{_INDEX}` and `{_ROTARY}`",
    )
    skips = frozenset({"test"})
    excuses = (is_in_own_model, is_for_old_versions, asks_for_ids, is_wrapper)

    def check(self, node: cst.FunctionDef | cst.Assign, source: Source) -> Iterator[Finding]:
        """Find functions of a module that work the positions out, and patches with own ones."""
        found = _copied(node, source) if isinstance(node, cst.FunctionDef) else _put(node, source)
        if found is None or self.is_excused(found, source):
            return
        if isinstance(node, cst.FunctionDef):
            message = fitted(
                "`{}` is a private copy of the model's `{index}`", found.name, index=_INDEX
            )
        else:
            message = fitted("`{}` replaces what the installed transformers has", found.name)
        at = node.name if isinstance(node, cst.FunctionDef) else node
        found_at = self.finding(at, source, message, help=_help(found, source))
        yield replace(found_at, once=f"{self.code} {source.path} {_together(node, source)}")


def _copied(node: cst.FunctionDef, source: Source) -> HomeGrown | None:
    """Find a function outside of classes that builds positions itself."""
    name = node.name.value
    if _INDEX not in name or source.enclosing(node, cst.ClassDef, cst.FunctionDef) is not None:
        return None
    builds = any(last_name(each.func) in _BUILDS for each in calls_in(node))
    loops = any(isinstance(each, (cst.For, cst.While)) for each in walk(node))
    return HomeGrown(node, name) if builds and loops else None


def _writes_id(node: cst.CSTNode) -> bool:
    """Return whether a statement is like ``image_token_id = 151655``."""
    return (
        isinstance(node, cst.Assign)
        and isinstance(node.value, cst.Integer)
        and any(_TOKEN.search(last_name(each.target) or "") for each in node.targets)
    )


def _put(node: cst.Assign, source: Source) -> HomeGrown | None:
    """Find ``model.get_rope_index = own_function``."""
    target = node.targets[0].target
    if not isinstance(target, cst.Attribute) or target.attr.value not in {_INDEX, _ROTARY}:
        return None
    name = last_name(node.value)
    if name is None or name == target.attr.value or not isinstance(node.value, cst.Name):
        return None
    found = source.bindings(name, node.value)
    if len(found) != 1:
        return None
    if found[0].kind == "definition":
        return HomeGrown(node, name)
    module = (found[0].dotted or "").partition(".")[0]
    is_own = module == "" or source.is_first_party(module)
    return HomeGrown(node, name) if found[0].kind == "import" and is_own else None


def _together(node: cst.FunctionDef | cst.Assign, source: Source) -> int:
    """Return what is one finding: a function, and all that is put in a place in another one."""
    function = node if isinstance(node, cst.FunctionDef) else source.function(node)
    return 0 if function is None else source.span(function).line


def _help(found: HomeGrown, source: Source) -> str:
    """Return what to use in its place."""
    if isinstance(found.node, cst.Assign) and _INDEX not in source.text_of(found.node):
        return "Leave the function of transformers in place, or compare both in a test."
    return (
        f"Call the `{_INDEX}` of the installed transformers on a model that is built below "
        '`torch.device("meta")`, which takes no memory.'
    )
