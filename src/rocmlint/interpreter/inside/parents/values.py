"""What an expression of a module may stand for, told from its source alone.

Two questions: which dotted names an expression may be (``sys.modules[__name__]`` is the module
itself), and which texts. Flow is not followed: a name is all that the file binds it to anywhere, so
that the answer errs on the side of too much.
"""

from __future__ import annotations

import ast
import builtins
import os
import re
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Union

from .nodes import elements, paired, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]  # noqa: UP007 - Python 3.9
WILD = "\0"
"""Stands in a text for what only running the code can tell."""
UNKNOWN = "?"
"""The dotted name of what nothing is known of."""
ANY_MODULE = "?modules"
"""That of a module which is looked up in ``sys.modules``, nobody knows which."""
_MOST = 64
"""How many values of one expression are followed."""
_DEEPEST = 12
_OF_MODULES = {"__path__", "__spec__", "__loader__", "__dict__", "__file__", "__package__"}
_PATHS: dict[str, Callable[[str], str]] = {
    "dirname": os.path.dirname,
    "abspath": os.path.abspath,
    "realpath": os.path.realpath,
}
_PATHS["normpath"] = os.path.normpath


def matches(text: str, name: str) -> bool:
    """Return whether a text, with parts that are unknown, may be this name."""
    return re.fullmatch(".*".join(map(re.escape, text.split(WILD))), name, re.DOTALL) is not None


