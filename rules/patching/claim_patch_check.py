"""Code that checks whether a patch is installed claims that it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.rule import ClaimRule, last_name, nodes

from ._patches import PATCH_CHECK, PATCH_WORDS, claims_of_check

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Claim, Source


class PatchCheck(ClaimRule["cst.Call"]):
    """A call of a function whose name says that it checks a patch of a known package."""

    on = nodes("Call", words=PATCH_WORDS, where=rf"\b(?:{PATCH_CHECK})\s*\(")

    def check(self, node: cst.Call, source: Source) -> Iterator[Claim]:
        """Yield which package is patched."""
        if re.fullmatch(PATCH_CHECK, last_name(node.func) or ""):
            for each in claims_of_check(node.func, source):
                yield self.at(node, source, each)
