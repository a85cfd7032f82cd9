"""What a name means at a place: through imports, aliases and single assignments.

LibCST's own scope analysis looks at the whole file and costs six times the parse. Here only the
statements that bind the asked name are parsed, and where the answer is not certain there is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import libcst as cst

from rocmlint.syntax.nodes import dotted_text
from rocmlint.syntax.outline import Outline
from rocmlint.syntax.walk import children, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.syntax.partial_parse import Pieces
    from rocmlint.text.text import Text

BindingKind = Literal["import", "value", "definition", "parameter", "other"]
MAXIMUM_HOPS = 5
"""How many assignments from name to name are followed."""

# To compare exact types is much faster than isinstance(): LibCST's nodes are of abstract classes.
_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
_CLOSED = frozenset({*_SCOPES, *_COMPREHENSIONS, cst.Import, cst.ImportFrom})
_BINDING = frozenset(
    {
        *(cst.Import, cst.ImportFrom, cst.Assign, cst.AnnAssign, cst.AugAssign),
        *(cst.FunctionDef, cst.ClassDef, cst.Param, cst.NamedExpr, cst.For, cst.CompFor),
        *(cst.AsName, cst.Del, cst.Global, cst.Nonlocal, cst.MatchAs, cst.MatchStar),
    }
)


@dataclass(frozen=True, eq=False)
class Binding:
    """One way in which a name gets its value.

    ``dotted`` is what an import names; ``value`` the expression assigned (for parameters the
    default); ``node`` the statement, definition or parameter that binds.
    """

    kind: BindingKind
    node: cst.CSTNode
    dotted: str | None = None
    value: cst.BaseExpression | None = None


class Names:
    """The names of one file."""

    def __init__(self, text: Text, pieces: Pieces) -> None:
        """Take the file."""
        self._text = text
        self._outline = Outline(text, pieces)
        self._pieces = pieces
        self._module_bindings: dict[str, list[Binding]] = {}
        self._scope_bindings: dict[cst.CSTNode, dict[str, list[Binding]]] = {}
        self._meanings: dict[Binding, tuple[str | None, cst.BaseExpression | None]] = {}
        """By the first of all bindings of a name in a scope, see ``_meaning``."""

    def resolve(self, node: cst.CSTNode, hops: int = MAXIMUM_HOPS) -> str | None:
        """Return the full dotted name of an expression, as if every import were absolute.

        ``sync`` after ``from torch.cuda import synchronize as sync`` is "torch.cuda.synchronize".
        A name that the file does not bind (a builtin) is itself. A relative import keeps its
        dots. None where the name is not an import, or may be several things.
        """
        names: list[str] = []
        while isinstance(node, cst.Attribute):
            names.append(node.attr.value)
            node = node.value
        if not isinstance(node, cst.Name):
            return None
        root = self._resolve_name(node, hops)
        return None if root is None else ".".join([root, *reversed(names)])

    def bindings(self, name: str, at: cst.CSTNode) -> list[Binding]:
        """Return all bindings of a name in the innermost scope around a node that binds it."""
        return self._in_scopes(name, at) or self.in_module(name)

    def _in_scopes(self, name: str, at: cst.CSTNode) -> list[Binding]:
        """Return the bindings of a name in the innermost function around a node that binds it."""
        for scope in self._pieces.ancestors(at):
            if isinstance(scope, (cst.FunctionDef, cst.Lambda)):
                found = self.in_scope(scope, name)
                if any(isinstance(binding.node, cst.Global) for binding in found):
                    break
                if found:
                    return found
        return []

    def _values(self, name: str, at: cst.CSTNode) -> list[Binding] | None:
        """Return the bindings of a name; None where the module only defines it.

        To parse what it defines would take long, and tell nothing of imports and values.
        """
        found = self._in_scopes(name, at)
        if not found and self._outline.only_defines(name):
            return None
        return found or self.in_module(name)

    def value_of(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        """Return the expression that a name or ``self.name`` is assigned once, or None."""
        if isinstance(node, cst.Name):
            found = self._values(node.value, node) or []
        elif isinstance(node, cst.Attribute) and dotted_text(node.value) == "self":
            found = self._self_bindings(node)
        else:
            return None
        return found[0].value if len(found) == 1 and found[0].kind == "value" else None

    def in_scope(self, scope: cst.FunctionDef | cst.Lambda, name: str) -> list[Binding]:
        """Return the bindings of a name in a function, its parameters included."""
        return self._bound_in(scope).get(name, [])

    def in_module(self, name: str) -> list[Binding]:
        """Return the bindings of a name at module level, also in ``if``, ``try``, ``with``.

        Of a class the node may have only its first member.
        """
        if name not in self._module_bindings:
            self._module_bindings[name] = list(self._find_in_module(name))
        return self._module_bindings[name]

    def definition(self, name: str) -> cst.FunctionDef | cst.ClassDef | None:
        """Return the one top-level function or class with this name, whole."""
        node = self.declaration(name)
        return self.whole_class(node.body) if isinstance(node, cst.ClassDef) else node

    def declaration(self, name: str) -> cst.FunctionDef | cst.ClassDef | None:
        """Return what ``definition`` does, but of a class at least its bases and first member.

        To parse all of a large class takes long, and much memory.
        """
        found = [each.node for each in self.in_module(name) if each.kind == "definition"]
        node = found[0] if len(found) == 1 else None
        return node if isinstance(node, (cst.FunctionDef, cst.ClassDef)) else None

    def whole_class(self, node: cst.CSTNode) -> cst.ClassDef | None:
        """Return the class around a node with all its members (a piece may hold only one)."""
        inner = next((a for a in self._pieces.ancestors(node) if isinstance(a, cst.ClassDef)), None)
        if inner is None:
            return None
        piece = self._pieces.piece_of(node)
        whole = self._pieces.statement(self._pieces.statement_at(piece.block.start)).module
        classes = (each for each in walk(whole) if isinstance(each, cst.ClassDef))
        found = [each for each in classes if each.name.value == inner.name.value]
        if len(found) > 1:  # to work out where nodes stand takes as long as to parse them
            line = piece.span(inner).line
            found = [each for each in found if self._pieces.piece_of(each).span(each).line == line]
        return found[0] if found else inner

    def members_with(self, attribute: str, node: cst.CSTNode) -> Iterator[cst.ClassDef]:
        """Yield the class around a node with each of its members that names ``self.attribute``.

        To parse all of a large class takes long, and much memory.
        """
        inner = next((a for a in self._pieces.ancestors(node) if isinstance(a, cst.ClassDef)), None)
        if inner is None:
            return
        piece = self._pieces.piece_of(node)
        if not piece.is_member or not isinstance(self._pieces.parent(inner), cst.Module):
            yield inner
            return
        block = self._pieces.statement_at(piece.block.start)
        spelt = re.compile(rf"self[\s\\]*\.[\s\\]*{re.escape(attribute)}\b")
        places = spelt.finditer(self._text.code, block.start, block.end)
        for piece in dict.fromkeys(self._pieces.around(place.start()) for place in places):
            for each in piece.module.body:
                if isinstance(each, cst.ClassDef) and each.name.value == inner.name.value:
                    yield each

    def _resolve_name(self, node: cst.Name, hops: int) -> str | None:
        found = self._values(node.value, node)
        if not found:
            return None if found is None else node.value
        if found[0] not in self._meanings:
            self._meanings[found[0]] = self._meaning(found)
        dotted, value = self._meanings[found[0]]
        return self.resolve(value, hops - 1) if value is not None and hops else dotted

    def _meaning(self, found: list[Binding]) -> tuple[str | None, cst.BaseExpression | None]:
        """Return what all bindings of a name in a scope import, and the only value it gets."""
        if len(found) > 1:
            found = [each for each in found if not self._is_fallback(each)]
        dotted = {each.dotted for each in found if each.kind == "import"}
        if len(dotted) == 1 and all(each.kind == "import" for each in found):
            return dotted.pop(), None
        return None, found[0].value if len(found) == 1 and found[0].kind == "value" else None

    def _is_fallback(self, binding: Binding) -> bool:
        """Return whether a binding only fills in for a failed import: ``except …: name = None``."""
        empty = isinstance(binding.value, cst.Name) and binding.value.value in {"None", "False"}
        return empty and any(
            isinstance(each, (cst.ExceptHandler, cst.Else))
            for each in self._pieces.ancestors(binding.node)
        )

    def _self_bindings(self, node: cst.Attribute) -> list[Binding]:
        attribute = node.attr.value
        name = f"self.{attribute}"
        return [
            binding
            for part in self.members_with(attribute, node)
            for each in walk(part)
            if isinstance(each, (cst.Assign, cst.AnnAssign, cst.AugAssign))
            for bound, binding in _assigned(each)
            if bound == name
        ]

    def _find_in_module(self, name: str) -> Iterator[Binding]:
        blocks = self._outline.blocks(name)
        modules = dict.fromkeys(self._pieces.opening(block).module for block in blocks)
        for module in modules:
            yield from self._bound_in(module).get(name, [])
        if modules and name in self._outline.rebound:
            yield Binding("other", next(iter(modules)))

    def _bound_in(self, scope: cst.CSTNode) -> dict[str, list[Binding]]:
        """Return the bindings of all names in a function, or at the top of a module or piece."""
        if scope not in self._scope_bindings:
            found = self._scope_bindings[scope] = {}
            for node in _scope_nodes(scope):
                for bound, binding in _bound_by(node) if type(node) in _BINDING else ():
                    found.setdefault(bound, []).append(binding)
        return self._scope_bindings[scope]


def _scope_nodes(scope: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes of a scope, not those of scopes inside it (but the inner definitions)."""
    stack = children(scope)[::-1]
    while stack:
        node = stack.pop()
        yield node
        if type(node) not in _CLOSED:
            stack += reversed(children(node))


