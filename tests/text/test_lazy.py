"""Packages that export names of other modules: each is listed for readers and for Python alike."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import rocmlint

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = ["rocmlint", "rocmlint.rule", "rocmlint.stack", "rocmlint.export"]


def imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that type checkers see, each with its module."""
    (block,) = (each for each in tree.body if isinstance(each, ast.If))
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        yield from ((each.asname or "", node.module or "") for each in node.names)


@pytest.mark.parametrize("name", PACKAGES)
def test_type_checkers_and_python_see_the_same_names(name: str) -> None:
    package = import_module(name)
    listed = dict(imported(ast.parse(inspect.getsource(package))))
    assert sorted({*package.__all__} - {"__version__"}) == sorted(listed)
    for each, home in listed.items():
        assert getattr(package, each) is getattr(import_module(home), each)


def test_a_name_that_is_not_exported_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'rocmlint' has no attribute 'lint_all'"):
        rocmlint.lint_all  # type: ignore[attr-defined]  # noqa: B018
