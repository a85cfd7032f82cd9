"""The order in which the statements of a file run, as far as its lines and functions tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import calls_in, dotted_text, once_per_file, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Binding, Source


def runs_before(earlier: cst.CSTNode, later: cst.CSTNode, source: Source) -> bool:
    """Return whether a statement has surely run when another one does.

    So has one of the module before those in functions, and one above it in the same function.
    """
    function = source.function(earlier)
    if function is None and source.function(later) is not None:
        return not source.is_for_types_only(earlier)
    above = source.span(earlier).line < source.span(later).line
    return above and function is source.function(later)


def calls_after(
    name: str, binding: Binding, node: cst.CSTNode, source: Source
) -> Iterator[cst.Call]:
    """Yield the calls of a name, or of its attributes, that may run after a statement.

    Calls in functions inside the function of the statement are left out: they are what it puts
    in the place of the name.
    """
    line, bound = source.span(node).line, source.span(binding.node).line
    function = source.function(node)
    around = None if function is None else source.span(function).line
    for call, root in _calls(source).get(name, ()):
        if [source.span(each.node).line for each in source.bindings(name, root)] != [bound]:
            continue
        functions = [source.span(each).line for each in _functions_around(call, source)]
        if not functions or functions[0] == around:
            if (functions == []) == (around is None) and source.span(call).line > line:
                yield call
        elif around not in functions:
            yield call


@once_per_file
def _calls(source: Source) -> dict[str, list[tuple[cst.Call, cst.Name]]]:
    """Return the calls of the file by the name that what they call begins with."""
    found: dict[str, list[tuple[cst.Call, cst.Name]]] = {}
    for call in calls_in(source.module):
        root: cst.CSTNode = call.func
        while isinstance(root, cst.Attribute):
            root = root.value
        if isinstance(root, cst.Name):
            found.setdefault(root.value, []).append((call, root))
    return found


def is_called_before(call: cst.CSTNode, node: cst.CSTNode, source: Source) -> bool:
    """Return whether the method of a call has surely run when that of a statement does.

    So it has where others call both, and always the first one above the second one.
    """
    first, second = _method(call, source), _method(node, source)
    if first is None or second is None or first == second:
        return False
    earlier, later = _lines_of_calls(first, source), _lines_of_calls(second, source)
    return earlier.keys() == later.keys() != set() and all(
        max(earlier[each]) < min(later[each]) for each in earlier
    )


def _method(node: cst.CSTNode, source: Source) -> str | None:
    """Return how others call the outermost function around a node: ``self.load``, ``load``."""
    functions = list(_functions_around(node, source))
    if not functions:
        return None
    name = functions[-1].name.value
    return name if source.enclosing(functions[-1], cst.ClassDef) is None else f"self.{name}"


@once_per_file
def _lines_of_calls(name: str, source: Source) -> dict[cst.CSTNode | None, list[int]]:
    """Return the lines where a function of this file is called, by the function around."""
    lines: dict[cst.CSTNode | None, list[int]] = {}
    for each, _ in _calls(source).get(name.partition(".")[0], ()):
        if dotted_text(each.func) == name:
            lines.setdefault(source.function(each), []).append(source.span(each).line)
    return lines


def imports_before(
    node: cst.CSTNode, package: str, source: Source
) -> Iterator[tuple[str, cst.CSTNode]]:
    """Yield the modules of a package that are imported when a call runs, with their statements.

    What a function of this file does happens where the module calls the function first.
    """
    function, line = source.function(node), source.span(node).line
    around = None if function is None else source.span(function).line
    called = line if function is None else _line_of_first_call(function.name.value, source)
    for each in _imports(source).get(package, ()):
        if each.line <= (called if each.around is None else line):
            if each.around in {None, around}:
                yield each.module, each.node


class _Import(NamedTuple):
    """A module that a statement imports, the line of that, and that of the function around."""

    module: str
    node: cst.CSTNode
    line: int
    around: int | None


@once_per_file
def _imports(source: Source) -> dict[str, list[_Import]]:
    """Return the imports of the file by the package that each is of."""
    found: dict[str, list[_Import]] = {}
    for each in walk(source.module):
        if isinstance(each, (cst.Import, cst.ImportFrom)):
            function = source.function(each)
            around = None if function is None else source.span(function).line
            for module in _modules(each):
                imported = _Import(module, each, source.span(each).line, around)
                found.setdefault(module.partition(".")[0], []).append(imported)
    return found


@once_per_file
def _line_of_first_call(name: str, source: Source) -> int:
    """Return the line where the module calls a function of its own, the last one if nowhere."""
    lines = (
        source.span(each).line
        for each, _ in _calls(source).get(name, ())
        if source.function(each) is None and dotted_text(each.func) == name
    )
    return min(lines, default=len(source.lines))


def _functions_around(node: cst.CSTNode, source: Source) -> Iterator[cst.FunctionDef]:
    return (each for each in source.ancestors(node) if isinstance(each, cst.FunctionDef))


def _modules(node: cst.Import | cst.ImportFrom) -> Iterator[str]:
    """Yield the modules that an import loads; a name with a small letter may be one."""
    if isinstance(node, cst.Import):
        for alias in node.names:
            yield dotted_text(alias.name) or ""
    elif node.module is not None and not node.relative:
        module = dotted_text(node.module) or ""
        yield module
        names = [] if isinstance(node.names, cst.ImportStar) else node.names
        for alias in names:
            name = dotted_text(alias.name) or ""
            if name[:1].islower():
                yield f"{module}.{name}"
