"""Why a model was not exported: the kind of the error, and the statement of the model behind it."""

from __future__ import annotations

import ast
import linecache
import re
from typing import Any

from rocmlint.export.frames import is_of_user, place
from rocmlint.python.scopes import FUNCTIONS

_FRAME = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<function>\S+)')
_LONGEST = 1500
_READS = frozenset({"item", "tolist", "numpy", "cpu", "nonzero"})
_CONVERSIONS = frozenset({"int", "float", "bool", "list", "range", "max", "min"})

_KINDS = (
    ("static", re.compile(r"specialized (it|to|due)|specialized it to be a constant")),
    ("constraint", re.compile(r"Constraints violated|constraint violation|ConstraintViolation")),
    (
        "unregistered",
        re.compile(
            r"[Cc]annot associate shape|Unsupported input type|non-tensor type|"
            r"register_pytree_node|not registered|register_constant"
        ),
    ),
    (
        "data",
        re.compile(
            r"GuardOnDataDependentSymNode|[Dd]ata-dependent|data dependent|DataDependentOutput|"
            r"PendingUnbackedSymbol|Could not (guard|extract specialized)|_local_scalar_dense"
        ),
    ),
    ("cond", re.compile(r"UncapturedHigherOrderOp|torch\.cond|higher order operator|while_loop")),
    ("patch", re.compile(r"ExportError|PatchNotProvenError")),
)
"""What messages of torch.export (2.5 to 2.13) tell, the most particular first."""


def described(error: BaseException) -> dict[str, Any]:
    """Return the kind of an error, its message, and the statement where it was raised."""
    text = "\n".join(_texts(error))
    where = place(_deepest(error))
    where = _written(text) or where if "user code" in text or not where else where
    file, _, line = where.rpartition(":")
    statement = statement_at(file, int(line)) if line.isdecimal() else {}
    kind = next((name for name, pattern in _KINDS if pattern.search(text)), "other")
    return {
        "kind": kind,
        "error": type(error).__name__,
        "message": str(error).strip()[:_LONGEST],
        "place": where,
        "rule": rule_of(kind, statement),
        **statement,
    }


def _texts(error: BaseException) -> list[str]:
    texts, seen = [], set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        texts.append(f"{type(current).__name__}: {current}")
        current = current.__cause__ or current.__context__
    return texts


def _deepest(error: BaseException) -> BaseException:
    """Return the error that has a frame of the model, following what it was raised from."""
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        if place(current):
            return current
        seen.add(id(current))
        current = current.__cause__ or current.__context__
    return error


def _written(text: str) -> str:
    """Return the last place of the model that a message names, as dynamo's do."""
    found = [
        f"{each['file']}:{each['line']}"
        for each in _FRAME.finditer(text)
        if is_of_user(each["file"])
    ]
    return found[-1] if found else ""


def statement_at(file: str, line: int) -> dict[str, str]:
    """Return the statement of a line: its text, its kind, and the function it is in."""
    source = "".join(linecache.getlines(file))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {"statement": linecache.getline(file, line).strip()}
    found: ast.stmt | None = None
    names: list[str] = []
    holder: ast.AST = tree
    while True:
        inner = next((each for each in _statements(holder) if _covers(each, line)), None)
        if inner is None:
            break
        found = holder = inner
        if isinstance(inner, (*FUNCTIONS, ast.ClassDef)):
            names.append(inner.name)
    return {
        "statement": _header(source, found) if found else linecache.getline(file, line).strip(),
        "form": _form(found),
        "function": ".".join(names),
    }


def _statements(holder: ast.AST) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for each in ast.iter_child_nodes(holder):
        if isinstance(each, ast.stmt):
            found.append(each)
        else:
            body = getattr(each, "body", None)  # of a handler, of a case
            found += body if isinstance(body, list) else []
    return found


def _covers(statement: ast.stmt, line: int) -> bool:
    return statement.lineno <= line <= (statement.end_lineno or statement.lineno)


def _header(source: str, statement: ast.stmt) -> str:
    """Return a statement in one line, without the body of a compound one."""
    lines = source.splitlines()
    last = statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        last = max(statement.lineno, body[0].lineno - 1)
    text = " ".join(each.strip() for each in lines[statement.lineno - 1 : last])
    return text[:200]


def _form(statement: ast.stmt | None) -> str:
    """Return what a statement does with a value that it reads of a tensor, as far as its form."""
    if isinstance(statement, ast.If) and all(isinstance(it, ast.Raise) for it in statement.body):
        return "raise"
    if isinstance(statement, (ast.If, ast.While)):
        return "branch"
    if isinstance(statement, ast.Assert):
        return "raise"
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return "loop"
    nodes = list(ast.walk(statement)) if statement else []
    if any(isinstance(each, ast.Call) and _reads(each) for each in nodes):
        return "read"
    if any(isinstance(each, (ast.IfExp, ast.BoolOp)) for each in nodes):
        return "branch"
    if any(isinstance(each, ast.comprehension) for each in nodes):
        return "loop"
    return ""


def _reads(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in _READS
    return isinstance(call.func, ast.Name) and call.func.id in _CONVERSIONS


_RULES = {"branch": "ROC801", "read": "ROC802", "loop": "ROC803", "raise": "ROC804"}


def rule_of(kind: str, statement: dict[str, str]) -> str:
    """Return the code of the rule that finds such a statement; nothing where none does."""
    if kind == "data":
        return _RULES.get(statement.get("form", ""), "")
    return {"cond": "ROC805", "unregistered": "ROC806"}.get(kind, "")
