"""Where something is in the files of local rules: an attribute of a class, an exception."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rocmlint.disk.state import data_of
from rocmlint.paths import shown

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator
    from types import TracebackType

LOCAL = "rocmlint_local_"
"""How the names of the modules of local rules begin."""


def attribute_place(kind: type[Any], attribute: str) -> str:
    """Return ``file:line`` of what sets an attribute of a rule, see :func:`attribute_line`."""
    path, line = attribute_line(kind, attribute)
    return f"{shown(path)}:{line}"


def attribute_line(kind: type[Any], attribute: str) -> tuple[str, int]:
    """Return the file and line where a class of a rule, or a base of a local one, sets something.

    That is the line of the class where none sets it.
    """
    bases = [each for each in kind.__mro__ if each.__module__.startswith(LOCAL)]
    setting = next((each for each in bases if attribute in vars(each)), kind)
    path = file_of(setting)
    return path, next(_lines_of(path, setting.__name__, attribute), 1)


def file_of(kind: type[Any]) -> str:
    """Return the path of the file that defines a class."""
    return sys.modules[kind.__module__].__file__ or ""


def error_place(error: BaseException) -> str | None:
    """Return the file and line in the local rules where an exception was raised, if it was there.

    What a rule calls may raise: then it is the line of the call.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{shown(error.filename)}:{error.lineno}"
    places = list(_places(error.__traceback__))
    return places[-1] if places else None


def _places(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        frame = traceback.tb_frame
        if str(frame.f_globals.get("__name__")).startswith(LOCAL):
            yield f"{shown(frame.f_code.co_filename)}:{traceback.tb_lineno}"
        traceback = traceback.tb_next


def class_values(path: str, attribute: str) -> Iterator[str]:
    """Yield the strings that classes in a file set an attribute to, without running the file."""
    import ast  # noqa: PLC0415 - only who makes a rule pays for it

    for each in _classes(path):
        for statement in each.body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and _sets(statement, attribute):
                value = statement.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value


def _lines_of(path: str, name: str, attribute: str) -> Iterator[int]:
    """Yield the lines where a class sets an attribute, then that of the class itself."""
    found = [each for each in _classes(path) if each.name == name]
    for each in found:
        yield from (line.lineno for line in each.body if _sets(line, attribute))
    yield from (each.lineno for each in found)


def _classes(path: str) -> list[ast.ClassDef]:
    import ast  # noqa: PLC0415 - only mistakes pay for it

    from rocmlint.text.python_ast import syntax_tree  # noqa: PLC0415

    tree = syntax_tree((data_of(path) or b"").decode("utf-8", "replace"))
    nodes = [] if tree is None else ast.walk(tree)
    return [each for each in nodes if isinstance(each, ast.ClassDef)]


def _sets(statement: ast.stmt, attribute: str) -> bool:
    """Check whether a statement of a class sets an attribute, alone or with others."""
    import ast  # noqa: PLC0415 - only mistakes pay for it

    if isinstance(statement, ast.FunctionDef):
        return statement.name == attribute
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    names = (each for target in targets for each in ast.walk(target))
    return any(isinstance(each, ast.Name) and each.id == attribute for each in names)
