"""What the code adds to ``sys.path``, what is in it, and what is imported before and after."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Literal, NamedTuple

import libcst as cst

from rocmlint.formats import is_notebook
from rocmlint.rule import (
    calls_in,
    compile_lazily,
    dotted_text,
    once_per_file,
    string_value,
)

from ._paths import UNKNOWN, path_of, step_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

_IMPORT = compile_lazily(
    r"(?:^|;)(?P<indent>[ \t]*)(?:"
    r"from[ \t]+(?P<origin>[A-Za-z_][\w. \t]*?)[ \t]+import\b"
    r"|import[ \t]+(?P<modules>[A-Za-z_][^\n;#(]*))",
    re.MULTILINE,
)
_CHANGE = compile_lazily(r"sys\s*\.\s*path\s*(?:\.|\+=|\[)|\baddsitedir\s*\(")
_DEFINITION = compile_lazily(r"(?:async[ \t]+)?def\b|class\b|@")
_WORKING_FOLDER = frozenset({"os.getcwd", "os.path.curdir", "os.curdir", "pathlib.Path.cwd"})


class Addition(NamedTuple):
    """Directories that a statement adds, and the end of ``sys.path`` that they come to."""

    folders: tuple[cst.BaseExpression, ...]
    end: Literal["first", "last"]


class ImportedName(NamedTuple):
    """The top-level name of an imported module, and where the import stands.

    ``next`` says that it is in the same function, before ``sys.path`` is changed again; ``module``
    is the whole name of the module.
    """

    name: str
    line: int
    next: bool = False
    module: str = ""


def addition(node: cst.CSTNode, source: Source) -> Addition | None:
    """Return what a call or ``+=`` adds to ``sys.path``, if it does."""
    if isinstance(node, cst.AugAssign):
        added = isinstance(node.operator, cst.AddAssign) and _is_search_path(node.target, source)
        return Addition(_elements(node.value), "last") if added else None
    if not isinstance(node, cst.Call) or not node.args:
        return None
    first = node.args[0].value
    if source.resolve(node.func) == "site.addsitedir":
        return Addition((first,), "last")
    if not isinstance(node.func, cst.Attribute) or not _is_search_path(node.func.value, source):
        return None
    method = node.func.attr.value
    if method == "insert" and len(node.args) == 2:
        return Addition((node.args[1].value,), "last" if _is_negative(first) else "first")
    if method in {"append", "extend"}:
        return Addition((first,) if method == "append" else _elements(first), "last")
    return None


def imports_around(
    node: cst.CSTNode, source: Source
) -> tuple[list[ImportedName], list[ImportedName]]:
    """Return the imports that run before a statement, and those that may run after it.

    For a statement in a function or method these are the imports of the module's top level and
    of the function (or the whole class).
    """
    span = source.span(node)
    offset = source.offset_of(span.line)
    found, top = _imports(source), _top_imports(source)
    function = source.function(node)
    if function is None:
        same, before = top, {at for at in top if at < offset}
    else:
        block = source.pieces.statement_at(offset)
        found = [(at, each) for at, each in found if at in top or block.start <= at < block.end]
        outer = source.span(function)
        same = {at for at, each in found if outer.line <= each.line <= outer.end_line}
        before = top | {at for at in same if at < offset}
    changed = _CHANGE.search(source.code, source.offset_of(span.end_line) + span.end_column)
    end = len(source.code) if changed is None else changed.start()
    after = [
        each._replace(next=True) if at < end and at in same else each
        for at, each in found
        if at not in before and (at > offset or at not in same)
    ]
    return [each for at, each in found if at in before], after


def holds(folder: cst.BaseExpression, name: str, source: Source) -> bool | None:
    """Return whether a directory holds a module of this name, None where nobody can tell.

    Folders of the project are looked at; of others the written path must speak.
    """
    places = list(_places(folder, source))
    found = [each for each in places if source.is_folder(each) and source.disk.names_in(each)]
    if any(_has_module(each, name, source) for each in found):
        return True
    if found:
        return False
    checkout = (
        rf"(^|/){re.escape(name)}([-_.]?(main|master|dev|fork|rocm|v?[\d.]+))?(/(src|python))?/*$"
    )
    written = _written_path(folder, source).replace("\\", "/")
    return True if re.search(checkout, written, re.IGNORECASE) else None


def levels_too_high(folder: cst.BaseExpression, name: str, source: Source) -> int:
    """Return how far a directory lies above the project's, which holds the module; 0 if not so."""
    root = source.root.rstrip("/")
    path = path_of(folder, source)
    if path is None or path.module or UNKNOWN in path.names or not _has_module(root, name, source):
        return 0
    place = os.path.normpath(os.path.join(_path(source), *[".."] * path.up, *path.names))
    inside = os.path.relpath(root, place)
    return 0 if inside == "." or inside.startswith("..") else len(inside.split(os.sep))


