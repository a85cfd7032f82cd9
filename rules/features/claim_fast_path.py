"""Code that switches a fast path on claims that it is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.claims import fast_path
from rocmlint.lint.syntax import constant, string_value
from rocmlint.rule import ClaimRule
from rocmlint.triggers import calls, last_name, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.findings import Claim
    from rocmlint.lint.source import Source

_SWITCHES = (
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_mem_efficient_sdp",
    "enable_xformers_memory_efficient_attention",
    "set_use_aiter_attention",
)
"""Functions and methods that take a bool, or nothing."""
_CHOICES = ("preferred_blas_library", "preferred_linalg_library", "preferred_rocm_fa_library")
"""Functions of ``torch.backends.cuda`` that take a name; "default" is none."""
_NO_CHOICE = ("", "default", "eager")


class FastPath(ClaimRule["cst.Call | cst.Arg | cst.Assign"]):
    """Calls that switch on, ``attn_implementation="…"`` with a fast one, and MIOpen's switch."""

    on = (
        calls(*_SWITCHES, *_CHOICES)
        | nodes("Arg", words=("attn_implementation",), where=r"\battn_implementation[ \t]*=(?!=)")
        | nodes("Assign", words=("backends.miopen",), where=r"\bbackends\.miopen\.immediate\b")
    )

    def check(self, node: cst.Call | cst.Arg | cst.Assign, source: Source) -> Iterator[Claim]:
        """Yield which fast path is taken."""
        found = _switched_on(node, source)
        if found is not None:
            yield self.at(node, source, fast_path(*found))


def _switched_on(
    node: cst.Call | cst.Arg | cst.Assign, source: Source
) -> tuple[str] | tuple[str, str] | None:
    """Give the name of the switch, and what is chosen where there is a choice."""
    if isinstance(node, cst.Assign):
        on = constant(node.value) == "True"
        return ("torch.backends.miopen.immediate",) if on else None
    if isinstance(node, cst.Arg):
        named = node.keyword is not None and node.keyword.value == "attn_implementation"
        return _chosen("attn_implementation", node.value, source) if named else None
    name = last_name(node.func) or ""
    first = node.args[0].value if node.args else None
    if name in _CHOICES:
        return None if first is None else _chosen(name, first, source)
    return None if constant(first) in {"False", "None"} else (name,)


def _chosen(name: str, value: cst.BaseExpression, source: Source) -> tuple[str, str] | None:
    text = string_value(value) or string_value(source.value_of(value))
    return None if text is None or text in _NO_CHOICE else (name, text)
