"""ROC609, missing-font-path."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    argument,
    compile_lazily,
    fitted,
    last_name,
    nodes,
    string_value,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_FAR_EAST = compile_lazily("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+")
"""Chinese, Japanese and Korean: in none of the fonts that the libraries bring."""
_NOT_ASCII = compile_lazily(r"[^\x00-\x7f]+")
_LABELS = (
    *("title", "suptitle", "xlabel", "ylabel", "zlabel", "figtext", "annotate", "legend"),
    *("set_title", "set_xlabel", "set_ylabel", "set_zlabel", "set_label", "supxlabel", "supylabel"),
    *("set_xticklabels", "set_yticklabels", "xticks", "yticks", "plot", "bar", "barh", "scatter"),
    *("hist", "axhline", "axvline", "fill_between", "errorbar", "pie"),
)
_DRAWS = compile_lazily(rf"\b(?:{'|'.join(_LABELS)}|text|multiline_text|putText)\b[\s\\]*\(")
_FONT_ARGUMENTS = frozenset(
    {"font", "fontproperties", "fontfamily", "family", "fontname", "prop", "fontdict", "textprops"}
)
_FIGURES = compile_lazily(r"(?:plt|pyplot|ax|axs|axes|axis|fig|figure|cbar|colorbar)\d*(?:_\w+)?$")
_SETS_FONT = (
    r"font\.(?:sans-serif|family|serif)|font_manager|FontProperties|addfont|japanize|koreanize"
    r"|fontfamily|mplfonts|font_path|set_theme\([^)]*font=|plt\.style\.use|mplstyle"
)
"""What is written where matplotlib is given another font."""
_MATPLOTLIB, _PILLOW, _OPENCV = "matplotlib", "Pillow", "OpenCV"
_OPENCV_PACKAGES = (
    *("opencv-python", "opencv-python-headless"),
    *("opencv-contrib-python", "opencv-contrib-python-headless"),
)
_OPENCV_WITH_FONTS = 5
"""The first major version whose fonts have other letters than ASCII."""
_LONGEST = 24


def _drawn(source: Source) -> Iterator[re.Match[str]]:
    """Find the calls, in files that are not all ASCII."""
    return _DRAWS.finditer("" if source.text.isascii() else source.code)


class Unreadable(NamedTuple):
    """A call that draws text in a font without glyphs for it."""

    call: cst.Call
    library: str
    text: str


def may_have_fonts(found: Unreadable, source: Source) -> bool:
    """Calls of `cv2.putText`, unless OpenCV 4 or older is declared: OpenCV 5 has fonts."""
    if found.library != _OPENCV:
        return False
    versions = [each.version for name in _OPENCV_PACKAGES for each in source.versions(name)]
    return not versions or any(each.major >= _OPENCV_WITH_FONTS for each in versions)


def is_given_a_font(found: Unreadable, source: Source) -> bool:
    """Projects in which some module gives matplotlib a font, a style or a path of one."""
    if found.library != _MATPLOTLIB:
        return False
    if re.search(_SETS_FONT, source.text):
        return True
    return bool(source.modules_with(source.project.folders[-1], (_SETS_FONT, "matplotlib|plt")))


class MissingFontPath(PythonRule["cst.Call"]):
    """Font has no glyphs for the letters drawn with it.

    ## Why it matters
    The font that matplotlib brings has no Chinese, Japanese or Korean letters, and neither has
    Pillow's: each becomes an empty box, or ``ImageDraw.text`` raises an error. The fonts of
    OpenCV 4 are ASCII, and ``putText`` draws question marks for all else; OpenCV 5 has others.
    On a desktop another font may step in; on a CI machine or in a container of ROCm there is
    none, so the labels in the pictures of a run are lost. Looked at is text that is written in
    the code.

    ## Example
    ```python
    from PIL import Image, ImageDraw

    def label(image: Image.Image) -> None:
        ImageDraw.Draw(image).text((8, 8), "检测结果")
    ```

    ## Use instead
    Take the path of a font from the outside, such as ``--font_path``, and load it.
    ```python
    from PIL import Image, ImageDraw, ImageFont

    def label(image: Image.Image, font_path: str) -> None:
        font = ImageFont.truetype(font_path, 24)
        ImageDraw.Draw(image).text((8, 8), "检测结果", font=font)
    ```

    ## References
    - https://matplotlib.org/stable/users/explain/text/fonts.html
    - https://pillow.readthedocs.io/en/stable/reference/ImageFont.html
    """

    code = "ROC609"
    name = "missing-font-path"
    since = "0.1.0"
    preview = True
    severity = "warning"
    on = nodes(
        "Call",
        words=("matplotlib", "ImageDraw", "putText"),
        finder=_drawn,
        described="calls of matplotlib, `ImageDraw` and `cv2.putText` that draw text",
    )
    skips = frozenset({"test"})
    excuses = (may_have_fonts, is_given_a_font)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find text in letters that a default font lacks; in one file it is one finding."""
        found = _in_opencv(node, source) or _in_pillow(node, source) or _in_plot(node, source)
        if found is None or self.is_excused(found, source):
            return
        letters = found.text[:_LONGEST]
        if found.library == _OPENCV:
            message = fitted("`cv2.putText` of OpenCV 4 draws `?` for `{}`", letters)
            help = (
                "Draw it with `ImageDraw.text` and a font loaded from a path, or require OpenCV 5."
            )
        elif found.library == _PILLOW:
            message = fitted("Pillow's default font has no letters for `{}`", letters)
            help = "Pass `font=ImageFont.truetype(font_path, size)`, with a font that has them."
        else:
            message = fitted("matplotlib's default font has no letters for `{}`", letters)
            help = (
                "Load a font that has them with `font_manager.fontManager.addfont(font_path)` "
                "and name it in `rcParams['font.family']`."
            )
        finding = self.finding(node, source, message, help=help)
        yield replace(finding, once=f"{self.code} {found.library} {source.path}")


