"""Where the value of a variable goes, from where it is looked up to where it counts.

It is followed through names, attributes, fields, flags of argparse, and the functions of the
program that give it back or get it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.python.names import last_name
from rocmlint.python.scopes import FUNCTIONS
from rocmlint.verify.variables.evaluate import Evaluator
from rocmlint.verify.variables.frame import Frame
from rocmlint.verify.variables.functions import (
    ProgramFunction,
    RaisedError,
    UnknownError,
    destination,
    is_object,
)
from rocmlint.verify.variables.program import target_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.verify.variables.program import Program

SAYS = frozenset({
    "critical", "debug", "error", "exception", "format", "info", "join", "log", "print", "warn",
    "warning", "warning_once", "write",
})  # fmt: skip
"""Functions that write a text, for people."""
_PROBES = ("1", "0", "true", "True", "TRUE", "on", "no")
"""Values with which an expression has to be known before it counts."""
_FAR = 12
"""How many names and functions a value is followed through."""
_AROUND = 20
"""How many expressions around one are looked at; without an end, long sums take hours."""


@dataclass(frozen=True)
class Sink:
    """Where a value counts: the largest expression that follows from the variable alone."""

    node: ast.expr
    frame: Frame
    is_condition: bool
    where: str = ""
    """``name = expression``, where the value went through a name."""

    @property
    def text(self) -> str:
        """The code, and which name it had before."""
        text = ast.unparse(self.node)
        if not self.where:
            return text
        return self.where if isinstance(self.node, ast.Name) else f"{text}, where {self.where}"


def is_known(probe: Evaluator, node: ast.expr, frame: Frame) -> bool:
    """Return whether a value can be told, or the exception that there is in its place."""
    try:
        probe.outcome(node, frame)
    except UnknownError:
        return False
    except RaisedError:
        return True
    return True


def _is_truth(probe: Evaluator, node: ast.expr, frame: Frame) -> bool:
    try:
        return isinstance(probe.outcome(node, frame), (bool, int))
    except (UnknownError, RaisedError):
        return False


def is_none(probe: Evaluator, node: ast.expr, frame: Frame) -> bool:
    """Return whether a call gives nothing back: what it does with the value is inside."""
    try:
        return isinstance(node, ast.Call) and probe.outcome(node, frame) is None
    except RaisedError:
        return False


class Flow:
    """Follows the value of a variable to where it counts."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._seen: set[tuple[ast.expr, Frame]] = set()
        self._results: set[ast.expr] = set()
        self._calls: dict[ast.AST, ast.Call] = {}

    def sinks(self, node: ast.expr, frame: Frame, where: str = "", far: int = 0) -> Iterator[Sink]:
        """Yield where the value of an expression counts."""
        file = frame.file
        if node not in file.parents or any(n is node and f is frame for n, f in self._seen):
            return
        self._seen.add((node, frame))
        node = self._widest(node, frame)
        if _in_condition(file, node):
            if (result := self._result(node, frame)) is None:
                yield Sink(node, frame, is_condition=True, where=where)
            elif result not in self._results:
                self._results.add(result)
                yield Sink(result, Frame(file), is_condition=False, where=where)
            return
        uses = list(self._uses(node, frame)) if far < _FAR else []
        uses = [each for each in uses if self._may_follow(*each[:2])]
        found: list[Sink] = []
        for use, inside, told in uses:
            found += self.sinks(use, inside, told or where, far + 1)
        heard = [each for each in found if not _is_said(each.frame.file, each.node)]
        if uses and (heard or not found):
            yield from heard
        else:
            yield Sink(node, frame, is_condition=False, where=where)

    def _result(self, test: ast.expr, frame: Frame) -> ast.expr | None:
        """Return a call of the function whose result a condition decides, if all of it is known."""
        file = frame.file
        function = file.function_around(test)
        statement = next((e for e in file.around(test) if isinstance(e, ast.stmt)), None)
        if not isinstance(function, ast.FunctionDef) or not isinstance(statement, ast.If):
            return None
        returns = any(isinstance(each, ast.Return) for each in ast.walk(statement))
        if frame.call is not None or not returns:
            return None
        if file.functions.get(function.name) is not function:
            return None
        call = self._calls.setdefault(
            function, ast.Call(ast.Name(function.name, ast.Load()), [], [])
        )
        file.parents.setdefault(call.func, call)
        probes = [Evaluator(self._name, each) for each in _PROBES]
        outer = Frame(file)
        return call if all(_is_truth(each, call, outer) for each in probes) else None

    def _may_follow(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether the value of an expression depends on the variable, or is not known."""
        outcomes: list[object] = []
        for value in ("0", "1", "true", "DETAIL", "", None):
            try:
                outcomes.append(Evaluator(self._name, value).outcome(node, frame))
            except UnknownError:
                return value is not None
            except RaisedError:
                outcomes.append(RaisedError)
        return any(each != outcomes[0] for each in outcomes)

    def _widest(self, node: ast.expr, frame: Frame) -> ast.expr:
        """Return the largest expression around one whose value follows from the variable.

        What is a truth value does not become a text or a list again.
        """
        file, outer = frame.file, _outer(frame.file, node)
        for _ in range(_AROUND):
            if not isinstance(outer, (ast.expr, ast.comprehension)) or isinstance(
                outer, ast.Lambda
            ):
                break
            if isinstance(outer, ast.expr) and self._goes_on(node, outer, frame):
                node = outer
            outer = _outer(file, outer)
        return node

    def _goes_on(self, node: ast.expr, outer: ast.expr, frame: Frame) -> bool:
        probes = [Evaluator(self._name, each) for each in _PROBES]
        if not all(is_known(each, outer, frame) for each in probes):
            return False
        if is_none(probes[0], outer, frame):
            return False
        return not _is_truth(probes[0], node, frame) or _is_truth(probes[0], outer, frame)

    def _uses(self, node: ast.expr, frame: Frame) -> Iterator[tuple[ast.expr, Frame, str]]:
        """Yield the expressions that get a value on, each with what it is called there."""
        file = frame.file
        parent = file.parents[node]
        target = target_of(parent)
        if isinstance(target, ast.Name):
            told = shortened(f"{target.id} = {ast.unparse(node)}")
            if isinstance(file.parents[parent], ast.ClassDef):
                yield from ((each, Frame(file), told) for each in _of_objects(file, target.id))
            for load in file.loads.get(target.id, []):
                yield load, self._frame_at(load, frame), told
        elif isinstance(target, ast.Attribute):
            told = shortened(f"{ast.unparse(target)} = {ast.unparse(node)}")
            yield from ((e, Frame(file), told) for e in _of_objects(file, target.attr))
        elif isinstance(parent, ast.Return) or (
            isinstance(parent, ast.Lambda) and parent.body is node
        ):
            yield from self._of_callers(node, frame)
        elif isinstance(parent, ast.keyword):
            call = file.parents[parent]
            if isinstance(call, ast.Call) and last_name(call) == "add_argument":
                for each in file.nodes:
                    if isinstance(each, ast.Attribute) and each.attr == destination(call):
                        yield each, Frame(file), shortened(ast.unparse(call))
            elif isinstance(call, ast.Call):
                yield from self._inside(call, frame)
        elif isinstance(parent, ast.Call) and node in parent.args:
            yield from self._inside(parent, frame)

    def _frame_at(self, load: ast.expr, frame: Frame) -> Frame:
        around = frame.file.function_around(load)
        if around is frame.function or around is None:
            return frame if around is frame.function else Frame(frame.file)
        return Frame(frame.file, around)

    def _of_callers(self, node: ast.expr, frame: Frame) -> Iterator[tuple[ast.expr, Frame, str]]:
        file = frame.file
        if frame.call is not None and frame.caller is not None:
            yield frame.call, frame.caller, ""
            return
        function = file.function_around(node)
        if isinstance(function, ast.Lambda):
            made = next((e for e in file.around(function) if isinstance(e, ast.Call)), None)
            if made is not None and last_name(made) in {"field", "Field"}:
                yield made, Frame(file), ""
            elif isinstance(target := target_of(file.parents[function]), ast.Name):
                yield from ((each, Frame(file), "") for each in file.calls.get(target.id, []))
        elif isinstance(function, FUNCTIONS):
            for call in file.calls.get(function.name, []):
                yield call, Frame(file, file.function_around(call)), ""
            for each in _of_objects(file, function.name):
                if not isinstance(file.parents[each], ast.Call):  # a property
                    yield each, Frame(file), ""
            for load in file.loads.get(function.name, []):
                around = file.parents[load]
                if isinstance(around, ast.keyword) and around.arg == "default_factory":
                    field = file.parents[around]
                    if isinstance(field, ast.expr):
                        yield field, Frame(file), ""

    def _inside(self, call: ast.Call, frame: Frame) -> Iterator[tuple[ast.expr, Frame, str]]:
        """Yield the uses of the parameters of a function of the program that gets the value."""
        try:
            called = Evaluator("", None).outcome(call.func, Frame(frame.file))
        except (UnknownError, RaisedError):
            return
        if not isinstance(called, ProgramFunction):
            return
        inner = frame.calling(called.file, called.node, call)
        probe = Evaluator(self._name, "1")
        for parameter, given in inner.arguments.items():
            if given in called.file.parents and given not in frame.file.parents:
                continue  # a default
            if not is_known(probe, given, frame) or not self._may_follow(given, frame):
                continue
            for load in called.file.loads.get(parameter, []):
                if called.file.function_around(load) is called.node:
                    yield load, inner, shortened(f"{parameter} = {ast.unparse(given)}")


def _of_objects(file: Program, name: str) -> Iterator[ast.expr]:
    """Yield where an attribute of a class of the file is used."""
    for each in file.nodes:
        if isinstance(each, ast.Attribute) and each.attr == name:
            if isinstance(each.ctx, ast.Load) and is_object(each.value, file):
                yield each


def _outer(file: Program, node: ast.AST) -> ast.AST:
    """Return what surrounds an expression; a method belongs to its call."""
    parent = file.parents[node]
    return file.parents[parent] if isinstance(parent, ast.Attribute) else parent


def _in_condition(file: Program, node: ast.AST) -> bool:
    """Return whether only the truth of a value counts where it stands."""
    parent = file.parents[node]
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.Not)
    if isinstance(parent, ast.BoolOp):
        is_last = parent.values[-1] is node
        if isinstance(parent.op, ast.And) and not is_last:
            return True
        return _in_condition(file, parent)
    return getattr(parent, "test", None) is node or node in getattr(parent, "ifs", ())


def _is_said(file: Program, node: ast.AST) -> bool:
    """Return whether a value only becomes part of a message."""
    for around in list(file.around(node))[:4]:
        if isinstance(around, ast.Raise):
            return True
        if isinstance(around, ast.Call) and last_name(around.func) in SAYS:
            return True
        if isinstance(around, ast.stmt):
            return False
    return False


def shortened(text: str, limit: int = 100) -> str:
    """Return code on one line, and no more of it than a line holds."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
