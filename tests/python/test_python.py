"""What a syntax tree says: names, imports and scopes."""

from __future__ import annotations

import ast

import pytest

from rocmlint.python.imports import imported_module, imported_names
from rocmlint.python.names import last_name, root
from rocmlint.python.scopes import own_nodes


@pytest.mark.parametrize(
    ("text", "last", "first"),
    [
        ("a", "a", "a"),
        ("a.b.c", "c", "a"),
        ("a.b(1)", "b", "a.b(1)"),
        ("a().b", "b", "a()"),
        ("a[0]", "", "a[0]"),
    ],
)
def test_last_name_and_root_of_an_expression(text: str, last: str, first: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert (last_name(node), ast.unparse(root(node))) == (last, first)


@pytest.mark.parametrize(
    ("text", "package", "module"),
    [
        ("from a.b import c", "", "a.b"),
        ("from . import c", "p.q", "p.q"),
        ("from .b import c", "p.q", "p.q.b"),
        ("from ..b import c", "p.q", "p.b"),
        ("from ...b import c", "p.q", ""),
        ("from .b import c", "", ""),
    ],
)
def test_module_that_an_import_reads(text: str, package: str, module: str) -> None:
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.ImportFrom)
    assert imported_module(node, package) == module


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a.b", [("a", "a")]),
        ("import a.b as c, d", [("c", "a.b"), ("d", "d")]),
        ("from a import b, c as d", [("b", "a.b"), ("d", "a.c")]),
        ("from .a import b", [("b", "p.a.b")]),
        ("from a import *", [("*", "a.*")]),
        ("x = 1", []),
    ],
)
def test_names_that_an_import_binds(text: str, names: list[tuple[str, str]]) -> None:
    (node,) = ast.parse(text).body
    assert list(imported_names(node, "p")) == names


def names_in(text: str, *, comprehensions: bool) -> list[str]:
    nodes = own_nodes(ast.parse(text).body, comprehensions=comprehensions)
    return [each.id for each in nodes if isinstance(each, ast.Name)]


@pytest.mark.parametrize(
    ("text", "without_comprehensions", "with_comprehensions"),
    [
        ("if a:\n    b = c", ["a", "b", "c"], ["a", "b", "c"]),
        ("def f(): a\nb", ["b"], ["b"]),
        ("x = lambda: a", ["x"], ["x"]),
        ("class C:\n    a = 1\nb", ["b"], ["b"]),
        ("x = [a for a in b]", ["x"], ["x", "a", "a", "b"]),
    ],
)
def test_own_nodes_leave_out_inner_scopes(
    text: str, without_comprehensions: list[str], with_comprehensions: list[str]
) -> None:
    assert names_in(text, comprehensions=False) == without_comprehensions
    assert names_in(text, comprehensions=True) == with_comprehensions