def _in_opencv(call: cst.Call, source: Source) -> Unreadable | None:
    if last_name(call.func) != "putText" or source.resolve(call.func) != "cv2.putText":
        return None
    text = _letters(argument(call, 1, "text"), _NOT_ASCII, source)
    return Unreadable(call, _OPENCV, text) if text else None


def _in_pillow(call: cst.Call, source: Source) -> Unreadable | None:
    """Find ``ImageDraw.Draw(image).text(place, text)`` without a font, or with the default one."""
    if last_name(call.func) not in {"text", "multiline_text"}:
        return None
    receiver = call.func.value if isinstance(call.func, cst.Attribute) else None
    made = receiver if isinstance(receiver, cst.Call) else None
    if made is None and receiver is not None:
        value = source.value_of(receiver)
        made = value if isinstance(value, cst.Call) else None
    if made is None or last_name(made.func) != "Draw":
        return None
    font = argument(call, 3, "font")
    if font is not None:
        value = font if isinstance(font, cst.Call) else source.value_of(font)
        if not isinstance(value, cst.Call) or last_name(value.func) != "load_default":
            return None
    text = _letters(argument(call, 1, "text"), _FAR_EAST, source)
    return Unreadable(call, _PILLOW, text) if text else None


def _in_plot(call: cst.Call, source: Source) -> Unreadable | None:
    """Find ``plt.title("…")``, ``axes[0].set_xlabel("…")`` and the like."""
    if "matplotlib" not in source.text or not isinstance(call.func, cst.Attribute):
        return None
    receiver: cst.BaseExpression = call.func.value
    while isinstance(receiver, cst.Subscript):
        receiver = receiver.value
    if not _FIGURES.match((last_name(receiver) or "").lower()):
        return None
    given = {each.keyword.value for each in call.args if each.keyword is not None}
    if given & _FONT_ARGUMENTS:
        return None
    texts = (_letters(each.value, _FAR_EAST, source) for each in call.args)
    text = next(filter(None, texts), "")
    return Unreadable(call, _MATPLOTLIB, text) if text else None


def _letters(text: cst.BaseExpression | None, pattern: re.Pattern[str], source: Source) -> str:
    """Return the first letters of a kind in what an expression writes, "" for none."""
    value = None if text is None else source.value_of(text) or text
    for each in () if value is None else walk(value):
        written = ""
        if isinstance(each, cst.SimpleString):
            written = string_value(each) or ""
        elif isinstance(each, cst.FormattedStringText):
            written = each.value
        found = pattern.search(written)
        if found is not None:
            return found[0]
    return ""
