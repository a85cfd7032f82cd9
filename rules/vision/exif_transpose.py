"""ROC601, exif-transpose."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Option, PythonRule, attributes, calls

from ._exif import is_exif_transpose, no_effect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rocmlint.rule import Finding, Source


def is_without_effect(node: cst.Call | cst.Attribute, source: Source) -> bool:
    """Calls that change nothing at all: those are reported by exif-transpose-no-effect."""
    return isinstance(node, cst.Call) and no_effect(node, source) is not None


class ExifTranspose(PythonRule["cst.Call | cst.Attribute"]):
    """``ImageOps.exif_transpose``, which turns pixels but nothing that points at them.

    ## Why it matters
    ``exif_transpose`` rotates or mirrors the image as its EXIF orientation says. Boxes, key
    points, masks and sizes that were written for the stored pixels stay where they were: labels
    land beside their objects, and an image whose size was computed before has another number of
    vision tokens than the prompt has placeholders.

    ## Example
    ```python
    from PIL import Image, ImageOps

    def load(path, boxes):
        return ImageOps.exif_transpose(Image.open(path)), boxes
    ```

    ## Use instead
    Turn the files once, when the dataset is made and before anything is annotated, and load
    them as they are stored. Where a call is right, because nothing refers to the stored pixels
    or because the labels are turned too, name the file under ``allowed-paths``.
    ```python
    from PIL import Image

    def load(path, boxes):
        return Image.open(path), boxes
    ```

    ## Options
    - ``allowed-paths``: gitignore patterns of files in which the call is allowed, relative to the
      project.

    ## References
    - https://pillow.readthedocs.io/en/stable/reference/ImageOps.html#PIL.ImageOps.exif_transpose
    """

    code = "ROC601"
    name = "exif-transpose"
    since = "0.1.0"
    severity = "warning"
    on = calls("exif_transpose") | attributes("exif_transpose")
    skips = frozenset({"test"})
    options = {  # noqa: RUF012 - a constant of the class, like its code
        "allowed-paths": Option(
            "strings", (), "gitignore patterns of files in which exif_transpose is allowed"
        )
    }

    excuses = (is_without_effect,)

    def check(self, node: cst.Call | cst.Attribute, source: Source) -> Iterator[Finding]:
        """Find calls that have an effect, and the function where it is handed on."""
        function = node.func if isinstance(node, cst.Call) else node
        parent = source.parent(node)
        called = isinstance(parent, cst.Call) and parent.func is node
        if called or not is_exif_transpose(function, source) or self._allows(source.place):
            return
        if not self.is_excused(node, source):
            message = (
                "`exif_transpose` turns the pixels, but not boxes, points or sizes that were made "
                "for the stored ones. Turn the files when the dataset is made, and load them as "
                "they are; or name this file under `allowed-paths`."
            )
            yield self.finding(node, source, message)

    def _allows(self, place: str) -> bool:
        patterns = self.settings["allowed-paths"]
        return isinstance(patterns, tuple) and bool(patterns) and _paths(patterns)(place)


@cache
def _paths(patterns: tuple[str, ...]) -> Any:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only who has patterns pays for it

    return GitIgnoreSpec.from_lines(patterns).match_file
