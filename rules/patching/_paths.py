"""Path expressions that start at the file of a module: how far they climb, and what they name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import argument, string_value, walk

from ._patches import index_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.rule import Source

MAXIMUM_HOPS = 5
"""How many variables and functions are followed."""
UNKNOWN = "*"
"""Stands in a path for what the code does not say."""
FOLDER_LISTS = frozenset({"__path__", "submodule_search_locations"})
"""Attributes of a package or its spec that list the folders of the package."""

_SAME_PATH = frozenset(
    {
        "str",
        "os.fspath",
        "os.path.abspath",
        "os.path.expanduser",
        "os.path.normpath",
        "os.path.realpath",
    }
)
_SAME_PATH_METHODS = frozenset({"absolute", "as_posix", "expanduser", "resolve"})
_JOINING = frozenset({"os.path.join", "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"})
_FILE_OF = frozenset({"inspect.getabsfile", "inspect.getfile", "inspect.getsourcefile"})
_FOLDER_OF = frozenset({"importlib.resources.files", "importlib_resources.files"})
_IMPORTING = frozenset({"__import__", "importlib.import_module"})
_SEPARATORS = frozenset({"os.path.sep", "os.sep"})
_PARENT_FOLDERS = frozenset({"os.pardir", "os.path.pardir"})


@dataclass(frozen=True)
class FilePath:
    """A path that starts at the file of a module: ``up`` so many directories, then ``names`` down.

    ``module`` is a dotted name, empty for the file that the code stands in. With ``up`` 1 it is
    the directory of the file.
    """

    module: str
    up: int = 0
    names: tuple[str, ...] = ()

    @property
    def parent(self) -> FilePath:
        """The directory that holds this path."""
        if self.names:
            return replace(self, names=self.names[:-1])
        return replace(self, up=self.up + 1)

    def above(self, levels: int) -> FilePath:
        """Climb so many directories."""
        return self if levels <= 0 else self.parent.above(levels - 1)

    def join(self, text: str) -> FilePath:
        """Go where ``a/../b`` leads from here."""
        path = self
        for name in re.split(r"[/\\]", text):
            if name == "..":
                path = path.parent
            elif name not in {"", "."}:
                path = replace(path, names=(*path.names, name))
        return path


@dataclass(frozen=True)
class PathStep:
    """An expression that leads from the path ``base`` so many levels up, then along ``text``."""

    base: cst.BaseExpression
    up: int = 0
    text: str = ""


def path_of(node: cst.CSTNode, source: Source, hops: int = MAXIMUM_HOPS) -> FilePath | None:
    """Return the path that an expression stands for, if it starts at the file of a module."""
    start = _start(node, source)
    if start is not None:
        return start
    step = step_of(node, source)
    if step is not None:
        base = path_of(step.base, source, hops)
        return None if base is None else base.above(step.up).join(step.text)
    if not hops:
        return None
    value = _value_behind(node, source)
    if value is not None:
        return path_of(value, source, hops - 1)
    return _climbed_in_loop(node, source, hops) if isinstance(node, cst.Name) else None


def step_of(node: cst.CSTNode, source: Source) -> PathStep | None:
    """Take one step of a path expression apart, such as ``x.parent`` or ``join(x, "a")``."""
    if isinstance(node, cst.Attribute) and node.attr.value == "parent":
        return PathStep(node.value, up=1)
    if isinstance(node, cst.Subscript):
        return _step_of_subscript(node, source)
    if isinstance(node, cst.Call):
        return _step_of_call(node, source)
    if isinstance(node, cst.BinaryOperation):
        return _step_of_operation(node, source)
    if isinstance(node, cst.FormattedString) and node.parts:
        first, *rest = node.parts
        text = "".join(_text_of(part, source) for part in rest)
        if isinstance(first, cst.FormattedStringExpression) and text.startswith(("/", "\\")):
            return PathStep(first.expression, text=text)
    return None


def _start(node: cst.CSTNode, source: Source) -> FilePath | None:
    if isinstance(node, cst.Name) and node.value == "__file__":
        return FilePath("")
    if isinstance(node, cst.Attribute):
        if node.attr.value == "__file__":
            return _file_of(_module(node.value, source))
        if node.attr.value == "origin":
            return _file_of(_found_module(node.value, source))
    if isinstance(node, cst.Subscript) and _index(node) == 0:
        folders = _without_list(node.value, source)
        if isinstance(folders, cst.Attribute) and folders.attr.value in FOLDER_LISTS:
            module = _module(folders.value, source) or _found_module(folders.value, source)
            return _file_of(module, up=1)
    if isinstance(node, cst.Call) and node.args:
        called = source.resolve(node.func)
        if called in _FILE_OF:
            return _file_of(_module(node.args[0].value, source))
        if called in _FOLDER_OF:
            module = string_value(node.args[0].value) or _module(node.args[0].value, source)
            return _file_of(module, up=1)
    return None


def _file_of(module: str | None, up: int = 0) -> FilePath | None:
    if module == "__main__":
        return FilePath("", up)
    return FilePath(module, up) if module and not module.startswith(".") else None


def _module(node: cst.CSTNode, source: Source) -> str | None:
    """Return the module (or class) that an expression stands for."""
    value = source.value_of(node) or node
    if isinstance(value, cst.Call) and source.resolve(value.func) in _IMPORTING:
        return string_value(argument(value, 0, "name"))
    if isinstance(value, cst.Subscript) and source.resolve(value.value) == "sys.modules":
        return string_value(index_of(value))
    root = node
    while isinstance(root, cst.Attribute):
        root = root.value
    known = isinstance(root, cst.Name) and source.bindings(root.value, root)
    return source.resolve(node) if known else None


def _found_module(node: cst.CSTNode, source: Source) -> str | None:
    value = source.value_of(node) or node
    if isinstance(value, cst.Call) and source.resolve(value.func) == "importlib.util.find_spec":
        return string_value(argument(value, 0, "name"))
    if isinstance(value, cst.Attribute) and value.attr.value == "__spec__":
        return _module(value.value, source)
    return None


def _step_of_subscript(node: cst.Subscript, source: Source) -> PathStep | None:
    index = _index(node)
    value = node.value
    if isinstance(value, cst.Attribute) and value.attr.value == "parents" and index is not None:
        return PathStep(value.value, up=index + 1)
    if isinstance(value, cst.Call) and source.resolve(value.func) == "os.path.split":
        return PathStep(value.args[0].value, up=1) if index == 0 and value.args else None
    return None


def _step_of_call(node: cst.Call, source: Source) -> PathStep | None:
    if isinstance(node.func, cst.Attribute):
        if node.func.attr.value in _SAME_PATH_METHODS:
            return PathStep(node.func.value)
        if node.func.attr.value == "joinpath":
            return _join(node.func.value, (arg.value for arg in node.args), source)
    if not node.args or node.args[0].keyword is not None:
        return None
    called = source.resolve(node.func)
    first = node.args[0].value
    if called == "os.path.dirname":
        return PathStep(first, up=1)
    if called in _SAME_PATH:
        return PathStep(first)
    rest = (arg.value for arg in node.args[1:])
    return _join(first, rest, source) if called in _JOINING else None


def _step_of_operation(node: cst.BinaryOperation, source: Source) -> PathStep | None:
    if isinstance(node.operator, cst.Divide):
        return _join(node.left, [node.right], source)
    if isinstance(node.operator, cst.Add):
        text = _text_of(node.right, source)
        if text.startswith(("/", "\\")) or _ends_with_separator(node.left, source):
            return PathStep(node.left, text=text)
    return None


def _join(
    base: cst.BaseExpression, rest: Iterable[cst.BaseExpression], source: Source
) -> PathStep | None:
    texts = [_text_of(each, source) for each in rest]
    return (
        None
        if any(text.startswith("/") for text in texts)
        else PathStep(base, text="/".join(texts))
    )


def _ends_with_separator(node: cst.CSTNode, source: Source) -> bool:
    last = node.right if isinstance(node, cst.BinaryOperation) else None
    return last is not None and _text_of(last, source).endswith(("/", "\\"))


def _text_of(node: cst.CSTNode, source: Source) -> str:
    if isinstance(node, cst.FormattedStringText):
        return node.value.replace("\\\n", "")
    if isinstance(node, cst.FormattedString):
        return "".join(_text_of(part, source) for part in node.parts)
    if isinstance(node, (cst.Name, cst.Attribute)):
        resolved = source.resolve(node)
        if resolved in _SEPARATORS:
            return "/"
        if resolved in _PARENT_FOLDERS:
            return ".."
        node = source.value_of(node) or node
    value = string_value(node)
    return UNKNOWN if value is None else value


def _value_behind(node: cst.CSTNode, source: Source) -> cst.BaseExpression | None:
    if isinstance(node, (cst.Name, cst.Attribute)):
        return source.value_of(node)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
        return _returned(source.definition(node.func.value))
    return None


def _climbed_in_loop(node: cst.Name, source: Source, hops: int) -> FilePath | None:
    """Return the path of ``x`` after ``for _ in range(3): x = dirname(x)``."""
    bindings = source.bindings(node.value, node)
    if len(bindings) != 2:
        return None
    first, again = bindings
    step = None if again.value is None else step_of(again.value, source)
    loop = source.enclosing(again.node, cst.For)
    if first.value is None or step is None or loop is None:
        return None
    base = path_of(first.value, source, hops - 1)
    times = _times(loop.iter, source)
    if base is None or times is None or not isinstance(step.base, cst.Name):
        return None
    return base.above(step.up * times) if step.base.value == node.value else None


def _times(iterated: cst.BaseExpression, source: Source) -> int | None:
    if not isinstance(iterated, cst.Call) or source.resolve(iterated.func) != "range":
        return None
    count = iterated.args[0].value if len(iterated.args) == 1 else None
    return int(count.value) if isinstance(count, cst.Integer) and count.value.isdigit() else None


def _returned(definition: cst.FunctionDef | cst.ClassDef | None) -> cst.BaseExpression | None:
    """Return what a function returns, if it has one ``return``."""
    if not isinstance(definition, cst.FunctionDef):
        return None
    returns = [each for each in walk(definition.body) if isinstance(each, cst.Return)]
    return returns[0].value if len(returns) == 1 else None


def _without_list(node: cst.BaseExpression, source: Source) -> cst.BaseExpression:
    """Return ``x`` for ``list(x)``."""
    if isinstance(node, cst.Call) and len(node.args) == 1:
        return node.args[0].value if source.resolve(node.func) == "list" else node
    return node


def _index(node: cst.Subscript) -> int | None:
    index = index_of(node)
    return int(index.value) if isinstance(index, cst.Integer) and index.value.isdigit() else None
