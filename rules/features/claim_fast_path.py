"""Code that switches a fast path on claims that it is taken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import ClaimRule, calls, constant, last_name, nodes, string_value
from rocmlint.rule.claims import fast_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Claim, Source

    Node = cst.Call | cst.Arg | cst.Assign | cst.DictElement

_SWITCHES = (
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_mem_efficient_sdp",
    "enable_xformers_memory_efficient_attention",
    "set_use_aiter_attention",
)
"""Functions and methods that take a bool, or nothing."""
_CHOICES = ("preferred_blas_library", "preferred_linalg_library", "preferred_rocm_fa_library")
"""Functions of ``torch.backends.cuda`` that take a name; "default" chooses nothing."""
_NO_CHOICE = ("", "default", "eager")
_ATTENTION = ("attn_implementation", "_attn_implementation")
_KEY = r"(['\"])\s{19}\1"
"""``"attn_implementation"`` where the inside of strings is blank."""
_THE_MACHINE = re.compile(r"hip|rocm|amd|aiter|cuda", re.IGNORECASE)


class FastPath(ClaimRule["Node"]):
    """Calls that switch on, ``attn_implementation="…"`` with a fast one, and MIOpen's switch."""

    on = (
        calls(*_SWITCHES, *_CHOICES)
        | nodes(
            *("Arg", "Assign", "DictElement"),
            words=("attn_implementation",),
            where=rf"\b_?attn_implementation[ \t]*=(?!=)|{_KEY}[ \t]*(?::|\][ \t]*=(?!=))",
        )
        | nodes("Assign", words=("backends.miopen",), where=r"\bbackends\.miopen\.immediate\b")
    )

    def check(self, node: Node, source: Source) -> Iterator[Claim]:
        """Yield which fast path is taken."""
        found = _switched_on(node, source)
        if found is not None:
            optional = _is_asked_for_elsewhere(node, source)
            yield self.at(node, source, fast_path(*found, optional=optional))


def _is_asked_for_elsewhere(node: Node, source: Source) -> bool:
    """Return whether a condition decides on it that is not one of the machine."""
    return any(
        isinstance(above, cst.If) and not _THE_MACHINE.search(source.text_of(above.test))
        for above in source.ancestors(node)
    )


def _switched_on(node: Node, source: Source) -> tuple[str] | tuple[str, str] | None:
    """Return the name of the switch, and what is chosen where there is a choice."""
    if isinstance(node, cst.Assign):
        if _set_name(node.targets[-1].target) in _ATTENTION:
            return _chosen("attn_implementation", node.value, source)
        on = (
            re.search(r"\bbackends\s*\.\s*miopen\s*\.\s*immediate\b", source.text_of(node))
            is not None
            and constant(node.value) == "True"
        )
        return ("torch.backends.miopen.immediate",) if on else None
    if isinstance(node, cst.DictElement):
        named = string_value(node.key) == "attn_implementation"
        return _chosen("attn_implementation", node.value, source) if named else None
    if isinstance(node, cst.Arg):
        named = node.keyword is not None and node.keyword.value == "attn_implementation"
        return _chosen("attn_implementation", node.value, source) if named else None
    name = last_name(node.func) or ""
    first = node.args[0].value if node.args else None
    if name in _CHOICES:
        return None if first is None else _chosen(name, first, source)
    return None if constant(first) in {"False", "None"} else (name,)


def _set_name(target: cst.BaseExpression) -> str | None:
    """Return the name of an attribute, or the key of a dictionary, that is set."""
    if isinstance(target, cst.Attribute):
        return target.attr.value
    if isinstance(target, cst.Subscript) and len(target.slice) == 1:
        index = target.slice[0].slice
        return string_value(index.value) if isinstance(index, cst.Index) else None
    return None


def _chosen(name: str, value: cst.BaseExpression, source: Source) -> tuple[str, str] | None:
    text = string_value(value) or string_value(source.value_of(value))
    return None if text is None or text in _NO_CHOICE else (name, text)
