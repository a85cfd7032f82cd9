"""ROC602, exif-transpose-no-effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Fix, PythonRule, argument, calls, dotted_text

from ._exif import is_exif_transpose, no_effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source


class ExifTransposeNoEffect(PythonRule["cst.Call"]):
    """An ``ImageOps.exif_transpose`` that cannot change anything.

    ## Why it matters
    ``exif_transpose`` returns a new image and leaves the one it is given alone. Where the result
    is thrown away, what follows works on the image that is still turned. And an image that was
    made from an array or a tensor has no EXIF data any more: the orientation was lost when the
    file was decoded into the array, and the call only copies.

    ## Example
    ```python
    from PIL import Image, ImageOps

    def load(path):
        image = Image.open(path)
        ImageOps.exif_transpose(image)
        return image.convert("RGB")
    ```

    ## Use instead
    Delete the call: so far it did nothing, and boxes, points and sizes fit the pixels as they
    are stored (see exif-transpose). Where turned pixels are wanted, assign the result
    (``image = ImageOps.exif_transpose(image)``), and transpose before the pixels become an array.
    ```python
    from PIL import Image

    def load(path):
        return Image.open(path).convert("RGB")
    ```

    ## Fix safety
    Assigning the result is unsafe: from then on the image is turned, and labels made for the
    pixels as they were are not. Leaving out a call on an image made from an array is safe where
    only another method sees its result, and unsafe elsewhere, since the copy goes too.

    ## References
    - https://pillow.readthedocs.io/en/stable/reference/ImageOps.html#PIL.ImageOps.exif_transpose
    """

    code = "ROC602"
    name = "exif-transpose-no-effect"
    since = "0.1.0"
    on = calls("exif_transpose")

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find calls whose result is thrown away, and calls on images without EXIF data."""
        reason = no_effect(node, source) if is_exif_transpose(node.func, source) else None
        image = argument(node, 0, "image")
        if reason is None or image is None:
            return
        call, name = source.text_of(node), source.text_of(image)
        if reason == "discarded":
            message = (
                f"`exif_transpose` returns a new image, which is thrown away: `{name}` stays as "
                "it was stored. Delete the call where labels refer to the stored pixels; where "
                f"turned pixels are wanted, write `{name} = {call}`."
            )
            edit = source.replace(node, f"{name} = {call}")
            fix: Fix | None = Fix("Assign the result", (edit,))
        else:
            message = (
                "An image made from pixels has no EXIF data, so `exif_transpose` changes nothing "
                "here. Transpose the image that was opened, before it becomes an array; or leave "
                "the call out."
            )
            fix = self._without(node, image, source)
        yield self.finding(node, source, message, fix=fix)

    def _without(self, node: cst.Call, image: cst.BaseExpression, source: Source) -> Fix | None:
        span, parent = source.span(node), source.parent(node)
        commented = any(span.line <= each.line <= span.end_line for each in source.comments)
        if isinstance(parent, cst.Expr) or len(node.args) > 1 or commented:
            return None
        if isinstance(parent, cst.Assign) and _names(parent) == [source.text_of(image)]:
            edit = source.remove_statement(parent)
        else:
            edit = source.replace(node, source.text_of(image))
        return Fix("Leave the call out", (edit,), safe=isinstance(parent, cst.Attribute))


def _names(statement: cst.Assign) -> list[str | None]:
    return [dotted_text(each.target) for each in statement.targets]
