"""Where another file of the project opens images as they are stored and works out boxes on them."""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import Text, compile_lazily, once_per_file, syntax_tree
from rocmlint.rule.copied_projects import copied_project, copied_project_around

from ._box_names import boxes_in, boxes_of_data, dotted, holds_results, of_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.rule import Source

_NAMED_AFTER = compile_lazily(r"(?i)box|annot|label|detect")
_LABELS = compile_lazily(r"(?i)mask|annot|label|seg|gt_")
_MODEL = compile_lazily(r"(.*(?:^|/)models?/[^/]+)/")
_IN_FILES = r"bbox|boxes|key_?point|xyxy|grid_thw"
_OPENS = r"Image\b(?<!\wImage)\s*\.\s*open\s*\("
_NOT_DATA = frozenset({"test", "benchmark", "example", "docs", "setup"})
_CONVERTERS = compile_lazily(r"convert|conversion|to_hf")
LOOKS_AT_EXIF = compile_lazily(r"(?i)getexif|\borientation\b|exif_size|0x0112")


class StoredPixels(NamedTuple):
    """A place that refers to stored pixels: where, what it is called, whether in another file."""

    place: str
    what: str
    is_elsewhere: bool = False


@once_per_file
def stored_elsewhere(name: str, source: Source) -> StoredPixels | None:
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
    if not path:
        return None
    return StoredPixels(f"{_inside(path, source)}:{line}", what, is_elsewhere=True)


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
    if not _may_open(text) or "exif_transpose" in text or LOOKS_AT_EXIF.search(text):
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
