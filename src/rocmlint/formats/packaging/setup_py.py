"""setup.py: requirements that it states as literals; nothing is run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.formats.model import Declared, Parts
from rocmlint.formats.packaging.specifiers import Declaration, declare
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.python.names import last_name
from rocmlint.text.python_ast import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_HOPS = 5


def parse(text: str) -> Parts:
    """Read what ``setup(install_requires=…, extras_require=…)`` states.

    Lists may stand in the call or be assigned to a name of the module. A file that is not Python
    has no parts: that it cannot be read is told where Python is linted.
    """
    module = syntax_tree(text)
    if module is None:
        return Parts()
    setup = _Setup(module, Excerpt.of(text))
    return Parts(declared=tuple(sorted(setup.declared(), key=lambda each: each.span)))


class _Setup:
    def __init__(self, module: ast.Module, excerpt: Excerpt) -> None:
        self.excerpt = excerpt
        self.calls = [
            node
            for node in ast.walk(module)
            if isinstance(node, ast.Call) and last_name(node.func) == "setup"
        ]
        self.values = _assigned(module)
        self.lines = excerpt.text.split("\n")

    def declared(self) -> Iterator[Declared]:
        for call in self.calls:
            for keyword in call.keywords:
                if keyword.arg == "install_requires":
                    yield from self._listed(keyword.value, "")
                elif keyword.arg == "setup_requires":
                    yield from self._listed(keyword.value, "build-system")
                elif keyword.arg == "extras_require":
                    yield from self._extras(keyword.value)

    def _extras(self, node: ast.expr) -> Iterator[Declared]:
        value = self._value(node)
        if not isinstance(value, ast.Dict):
            return
        for key, each in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield from self._listed(each, key.value)

    def _listed(self, node: ast.expr, group: str) -> Iterator[Declared]:
        value = self._value(node)
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            yield from self._listed(value.left, group)
            yield from self._listed(value.right, group)
        for each in value.elts if isinstance(value, (ast.List, ast.Tuple)) else ():
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                result = declare(self._string(each, each.value), Declaration(group))
                if isinstance(result, Declared):
                    yield result

    def _value(self, node: ast.expr) -> ast.expr:
        for _ in range(_MOST_HOPS):
            if not isinstance(node, ast.Name) or node.id not in self.values:
                break
            node = self.values[node.id]
        return node

    def _string(self, node: ast.Constant, value: str) -> Excerpt:
        """Return a string's characters with their places, without its quotes where it is plain."""
        start = self._offset(node.lineno, node.col_offset)
        end = self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        inner = self.excerpt.text.find(value, start, end)
        if inner < 0:
            return Excerpt.standing_for(self.excerpt.file, value, start, end)
        return self.excerpt.part(inner, inner + len(value))

    def _offset(self, line: int, column: int) -> int:
        """Return the offset of a place as ast counts it: in bytes."""
        before = self.lines[line - 1].encode()[:column].decode(errors="replace")
        return self.excerpt.file.offset_of(line) + len(before)


def _assigned(module: ast.Module) -> dict[str, ast.expr]:
    """Find the names of the module that are assigned once, and what."""
    values: dict[str, ast.expr] = {}
    again: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name):
                if target.id in values:
                    again.add(target.id)
                values[target.id] = value
    return {name: value for name, value in values.items() if name not in again}
