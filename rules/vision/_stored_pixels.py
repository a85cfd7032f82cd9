"""What shows that a project has boxes, points or grids for the pixels as they are stored."""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    Text,
    argument,
    calls_in,
    compile_lazily,
    dotted_text,
    last_name,
    once_per_file,
    string_value,
    syntax_tree,
    walk,
)
from rocmlint.rule.copied_projects import copied_project, copied_project_around

from ._box_names import boxes_in, boxes_of_data, dotted, holds_results, is_result, of_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.rule import Source

_NAMES = (
    r"(?:bbox(?:es)?|b?boxes|xyxy|xywh|key_?points?|landmarks?|polygons?|grid_thw"
    r"|segmentations?|segmentation_masks?|(?:gt|seg|instance|object)_masks?|masks)"
)
_COORDINATES = compile_lazily(rf"(?:\w+_)?{_NAMES}(?:_\w+)?|points")
_NAMED_AFTER = compile_lazily(r"(?i)box|annot|label|detect")
_LABELS = compile_lazily(r"(?i)mask|annot|label|seg|gt_")
_PREDICTED = compile_lazily(r"(?i)pred\w*|\w*(?:outputs?|results?|detections?|response|raw)")
_READERS = compile_lazily(r"(?i)\w*(?:load|read|parse|get|next|anno?t?s?|item|row|record)\w*")
_ITERATORS = frozenset({"enumerate", "iter", "list", "reversed", "sorted", "tqdm", "zip"})
_VIEWS = frozenset({"copy", "items", "values"})
_HOPS = 6
_PROMPT = compile_lazily(r"(?:\w+_)?prompts?")
_MODEL = compile_lazily(r"(.*(?:^|/)models?/[^/]+)/")
_SIZES = frozenset({"size", "width", "height"})
_LOOKS_AT_EXIF = compile_lazily(r"(?i)getexif|\borientation\b|exif_size|0x0112")
_IN_FILES = r"bbox|boxes|key_?point|xyxy|grid_thw"
_CALLED = compile_lazily(r"\b(\w+)[\s\\)]*[(#]")
_OPENS = r"Image\b(?<!\wImage)\s*\.\s*open\s*\("
_NOT_DATA = frozenset({"test", "benchmark", "example", "docs", "setup"})
_CONVERTERS = compile_lazily(r"convert|conversion|to_hf")


class StoredPixels(NamedTuple):
    """A place that refers to stored pixels: where, and what it is called."""

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
            return StoredPixels(source.named_line(source.span(found).line), what)
    sized = _size_before(node, functions[0], source) if functions else None
    if sized is not None:
        return StoredPixels(source.named_line(source.span(sized).line), "size")
    name = _outermost(node, source)
    return None if name is None else _stored_elsewhere(name, source)


@once_per_file
def _looks_at_exif(source: Source) -> bool:
    return _LOOKS_AT_EXIF.search(source.code) is not None


def _functions(node: cst.CSTNode, source: Source) -> Iterator[cst.FunctionDef]:
    """Yield the function around a call, and those of the same class or file that call it."""
    own = source.function(node)
    if own is None:
        return
    yield own
    name = own.name.value
    owner = source.whole_class(node)
    line = source.span(own).line
    calling = _functions_calling(owner, source).get(f"self.{name}", ()) if owner else ()
    for each in calling if owner else _calling(name, source):
        if each is not own and source.span(each).line != line:
            yield each


@once_per_file
def _called_at(source: Source) -> dict[str, list[int]]:
    """Return where each name of a file may be called."""
    places: dict[str, list[int]] = {}
    for call in _CALLED.finditer(source.code):
        places.setdefault(call[1], []).append(call.start())
    return places


def _calling(name: str, source: Source) -> Iterator[cst.FunctionDef]:
    """Yield the functions of a file that call a function at its top."""
    offsets = _called_at(source).get(name, ())
    for piece in dict.fromkeys(source.pieces.around(each).module for each in offsets):
        yield from _functions_calling(piece, source).get(name, ())


