"""Which caches of transformers a file passes to an export."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHES = frozenset(
    """
    DynamicCache StaticCache EncoderDecoderCache HybridCache HybridChunkedCache MambaCache
    OffloadedCache OffloadedStaticCache QuantizedCache SinkCache SlidingWindowCache
    """.split()  # noqa: SIM905 - a list of words
)
_CONTAINERS = frozenset({"dict", "tuple", "list", "OrderedDict"})
_DEPTH = 5


class Passed(NamedTuple):
    """A cache among the inputs of an export."""

    call: ast.Call
    cache: str


def caches_passed(tree: ast.Module) -> Iterator[Passed]:
    """Yield the calls of exporters whose inputs hold a cache that the same scope makes."""
    classes = {
        node.name: found
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for found in [next((_last(base) for base in node.bases if _last(base) in CACHES), "")]
        if found
    }
    names = CACHES | classes.keys()
    for scope in _scopes(tree):
        body = [*_own(scope)]
        for node in body:
            if isinstance(node, ast.Call) and _exports(node):
                inputs = _inputs(node)
                cache = next(
                    filter(None, (_cache(each, body, names, _DEPTH) for each in inputs)), ""
                )
                if cache:
                    yield Passed(node, cache)


def _exports(node: ast.Call) -> bool:
    name, owner = _last(node.func), ast.unparse(node.func)
    if name == "draft_export" or (name == "export" and "onnx" not in owner):
        return True
    dynamo = [each.value for each in node.keywords if each.arg == "dynamo"]
    return name == "export" and bool(dynamo) and getattr(dynamo[0], "value", None) is True


def _inputs(node: ast.Call) -> list[ast.expr]:
    named = [each.value for each in node.keywords if each.arg in {"args", "kwargs"}]
    return [*node.args[1:3], *named]


def _cache(node: ast.expr, body: list[ast.AST], names: frozenset[str], depth: int) -> str:
    """Return the class of a cache in an expression of the inputs; empty if none is there."""
    if not depth:
        return ""
    parts: list[ast.expr | None] = []
    match node:
        case ast.Call(func=func) if _last(func) in names:
            return _last(func)
        case ast.Call(func=ast.Attribute(value=owner, attr="from_legacy_cache")):
            return _last(owner) if _last(owner) in names else ""
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            parts = [*args, *(each.value for each in keywords)] if name in _CONTAINERS else []
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            parts = [*elements]
        case ast.Dict(values=values):
            parts = [*values]
        case ast.IfExp(body=first, orelse=second):
            parts = [first, second]
        case ast.Starred(value=value):
            parts = [value]
        case ast.Name(id=name):
            parts = [*_assigned(name, body)]
    found = (_cache(each, body, names, depth - 1) for each in parts if each is not None)
    return next(filter(None, found), "")


def _assigned(name: str, body: list[ast.AST]) -> Iterator[ast.expr]:
    """Yield what a scope assigns to a name, or puts into it."""
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                yield value
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value):
                if target == name:
                    yield value
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=target))], value=value):
                if target == name:
                    yield value
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=target), attr="update"),
                args=args,
                keywords=keywords,
            ) if target == name:
                yield from (*args, *(each.value for each in keywords))


def _scopes(tree: ast.Module) -> Iterator[ast.AST]:
    yield tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, those of functions within aside."""
    waiting: list[ast.AST] = [*getattr(scope, "body", ())]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def _last(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
