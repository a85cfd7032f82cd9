"""``raise`` under a test on a tensor, and ``assert``: both become checks that an export keeps."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.models.control_flow.branches import check_expression
from rocmlint.models.control_flow.catching import check_not_caught
from rocmlint.models.control_flow.layout import at, call
from rocmlint.models.control_flow.refusals import Refusal, RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.models.control_flow.file import File
    from rocmlint.models.control_flow.layout import Line
    from rocmlint.models.control_flow.predicates import Guard, Split

_TORCH_CHECKS = {
    "RuntimeError": "torch._check",
    "ValueError": "torch._check_value",
    "IndexError": "torch._check_index",
    "TypeError": "torch._check_type",
    "NotImplementedError": "torch._check_not_implemented",
}


class Error(NamedTuple):
    """What is raised: the name of an exception, and its only argument."""

    name: str
    message: ast.expr | None


class Blanks(NamedTuple):
    """The indent of a statement, and by how much its parts are indented more."""

    indent: str
    unit: str


def is_raise(node: ast.If) -> bool:
    """Return whether the block of an ``if`` only raises."""
    return _raised(node) is not None


def _raised(node: ast.If) -> tuple[ast.Raise, ast.expr | None] | None:
    """Return what a block raises, and the message where a name holds it just for that."""
    *before, last = node.body
    if not isinstance(last, ast.Raise):
        return None
    if not before:
        return last, None
    (first, *more) = before
    if more or not isinstance(first, ast.Assign) or not isinstance(last.exc, ast.Call):
        return None
    names = [each.id for each in first.targets if isinstance(each, ast.Name)]
    given = [each.id for each in last.exc.args if isinstance(each, ast.Name)]
    return (last, first.value) if len(first.targets) == 1 and names == given else None


def raise_lines(file: File, node: ast.If, indent: str, unit: str) -> list[Line]:
    """Return the lines for an ``if`` that only raises, but its ``else``. Raises RefusedError."""
    found = _raised(node)
    assert found is not None
    error = _error(*found)
    check_not_caught(file, node, error.name)
    split = file.predicates.split(node.test, plain=True)
    lead = [each for each in split.guards if each.operator == "and"]
    if split.guards[: len(lead)] != tuple(lead):
        raise RefusedError(Refusal.MIXED_AND_OR)
    others: Sequence[Guard] = split.guards[len(lead) :]
    lines = []
    for guard in lead:
        lines.append(f"{indent}if {guard.text}:")
        indent += unit
    if file.plain_torch:
        if others or not split.is_tensor:
            raise RefusedError(Refusal.MIXED_AND_OR if others else Refusal.COMPARES_VALUES)
        return at(node.lineno, [*lines, *_torch_check(file, split, error, Blanks(indent, unit))])
    if others and split.is_negated:
        raise RefusedError(Refusal.MIXED_AND_OR)
    test = " or ".join([*(f"({each.text})" for each in others), split.test])
    return at(
        node.lineno,
        [*lines, *_raising(file, split._replace(test=test), error, Blanks(indent, unit))],
    )


def _raising(file: File, split: Split, error: Error, blanks: Blanks) -> list[str]:
    name = "raise_unless" if split.is_negated else "raise_if"
    arguments = [split.test, error.name, *_message(file, error, blanks)]
    return call(blanks.indent, blanks.unit, f"rocmlint.export.{name}", arguments)


def assert_text(file: File, node: ast.Assert, indent: str, unit: str) -> list[Line]:
    """Return the lines for an ``assert``, without the first's indent. Raises RefusedError."""
    for each in ast.walk(node):
        check_expression(each)
    check_not_caught(file, node, "AssertionError")
    split = file.predicates.split(node.test, plain=True)
    if split.guards:
        raise RefusedError(Refusal.MIXED_AND_OR)
    if node.msg is not None and not _is_text(node.msg):
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, "its message is not visibly a text")
    if file.plain_torch:
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, "AssertionError")
    split = split._replace(is_negated=not split.is_negated)
    lines = _raising(file, split, Error("AssertionError", node.msg), Blanks(indent, unit))
    return at(node.lineno, [lines[0].lstrip(), *lines[1:]])


def _torch_check(file: File, split: Split, error: Error, blanks: Blanks) -> list[str]:
    check = _TORCH_CHECKS.get(error.name)
    if check is None or error.message is None:
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, error.name)
    test = f"torch.logical_not({split.test})"
    if split.is_negated:
        is_call = isinstance(ast.parse(f"({split.test})", mode="eval").body, ast.Call)
        test = split.test if is_call else f"({split.test})"
    (said,) = _message(file, error, blanks)
    said = said if said.startswith("lambda") else f"lambda: {said}"
    return call(blanks.indent, blanks.unit, check, [f"{test}.item()", said])


def _message(file: File, error: Error, blanks: Blanks) -> list[str]:
    """Return the message as an argument: a constant text as it is, others as a function."""
    if error.message is None:
        return []
    text = file.text_of(error.message)
    if "\n" in text:
        deeper = f"{blanks.indent}{blanks.unit}{blanks.unit}"
        is_literal = any(each in text for each in ('"""', "'''", "\\\n"))
        first, *rest = text.split("\n")
        rest = rest if is_literal else [deeper + each.strip() for each in rest]
        text = "\n".join(["(", deeper + first, *rest, f"{blanks.indent}{blanks.unit})"])
    return [text if isinstance(error.message, ast.Constant) else f"lambda: {text}"]


def _error(node: ast.Raise, named: ast.expr | None) -> Error:
    """Return what is raised. Raises RefusedError."""
    if node.cause is not None or node.exc is None:
        raise RefusedError(
            Refusal.UNSUPPORTED_EXCEPTION, "raise ... from" if node.cause else "raise"
        )
    for each in (*ast.walk(node.exc), *(ast.walk(named) if named is not None else ())):
        check_expression(each)
    made = node.exc if isinstance(node.exc, ast.Call) else None
    name = ast.unparse(made.func if made is not None else node.exc)
    known = getattr(builtins, name, None)
    if not isinstance(known, type) or not issubclass(known, Exception):
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, name)
    arguments = made.args if made is not None else []
    if named is not None:
        arguments = [named, *arguments[1:]]
    if (made is not None and made.keywords) or len(arguments) > 1:
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, f"{name} with several arguments")
    if arguments and not _is_text(arguments[0]):
        raise RefusedError(Refusal.UNSUPPORTED_EXCEPTION, "its message is not visibly a text")
    return Error(name, arguments[0] if arguments else None)


def _is_text(node: ast.expr) -> bool:
    """Return whether an expression is visibly a string."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        return _is_text(node.left)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in {"format", "join"} and _is_text(node.func.value)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, ast.JoinedStr)
