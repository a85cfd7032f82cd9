"""Patches of names that a file imported before, and calls afterwards."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    attribute_patches,
    compile_lazily,
    dotted_text,
    nodes,
    once_per_file,
    shortened,
)

from ._patches import imported_module
from ._program import calls_after, is_called_before, runs_before

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import AttributePatch, Binding, Source

_PATCHED = (
    *("accelerate", "aiter", "bitsandbytes", "diffusers", "flash_attn", "lerobot", "megatron"),
    *("peft", "sglang", "timm", "transformers", "trl", "verl", "vllm", "xformers"),
)
"""Packages that people patch; others stand in too many files to look at them all."""
_WORDS = (
    *(f"import {package}" for package in _PATCHED),
    "import modeling_",
    "import \\\n",
    ".scaled_dot_product_attention =",
    ".scaled_dot_product_attention=",
)
_LOOKED_AT = compile_lazily(
    rf"import[\s\\]+(?:{'|'.join(_PATCHED)}|modeling_)|\.\s*scaled_dot_product_attention\s*="
)
_FROM_IMPORT = compile_lazily(
    r"^[ \t]*from[ \t]+[\w. \t]+\bimport\b[ \t]*(\([^)]*\)|[^\n]*)", re.MULTILINE
)
_IMPORT = compile_lazily(
    r"^[ \t]*import[ \t]+(\w+)(?:[ \t]*\.[ \t]*\w+)*(?:[ \t]+as[ \t]+(\w+))?", re.MULTILINE
)
_ASSIGNMENT = compile_lazily(r"^[ \t]*([A-Za-z_]\w*)[ \t]*\.([\w. \t]+)=(?!=)", re.MULTILINE)
_SETATTR = compile_lazily(r"setattr\s*\(\s*(\w+)")


class LatePatch(NamedTuple):
    """A patch of ``module.name`` after a ``from … import`` of the name, which ``call`` still uses.

    ``is_same`` says that it was imported from the very module that is patched, not from a package
    around it.
    """

    patch: AttributePatch
    module: str
    binding: Binding
    call: cst.Call
    is_same: bool


def _patched_names(source: Source) -> Iterator[re.Match[str]]:
    """Find attributes of imported modules that are set to something new.

    Of assignments only those to names that were imported with ``from … import`` as well.
    """
    code = source.code
    names = _imported_names(source)
    roots = names | {each[2] or each[1] for each in _IMPORT.finditer(code)}
    for each in _ASSIGNMENT.finditer(code):
        if each[1] in roots and each[2].rpartition(".")[2].strip() in names:
            yield each
    yield from (each for each in _SETATTR.finditer(code) if each[1] in roots)


PATCHES_IMPORTED = nodes(
    "Assign",
    "Call",
    words=_WORDS,
    finder=_patched_names,
    described="assignments to attributes with the name of an imported function",
)
"""Where :func:`late_patches` may find something."""


def late_patches(node: cst.Assign | cst.Call, source: Source) -> Iterator[LatePatch]:
    """Yield ``module.name = …`` between ``from module import name`` and calls of that name."""
    for patch in attribute_patches(node):
        if patch.name not in _imported_names(source):
            continue
        module = imported_module(patch.owner, source)
        if module is not None and _is_looked_at(module, patch.name, source):
            late = _imported_before(patch, module, source)
            if late is not None:
                yield late


def late_words(late: LatePatch, source: Source) -> tuple[str, str]:
    """Return which name is still the original and where it is called, and what to do."""
    bound, used = (
        source.named_line(source.span(each).line) for each in (late.binding.node, late.call)
    )
    name = late.patch.name
    return (
        f"`{shortened(name)}` is replaced after {bound} imported it",
        (
            f"Call it through the module, or patch before that import. `{name}` on {used} is "
            f"still the original."
        ),
    )


def _imported_before(patch: AttributePatch, module: str, source: Source) -> LatePatch | None:
    """Return the patch of a name that this file imported before, and calls afterwards.

    Names that are bound again are left alone: nobody can tell which object they are.
    """
    name = patch.name
    found = source.bindings(name, patch.node)
    binding = found[0] if len(found) == 1 else None
    if binding is None or not isinstance(binding.node, cst.ImportFrom):
        return None
    origin, _, original = (binding.dotted or "").rpartition(".")
    around = origin == module or module.startswith(f"{origin}.")
    if original != name or not around or not runs_before(binding.node, patch.node, source):
        return None
    call = _stale_call(patch, binding, source)
    return None if call is None else LatePatch(patch, module, binding, call, origin == module)


def _stale_call(patch: AttributePatch, binding: Binding, source: Source) -> cst.Call | None:
    """Return a call that still runs the original.

    Calls in the replacement itself do not, nor those in methods that run before the patch.
    """
    new = dotted_text(patch.value)
    if new == patch.name:
        return None
    for call in calls_after(patch.name, binding, patch.node, source):
        around = source.ancestors(call)
        definitions = (each for each in around if isinstance(each, (cst.ClassDef, cst.FunctionDef)))
        if new in {each.name.value for each in definitions}:
            continue
        if not is_called_before(call, patch.node, source):
            return call
    return None


@once_per_file
def _imported_names(source: Source) -> frozenset[str]:
    """Return what some ``from … import`` of the file names."""
    found = (re.findall(r"\w+", each[1]) for each in _FROM_IMPORT.finditer(source.code))
    return frozenset(name for names in found for name in names)


def _is_looked_at(module: str, name: str, source: Source) -> bool:
    """Return whether the bytes of the file tell that it may patch this: see ``_WORDS``."""
    known = module.partition(".")[0] in _PATCHED or name == "scaled_dot_product_attention"
    return known and _LOOKED_AT.search(source.text) is not None
