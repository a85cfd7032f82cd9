"""Where the paths in a program go: from the expression that begins one to all that use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import attributes, calls, dotted_text, mentions, nodes, once_per_file, walk

from ._paths import FOLDER_LISTS, MAXIMUM_HOPS, path_of, step_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

    from ._paths import FilePath

_RESOURCES = ("importlib.resources", "importlib_resources", "importlib import")
BEGINS_PATH = (
    attributes("__file__", words=(".__file__", ". __file__"), where=r"\.\s*__file__\b")
    | attributes("__path__", words=(".__path__", ". __path__"), where=r"\.\s*__path__\b")
    | attributes("submodule_search_locations")
    | attributes("origin", words=("find_spec", ".__spec__"), where=r"\.\s*origin\b")
    | calls("getfile", "getsourcefile", "getabsfile")
    | calls("files", words=_RESOURCES, where=r"files\b(?<!\wfiles)")
    | nodes("Name", words=("(__file__",), where=r"\(\s*__file__\b", described="`__file__`")
)
"""What names the file or folder of a module: see :func:`start_of`."""
_NOT_READ = ("attr", "keyword", "name", "target")
"""The fields of LibCST nodes in which a name is written, not read."""


def start_of(node: cst.CSTNode, source: Source) -> cst.CSTNode | None:
    """Return the expression that begins a path, for what ``BEGINS_PATH`` selects."""
    if isinstance(node, cst.Name):
        if node.value != "__file__":
            return None
        span = source.span(node)
        here = source.offset_of(span.line) + span.column - 1
        while source.code[here - 1 : here].isspace():
            here -= 1
        return node if source.code[here - 1 : here] == "(" else None
    if isinstance(node, cst.Attribute) and node.attr.value in FOLDER_LISTS:
        above = source.parent(node)
        if isinstance(above, cst.Arg):  # list(package.__path__)[0]
            above = source.parent(above)
            above = None if above is None else source.parent(above)
        return above if isinstance(above, cst.Subscript) else None
    return node


def whole_path(node: cst.CSTNode, source: Source) -> cst.CSTNode:
    """Return the largest path expression that begins with this one."""
    best = node
    for above in source.ancestors(node):
        step = step_of(above, source)
        if step is not None and step.base is best:
            best = above
        elif not _leads_on(above, source):
            break
    return best


def _leads_on(node: cst.CSTNode, source: Source) -> bool:
    """Return whether a node is a part of a step, such as ``x.parents`` of ``x.parents[1]``."""
    if isinstance(node, cst.Call):
        return isinstance(source.parent(node), cst.Subscript)
    return isinstance(
        node,
        (cst.Arg, cst.Attribute, cst.FormattedStringExpression, cst.Index, cst.SubscriptElement),
    )


def namings(node: cst.CSTNode, source: Source) -> Iterator[tuple[cst.CSTNode, FilePath]]:
    """Yield where a path that begins with this expression first names something, or ends."""
    yield from _flow(node, source, stop_at_name=True)


def endings(node: cst.CSTNode, source: Source) -> list[cst.CSTNode]:
    """Return every whole path expression that this one flows to, itself first."""
    return [whole for whole, _ in _flow(node, source, stop_at_name=False)]


def readers(node: cst.CSTNode, source: Source) -> list[cst.CSTNode]:
    """Return the expressions that read the variable, or call the function, that has this path."""
    statement = source.parent(node)
    if isinstance(statement, cst.Return):
        function = source.function(statement)
        if function is None or isinstance(source.parent(function), cst.IndentedBlock):
            return []
        calls = (source.parent(name) for name in _reads(function.name.value, None, source))
        return [each for each in calls if isinstance(each, cst.Call)]
    name = _assigned_name(statement)
    if name is None:
        return []
    if name.startswith("self."):
        return list(_reads(name, source.whole_class(node), source))
    return [] if "." in name else list(_reads(name, source.function(node), source))


def _flow(
    node: cst.CSTNode, source: Source, *, stop_at_name: bool, hops: int = MAXIMUM_HOPS
) -> Iterator[tuple[cst.CSTNode, FilePath]]:
    whole, path = _whole(node, source)
    if path is None:
        return
    following = readers(whole, source) if hops else []
    if not stop_at_name or path.names or not following:
        yield whole, path
    if not (stop_at_name and path.names):
        for each in following:
            yield from _flow(each, source, stop_at_name=stop_at_name, hops=hops - 1)


@once_per_file
def _whole(node: cst.CSTNode, source: Source) -> tuple[cst.CSTNode, FilePath | None]:
    """Return the largest path expression that begins with a node, and the path that it is."""
    whole = whole_path(node, source)
    return whole, path_of(whole, source)


def _assigned_name(statement: cst.CSTNode | None) -> str | None:
    if isinstance(statement, cst.AnnAssign):
        return dotted_text(statement.target)
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        return dotted_text(statement.targets[0].target)
    return None


def _reads(name: str, scope: cst.CSTNode | None, source: Source) -> Iterator[cst.CSTNode]:
    """Yield the places in a function or class, or in the whole file, where a name is read."""
    found = _read_in(scope, source).get(name, ()) if scope is not None else _read(name, source)
    yield from found


@once_per_file
def _read(name: str, source: Source) -> list[cst.CSTNode]:
    """Return the places in the whole file where a name is read."""
    pieces = (source.pieces.around(at) for at in mentions(name.partition(".")[0], source))
    modules = dict.fromkeys(piece.module for piece in pieces)
    return [node for module in modules for node in _read_in(module, source).get(name, ())]


@once_per_file
def _read_in(scope: cst.CSTNode, source: Source) -> dict[str, list[cst.CSTNode]]:
    """Return the places in a scope where names and dotted names are read."""
    found: dict[str, list[cst.CSTNode]] = {}
    for node in walk(scope):
        name = dotted_text(node) if isinstance(node, (cst.Name, cst.Attribute)) else None
        if name is not None:
            above = source.parent(node)
            if all(getattr(above, field, None) is not node for field in _NOT_READ):
                found.setdefault(name, []).append(node)
    return found