@once_per_file
def _functions_calling(
    around: cst.CSTNode,
    source: Source,  # noqa: ARG001 - keeps the answer
) -> dict[str | None, list[cst.FunctionDef]]:
    """Return the functions in a piece of code by the dotted names that they call."""
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
    for each in walk(function):
        if isinstance(each, cst.Param) and _COORDINATES.fullmatch(each.name.value):
            yield each, each.name.value
        elif isinstance(each, cst.Subscript) and not _is_written(each, source):
            key = _key_of(each)
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


def _is_of_data(name: cst.BaseExpression, source: Source) -> bool:
    """Check whether a name is given no result of a model."""
    value = source.value_of(name)
    tree = None if value is None else syntax_tree(f"({source.text_of(value)})")
    return tree is None or not is_result(tree)


def _is_written(node: cst.Subscript, source: Source) -> bool:
    return isinstance(source.parent(node), cst.AssignTarget)


def _key_of(node: cst.Subscript) -> str | None:
    index = node.slice[0].slice if len(node.slice) == 1 else None
    return string_value(index.value) if isinstance(index, cst.Index) else None


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
    """Check whether a record may come from a file: not where a model or another call made it."""
    root = _root(record)
    if isinstance(root, cst.Name) and _PREDICTED.fullmatch(root.value):
        return False
    made = source.value_of(root)
    if made is not None and hops:
        return _may_be_read(made, source, hops - 1)
    if not isinstance(root, cst.Call):
        return not isinstance(root, cst.Dict)  # the function fills that one itself
    name = last_name(root.func) or ""
    if hops and name in _ITERATORS:
        given = (each.value for each in root.args if each.keyword is None)
        return any(_may_be_read(each, source, hops - 1) for each in given)
    if hops and name in _VIEWS and isinstance(root.func, cst.Attribute):
        return _may_be_read(root.func.value, source, hops - 1)
    return bool(_READERS.fullmatch(name))


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


def _outermost(node: cst.CSTNode, source: Source) -> str | None:
    """Return the name of the top-level function or class around a node."""
    names = [
        each.name.value
        for each in source.ancestors(node)
        if isinstance(each, (cst.FunctionDef, cst.ClassDef))
    ]
    return names[-1] if names else None


@once_per_file
def _stored_elsewhere(name: str, source: Source) -> StoredPixels | None:
    """Return where the project opens images as they are stored and works out boxes on them.

    Only where a function elsewhere has to do with boxes and with what turns the images.
    """
    folder = _project_folder(source)
    found = [
        (_NAMED_AFTER.search(os.path.basename(path)) is not None, share, path, line, what)
        for path in source.modules_with(folder, (_OPENS, _IN_FILES))
        if _is_data(path, source) and _is_of_same_project(path, source)
        for share, line, what in _opened_for_boxes(path, source)
    ]
    if not found:
        return None  # before all modules are searched for the name
    users = source.modules_with(folder, (rf"{name}\b(?<!\w{name})", _IN_FILES))
    beside = [each for each in users if _calls_beside_boxes(name, each, source)]
    others = [
        each
        for each in found
        if each[2] not in users and any(_may_share_data(each[2], user, source) for user in beside)
    ]
    _, _, path, line, what = max(others, default=(False, 0.0, "", 0, ""))
    return StoredPixels(f"{_inside(path, source)}:{line}", what) if path else None


def _may_share_data(path: str, other: str, source: Source) -> bool:
    """Return whether two files may work on one data set: not where each is of another model."""
    found = [_MODEL.match(_inside(each, source)) for each in (path, other)]
    folders = {each[1] for each in found if each is not None}
    return None in found or len(folders) == 1


def _is_data(path: str, source: Source) -> bool:
    """Check whether a file of the project may prepare data: not a test, example or converter."""
    if os.path.abspath(path) == os.path.abspath(source.path):
        return False
    return not source.kinds_of(path) & _NOT_DATA and not _CONVERTERS.search(os.path.basename(path))


