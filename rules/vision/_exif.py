"""What the two rules about ``ImageOps.exif_transpose`` ask of a call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import libcst as cst

from rocmlint.rule import argument, constant

if TYPE_CHECKING:
    from rocmlint.rule import Source

NoEffect = Literal["discarded", "no EXIF"]

_MAKES_IMAGES_WITHOUT_EXIF = frozenset(
    {
        "PIL.Image.fromarray",
        "PIL.Image.frombuffer",
        "PIL.Image.frombytes",
        "PIL.Image.new",
        "torchvision.transforms.functional.to_pil_image",
        "torchvision.transforms.v2.functional.to_pil_image",
    }
)
_MAKES_THEIR_MAKERS = frozenset(
    {"torchvision.transforms.ToPILImage", "torchvision.transforms.v2.ToPILImage"}
)
_ADDS_NO_EXIF = frozenset({"convert", "copy", "crop", "filter", "resize", "rotate", "transpose"})


def is_exif_transpose(function: cst.BaseExpression, source: Source) -> bool:
    """Return whether an expression is Pillow's ``ImageOps.exif_transpose``."""
    return source.resolve(function) == "PIL.ImageOps.exif_transpose"


def no_effect(call: cst.Call, source: Source) -> NoEffect | None:
    """Return why a call of ``exif_transpose`` changes nothing, or None where it may."""
    image = argument(call, 0, "image")
    if image is None:
        return None
    if _has_no_exif(image, call, source):
        return "no EXIF"
    return (
        "discarded" if is_discarded(call, source) and _is_used_after(image, call, source) else None
    )


def is_discarded(call: cst.Call, source: Source) -> bool:
    """Check whether the result of a call is thrown away, so that nothing sees a turned image."""
    return isinstance(source.parent(call), cst.Expr) and not _may_work_in_place(call)


def is_banned(source: Source) -> bool:
    """Check whether the project allows no call of ``exif_transpose``, by option."""
    return source.settings.rule_options.get("exif-transpose", {}).get("always") is True


def _may_work_in_place(call: cst.Call) -> bool:
    in_place = argument(call, None, "in_place")
    return in_place is not None and constant(in_place) != "False"


def _is_used_after(image: cst.BaseExpression, call: cst.Call, source: Source) -> bool:
    """Return whether the image is looked at after the call; else the call only tries a file out."""
    if not isinstance(image, cst.Name):
        return isinstance(image, cst.Attribute)
    function = source.function(call)
    start = _offset_behind(source.span(call).end_line, source)
    last = len(source.lines) if function is None else source.span(function).end_line
    name = re.escape(image.value)
    looked_at = re.compile(
        rf"(?<![\w.])(?<!\bas ){name}\b(?!\s*=[^=]|\s*\.\s*(?:close|load|verify)\s*\()"
    )
    return looked_at.search(source.code, start, _offset_behind(last, source)) is not None


def _offset_behind(line: int, source: Source) -> int:
    return source.offset_of(line + 1) if line < len(source.lines) else len(source.code)


def _has_no_exif(image: cst.BaseExpression, call: cst.Call, source: Source) -> bool:
    """Return whether the image is made from pixels, on the spot or wherever its name is bound."""
    if not isinstance(image, cst.Name):
        return _is_made_from_pixels(image, source)
    of_the_call = {call, *source.ancestors(call)}
    values = [
        binding.value if binding.kind == "value" else None
        for binding in source.bindings(image.value, image)
        if binding.value not in of_the_call
    ]
    return bool(values) and all(_is_made_from_pixels(value, source) for value in values)


def _is_made_from_pixels(value: cst.BaseExpression | None, source: Source) -> bool:
    if not isinstance(value, cst.Call):
        return False
    maker = value.func
    if isinstance(maker, cst.Attribute) and maker.attr.value in _ADDS_NO_EXIF:
        return _is_made_from_pixels(maker.value, source)
    if source.resolve(maker) in _MAKES_IMAGES_WITHOUT_EXIF:
        return True
    made = maker if isinstance(maker, cst.Call) else source.value_of(maker)
    return isinstance(made, cst.Call) and source.resolve(made.func) in _MAKES_THEIR_MAKERS
