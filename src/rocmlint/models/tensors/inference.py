"""Telling which expressions of a file hold tensors: the entry to this room."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.errors import RocmlintError
from rocmlint.models.tensors.collect import Collector
from rocmlint.models.tensors.definitions import Definitions
from rocmlint.models.tensors.flow import Flow
from rocmlint.models.tensors.reach import Reaches
from rocmlint.models.tensors.skippable_parameters import Spared
from rocmlint.models.tensors.value_facts import Kind
from rocmlint.text.python_ast import syntax_tree

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from rocmlint.models.tensors.dependence import Dependence
    from rocmlint.models.tensors.value_facts import Held


class NotPythonError(RocmlintError):
    """A text that the running Python refuses."""


@dataclass(frozen=True)
class Inference:
    """What is known about the expressions of a file."""

    tree: ast.Module
    dependences: tuple[Dependence, ...] = ()
    """Where control flow depends on a tensor, in the order of the text."""
    held: Mapping[ast.expr, Held] = field(default_factory=dict, repr=False)
    """What is known of the expressions that some statement uses, in the engine's own terms."""

    def kind_of(self, node: ast.expr) -> Kind:
        """Return what an expression of ``tree`` holds."""
        found = self.held.get(node)
        return Kind.UNKNOWN if found is None else found.kind


def infer(text: str) -> Inference:
    """Return what is known about the expressions of a text.

    Raises NotPythonError where the running Python refuses it, or it is nested too deeply.
    """
    tree = syntax_tree(text)
    if tree is None:
        message = "this is not valid Python"
        raise NotPythonError(message)
    try:
        definitions = Definitions(tree)
        reaches = Reaches(definitions)
        held = Flow(tree, definitions, reaches).run()
        found = tuple(_dependences(definitions, reaches, held))
    except RecursionError as error:
        message = "this Python is nested too deeply"
        raise NotPythonError(message) from error
    return Inference(tree, found, held)


def _dependences(
    definitions: Definitions, reaches: Reaches, held: Mapping[ast.expr, Held]
) -> list[Dependence]:
    spared = Spared(definitions, reaches)
    found = [
        each
        for function, placed in reaches.placed.items()
        for each in Collector(definitions, held, function, reaches, spared).of(placed)
    ]
    return sorted(found, key=lambda each: (each.line, each.column))
