"""The call that loads a model, to which a commented argument belongs."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

    from ._toggles import Toggle

_LOADS = frozenset({"from_pretrained", "from_config", "_from_config", "from_single_file"})
_TAKES_ATTENTION = frozenset({"transformers", "peft", "trl", "unsloth"})
"""Packages whose classes take ``attn_implementation``, or pass it on to transformers."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ENCODER = compile_lazily(r"text_encoder|image_encoder|(?:^|_)vae(?:_|$)|vision_tower")


class LoadingCall(NamedTuple):
    """A call such as ``Model.from_pretrained(...)``, and the statement and function around it."""

    call: ast.Call
    statement: ast.stmt
    function: ast.AST
    other_arms: tuple[ast.stmt, ...] = ()
    """What runs in its place where a condition around it says otherwise."""

    @property
    def owner(self) -> str:
        """The first name of the class: ``diffusers`` of ``diffusers.AutoencoderKL``."""
        return ast.unparse(self.call.func).partition(".")[0]

    @property
    def target(self) -> str:
        """What the model is called: ``self.encoder``."""
        if isinstance(self.statement, ast.Assign) and len(self.statement.targets) == 1:
            return ast.unparse(self.statement.targets[0])
        return ""

    def is_on_in_other_arm(self, key: str) -> bool:
        """Check whether another arm of the condition around gives an argument to its model."""
        arms = (node for each in self.other_arms for node in ast.walk(each))
        return any(
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and each.func.attr in _LOADS
            and key in {given.arg for given in each.keywords}
            for each in arms
        )

    def is_only_evaluated(self) -> bool:
        """Check whether the model is an encoder, or is frozen or in evaluation mode, for good."""
        name = re.escape(self.target)
        if _ENCODER.search(self.target.rpartition(".")[2]):
            return True
        text = ast.unparse(self.function)
        loaded = ast.unparse(self.statement)
        calls = r"\.(?:eval\(\)|requires_grad_\(False\))"
        chained = re.search(calls, loaded.rpartition("from_")[2]) is not None
        frozen = (
            rf"(?<![\w.]){name}{calls}"
            rf"|\bin {name}\.parameters\(\):\s+\w+\.requires_grad = False"
        )
        later = bool(name) and re.search(frozen, text) is not None
        trained = bool(name) and re.search(rf"(?<![\w.]){name}\.train\(", text) is not None
        return (chained or later) and not trained


def loading_call(toggle: Toggle, line: int, source: Source) -> LoadingCall | None:
    """Return the call that a commented argument in a line belongs to, where it loads a model."""
    tree = source.python_tree if isinstance(toggle.node, ast.keyword) else None
    around = [] if tree is None else list(_around(tree, line))
    inner = [each for each in around if isinstance(each, (ast.Call, ast.Dict))]
    call = inner[-1] if inner else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr not in _LOADS:
        return None
    functions = [each for each in around if isinstance(each, _FUNCTIONS)]
    statements = [each for each in around if isinstance(each, ast.stmt)]
    function = functions[-1] if functions else tree or call
    return LoadingCall(call, statements[-1], function, tuple(_other_arms(around, line)))


def _other_arms(around: list[ast.AST], line: int) -> Iterator[ast.stmt]:
    """Yield the statements of the arms that are not taken where a line runs."""
    for each in around:
        if isinstance(each, ast.If):
            ends = each.body[-1].end_lineno or 0
            yield from each.orelse if line <= ends else each.body


def takes_attention(loading: LoadingCall, source: Source) -> bool:
    """Check whether a class takes ``attn_implementation``: of transformers, or of the project."""
    packages = [
        each.dotted.partition(".")[0]
        for each in source.names.in_module(loading.owner)
        if each.dotted
    ]
    return not packages or any(
        each in _TAKES_ATTENTION or not each or source.is_first_party(each) for each in packages
    )


def _around(tree: ast.AST, line: int) -> Iterator[ast.AST]:
    """Yield the nodes around a line, the outermost first."""
    for each in ast.iter_child_nodes(tree):
        first, last = getattr(each, "lineno", None), getattr(each, "end_lineno", None)
        if first is None or last is None:
            yield from _around(each, line)
        elif first <= line <= last:
            yield each
            yield from _around(each, line)
