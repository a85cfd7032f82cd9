"""What a file defines and imports: its functions, classes, and names of modules."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.models.tensors.parameter_guesses import of_annotation
from rocmlint.models.tensors.value_facts import PYTHON, UNKNOWN, Held, join
from rocmlint.python.imports import imported_names
from rocmlint.python.names import last_name
from rocmlint.python.scopes import FUNCTIONS, FunctionNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_NEUTRAL = frozenset({"object", "ABC", "Generic", "Protocol", "Enum"})
"""Bases that say nothing of what calls the methods of a class."""
_MODULE = re.compile(r"Module\b")
_NO_MODULE = re.compile(r"Function|\w*(?:Transforms?|Dataset|Impl|(?:Pipeline|Denoising)Stage)")
"""Classes that are no modules: of torch.autograd, of preparation of data, and of what a layer
delegates to."""


@dataclass(eq=False)
class Function:
    """A function or method, and what is known about it so far."""

    node: FunctionNode
    qualified: str
    owner: Class | None
    """The class of a method; of a function in a method too, whose ``self`` it sees."""
    outer: Function | None = None
    returned: Held | None = None
    """What it returns; None until it was looked at."""
    given: dict[str, Held] = field(default_factory=dict)
    """What calls in the file pass for its parameters."""

    @property
    def is_method(self) -> bool:
        """Whether its first parameter is its object or class."""
        return self.owner is not None and self.outer is None and "staticmethod" not in self.marks

    @property
    def marks(self) -> set[str]:
        """The last names of its decorators."""
        return {*map(last_name, self.node.decorator_list)}

    def parameters(self) -> list[ast.arg]:
        """Return the named parameters, without the object or class of a method."""
        arguments = self.node.args
        found = [*arguments.posonlyargs, *arguments.args]
        return [*found[1 if self.is_method else 0 :], *arguments.kwonlyargs]

    def note(self, given: Sequence[Held], named: Mapping[str | None, Held]) -> None:
        """Note what a call passes: what differs from call to call tells nothing."""
        positional = zip((each.arg for each in self.parameters()), given, strict=False)
        for name, held in (*positional, *named.items()):
            if name is not None:
                known = self.given.get(name)
                alike = known is None or known.kind is held.kind
                joined = held if known is None else join(known, held)
                self.given[name] = joined if alike else UNKNOWN


@dataclass(eq=False)
class Class:
    """A class, its methods, and what the attributes of its objects hold."""

    node: ast.ClassDef
    name: str
    bases: tuple[str, ...]
    methods: dict[str, Function] = field(default_factory=dict)
    attributes: dict[str, Held] = field(default_factory=dict)

    @property
    def marks(self) -> set[str]:
        """The last names of its decorators."""
        return {*map(last_name, self.node.decorator_list)}

    def keep(self, name: str, held: Held) -> None:
        """Note that an attribute of the objects may hold something."""
        known = self.attributes.get(name)
        self.attributes[name] = held if known is None else join(known, held)


class Definitions:
    """The functions, classes and imported names of a file."""

    def __init__(self, tree: ast.Module) -> None:
        """Find them."""
        self.imported = dict(each for node in ast.walk(tree) for each in imported_names(node))
        self.functions: list[Function] = []
        self.classes: dict[str, Class] = {}
        self.by_name: dict[str, Function] = {}
        self.of_node: dict[ast.AST, Function] = {}
        self._find(tree.body, "", None, None)

    def dotted(self, node: ast.expr) -> str:
        """Return the name of what an import gave, in full: ``F.relu`` with its module."""
        match node:
            case ast.Name(id=name):
                return self.imported.get(name, "")
            case ast.Attribute(value=value, attr=attribute):
                above = self.dotted(value)
                return f"{above}.{attribute}" if above else ""
        return ""

    def method(self, owner: Class | None, name: str, *, above: bool = False) -> Function | None:
        """Return a method of a class, or of its bases in this file; only those ``above``."""
        for each in self.lineage(owner):
            if name in each.methods and not (above and each is owner):
                return each.methods[name]
        return None

    def only_method(self, name: str) -> Function | None:
        """Return the method of this name, if only one class of the file has one."""
        found = [each.methods[name] for each in self.classes.values() if name in each.methods]
        return found[0] if len(found) == 1 else None

    def attribute(self, owner: Class | None, name: str) -> Held | None:
        """Return what an attribute of the objects of a class holds, None if nothing tells."""
        for each in self.lineage(owner):
            if name in each.attributes:
                return each.attributes[name]
        return None

    def lineage(self, owner: Class | None) -> Iterator[Class]:
        """Yield a class and its bases in this file, the nearest first."""
        waiting, seen = [owner] if owner is not None else [], set[str]()
        while waiting:
            each = waiting.pop(0)
            if each is not None and each.name not in seen:
                seen.add(each.name)
                yield each
                waiting += [self.classes[base] for base in each.bases if base in self.classes]

    def is_module(self, owner: Class) -> bool:
        """Check whether a class is a module of torch, as far as this file tells."""
        bases = {
            base for each in self.lineage(owner) for base in each.bases if base not in self.classes
        }
        if _MODULE.search(" ".join(bases)):
            return True
        if any(map(_NO_MODULE.fullmatch, bases)):
            return False
        return bool(bases - _NEUTRAL) or not (bases or _NO_MODULE.fullmatch(owner.name))

    def _find(
        self, body: Iterable[ast.stmt], prefix: str, owner: Class | None, outer: Function | None
    ) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                self._add_class(node, prefix)
            elif isinstance(node, FUNCTIONS):
                self._add_function(node, prefix, owner, outer)
            else:
                inner = [each for each in ast.iter_child_nodes(node) if _holds_statements(each)]
                self._find(inner, prefix, owner, outer)  # type: ignore[arg-type]

    def _add_class(self, node: ast.ClassDef, prefix: str) -> None:
        found = Class(node, node.name, tuple(last_name(_plain(base)) for base in node.bases))
        self.classes[node.name] = found
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                held = of_annotation(each.annotation)
                if held.kind is not UNKNOWN.kind and held != PYTHON:
                    found.attributes[each.target.id] = held
        self._find(node.body, f"{prefix}{node.name}.", found, None)

    def _add_function(
        self, node: FunctionNode, prefix: str, owner: Class | None, outer: Function | None
    ) -> None:
        found = Function(node, prefix + node.name, owner, outer)
        self.functions.append(found)
        self.of_node[node] = found
        if owner is not None and outer is None:
            owner.methods[node.name] = found
        else:
            self.by_name[node.name] = found
        self._find(node.body, f"{found.qualified}.", owner, found)


def _holds_statements(node: ast.AST) -> bool:
    return isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case))


def _plain(base: ast.expr) -> ast.expr:
    return base.value if isinstance(base, ast.Subscript) else base
