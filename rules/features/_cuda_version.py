"""Where ``torch.version.cuda`` is asked whether it is None, and what hangs on the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    argument,
    attributes,
    calls,
    compile_lazily,
    constant,
    last_name,
    string_value,
    walk,
)

from ._caught import ANY_ERROR, handler_of, takes
from ._vendor import AMD, around

if TYPE_CHECKING:
    from rocmlint.rule import Source

_ERRORS_OF_NONE = frozenset({"AttributeError", "TypeError"})
TAKE_NONE = _ERRORS_OF_NONE | ANY_ERROR
"""What an `except` around None that is used as a string names."""
_PARSERS = frozenset({"float", "int", "parse", "Version", "LooseVersion", "parse_version"})
_ON_PURPOSE = compile_lazily(
    rf"{AMD}|nvidia|cuda_home|nvcc|cpp_extension|cudaextension|cuda_arch_list|torch_extensions",
    re.IGNORECASE,
)
_BUILDERS = compile_lazily(r"(^|/)(csrc|extensions?|\w*build\w*)(/|\.py)")
READS_CUDA_VERSION = attributes(
    "cuda",
    words=("version.cuda", " .cuda", "\n.cuda", ". cuda"),
    where=r"version(?<!\wversion)\s*\.\s*cuda\b",
) | calls(
    "getattr",
    words=(".version,", "(version,"),
    where=r"getattr(?<!\wgetattr)\s*\([\w.\s]*version\s*,",
)
"""Where ``torch.version.cuda`` may be read."""


@dataclass(frozen=True)
class Question:
    """A condition that needs CUDA to be true, or (``negated``) is true wherever CUDA is missing.

    ``condition`` is all of it, with what else it asks; ``user`` is the node that it decides for.
    """

    condition: cst.BaseExpression
    user: cst.CSTNode
    negated: bool

    def without_cuda(self) -> cst.CSTNode | None:
        """Return the block, or the expression, that is chosen where CUDA is missing."""
        if isinstance(self.user, cst.IfExp):
            return self.user.body if self.negated else self.user.orelse
        if not isinstance(self.user, cst.If):
            return None
        if self.negated:
            return self.user.body
        return self.user.orelse.body if isinstance(self.user.orelse, cst.Else) else None


def is_cuda_version(node: cst.Attribute | cst.Call, source: Source) -> bool:
    """Return whether an expression is ``torch.version.cuda``, also where ``getattr`` reads it."""
    if isinstance(node, cst.Attribute):
        named_so = last_name(node.value) == "version"
        return named_so and source.resolve(node) == "torch.version.cuda"
    return reads_version(node, "getattr", "cuda", source)


def reads_version(call: cst.Call, function: str, name: str, source: Source) -> bool:
    """Return whether a call is ``getattr(torch.version, name)`` or the like of it."""
    owner = argument(call, 0, None)
    return (
        owner is not None
        and string_value(argument(call, 1, None)) == name
        and source.resolve(call.func) == function
        and source.resolve(owner) == "torch.version"
    )


def question_about(version: cst.BaseExpression, source: Source) -> Question | None:
    """Find the condition that asks whether there is a CUDA version, None where none does."""
    node: cst.CSTNode = version
    condition: cst.BaseExpression | None = None
    negated = False
    while isinstance(node, cst.BaseExpression):
        parent = source.parent(node)
        if isinstance(parent, cst.Arg) and _is_bool(source.parent(parent), source):
            parent = source.parent(parent)
        elif isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not):
            negated = not negated
        elif isinstance(parent, cst.Comparison):
            equal = _compares_with_none(parent)
            if equal is None:
                return None
            negated ^= equal
        elif isinstance(parent, cst.BooleanOperation):
            if isinstance(parent.operator, cst.Or) and not negated:
                # What the other side allows is another matter, where this one asks for more.
                if not isinstance(node, cst.BooleanOperation):
                    return None
                condition = condition or node
        elif parent is None or (node is version and not _decides(node, parent)):
            return None
        else:
            return Question(condition or node, parent, negated)
        if parent is None:
            return None
        node = parent
    return None


def is_taken_apart(version: cst.BaseExpression, source: Source) -> bool:
    """Return whether a version is used as a string or number, which None is not."""
    parent = source.parent(version)
    if isinstance(parent, cst.Attribute):
        return isinstance(source.parent(parent), cst.Call)
    if isinstance(parent, cst.Arg):
        call = source.parent(parent)
        name = source.resolve(call.func) if isinstance(call, cst.Call) else None
        return name is not None and name.rpartition(".")[2] in _PARSERS
    return isinstance(parent, cst.Subscript)


def is_caught(node: cst.CSTNode, source: Source) -> bool:
    """Versions in a `try` for the error of None, or one that leaves everything as it was."""
    handler = handler_of(node, source, TAKE_NONE)
    if not isinstance(handler, cst.ExceptHandler):
        return handler is not None
    expected = handler.type is not None and takes(handler.type, _ERRORS_OF_NONE)
    answers = (cst.Raise,) if expected else (cst.Assign, cst.AnnAssign, cst.Raise, cst.Return)
    return not any(isinstance(each, answers) for each in walk(handler.body))


def _is_bool(call: cst.CSTNode | None, source: Source) -> bool:
    return isinstance(call, cst.Call) and source.resolve(call.func) == "bool"


def _compares_with_none(comparison: cst.Comparison) -> bool | None:
    """Return whether a comparison is ``== None`` (or ``is``), False for its contrary, else None."""
    first = comparison.comparisons[0]
    if len(comparison.comparisons) > 1 or constant(first.comparator) != "None":
        return None
    return isinstance(first.operator, (cst.Is, cst.Equal))


def _decides(node: cst.CSTNode, user: cst.CSTNode) -> bool:
    return isinstance(user, (cst.If, cst.IfExp, cst.Assert)) and user.test is node


def builds_cuda(node: cst.CSTNode, source: Source) -> bool:
    """Files that build extensions or CUDA code, by their path."""
    del node
    return _BUILDERS.search(source.place) is not None


def knows_amd(node: cst.CSTNode, source: Source) -> bool:
    """Code that knows of AMD or builds for CUDA: it names HIP, ROCm, NVIDIA or nvcc around."""
    return _ON_PURPOSE.search(around(node, source)) is not None
