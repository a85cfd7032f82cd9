"""What shows that a project has boxes, points or grids for the pixels as they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    argument,
    calls_in,
    compile_lazily,
    dotted_text,
    last_name,
    once_per_file,
    statements,
    string_value,
    walk,
)

from ._exif import is_exif_transpose
from ._packed import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.rule import Source

_LOOKS_AT_EXIF = compile_lazily(r"(?i)getexif|\borientation\b|exif_size|0x0112")
_NAMES = (
    r"(?:b(?:nd)?box(?:es)?|b?boxes|xyxy|xywh|key_?points?|landmarks?|polygons?|grid_thw"
    r"|segmentations?|segmentation_masks?|(?:gt|seg|instance|object)_masks?|masks)"
)
_COORDINATES = compile_lazily(rf"(?:\w+_)?{_NAMES}(?:_\w+)?|points")
_PREDICTED = compile_lazily(r"(?i)pred\w*|\w*(?:outputs?|results?|detections?|response|raw)")
_READERS = compile_lazily(r"(?i)\w*(?:load|read|parse|get|next|anno?t?s?|item|row|record)\w*")
_VIEWS = frozenset(
    {"copy", "enumerate", "items", "iter", "list", "reversed", "sorted", "tqdm", "values", "zip"}
)
_HOPS = 6
_OF_TENSORS = frozenset({"clone", "cpu", "detach", "size", "tolist"})
_PROMPT = compile_lazily(r"(?:\w+_)?prompts?")
_SIZES = frozenset({"size", "width", "height"})
_OPEN = "PIL.Image.open"
_OCR = compile_lazily(r"(?i)(?<![a-z])ocr(?![a-z])")
_EXAMPLE = compile_lazily(r"examples?|samples?|records?|row|rows")
_CALL = compile_lazily(r"\b(\w+)[\s\\)]*[(#]")
_DATA_SET = compile_lazily(r"Data(?:set|Module|Loader)|Collat|DataPipe")


class StoredPixels(NamedTuple):
    """A place that refers to stored pixels, and what it is called."""

    place: str
    what: str


def stored_pixels(node: cst.Call | cst.Attribute, source: Source) -> StoredPixels | None:
    """Return what refers to the pixels that a call of ``exif_transpose`` turns, if anything does.

    A file that looks at the orientation itself may turn the rest as well.
    """
    if _looks_at_exif(source):
        return None
    functions = list(_functions(node, source))
    for function in functions:
        for found, what in _read_in(function, source):
            return StoredPixels(_line_of(found, source), what)
    sized = _size_before(node, functions[0], source) if functions else None
    return None if sized is None else StoredPixels(_line_of(sized, source), "size")


def fills_data_set(node: cst.Call | cst.Attribute, source: Source) -> bool:
    """Return whether a function loads images for a data set, and this is its first call.

    It turns an image of a class of data or for one, or of an example that it is given. Where it
    turns each of several images that it opens, they still fit each other.
    """
    functions = list(_functions(node, source))
    if not functions or _looks_at_exif(source) or _OCR.search(source.text) is not None:
        return False
    opened = [each for each in calls_in(functions[0]) if source.resolve(each.func) == _OPEN]
    turned = [each for each in calls_in(functions[0]) if is_exif_transpose(each.func, source)]
    if len(turned) >= len(opened) > 1 or (turned and node not in {turned[0], turned[0].func}):
        return False
    return any(_is_of_data_set(each, source) for each in functions)


def _is_of_data_set(function: cst.FunctionDef, source: Source) -> bool:
    if any(_EXAMPLE.fullmatch(each.name.value) for each in function.params.params):
        return True
    owner = source.whole_class(function)
    names = [] if owner is None else [owner.name, *(each.value for each in owner.bases)]
    if any(_DATA_SET.search(last_name(each) or "") for each in names):
        return True
    return owner is not None and any(
        isinstance(each, cst.FunctionDef) and each.name.value == "__getitem__"
        for each in statements(owner.body)
    )


@once_per_file
def _looks_at_exif(source: Source) -> bool:
    return _LOOKS_AT_EXIF.search(source.code) is not None


def _functions(node: cst.CSTNode, source: Source) -> Iterator[cst.FunctionDef]:
    """Yield the function around a call, and those of the same class or file that call it."""
    own = source.function(node)
    if own is None:
        return
    yield own
    owner = source.whole_class(node)
    name = f"self.{own.name.value}" if owner else own.name.value
    for piece in [owner] if owner else _pieces_calling(name, source):
        for each in _functions_calling(piece, source).get(name, ()):
            if source.span(each) != source.span(own):
                yield each


def _pieces_calling(name: str, source: Source) -> Iterable[cst.CSTNode]:
    """Return the pieces of a file in which a function may be called."""
    found = _places_of_calls(source).get(name, ())
    return dict.fromkeys(source.pieces.around(each).module for each in found)


@once_per_file
def _places_of_calls(source: Source) -> dict[str, list[int]]:
    """Return where each name may be called."""
    found: dict[str, list[int]] = {}
    for each in _CALL.finditer(source.code):
        found.setdefault(each[1], []).append(each.start())
    return found


@once_per_file
def _functions_calling(
    around: cst.CSTNode,
    source: Source,  # noqa: ARG001 - keeps the answer
) -> dict[str | None, list[cst.FunctionDef]]:
    """Return the functions in a class or file by the dotted names that they call."""
    found: dict[str | None, list[cst.FunctionDef]] = {}
    for function in walk(around):
        if isinstance(function, cst.FunctionDef):
            for called in {dotted_text(call.func) for call in calls_in(function)}:
                found.setdefault(called, []).append(function)
    return found


def _read_in(function: cst.FunctionDef, source: Source) -> Iterator[tuple[cst.CSTNode, str]]:
    """Yield what a function is given, or reads from a record, that has the name of coordinates.

    A function with a prompt runs a model: its boxes are for the image that the user sees.
    """
    parameters = function.params
    given = (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    if any(_PROMPT.fullmatch(each.name.value) for each in given):
        return
    upright = _opened_upright(function, source)
    for each in walk(function):
        if each in upright or (isinstance(each, cst.Param) and each.name.value in upright):
            continue
        if isinstance(each, cst.Param) and _COORDINATES.fullmatch(each.name.value):
            yield each, each.name.value
        elif isinstance(each, cst.Subscript) and not _is_written(each, source):
            key = key_of(each)
            if _is_stored(key, each.value, source):
                yield each, key or ""
            name = dotted_text(each.value) or ""
            own = name.removeprefix("self.")
            if own != name and _COORDINATES.fullmatch(own) and _is_of_data(each.value, source):
                yield each, own
        elif isinstance(each, cst.Call) and isinstance(each.func, cst.Attribute):
            key = string_value(argument(each, 0, "key"))
            if each.func.attr.value in {"get", "pop"} and _is_stored(key, each.func.value, source):
                yield each, key or ""


def _opened_upright(function: cst.FunctionDef, source: Source) -> set[cst.CSTNode | str]:
    """Return what names files of images, if the function turns each image that it opens.

    A mask that is turned as its image is refers to the same pixels. A parameter counts by name.
    """
    found = [each for each in calls_in(function) if source.resolve(each.func) == _OPEN]
    turned = [each for each in calls_in(function) if is_exif_transpose(each.func, source)]
    if len(turned) < len(found):
        return set()
    paths = [each for call in found for each in walk(call)]
    used = {id(each) for each in paths}
    names = {each.value for each in paths if isinstance(each, cst.Name)}
    elsewhere = (each for each in walk(function.body) if isinstance(each, cst.Name))
    return {*paths, *names - {each.value for each in elsewhere if id(each) not in used}}


def _is_of_data(name: cst.BaseExpression, source: Source) -> bool:
    """Check whether a name is given no result of a model, and nothing from a tensor."""
    value = source.value_of(name)
    names = () if value is None else map(last_name, walk(value))
    return not any(
        each in _OF_TENSORS or _PREDICTED.fullmatch(each) for each in names if each is not None
    )


def _is_written(node: cst.Subscript, source: Source) -> bool:
    return isinstance(source.parent(node), cst.AssignTarget)


def _is_stored(key: str | None, record: cst.BaseExpression, source: Source) -> bool:
    """Check whether a key names coordinates, in a record that no model has made."""
    if key is None or not _COORDINATES.fullmatch(key) or _PREDICTED.fullmatch(key):
        return False
    root = _root(record)
    if not isinstance(root, cst.Name) or _PREDICTED.fullmatch(last_name(record) or root.value):
        return False
    return _may_be_read(_looped_over(root, source) or root, source)


def _looped_over(name: cst.Name, source: Source) -> cst.BaseExpression | None:
    """Return what the loop or comprehension around goes over, of which the name is one item."""
    for above in source.ancestors(name):
        loop = above if isinstance(above, cst.For) else getattr(above, "for_in", None)
        while loop is not None:
            if any(
                isinstance(each, cst.Name) and each.value == name.value
                for each in walk(loop.target)
            ):
                return loop.iter
            loop = getattr(loop, "inner_for_in", None)
    return None


def _may_be_read(record: cst.BaseExpression, source: Source, hops: int = _HOPS) -> bool:
    """Check whether a record may come from a file: not where a model or another call made it.

    A result that is changed before it is read is one all the same.
    """
    root = _root(record)
    if isinstance(root, cst.Name) and _PREDICTED.fullmatch(root.value):
        return False
    if isinstance(root, cst.Name) and hops:
        around = set(source.ancestors(root))
        bound = [each for each in source.bindings(root.value, root) if each.node not in around]
        made = [each.value for each in bound if each.kind == "value" and each.value is not None]
        return all(_may_be_read(each, source, hops - 1) for each in made)
    if not isinstance(root, cst.Call):
        return not isinstance(root, (cst.Dict, cst.List))  # the function fills that one itself
    name = last_name(root.func) or ""
    if hops and name in _VIEWS:
        given = [each.value for each in root.args if each.keyword is None]
        owner = [root.func.value] if isinstance(root.func, cst.Attribute) else []
        return any(_may_be_read(each, source, hops - 1) for each in (*given, *owner))
    return bool(_READERS.fullmatch(name)) and not _PREDICTED.fullmatch(name)


def _root(node: cst.BaseExpression) -> cst.BaseExpression:
    while isinstance(node, (cst.Attribute, cst.Subscript)):
        node = node.value
    return node


def _size_before(
    node: cst.Call | cst.Attribute, function: cst.FunctionDef, source: Source
) -> cst.Attribute | None:
    """Return where the size of the image is kept before it is turned, and not again after."""
    image = argument(node, 0, "image") if isinstance(node, cst.Call) else None
    if not isinstance(image, cst.Name):
        return None
    reads = [
        each
        for each in walk(function)
        if isinstance(each, cst.Attribute)
        and each.attr.value in _SIZES
        and dotted_text(each.value) == image.value
    ]
    here = source.span(node)
    if not reads or any(source.span(each) > here for each in reads):
        return None
    around = {*source.ancestors(node)}
    others = (each.node for each in source.bindings(image.value, image))
    bound = [source.span(each) for each in others if each not in around]
    kept = [each for each in reads if isinstance(source.parent(each), cst.Assign)]
    is_same = kept and not any(source.span(kept[-1]) < each < here for each in bound)
    return kept[-1] if is_same else None


def _line_of(node: cst.CSTNode, source: Source) -> str:
    return source.named_line(source.span(node).line)
