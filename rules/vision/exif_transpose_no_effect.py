"""ROC602, exif-transpose-no-effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Fix, PythonRule, argument, calls, dotted_text

from ._exif import is_banned, is_exif_transpose, no_effect
from ._stored_pixels import stored_pixels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source


class ExifTransposeNoEffect(PythonRule["cst.Call"]):
    """``ImageOps.exif_transpose`` has no effect.

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
    Assign the result, and transpose before the pixels become an array. Where boxes, points or
    sizes refer to the pixels as they are stored, delete the call (see exif-transpose).
    ```python
    from PIL import Image, ImageOps

    def load(path):
        image = Image.open(path)
        image = ImageOps.exif_transpose(image)
        return image.convert("RGB")
    ```

    ## Fix safety
    Assigning the result is unsafe: from then on the image is turned, and labels made for the
    pixels as they were are not. Where such labels are found, or the project allows no
    ``exif_transpose`` (the option ``always`` of exif-transpose), the fix deletes the call instead,
    which is unsafe too: rotated pixels may have been meant. Dropping a call on an image made from
    an array is safe where only another method sees its result, and unsafe elsewhere, since the
    copy goes too.

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
        if reason == "discarded":
            message = "`exif_transpose` returns a new image, which is thrown away here"
            help, fix = self._used(node, image, source)
        else:
            message = "`exif_transpose` changes nothing, as an image made from pixels has no EXIF"
            help = "Transpose the image that was opened, before it is an array, or drop the call."
            fix = self._without(node, image, source)
        yield self.finding(node, source, message, help=help, fix=fix)

    def _used(
        self, node: cst.Call, image: cst.BaseExpression, source: Source
    ) -> tuple[str, Fix | None]:
        """Return what to do about a result that is thrown away, and the fix that does it."""
        name, banned = source.text_of(image), is_banned(source)
        stored = None if banned else stored_pixels(node, source)
        if banned or stored is not None:
            help = "Delete the call: so far it did nothing."
            if stored is not None:
                help += f" `{stored.what}` in {stored.place} may refer to the stored pixels."
            statement = source.enclosing(node, cst.SimpleStatementLine)
            alone = statement is not None and len(statement.body) == 1
            return help, Fix("Delete the call", (source.remove_statement(node),)) if alone else None
        assigned = f"{name} = {source.text_of(node)}"
        help = (
            f"Assign the result (`{name} = ...`), or delete the call where boxes, points or sizes "
            "refer to the stored pixels."
        )
        return help, Fix("Assign the result", (source.replace(node, assigned),))

    def _without(self, node: cst.Call, image: cst.BaseExpression, source: Source) -> Fix | None:
        span, parent = source.span(node), source.parent(node)
        commented = any(span.line <= each.line <= span.end_line for each in source.comments)
        if isinstance(parent, cst.Expr) or len(node.args) > 1 or commented:
            return None
        if isinstance(parent, cst.Assign) and _names(parent) == [source.text_of(image)]:
            edit = source.remove_statement(parent)
        else:
            edit = source.replace(node, source.text_of(image))
        return Fix("Drop the call", (edit,), safe=isinstance(parent, cst.Attribute))


def _names(statement: cst.Assign) -> list[str | None]:
    return [dotted_text(each.target) for each in statement.targets]
