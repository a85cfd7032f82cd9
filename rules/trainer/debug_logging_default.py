"""ROC707, debug-logging-default."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    Fix,
    PythonRule,
    argument,
    calls,
    compile_lazily,
    conditions,
    is_explained_beside,
    last_name,
    statements,
    string_value,
)

from ._own_loggers import loggers_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_FOR_DEBUGGING = compile_lazily(r"debug|verbos|trace", re.IGNORECASE)
_ALWAYS = compile_lazily(
    r"version_info|[hH]andlers|\bis\s+(?:not\s+)?None\b|rank|is_main_process|is_master"
)
"""What stands in conditions that do not ask whether somebody wants to see more."""
_ROOT_LEVEL = compile_lazily(
    r"(?:getLogger[\s\\]*\([\s\\]*\)|\broot\w*)[\s\\]*\.[\s\\]*setLevel[\s\\]*\(|disable[\s\\]*\("
)
_QUIETENED = compile_lazily(
    r"getLogger[\s\\]*\([^()]+\)[\s\\]*\.[\s\\]*setLevel[\s\\]*\([\s\\]*(?:logging[\s\\]*\.[\s\\]*)?"
    r"(?:INFO|WARN|ERROR|CRITICAL)"
)
_HANDLER = compile_lazily(r"\b[A-Z]\w*Handler[\s\\]*\(")
_HIGHER_LEVEL = compile_lazily(
    r"setLevel[\s\\]*\([\s\\]*(?!(?:logging[\s\\]*\.[\s\\]*)?DEBUG|[\"']DEBUG)\w"
)


_IMPORTED = compile_lazily(r"(?m)^(?:import|from)[ \t]+(\w+)")
_CONFIGURES = r"(?m)^(?:logging\.)?basicConfig\("


class RootLevel(NamedTuple):
    """A call that sets the level of the root logger to DEBUG, and its argument that says so.

    Or that of loggers of the project itself, where nothing can ask for another one.
    """

    call: cst.Call
    level: cst.BaseExpression
    own: str = ""


def is_asked_for(found: RootLevel, source: Source) -> bool:
    """Calls under a condition, in an exception handler, or in a function named for debugging."""
    if any(
        not _ALWAYS.search(source.text_of(each.test)) for each in conditions(found.call, source)
    ):
        return True
    function = source.function(found.call)
    if source.enclosing(found.call, cst.ExceptHandler, cst.Match) is not None:
        return True
    return function is not None and (
        _FOR_DEBUGGING.search(function.name.value) is not None or _ends_early(function, source)
    )


def is_explained(found: RootLevel, source: Source) -> bool:
    """Calls with a comment next to them that gives a reason."""
    return is_explained_beside(found.call, source)


def is_configured_before(found: RootLevel, source: Source) -> bool:
    """Calls of `basicConfig` after the import of a package that has called it: they do nothing."""
    call = found.call
    if last_name(call.func) != "basicConfig" or argument(call, None, "force") is not None:
        return False
    above = source.code[: source.offset_of(source.span(call).line)]
    imported = set(_IMPORTED.findall(above))
    packages = source.modules_with(source.project.folders[-1], (_CONFIGURES,)) if imported else ()
    return any(
        os.path.basename(path) == "__init__.py"
        and os.path.basename(os.path.dirname(path)) in imported
        for path in packages
    )


def is_set_again(found: RootLevel, source: Source) -> bool:
    """Calls after which the file sets another level, of the root logger or of libraries."""
    if found.own:
        return False
    end = source.offset_of(source.span(found.call).end_line + 1)
    again = (each.end() for each in _ROOT_LEVEL.finditer(source.code, end))
    if any("DEBUG" not in source.text[start : source.text.find(")", start)] for start in again):
        return True
    return _QUIETENED.search(source.code) is not None


def is_left_to_handlers(found: RootLevel, source: Source) -> bool:
    """Functions in which each handler has a higher level, or writes files of limited size.

    Written for NVIDIA/DeepLearningExamples, PyTorch/Translation/GNMT/seq2seq/utils.py.
    """
    function = None if found.own else source.function(found.call)
    text = "" if function is None else source.text_of(function)
    if "RotatingFileHandler" in text:
        return True
    handlers = len(_HANDLER.findall(text))
    return 0 < handlers <= len(_HIGHER_LEVEL.findall(text))


class DebugLoggingDefault(PythonRule["cst.Call"]):
    """Root or package logger is always set to DEBUG.

    ## Why it matters
    The level of the root logger is that of all libraries: urllib3, filelock, matplotlib, numba,
    datasets and PIL write a line for each request, lock, glyph and chunk. A run of some days
    fills the disk of each rank with gigabytes of log, and what matters is lost in it. A module that
    does this when it is imported does so for every program that imports it.

    A package may do it to its own loggers: each gets the level DEBUG and a handler, hands nothing
    on, and no argument or variable chooses. Then a program that uses the package can neither make
    it quiet by the level of its logger, nor see more.

    ## Example
    ```python
    import logging

    import torch

    logging.basicConfig(level=logging.DEBUG)
    logger = logging.getLogger("trainer")
    ```

    ## Use instead
    Set the level of the root logger to INFO, that of the project's own logger to what is wanted,
    and take it from an argument or a variable.
    ```python
    import logging
    import os

    logging.basicConfig(level=logging.INFO)
    logger = logging.getLogger("trainer")
    logger.setLevel(os.environ.get("TRAINER_LOG_LEVEL", "INFO"))
    ```

    ## Fix safety
    Unsafe: the level becomes INFO, and somebody may read the lines that are no longer written.

    ## References
    - https://docs.python.org/3/howto/logging.html#configuring-logging-for-a-library
    """

    code = "ROC707"
    name = "debug-logging-default"
    since = "0.1.0"
    severity = "note"
    preview = True
    skips = frozenset({"test", "example", "docs", "benchmark"})
    on = calls(
        *("basicConfig", "setLevel"),
        words=("DEBUG",),
        where=r"(?:basicConfig|setLevel)[\s\\]*\(",
        begins=("basicConfig", "setLevel"),
    )
    excuses = (
        *(is_asked_for, is_explained, is_set_again, is_left_to_handlers),
        is_configured_before,
    )

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find what sets the level of the root logger to DEBUG, or that of all own loggers."""
        found = _root_level(node, source)
        if found is None or self.is_excused(found, source):
            return
        if found.own:
            message = f"This sets {found.own} to DEBUG, and nothing can ask for another level"
            help = "Take the level from a variable of the environment or an argument, and use INFO."
            yield self.finding(node, source, message, help=help, fix=_fix(found, source))
            return
        message = "The root logger is set to DEBUG, which makes every library log its details"
        if source.function(node) is None:
            message = "Importing this module sets the root logger of the whole process to DEBUG"
            if "__main__" in source.text or "parse_args(" in source.text:
                message = "This program sets the root logger to DEBUG, for all libraries too"
        help = (
            "Set INFO here, and DEBUG for the project's own logger where an argument or a "
            "variable asks for it."
        )
        yield self.finding(node, source, message, help=help, fix=_fix(found, source))