@once_per_file
def _is_of_same_project(path: str, source: Source) -> bool:
    """Return whether a file lies in no copy of another project, or in that of this file."""
    around = copied_project_around(os.path.dirname(os.path.abspath(path)), source)
    return around in {"", copied_project(source)}


def _project_folder(source: Source) -> str:
    """Return the folder to search: that of the package, for a file that is installed."""
    package = source.package
    if package is not None and os.path.basename(package[1]) in {"site-packages", "dist-packages"}:
        return os.path.join(package[1], package[0])
    return source.root


def _inside(path: str, source: Source) -> str:
    return os.path.relpath(path, source.root).replace(os.sep, "/")


def _calls_beside_boxes(name: str, path: str, source: Source) -> bool:
    """Check whether a function of another file calls what turns the images, and names boxes."""
    if not _is_data(path, source):
        return False
    text = source.read(path)
    called_as = re.compile(rf"{re.escape(name)}\b(?<!\w{re.escape(name)})\s*(?:\(|as\b)")
    if not called_as.search(text) or not called_as.search(Text(text).code):
        return False
    nodes = list(ast.walk(_parsed(text)))
    called = set(_names_of(name, nodes, source))
    calls = {each for each in nodes if isinstance(each, ast.Call) and dotted(each.func) in called}
    return any(
        not calls.isdisjoint(of_type(each, ast.Call)) and boxes_in(each)
        for each in (nodes if calls else ())
        if isinstance(each, ast.FunctionDef)
    )


def _names_of(name: str, nodes: Iterable[ast.AST], source: Source) -> Iterator[str]:
    """Yield what a module calls a function or class of this file, by its imports."""
    parts = {*os.path.splitext(source.place)[0].split("/")}
    for each in nodes:
        if isinstance(each, ast.ImportFrom):
            for alias in each.names:
                if each.level or (each.module or "").rpartition(".")[2] in parts:
                    if alias.name == name:
                        yield alias.asname or name
                    elif alias.name in parts:
                        yield f"{alias.asname or alias.name}.{name}"
        elif isinstance(each, ast.Import):
            for alias in each.names:
                if alias.name.rpartition(".")[2] in parts:
                    yield f"{alias.asname or alias.name}.{name}"


@once_per_file
def _opened_for_boxes(path: str, source: Source) -> tuple[tuple[float, int, str], ...]:
    """Return the top-level statements that open images and name boxes.

    Each as the share of names of boxes in it, the line that opens an image, and such a name.
    """
    text = source.read(path)
    if not _may_open(text) or "exif_transpose" in text or _LOOKS_AT_EXIF.search(text):
        return ()  # in this order: to look for EXIF takes longer than all else
    plain = Text(text)
    lines = [plain.line_of(match.start()) for match in re.finditer(_OPENS, plain.code)]
    return tuple(_opening_statements(_parsed(text), lines)) if lines else ()


def _opening_statements(module: ast.Module, lines: list[int]) -> Iterator[tuple[float, int, str]]:
    for statement in module.body:
        end = statement.end_lineno or statement.lineno
        if not any(statement.lineno <= line <= end for line in lines):
            continue
        opened = [each.lineno for each in of_type(statement, ast.Call) if _opens_image(each)]
        is_data = opened and not holds_results(statement, _opens_image)
        words = boxes_of_data(statement) if is_data else []
        if words:
            yield len(words) / sum(1 for _ in ast.walk(statement)), opened[0], words[0]


def _may_open(text: str) -> bool:
    """Check whether a text opens images elsewhere than in examples of docstrings, as most do."""
    for match in re.finditer(_OPENS, text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not line.lstrip().startswith((">>>", "...", "#")):
            return True
    return False


def _parsed(text: str) -> ast.Module:
    return syntax_tree(text) or ast.Module([], [])


def _opens_image(call: ast.Call) -> bool:
    """Check whether a call opens an image that does not hold labels."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "open":
        return False
    opens = dotted(call.func) in {"Image.open", "PIL.Image.open"}
    return opens and not _LABELS.search(ast.unparse(call.args[0]) if call.args else "")
