"""A function of somebody else with one expression of its source replaced."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import textwrap
from typing import Any

DOCUMENTS = {"auto_docstring", "add_start_docstrings", "add_start_docstrings_to_model_forward"}
"""Decorators that only write documentation."""


def edited(function: Any, *changes: tuple[str, str], **names: Any) -> Any:
    """Return the function with each pattern in its source replaced with the text, or None.

    The texts may use the names, besides what the function itself can use. None means that a pattern
    does not match exactly once: the source is not the one that the change was written for, and must
    be left alone.
    """
    plain = inspect.unwrap(function)
    try:
        source = textwrap.dedent(inspect.getsource(plain))
    except (OSError, TypeError):
        return None
    for old, new in changes:
        source, matches = re.subn(old, new, source)
        if matches != 1:
            return None
    return _compiled(source, plain, names)


def _compiled(source: str, plain: Any, names: dict[str, Any]) -> Any:
    """Return the function of a source, with the globals and the decorators of the original."""
    tree = ast.parse(source)
    (definition,) = tree.body
    if not isinstance(definition, ast.FunctionDef) or "__class__" in plain.__code__.co_freevars:
        return None
    definition.decorator_list = [
        each
        for each in definition.decorator_list
        if ast.unparse(each.func if isinstance(each, ast.Call) else each) not in DOCUMENTS
    ]
    definition.returns = None
    for argument in ast.walk(definition.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    name = f"<rocmlint: {plain.__module__}.{plain.__qualname__}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {}
    maker = ast.parse(f"def make({', '.join(names)}): return {plain.__name__}")
    maker.body[0].body.insert(0, definition)  # type: ignore[attr-defined]
    exec(compile(maker, name, "exec"), plain.__globals__, namespace)  # noqa: S102 - their own code
    made = namespace["make"](**names)
    inspect.unwrap(made).__qualname__ = plain.__qualname__
    return made
