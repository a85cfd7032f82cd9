"""A Python file as data: its tree, what its names may be, and where the environment is used."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from rocmlint.python import scopes
from rocmlint.python.names import last_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_Made = TypeVar("_Made")
FUNCTIONS = (*scopes.FUNCTIONS, ast.Lambda)
Function = scopes.FunctionNode | ast.Lambda
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_COPIES = frozenset({"copy", "deepcopy", "dict"})
_READ = frozenset({"get", "pop", "setdefault", "__getitem__"})


@dataclass(frozen=True)
class Lookup:
    """An expression that looks a variable up; ``key`` gives its name."""

    node: ast.expr
    key: ast.expr
    default: ast.expr | None
    """What it is without the variable; None where that is an error."""
    present: bool | None = None
    """What it is with the variable, where only its presence counts."""
    is_sure: bool = True
    """Whether it is the environment of the process that is asked, and nothing of that name."""


@dataclass(frozen=True)
class Imported:
    """What an import binds a name to: a module, or ``name`` in it."""

    module: str
    level: int
    name: str = ""


class Program:
    """A parsed file.

    ``open_module`` gives another file by the import that names it, or None where there is none.
    ``others`` are all variables of the environment; None where they are not known.
    """

    def __init__(
        self,
        source: bytes | str,
        open_module: Callable[[str, int], Program | None] = lambda *_: None,
        others: Mapping[str, str] | None = None,
    ) -> None:
        """Parse the source.

        Raises SyntaxError or ValueError for what is not Python of this interpreter's version.
        """
        self.open_module = open_module
        self.others = others
        self._once: dict[Callable[[Program], Any], Any] = {}
        self.module = ast.parse(source)
        self.nodes: list[ast.AST] = [self.module]
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in self.nodes:  # which grows: breadth first
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
                self.nodes.append(child)

    def once(self, make: Callable[[Program], _Made]) -> _Made:
        """Return what a function makes of the file, which is made once."""
        if make not in self._once:
            self._once[make] = make(self)
        made: _Made = self._once[make]
        return made

    @cached_property
    def texts(self) -> dict[str, list[ast.Constant]]:
        """The literals that are texts or bytes, by their values."""
        found: dict[str, list[ast.Constant]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
                value = node.value
                text = value if isinstance(value, str) else value.decode("latin-1")
                found.setdefault(text, []).append(node)
        return found

    @cached_property
    def functions(self) -> dict[str, scopes.FunctionNode]:
        """The functions and methods whose name only one of them has."""
        found: dict[str, list[scopes.FunctionNode]] = {}
        for node in self.nodes:
            if isinstance(node, scopes.FUNCTIONS):
                found.setdefault(node.name, []).append(node)
        return {name: some[0] for name, some in found.items() if len(some) == 1}

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes, by name."""
        return {each.name: each for each in self.nodes if isinstance(each, ast.ClassDef)}

    @cached_property
    def stores(self) -> dict[str, list[ast.Name]]:
        """The places that bind a name, but not its imports and parameters."""
        found: dict[str, list[ast.Name]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                found.setdefault(node.id, []).append(node)
        return found

    @cached_property
    def loads(self) -> dict[str, list[ast.Name]]:
        """The places that use a name."""
        found: dict[str, list[ast.Name]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.setdefault(node.id, []).append(node)
        return found

    @cached_property
    def calls(self) -> dict[str, list[ast.Call]]:
        """The calls, by the last name of what is called."""
        found: dict[str, list[ast.Call]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Call):
                found.setdefault(last_name(node.func), []).append(node)
        return found

    @cached_property
    def attributes(self) -> dict[str, list[ast.expr]]:
        """What attributes of objects and classes are set to, by their names."""
        found: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            target = target_of(node)
            if isinstance(target, ast.Attribute):
                found.setdefault(target.attr, []).append(node.value)  # type: ignore[attr-defined]
            elif isinstance(target, ast.Name) and isinstance(self.parents.get(node), ast.ClassDef):
                found.setdefault(target.id, []).append(node.value)  # type: ignore[attr-defined]
        return found

    @cached_property
    def imports(self) -> dict[str, Imported]:
        """The names that imports bind."""
        found = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for each in node.names:
                    bound = each.asname or each.name.partition(".")[0]
                    found[bound] = Imported(each.name if each.asname else bound, 0)
            elif isinstance(node, ast.ImportFrom):
                for each in node.names:
                    bound = each.asname or each.name
                    found[bound] = Imported(node.module or "", node.level, each.name)
        return found

    @cached_property
    def globals(self) -> set[str]:
        """The names that functions rebind for the module, or for a function around them."""
        declared = (n for n in self.nodes if isinstance(n, (ast.Global, ast.Nonlocal)))
        return {name for each in declared for name in each.names}

    @cached_property
    def lookups(self) -> dict[ast.expr, Lookup]:
        """Every expression that looks some variable up."""
        found = (self._lookup(each) for each in self.nodes if isinstance(each, ast.expr))
        return {each.node: each for each in found if each}

    # The environment

    @cached_property
    def _environments(self) -> dict[str, bool]:
        """The names that are the environment; whether they are that of the process, no copy."""
        found = {
            name: True
            for name, what in self.imports.items()
            if what.name == "environ" and what.module in {"os", "posix"}
        }
        if "*" in self.imports and self.imports["*"].module == "os":
            found["environ"] = True
        self.__dict__["_environments"] = found  # so that names of names can be asked for
        for _ in range(3):
            for name, stores in self.stores.items():
                values = [value_of(self.parents[each], each) for each in stores]
                if values and all(each and self.is_environment(each) for each in values):
                    found[name] = all(each and self.is_own_environment(each) for each in values)
            for node in self.nodes:
                if isinstance(node, FUNCTIONS):
                    for name, default in defaults_of(node).items():
                        if self.is_environment(default):
                            found[name] = False
        return found

    @cached_property
    def _getters(self) -> set[str]:
        """The names that are os.getenv or os.environ.get."""
        found = {name for name, what in self.imports.items() if what.name == "getenv"}
        if "*" in self.imports and self.imports["*"].module == "os":
            found.add("getenv")
        for name, stores in self.stores.items():
            values = [value_of(self.parents[each], each) for each in stores]
            if values and all(each is not None and self._is_getter(each) for each in values):
                found.add(name)
        return found

    def is_own_environment(self, node: ast.expr) -> bool:
        """Return whether an expression is the environment of the process itself."""
        if isinstance(node, ast.Attribute):
            return node.attr in {"environ", "environb"}
        if isinstance(node, ast.Call) and last_name(node.func) == "getattr":
            name = node.args[1] if len(node.args) > 1 else None
            return isinstance(name, ast.Constant) and name.value == "environ"
        return isinstance(node, ast.Name) and self._environments.get(node.id, False)

    def is_environment(self, node: ast.expr) -> bool:
        """Return whether an expression is the environment of the process, or a copy."""
        if isinstance(node, ast.Call) and last_name(node.func) in _COPIES:
            of = [*node.args[:1], getattr(node.func, "value", node.func)]
            return any(map(self.is_environment, of))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return node.func.attr == "keys" and self.is_environment(node.func.value)
        if isinstance(node, ast.Dict):
            spread = (v for k, v in zip(node.keys, node.values, strict=True) if k is None)
            return any(map(self.is_environment, spread))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.is_environment(node.left)
        if isinstance(node, ast.Name):
            return node.id in self._environments
        return self.is_own_environment(node)

    def _is_getter(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute) and node.attr == "get":
            return self.is_environment(node.value)
        return isinstance(node, ast.Attribute) and node.attr in {"getenv", "getenvb"}

    def _lookup(self, node: ast.expr) -> Lookup | None:
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            sure = self.is_environment(node.value)
            if sure or _may_be_environment(node.value):
                return Lookup(node, node.slice, None, None, sure)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            test, held = node.ops[0], node.comparators[0]
            sure = self.is_environment(held)
            if isinstance(test, (ast.In, ast.NotIn)) and (sure or _may_be_environment(held)):
                present = isinstance(test, ast.In)
                return Lookup(node, node.left, ast.Constant(not present), present, sure)
        return None

    def _call(self, node: ast.Call) -> Lookup | None:
        keywords = {each.arg: each.value for each in node.keywords}
        key = node.args[0] if node.args else keywords.get("key")
        if key is None:
            return None
        function, name = node.func, last_name(node.func)
        sure = self._is_getter(function) or (
            isinstance(function, ast.Name) and function.id in self._getters
        )
        method = isinstance(function, ast.Attribute) and name in _READ
        if method and isinstance(function, ast.Attribute):
            sure = sure or self.is_environment(function.value)
            if not sure and not _may_be_environment(function.value):
                return None
        if not sure and not method:
            return None
        if isinstance(self.parents.get(node), ast.Expr):
            return None  # setdefault() to set it, pop() to remove it
        default = keywords.get("default", node.args[1] if len(node.args) > 1 else None)
        if default is None and name not in {"pop", "__getitem__"}:
            default = ast.Constant(None)
        return Lookup(node, key, default, None, sure)

    # Places

    def function_around(self, node: ast.AST) -> Function | None:
        """Return the function whose body a node is in."""
        while node in self.parents:
            parent = self.parents[node]
            if isinstance(parent, FUNCTIONS) and node in body_of(parent):
                return parent
            node = parent
        return None

    def statement_around(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that a node is part of."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what surrounds a node, from the inside."""
        while node in self.parents:
            node = self.parents[node]
            yield node


def _may_be_environment(node: ast.expr) -> bool:
    return "env" in last_name(node).lower()


def target_of(statement: ast.AST) -> ast.expr | None:
    """Return the one target of an assignment."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.targets[0]
    if isinstance(statement, (ast.AnnAssign, ast.NamedExpr)) and statement.value:
        return statement.target
    return None


def value_of(statement: ast.AST, target: ast.expr) -> ast.expr | None:
    """Return what a statement binds a target to; None where that is no expression of its own."""
    if isinstance(statement, ast.Assign) and target in statement.targets:
        return statement.value
    if isinstance(statement, (ast.AnnAssign, ast.NamedExpr)):
        return statement.value
    return None


def body_of(function: Function) -> list[ast.AST]:
    """Return the statements of a function; of a lambda, its expression."""
    return [function.body] if isinstance(function, ast.Lambda) else list(function.body)


def parameters_of(function: Function) -> list[str]:
    """Return the names of the parameters that have one each, those by position first."""
    arguments = function.args
    each = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return [one.arg for one in each]


def defaults_of(function: Function) -> dict[str, ast.expr]:
    """Return the default of each parameter that has one."""
    arguments = function.args
    positional = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    found = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {**found, **{each.arg: value for each, value in named if value}}


def bound(function: Function, call: ast.Call, *, is_method: bool = False) -> dict[str, ast.expr]:
    """Return what each parameter of a function is in a call, as far as that is plain."""
    arguments = function.args
    positional = [each.arg for each in (*arguments.posonlyargs, *arguments.args)][is_method:]
    given = dict(zip(positional, call.args, strict=False))
    given.update({each.arg: each.value for each in call.keywords if each.arg})
    if any(isinstance(each, ast.Starred) for each in call.args):
        given = {}
    return {**defaults_of(function), **given}