@dataclass
class Space:
    """The names of one module, and all that its source binds each of them to."""

    module: str
    origin: str
    tree: ast.Module
    locations: tuple[str, ...] | None = None
    """Where a package looks for its submodules, before its own code changes that."""
    given: dict[str, set[str]] = field(default_factory=dict)
    """Texts that are known of names from outside: the parameters of a call."""
    assigned: dict[str, list[ast.expr]] = field(default_factory=dict)
    imported: dict[str, set[str]] = field(default_factory=dict)
    functions: dict[str, list[Function]] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    is_bound: bool = False
    _names: dict[str, set[str]] = field(default_factory=dict)
    _texts: dict[str, set[str]] = field(default_factory=dict)

    def bind(self) -> Space:
        """Collect what binds names, wherever in the file it stands, where it is needed."""
        if not self.is_bound:
            self.is_bound = True
            nodes = list(walk(self.tree))
            for node in nodes:
                self._bind(node)
            for node in nodes:
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    self._bind_parameters(node, self.functions.get(node.func.id, ()))
        return self

    def knowing(self, given: dict[str, set[str]]) -> Space:
        """Return the same names, with texts for some of them: the parameters of a call."""
        return replace(self, given=given, _names={}, _texts={}, is_bound=True)

    @property
    def package(self) -> str:
        """The name that relative imports begin from."""
        return self.module if self.locations is not None else self.module.rpartition(".")[0]

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            self._assign(node.target, node.value)
        elif isinstance(node, (ast.For, ast.comprehension)):
            for each in self._gone_through(node.iter):
                self._assign(node.target, each)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._assign(node.optional_vars, node.context_expr)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                full = alias.name if alias.asname else bound
                self.imported.setdefault(bound, set()).add(full)
        elif isinstance(node, ast.ImportFrom):
            base = self.imported_from(node)
            for alias in node.names:
                names = self.imported.setdefault(alias.asname or alias.name, set())
                names.add(f"{base}.{alias.name}")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.functions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.ClassDef):
            self.classes[node.name] = node

    def _bind_parameters(self, call: ast.Call, functions: Iterable[Function]) -> None:
        """Let the parameters of the file's own functions be what its calls give them."""
        for each in functions:
            names = [it.arg for it in (*each.args.posonlyargs, *each.args.args)]
            for name, value in zip(names, call.args):  # noqa: B905 - Python 3.9
                self.assigned.setdefault(name, []).append(value)
            for keyword in call.keywords:
                if keyword.arg:
                    self.assigned.setdefault(keyword.arg, []).append(keyword.value)

    def returned(self, node: ast.expr | None) -> Iterator[ast.expr]:
        """Yield what a call of one of the file's own functions may return."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for function in self.functions.get(node.func.id, ()):
                for each in walk(function):
                    if isinstance(each, ast.Return) and each.value is not None:
                        yield each.value

    def _gone_through(self, node: ast.expr) -> list[ast.expr]:
        """Return what a loop goes through; of all modules, any of them."""
        for each in walk(node):
            if isinstance(each, (ast.Name, ast.Attribute)) and "modules" in (
                getattr(each, "attr", ""),
                getattr(each, "id", ""),
            ):
                module = ast.Subscript(each, ast.Constant(...), ast.Load())
                return [module, ast.Tuple([ast.Constant(...), module], ast.Load())]
        return elements(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        for name, given in paired(target, value):
            if isinstance(name, ast.Name):
                self.assigned.setdefault(name.id, []).append(given or ast.Constant(...))

    def imported_from(self, node: ast.ImportFrom) -> str:
        """Return the absolute name of the module that ``from x import y`` takes from."""
        if not node.level:
            return node.module or ""
        parts = self.package.split(".")
        kept = parts[: len(parts) - node.level + 1]
        return ".".join([*kept, *([node.module] if node.module else [])])

    # ---- dotted names

    def dotted(self, node: ast.expr | None, depth: int = 0) -> set[str]:
        """Return the dotted names that an expression may stand for; empty for other objects."""
        if node is None or depth > _DEEPEST:
            return set()
        if isinstance(node, ast.Name):
            return self._dotted_name(node.id, depth)
        if isinstance(node, ast.Attribute):
            owners = self.dotted(node.value, depth + 1) or {UNKNOWN}
            return {_attribute(each, node.attr) for each in owners}
        if isinstance(node, ast.Subscript):
            return self._item(node.value, node.slice, depth)
        if isinstance(node, ast.Call):
            return self._dotted_call(node, depth)
        inner: list[ast.expr] = []
        if isinstance(node, ast.BoolOp):
            inner = node.values
        elif isinstance(node, ast.IfExp):
            inner = [node.body, node.orelse]
        elif isinstance(node, (ast.NamedExpr, ast.Starred)):
            inner = [node.value]
        return {name for each in inner for name in self.dotted(each, depth + 1)}

    def _dotted_name(self, name: str, depth: int) -> set[str]:
        if name in self._names:
            return self._names[name]
        found = self._names[name] = set(self.imported.get(name, ()))  # while it is looked for
        for value in self.assigned.get(name, ()):
            if not (isinstance(value, ast.Name) and value.id == name):
                found |= self.dotted(value, depth + 1)
        if name in _OF_MODULES:
            found.add(f"{self.module}.{name}")
        elif not found and name not in self.functions and hasattr(builtins, name):
            found.add(f"builtins.{name}")
        return found

    def _item(self, owner: ast.expr, key: ast.expr, depth: int) -> set[str]:
        found = set()
        for each in self.dotted(owner, depth + 1) or {UNKNOWN}:
            if each == "sys.modules":
                names = self.texts(key, depth + 1)
                found |= {it if it.strip(f"{WILD}.") else ANY_MODULE for it in names}
            elif each.endswith(".__dict__") or each == UNKNOWN:
                base = each.removesuffix(".__dict__")
                keys = [it for it in self.texts(key, depth + 1) if WILD not in it]
                found |= {_attribute(base, it) for it in keys}
            elif not each.endswith("__path__"):
                is_path = "__path__" in self.texts(key, depth + 1)
                found.add(f"{UNKNOWN}.__path__" if is_path else f"{each}[]")
        return found

    def _dotted_call(self, node: ast.Call, depth: int) -> set[str]:
        found: set[str] = set()
        arguments = node.args
        for name in self.dotted(node.func, depth + 1):
            owner, _, method = name.rpartition(".")
            if name in {"builtins.globals", "builtins.locals"} or (
                name == "builtins.vars" and not arguments
            ):
                found.add(f"{self.module}.__dict__")
            elif name == "builtins.vars":
                owners = self.dotted(arguments[0], depth + 1)
                found |= {f"{each}.__dict__" for each in owners}
            elif name == "builtins.getattr" and len(arguments) > 1:
                owners = self.dotted(arguments[0], depth + 1) or {UNKNOWN}
                keys = [it for it in self.texts(arguments[1], depth + 1) if WILD not in it]
                found |= {_attribute(*each) for each in product(owners, keys)}
            elif name in {"importlib.import_module", "builtins.__import__"} and arguments:
                found |= set(self.import_names(node, depth + 1))
            elif name in {"typing.cast", "importlib.reload"} and arguments:
                found |= self.dotted(arguments[-1], depth + 1)
            elif method in {"get", "setdefault", "pop", "__getitem__"} and arguments:
                if owner == "sys.modules" or owner.endswith(".__dict__"):
                    found |= self._item(_function_owner(node.func), arguments[0], depth)
        for each in self.returned(node):
            found |= self.dotted(each, depth + 2)
        return found

    def import_names(self, node: ast.Call, depth: int = 0) -> Iterator[str]:
        """Yield the modules that ``import_module`` or ``__import__`` may give; UNKNOWN for any."""
        for text in self.texts(node.args[0], depth):
            name = text
            if text.startswith("."):
                level = len(text) - len(text.lstrip("."))
                parts = self.package.split(".")
                name = ".".join([*parts[: len(parts) - level + 1], text[level:]])
            yield UNKNOWN if WILD in name else name

    # ---- texts

    def texts(self, node: ast.expr | None, depth: int = 0) -> set[str]:
        """Return the texts that an expression may be, with WILD for what is unknown of them."""
        if depth > _DEEPEST or node is None:
            return {WILD}
        if isinstance(node, ast.Constant):
            return {node.value} if isinstance(node.value, str) else {WILD}
        if isinstance(node, ast.Name):
            return self._texts_of_name(node.id, depth)
        if isinstance(node, ast.JoinedStr):
            return self._joined(node.values, depth)
        if isinstance(node, ast.FormattedValue):
            plain = node.conversion == -1 and node.format_spec is None
            return self.texts(node.value, depth + 1) if plain else {WILD}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._joined([node.left, node.right], depth)
        if isinstance(node, ast.IfExp):
            return self.texts(node.body, depth + 1) | self.texts(node.orelse, depth + 1)
        if isinstance(node, ast.Attribute):
            return self._texts_of_attribute(node, depth)
        if isinstance(node, ast.Subscript):
            names = self.dotted(node, depth + 1)
            if f"{self.module}.__file__" in names:
                return {self.origin}
            if f"{self.module}.__path__" in self.dotted(node.value, depth + 1) and self.locations:
                if isinstance(node.slice, ast.Constant) and node.slice.value == 0:
                    return {self.locations[0]}
        if isinstance(node, ast.Call):
            return self._texts_of_call(node, depth)
        return {WILD}

    def _texts_of_name(self, name: str, depth: int) -> set[str]:
        known = {"__name__": self.module, "__package__": self.package, "__file__": self.origin}
        if name in self.given:
            return self.given[name]
        if name in known:
            return {known[name]}
        if name not in self._texts:
            self._texts[name] = {WILD}  # while it is looked for
            values = self.assigned.get(name, [])[:_MOST]
            found = {text for each in values for text in self.texts(each, depth + 1)}
            self._texts[name] = found if 0 < len(found) <= _MOST else {WILD}
        return self._texts[name]

    def _joined(self, parts: Sequence[ast.expr], depth: int) -> set[str]:
        found = {""}
        for each in parts:
            found = {head + tail for head in found for tail in self.texts(each, depth + 1)}
            if len(found) > _MOST:
                return {WILD}
        return found

    def _texts_of_attribute(self, node: ast.Attribute, depth: int) -> set[str]:
        owners = self.dotted(node.value, depth + 1)
        if node.attr in {"name", "parent"} and f"{self.module}.__spec__" in owners:
            return {self.module if node.attr == "name" else self.package}
        if node.attr == "__name__":
            made = self._made_modules(node.value, depth + 1)
            return made or ({each for each in owners if UNKNOWN not in each} or {WILD})
        return {WILD}

    def _made_modules(self, node: ast.expr, depth: int) -> set[str]:
        """Return the names of modules that ``ModuleType(name)`` made, where that is what it is."""
        values = self.assigned.get(node.id, []) if isinstance(node, ast.Name) else [node]
        return {
            text
            for each in values
            if isinstance(each, ast.Call) and each.args
            if any(it.endswith(".ModuleType") for it in self.dotted(each.func, depth))
            for text in self.texts(each.args[0], depth)
        }

    def _texts_of_call(self, node: ast.Call, depth: int) -> set[str]:
        for name in self.dotted(node.func, depth + 1):
            owner, _, function = name.rpartition(".")
            if owner == "os.path" and function in _PATHS and len(node.args) == 1:
                return {self._path(function, each) for each in self.texts(node.args[0], depth + 1)}
            if name == "os.path.join":
                parts = [self.texts(each, depth + 1) for each in node.args]
                if all(len(each) == 1 for each in parts):
                    return {os.path.join(*(next(iter(each)) for each in parts))}
            if name in {"builtins.str", "os.fspath"} and node.args:
                return self.texts(node.args[0], depth + 1)
        return {WILD}

    def _path(self, function: str, text: str) -> str:
        return WILD if WILD in text else _PATHS[function](text)

    # ---- lists of folders

    def folders(self, node: ast.expr | None) -> list[str] | None:
        """Return the list of texts that an expression is; None where that is unknown."""
        if isinstance(node, (ast.List, ast.Tuple)):
            found: list[str] = []
            for each in node.elts:
                is_list = isinstance(each, ast.Starred)
                inner = self.folders(each.value) if isinstance(each, ast.Starred) else None
                texts = inner if is_list else sorted(self.texts(each))
                if texts is None or (not is_list and (len(texts) > 1 or WILD in texts[0])):
                    return None
                found += texts
            return found
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.folders(node.left), self.folders(node.right)
            return None if left is None or right is None else left + right
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            if self.dotted(node.func) & {"builtins.list", "builtins.tuple"}:
                return self.folders(node.args[0])
        if isinstance(node, (ast.Name, ast.Attribute)):
            if f"{self.module}.__path__" in self.dotted(node) and self.locations is not None:
                return list(self.locations)
        return None


@dataclass(frozen=True)
class Watched:
    """The module that is looked for, and the packages around it, the outermost first."""

    module: str
    parents: tuple[str, ...]
    takes_same: Callable[[str, list[str]], bool]
    """Whether a package's submodule is found where it is now, if it is looked for in folders."""
    is_regular: Callable[[str], bool]
    """Whether a package's submodule is a file: nothing later on the path takes its place."""
    read: Callable[[str], Space | None]
    """Returns another module's source."""

    is_named: Callable[[], bool]
    """Whether code that runs has a text with the module's name."""
    is_imported: Callable[[], bool]
    """Whether code that runs first imports the module."""

    def child(self, parent: str) -> str:
        """Return the name below a parent that leads to the module."""
        return self.module[len(parent) + 1 :].partition(".")[0]


def _attribute(owner: str, name: str) -> str:
    return f"{owner}.{name}"


def _function_owner(function: ast.expr) -> ast.expr:
    return function.value if isinstance(function, ast.Attribute) else function
