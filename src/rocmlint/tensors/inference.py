"""Telling which expressions of a file hold tensors: the entry to this room."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.errors import RocmlintError
from rocmlint.tensors.kinds import Kind
from rocmlint.text.python_ast import syntax_tree

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from rocmlint.tensors.dependence import Dependence


class NotPythonError(RocmlintError):
    """A text that the running Python refuses."""


@dataclass(frozen=True)
class Inference:
    """What is known about the expressions of a file."""

    tree: ast.Module
    dependences: tuple[Dependence, ...] = ()
    """Where control flow depends on a tensor, in the order of the text."""
    kinds: Mapping[ast.expr, Kind] = field(default_factory=dict, repr=False)

    def kind_of(self, node: ast.expr) -> Kind:
        """Return what an expression of ``tree`` holds."""
        return self.kinds.get(node, Kind.UNKNOWN)


def infer(text: str) -> Inference:
    """Return what is known about the expressions of a text.

    Raises NotPythonError where the running Python refuses it.
    """
    tree = syntax_tree(text)
    if tree is None:
        message = "this is not valid Python"
        raise NotPythonError(message)
    return Inference(tree)
