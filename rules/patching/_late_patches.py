"""Patches of names that a file imported before: how code makes them, and what excuses them."""

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

from ._circumstances import is_taken_back
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
_ORIGINAL = compile_lazily(
    r"(?:.*_)?(?:orig|original|old|real|saved|stock|unpatched|upstream)(?:_.*|[A-Z0-9].*)?",
    re.IGNORECASE,
)
"""How names are written that keep what a patch replaces."""
_SETATTR = compile_lazily(r"setattr\s*\(\s*(\w+)")


class LatePatch(NamedTuple):
    """A patch of ``module.name`` after a ``from … import`` that gave this file ``local``.

    ``is_same`` says that it was imported from the very module that is patched, not from a package
    around it.
    """

    patch: AttributePatch
    module: str
    local: str
    binding: Binding
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
    """Yield ``module.name = …`` after ``from module import name``."""
    for patch in attribute_patches(node):
        if patch.name not in _imported_names(source):
            continue
        module = imported_module(patch.owner, source)
        if module is not None and _is_looked_at(module, patch.name, source):
            yield from _imported_before(patch, module, source)


def stale_call(late: LatePatch, source: Source) -> cst.Call | None:
    """Return a call that still runs the original.

    Calls in the replacement itself do not, nor those in methods that run before the patch.
    """
    patch, local = late.patch, late.local
    new = dotted_text(patch.value)
    if new == local:
        return None
    for call in calls_after(local, late.binding, patch.node, source):
        around = source.ancestors(call)
        definitions = (each for each in around if isinstance(each, (cst.ClassDef, cst.FunctionDef)))
        if new in {each.name.value for each in definitions}:
            continue
        if not is_called_before(call, patch.node, source):
            return call
    return None


def is_never_called(late: LatePatch | cst.Call, source: Source) -> bool:
    """Imported names that only the replacement itself, or a method run before, calls."""
    return isinstance(late, LatePatch) and stale_call(late, source) is None


def is_kept_original(late: LatePatch | cst.Call, source: Source) -> bool:
    """Imports whose new name says that they keep the original: `as ORIGINAL_DECODE`."""
    del source
    if not isinstance(late, LatePatch) or late.local == late.patch.name:
        return False
    return _ORIGINAL.fullmatch(late.local) is not None


def is_put_back(late: LatePatch | cst.Call, source: Source) -> bool:
    """What is taken back: assigned again, in a context manager, or named again in `finally`."""
    return isinstance(late, LatePatch) and is_taken_back(late.patch, source)


def late_words(late: LatePatch, source: Source) -> tuple[str, str]:
    """Return which name is still the original and where it is called, and what to do."""
    call = stale_call(late, source) or late.patch.node
    bound, used = (source.named_line(source.span(each).line) for each in (late.binding.node, call))
    return (
        f"`{shortened(late.patch.name)}` is replaced after {bound} imported it",
        (
            f"Call it through the module, or patch before that import. `{late.local}` on {used} is "
            f"still the original."
        ),
    )


def _imported_before(patch: AttributePatch, module: str, source: Source) -> Iterator[LatePatch]:
    """Yield the names that this file gave, with ``from``, to what is patched.

    Names that are bound again are left alone: nobody can tell which object they are.
    """
    name = patch.name
    aliases = re.findall(rf"\b{re.escape(name)}[ \t]+as[ \t]+(\w+)", source.code)
    for local in dict.fromkeys((name, *aliases)):
        found = source.bindings(local, patch.node)
        binding = found[0] if len(found) == 1 else None
        if binding is None or not isinstance(binding.node, cst.ImportFrom):
            continue
        origin, _, original = (binding.dotted or "").rpartition(".")
        around = origin == module or module.startswith(f"{origin}.")
        if original == name and around and runs_before(binding.node, patch.node, source):
            yield LatePatch(patch, module, local, binding, origin == module)


@once_per_file
def _imported_names(source: Source) -> frozenset[str]:
    """Return what some ``from … import`` of the file names."""
    found = (re.findall(r"\w+", each[1]) for each in _FROM_IMPORT.finditer(source.code))
    return frozenset(name for names in found for name in names)


def _is_looked_at(module: str, name: str, source: Source) -> bool:
    """Return whether the bytes of the file tell that it may patch this: see ``_WORDS``."""
    known = module.partition(".")[0] in _PATCHED or name == "scaled_dot_product_attention"
    return known and _LOOKED_AT.search(source.text) is not None