def lies_beside(name: str, source: Source) -> bool:
    """Return whether a module is next to a script, where Python looks first."""
    here = os.path.dirname(_path(source))
    return _has_module(here, name, source) and not _is_below_package(here, source)


def is_first_already(node: cst.CSTNode, added: Addition, source: Source) -> bool:
    """Check whether a statement above puts an equal directory at the front."""
    line, within = source.span(node).line, {None, source.function(node)}
    places = {place for each in added.folders for place in _places(each, source)}
    return any(
        source.span(call).line < line and source.function(call) in within
        for place in places
        for call in _put_at_front(source).get(place, ())
    )


@once_per_file
def _put_at_front(source: Source) -> dict[str, list[cst.Call]]:
    """Return the calls that put each directory at the front."""
    found: dict[str, list[cst.Call]] = {}
    starts = (each.start() for each in _CHANGE.finditer(source.code))
    for module in dict.fromkeys(source.pieces.around(each).module for each in starts):
        for call in calls_in(module):
            added = addition(call, source)
            for each in added.folders if added is not None and added.end == "first" else ():
                for place in _places(each, source):
                    found.setdefault(place, []).append(call)
    return found


def _places(folder: cst.BaseExpression, source: Source) -> Iterator[str]:
    """Yield the folders of the project that an expression may mean."""
    root = source.root
    here = os.path.dirname(_path(source))
    path = path_of(folder, source)
    if path is not None and not path.module:
        candidates = [os.path.join(_path(source), *[".."] * path.up, *path.names)]
    else:
        text = _written_path(folder, source)
        # A notebook runs in its own folder, a script in that or in the project's.
        bases = (here,) if is_notebook(source.path) else (here, root)
        candidates = [] if not text else [os.path.join(base, text) for base in bases]
    for each in map(os.path.normpath, candidates):
        if UNKNOWN not in each and f"{each}/".startswith(f"{root}/".replace("//", "/")):
            yield each


def _written_path(node: cst.BaseExpression, source: Source) -> str:
    """Return a path that does not start at a file as far as it is written, ``.`` for the cwd."""
    value = string_value(node)
    if value is not None:
        return value
    called = node.func if isinstance(node, cst.Call) else node
    if source.resolve(called) in _WORKING_FOLDER:
        return "."
    step = step_of(node, source)
    if step is not None:
        return "/".join([_written_path(step.base, source), *[".."] * step.up, step.text])
    behind = source.value_of(node)
    return UNKNOWN if behind is None or behind is node else _written_path(behind, source)


@once_per_file
def _imports(source: Source) -> list[tuple[int, ImportedName]]:
    return list(_find_imports(source))


@once_per_file
def _top_imports(source: Source) -> set[int]:
    """Return where the imports of the module's top level are."""
    return {at for at, _ in _imports(source) if _is_at_top(at, source)}


def _find_imports(source: Source) -> Iterator[tuple[int, ImportedName]]:
    for match in _IMPORT.finditer(source.code):
        at = match.start() + (match[0][0] in ";\n")
        line = source.line_of(at)
        for each in (match["origin"] or match["modules"] or "").split(","):
            module = re.sub(r"\s*\.\s*", ".", each.strip()).partition(" ")[0]
            if module:
                yield at, ImportedName(module.partition(".")[0], line, module=module)


def _is_at_top(offset: int, source: Source) -> bool:
    block = source.pieces.statement_at(offset)
    return _DEFINITION.match(source.code[block.start : block.end].lstrip()) is None


def _is_search_path(node: cst.CSTNode, source: Source) -> bool:
    written = dotted_text(node) or ""
    return written.endswith("sys.path") and source.resolve(node) == "sys.path"


def _elements(node: cst.BaseExpression) -> tuple[cst.BaseExpression, ...]:
    elements = node.elements if isinstance(node, (cst.List, cst.Tuple)) else ()
    return tuple(each.value for each in elements)


def _is_negative(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus)


def _is_below_package(folder: str, source: Source) -> bool:
    """Return whether a folder is in a package, or in a folder without __init__.py below one."""
    if source.is_file(os.path.join(folder, "__init__.py")):
        return True
    is_inside = folder.startswith(f"{source.root}/")
    return is_inside and _is_below_package(os.path.dirname(folder), source)


def _has_module(folder: str, name: str, source: Source) -> bool:
    """Return whether a module or package lies in a directory."""
    module = os.path.join(folder, name)
    return source.exists(module) or source.exists(f"{module}.py")


def _path(source: Source) -> str:
    return os.path.abspath(source.path).replace(os.sep, "/")