def _root_level(node: cst.Call, source: Source) -> RootLevel | None:
    """Return a call that sets the root logger or all own ones to DEBUG; None for other calls."""
    is_basic = source.resolve(node.func) == "logging.basicConfig"
    level = argument(node, None if is_basic else 0, "level")
    if level is None:
        return None
    if source.resolve(level) != "logging.DEBUG" and string_value(level) != "DEBUG":
        return None
    if is_basic or (isinstance(node.func, cst.Attribute) and _is_root(node.func.value, source)):
        return RootLevel(node, level)
    own = loggers_set(node, source)
    return RootLevel(node, level, own) if own is not None else None


def _is_root(node: cst.BaseExpression, source: Source) -> bool:
    if source.resolve(node) == "logging.root":
        return True
    made = source.value_of(node) if isinstance(node, cst.Name) else node
    if not isinstance(made, cst.Call) or source.resolve(made.func) != "logging.getLogger":
        return False
    named = made.args[0].value if made.args else None
    return named is None or string_value(named) in {"", "root"}


def _ends_early(function: cst.FunctionDef, source: Source) -> bool:
    """Return whether a function returns at once where nobody wants to debug."""
    return any(
        isinstance(each, cst.If)
        and _FOR_DEBUGGING.search(source.text_of(each.test))
        and any(isinstance(inner, cst.Return) for inner in statements(each.body))
        for each in statements(function.body)
    )


def _fix(found: RootLevel, source: Source) -> Fix | None:
    level = found.level
    if isinstance(level, cst.Attribute):
        edit = source.replace(level.attr, "INFO")
    elif string_value(level) is not None:
        edit = source.replace(level, '"INFO"')
    else:
        return None
    return Fix("Set the level to INFO", (edit,))
