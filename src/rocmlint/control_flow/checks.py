"""``raise`` under a test on a tensor, and ``assert``: both become checks that an export keeps."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from rocmlint.control_flow.branches import check_expression
from rocmlint.control_flow.refusals import Refusal, RefusedError
from rocmlint.control_flow.text import at, call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.control_flow.file import File
    from rocmlint.control_flow.layout import Line
    from rocmlint.control_flow.predicates import Guard, Split

_TORCH_CHECKS = {
    "RuntimeError": "torch._check",
    "ValueError": "torch._check_value",
    "IndexError": "torch._check_index",
    "TypeError": "torch._check_type",
    "NotImplementedError": "torch._check_not_implemented",
}


def is_raise(node: ast.If) -> bool:
    """Return whether the block of an ``if`` only raises."""
    return len(node.body) == 1 and isinstance(node.body[0], ast.Raise)


def raise_lines(file: File, node: ast.If, indent: str, unit: str) -> list[Line]:
    """Return the lines for an ``if`` that only raises, without its ``else``. Raises RefusedError."""
    (statement,) = node.body
    assert isinstance(statement, ast.Raise)
    error, message = _error(statement)
    split = file.predicates.split(node.test, plain=True)
    lead = [each for each in split.guards if each.operator == "and"]
    if split.guards[: len(lead)] != tuple(lead):
        raise RefusedError(Refusal.MIXED_AND_OR)
    others: Sequence[Guard] = split.guards[len(lead) :]
    lines = []
    for guard in lead:
        lines.append(f"{indent}if {guard.text}:")
        indent += unit
    if file.options.plain_torch:
        if others or not split.is_tensor:
            raise RefusedError(Refusal.MIXED_AND_OR if others else Refusal.COMPARES_VALUES)
        return at(node.lineno, [*lines, *_torch_check(file, split, indent, unit, error, message)])
    if others and split.is_negated:
        raise RefusedError(Refusal.MIXED_AND_OR)
    test = " or ".join([*(f"({each.text})" for each in others), split.test])
    return at(node.lineno, [*lines, *_raising(file, split._replace(test=test), indent, unit, error, message)])


def _raising(
    file: File, split: Split, indent: str, unit: str, error: str, message: ast.expr | None
) -> list[str]:
    name = "raise_unless" if split.is_negated else "raise_if"
    arguments = [split.test, error, *_message(file, message, indent, unit)]
    return call(indent, unit, f"rocmlint.export.{name}", arguments)


def assert_text(file: File, node: ast.Assert, indent: str, unit: str) -> list[Line]:
    """Return the lines for an ``assert``, without the first's indent. Raises RefusedError."""
    for each in ast.walk(node):
        check_expression(each)
    split = file.predicates.split(node.test, plain=True)
    if split.guards:
        raise RefusedError(Refusal.MIXED_AND_OR)
    if node.msg is not None and not _is_text(node.msg):
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, "its message is not visibly a text")
    if file.options.plain_torch:
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, "AssertionError")
    split = split._replace(is_negated=not split.is_negated)
    lines = _raising(file, split, indent, unit, "AssertionError", node.msg)
    return at(node.lineno, [lines[0].lstrip(), *lines[1:]])


def _torch_check(
    file: File, split: Split, indent: str, unit: str, error: str, message: ast.expr | None
) -> list[str]:
    check = _TORCH_CHECKS.get(error)
    if check is None or message is None:
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, error)
    test = f"({split.test})" if split.is_negated else f"torch.logical_not({split.test})"
    (said,) = _message(file, message, indent, unit)
    said = said if said.startswith("lambda") else f"lambda: {said}"
    return call(indent, unit, check, [f"{test}.item()", said])


def _message(file: File, message: ast.expr | None, indent: str, unit: str) -> list[str]:
    """Return the message as an argument: a constant text as it is, others as a function."""
    if message is None:
        return []
    text = file.text_of(message)
    if "\n" in text:
        deeper = f"{indent}{unit}{unit}"
        is_literal = '"""' in text or "'''" in text or "\\\n" in text
        lines = text.split("\n") if is_literal else [each.strip() for each in text.split("\n")]
        rest = lines[1:] if is_literal else [deeper + each for each in lines[1:]]
        text = "\n".join(["(", deeper + lines[0], *rest, f"{indent}{unit})"])
    return [text if isinstance(message, ast.Constant) else f"lambda: {text}"]


def _error(node: ast.Raise) -> tuple[str, ast.expr | None]:
    """Return the name of the exception, and its message. Raises RefusedError."""
    if node.cause is not None or node.exc is None:
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, "raise ... from" if node.cause else "raise")
    for each in ast.walk(node.exc):
        check_expression(each)
    made = node.exc if isinstance(node.exc, ast.Call) else None
    name = ast.unparse(made.func if made is not None else node.exc)
    known = getattr(builtins, name, None)
    if not isinstance(known, type) or not issubclass(known, Exception):
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, name)
    arguments = made.args if made is not None else []
    if (made is not None and made.keywords) or len(arguments) > 1:
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, f"{name} with several arguments")
    if arguments and not _is_text(arguments[0]):
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, "its message is not visibly a text")
    return name, arguments[0] if arguments else None


def _is_text(node: ast.expr) -> bool:
    """Return whether an expression is visibly a string."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        return _is_text(node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in {"format", "join"} and _is_text(node.func.value)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, ast.JoinedStr)
