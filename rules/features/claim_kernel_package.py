"""Code that imports a package of kernels claims that it loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import ClaimRule, dotted_text, imports
from rocmlint.rule.claims import kernel_package

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Claim, Source

_PACKAGES = (
    *("aiter", "bitsandbytes", "causal_conv1d", "flash_attn", "flash_attn_interface"),
    *("mamba_ssm", "triton", "vllm", "xformers"),
)


class KernelPackage(ClaimRule["cst.Import | cst.ImportFrom"]):
    """``import aiter``; optional where a ``try`` or an ``if`` around it has another way."""

    on = imports(*_PACKAGES)

    def check(self, node: cst.Import | cst.ImportFrom, source: Source) -> Iterator[Claim]:
        """Yield which package loads."""
        if source.is_for_types_only(node):
            return
        optional = source.enclosing(node, cst.Try, cst.TryStar, cst.If) is not None
        for package in dict.fromkeys(_imported(node)):
            if package in _PACKAGES:
                yield self.at(node, source, kernel_package(package, optional=optional))


def _imported(node: cst.Import | cst.ImportFrom) -> Iterator[str]:
    if isinstance(node, cst.ImportFrom):
        if node.module is not None and not node.relative:
            yield (dotted_text(node.module) or "").partition(".")[0]
        return
    yield from ((dotted_text(alias.name) or "").partition(".")[0] for alias in node.names)
