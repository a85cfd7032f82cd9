"""ROC602, exif-transpose-no-effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.lint.syntax import argument, constant
from rocmlint.rule import Rule
from rocmlint.triggers import calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.findings import Finding
    from rocmlint.lint.source import Source


class ExifTransposeNoEffect(Rule["cst.Call"]):
    """An ``ImageOps.exif_transpose`` that cannot change anything.

    ## Why it matters
    """

    code = "ROC602"
    name = "exif-transpose-no-effect"
    since = "0.1.0"
    on = calls("exif_transpose")

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find calls whose result is thrown away."""
        if source.resolve(node.func) != "PIL.ImageOps.exif_transpose":
            return
        if constant(argument(node, None, "in_place")) == "True":
            return
        if isinstance(source.parent(node), cst.Expr):
            yield self.finding(node, source, "discarded")