def _bound_by(node: cst.CSTNode) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, (cst.Import, cst.ImportFrom)):
        yield from _imported(node)
    elif isinstance(node, (cst.Assign, cst.AnnAssign, cst.AugAssign)):
        yield from _assigned(node)
    elif isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        yield node.name.value, Binding("definition", node)
    elif isinstance(node, cst.Param):
        yield node.name.value, Binding("parameter", node, value=node.default)
    elif isinstance(node, cst.NamedExpr):
        yield from _targets(node.target, Binding("value", node, value=node.value))
    elif isinstance(node, (cst.For, cst.CompFor)):
        yield from _targets(node.target, Binding("other", node))
    elif isinstance(node, cst.AsName):
        yield from _targets(node.name, Binding("other", node))
    elif isinstance(node, cst.Del):
        yield from _targets(node.target, Binding("other", node))
    elif isinstance(node, (cst.Global, cst.Nonlocal)):
        for item in node.names:
            yield item.name.value, Binding("other", node)
    elif isinstance(node, (cst.MatchAs, cst.MatchStar)) and node.name is not None:
        yield node.name.value, Binding("other", node)


def _imported(node: cst.Import | cst.ImportFrom) -> Iterator[tuple[str, Binding]]:
    if isinstance(node.names, cst.ImportStar):
        return
    origin = ""
    if isinstance(node, cst.ImportFrom):
        origin = "." * len(node.relative) + (dotted_text(node.module) or "" if node.module else "")
        origin += "" if origin.endswith(".") else "."
    for alias in node.names:
        full = dotted_text(alias.name) or ""
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            yield alias.asname.name.value, Binding("import", node, dotted=origin + full)
        else:
            first = full.partition(".")[0]
            yield first, Binding("import", node, dotted=origin + first)


def _assigned(node: cst.Assign | cst.AnnAssign | cst.AugAssign) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, cst.AugAssign):
        yield from _targets(node.target, Binding("other", node))
    elif isinstance(node, cst.AnnAssign):
        if node.value is not None:
            yield from _targets(node.target, Binding("value", node, value=node.value))
    else:
        for target in node.targets:
            yield from _targets(target.target, Binding("value", node, value=node.value))


def _targets(target: cst.CSTNode, binding: Binding) -> Iterator[tuple[str, Binding]]:
    name = dotted_text(target)
    if name is not None:
        yield name, binding
    elif isinstance(target, (cst.Tuple, cst.List)):
        values = getattr(binding.value, "elements", ())
        paired = len(values) == len(target.elements)
        for index, element in enumerate(target.elements):
            part = Binding("other", binding.node)
            if paired and isinstance(element, cst.Element):
                part = Binding("value", binding.node, value=values[index].value)
            yield from _targets(element.value, part)
