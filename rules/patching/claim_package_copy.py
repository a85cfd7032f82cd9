"""Code that copies files into an installed package claims that the package has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import ClaimRule, calls

from ._copied_files import COPY_FUNCTIONS, claims_of_copy, is_copy

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Claim, Source


class PackageCopy(ClaimRule["cst.Call"]):
    """``shutil.copytree(overlay, Path(transformers.__file__).parent)``, through variables."""

    on = calls(*COPY_FUNCTIONS, words=("shutil",), where=r"\b(?:copy|move)\w*[ \t]*\(")

    def check(self, node: cst.Call, source: Source) -> Iterator[Claim]:
        """Yield which files of the package are the author's."""
        if is_copy(node, source):
            yield from (self.at(node, source, each) for each in claims_of_copy(node, source))
