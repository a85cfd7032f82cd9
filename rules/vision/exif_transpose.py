"""ROC601, exif-transpose."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Option, PythonRule, attributes, calls, compile_lazily, fitted

from ._exif import is_banned, is_discarded, is_exif_transpose, no_effect
from ._stored_pixels import fills_data_set, stored_pixels

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rocmlint.rule import Finding, Source


_EXPLANATION = 10
"""So many words say why, not only what the call does."""
_ABOUT_IT = compile_lazily(r"(?i)\b(?:exif|orient\w*|rotat\w*|annotat\w*|label\w*|box(?:es)?)\b")


def is_without_effect(node: cst.Call | cst.Attribute, source: Source) -> bool:
    """Calls that turn no image that anything sees (see exif-transpose-no-effect)."""
    if not isinstance(node, cst.Call):
        return False
    return is_discarded(node, source) or no_effect(node, source) is not None


def is_explained(node: cst.Call | cst.Attribute, source: Source) -> bool:
    """Calls with an explanation above them that names the orientation, EXIF or the labels."""
    statement = source.enclosing(node, cst.SimpleStatementLine)
    if statement is None or is_banned(source):
        return False
    line = source.span(statement).line
    comments = {each.line: each.body for each in source.comments if each.own_line}
    words: list[str] = []
    while line - 1 in comments:
        line -= 1
        words += comments[line].split()
    return len(words) >= _EXPLANATION and _ABOUT_IT.search(" ".join(words)) is not None


class ExifTranspose(PythonRule["cst.Call | cst.Attribute"]):
    """``ImageOps.exif_transpose`` rotates images away from their labels or grids.

    ## Why it matters
    ``exif_transpose`` rotates or mirrors the image as its EXIF orientation says. Boxes, key
    points, masks and sizes that were written for the stored pixels stay where they were: labels
    land beside their objects, and an image whose size was computed before has another number of
    vision tokens than the prompt has placeholders.

    A call is reported where something may refer to the stored pixels: coordinates that its
    function, or one of the file that calls it, is given or reads from a record; or a size that is
    read before the image is turned. Annotation tools differ: some show and save an image as its
    EXIF data says, others as it is stored, so compare a sample that is rotated.
    Not reported: files that look at the orientation themselves, boxes that a model or a tensor
    gives, which refer to the image that the model was given, and masks that are turned as well.

    ## Example
    ```python
    from PIL import Image, ImageOps

    def load(path, boxes):
        return ImageOps.exif_transpose(Image.open(path)), boxes
    ```

    ## Use instead
    Rotate the files once, when the dataset is made and before anything is annotated, and load
    them as they are stored. Where a call is right, because the labels are turned too, name the
    file under ``allowed-paths``.
    ```python
    from PIL import Image

    def load(path, boxes):
        return Image.open(path), boxes
    ```

    ## Options
    - ``allowed-paths``: gitignore patterns of files in which the call is allowed, relative to the
      project.
    - ``always``: report every call, for a project that wants none.

    ## References
    - https://pillow.readthedocs.io/en/stable/reference/ImageOps.html#PIL.ImageOps.exif_transpose
    """

    code = "ROC601"
    name = "exif-transpose"
    since = "0.1.0"
    severity = "warning"
    tiers = {"note": "a data set turns its images"}  # noqa: RUF012 - a constant of the class
    on = calls("exif_transpose") | attributes("exif_transpose")
    skips = frozenset({"test"})
    options = {  # noqa: RUF012 - a constant of the class, like its code
        "allowed-paths": Option(
            "strings", (), "gitignore patterns of files in which exif_transpose is allowed"
        ),
        "always": Option("boolean", False, "report every call, wherever the project's labels are"),
    }

    excuses = (is_without_effect, is_explained)

    def check(self, node: cst.Call | cst.Attribute, source: Source) -> Iterator[Finding]:
        """Find calls that have an effect, and the function where it is handed on."""
        function = node.func if isinstance(node, cst.Call) else node
        parent = source.parent(node)
        called = isinstance(parent, cst.Call) and parent.func is node
        if called or not is_exif_transpose(function, source) or self._allows(source.place):
            return
        if self.is_excused(node, source):
            return
        found = stored_pixels(node, source)
        if found is not None:
            message = fitted(
                "`exif_transpose` rotates the pixels, but `{}` may refer to the stored ones",
                found.what,
            )
            help = (
                f"Compare a rotated sample with {found.place}. "
                "Without the call, rotate the files once, before anything is annotated."
            )
            yield self.finding(node, source, message, help=help)
        elif self.settings["always"]:
            message = "`exif_transpose` rotates the pixels, which this project does not allow"
            help = "Rotate the files once, and load them as they are, or list this one as allowed."
            yield self.finding(node, source, message, help=help)
        elif fills_data_set(node, source):
            message = "`exif_transpose` rotates the pixels of this data set, and not its labels"
            help = "Say in a comment why its boxes, masks and sizes fit, or rotate the files once."
            yield self.finding(node, source, message, help=help, severity="note")

    def _allows(self, place: str) -> bool:
        patterns = self.settings["allowed-paths"]
        return isinstance(patterns, tuple) and bool(patterns) and _paths(patterns)(place)


@cache
def _paths(patterns: tuple[str, ...]) -> Any:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only who has patterns pays for it

    return GitIgnoreSpec.from_lines(patterns).match_file
