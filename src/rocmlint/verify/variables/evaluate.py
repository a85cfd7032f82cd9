"""The value of an expression, given that of one variable: a small, harmless part of Python.

Nothing of the program runs. What its own functions give is worked out from their statements, and a
name is what the statements before it make it.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any, Final

from rocmlint.python.names import last_name
from rocmlint.verify.variables.frame import DEEPEST, Frame
from rocmlint.verify.variables.functions import (
    BUILTINS,
    COMPARE,
    LIMIT,
    METHODS,
    OF_MODULES,
    ProgramFunction,
    RaisedError,
    UnknownError,
    error_of,
    flag_of,
    handler_of,
    hashable,
    is_changed,
    is_object,
    may_end,
    plain,
    short_enough,
)
from rocmlint.verify.variables.program import COMPREHENSIONS, FUNCTIONS
from rocmlint.verify.variables.reaching import MISSING, Reaching, passes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.verify.variables.program import Lookup, Program

_STEPS = 20_000
"""How many expressions are looked at for one answer."""
_NESTED = 100
_GIVES_NONE: Final = object()
"""Of statements after which a function goes on."""


class Evaluator:
    """Evaluates expressions where the variable ``name`` is ``value``; None is not set."""

    def __init__(self, name: str, value: str | None) -> None:
        self.name = name
        self.value = value
        self._steps = 0
        self._depth = 0

    def outcome(self, node: ast.expr, frame: Frame) -> Any:
        """Return the value of an expression.

        Raises UnknownError where something else is needed, and RaisedError where the code raises.
        """
        self._steps += 1
        if self._steps > _STEPS or self._depth > _NESTED:
            raise UnknownError
        self._depth += 1
        try:
            found = self._lookup(node, frame)
            return self._evaluate(node, frame) if found is MISSING else found
        except (ValueError, LookupError, AttributeError) as error:
            raise RaisedError(error) from error
        except (TypeError, ArithmeticError, RecursionError) as error:
            raise UnknownError(node) from error
        finally:
            self._depth -= 1

    def truth(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether an expression is true. Raises as outcome does."""
        return bool(self.outcome(node, frame))

    def key(self, node: ast.expr, frame: Frame) -> str | None:
        """Return the text that an expression is; None where that is not known."""
        try:
            found = self.outcome(node, frame)
        except (UnknownError, RaisedError):
            return None
        if isinstance(found, bytes):  # of os.environb
            found = found.decode("utf-8", "surrogateescape")
        return found if isinstance(found, str) else None

    def _lookup(self, node: ast.expr, frame: Frame) -> object:
        lookup = frame.file.lookups.get(node)
        if lookup is None or not self.is_of_environment(lookup, frame):
            return MISSING
        value, name = self.value, self.key(lookup.key, frame)
        if name is None or (name != self.name and frame.file.others is None):
            raise UnknownError
        if name != self.name and frame.file.others is not None:
            value = frame.file.others.get(name)
        if value is not None and lookup.present is None:
            is_bytes = isinstance(self.outcome(lookup.key, frame), bytes)
            return value.encode("utf-8", "surrogateescape") if is_bytes else value
        if value is not None:
            return lookup.present
        if lookup.default is None:
            raise RaisedError(KeyError(self.name))
        return self.outcome(lookup.default, frame)

    def is_of_environment(self, lookup: Lookup, frame: Frame) -> bool:
        """Return whether it is the environment that is asked, or a parameter that is it here."""
        if lookup.is_sure:
            return True
        node = lookup.node
        held = getattr(getattr(node, "func", node), "value", None)
        if isinstance(node, ast.Compare):
            held = node.comparators[0]
        if not isinstance(held, ast.Name) or frame.caller is None:
            return False
        given = frame.arguments.get(held.id)
        return given is not None and frame.caller.file.is_environment(given)

    def _evaluate(self, node: ast.expr, frame: Frame) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Tuple, ast.List)):
            return [self.outcome(each, frame) for each in node.elts]
        if isinstance(node, ast.Set):
            return {hashable(self.outcome(each, frame)) for each in node.elts}
        if isinstance(node, ast.Dict):
            return {
                hashable(self._item(key, frame)): self.outcome(value, frame)
                for key, value in zip(node.keys, node.values, strict=True)
            }
        if isinstance(node, ast.Name):
            return self._name(node, frame)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, frame)
        if isinstance(node, ast.NamedExpr):
            return self.outcome(node.value, frame)
        if isinstance(node, ast.Lambda):
            return ProgramFunction(frame.file, node)
        if isinstance(node, ast.Call):
            return self._call(node, frame)
        if isinstance(node, ast.Compare):
            return self._compare(node, frame)
        if isinstance(node, ast.BoolOp):
            return self._either(node, frame)
        if isinstance(node, ast.UnaryOp):
            inner = self.outcome(node.operand, frame)
            if isinstance(node.op, ast.Not):
                return not inner
            if isinstance(node.op, ast.USub) and isinstance(inner, (int, float)):
                return -inner
        if isinstance(node, ast.IfExp):
            chosen = node.body if self.truth(node.test, frame) else node.orelse
            return self.outcome(chosen, frame)
        if isinstance(node, ast.Subscript):
            return self.outcome(node.value, frame)[hashable(self._item(node.slice, frame))]
        if isinstance(node, ast.JoinedStr):
            return "".join(self._formatted(each, frame) for each in node.values)
        if isinstance(node, ast.BinOp):
            return self._binary(node, frame)
        if isinstance(node, COMPREHENSIONS):
            return list(self._comprehension(node, frame))
        raise UnknownError

    def _item(self, node: ast.expr | None, frame: Frame) -> Any:
        if node is None:
            raise UnknownError
        if isinstance(node, ast.Slice):
            ends = (node.lower, node.upper, node.step)
            return slice(*(self.outcome(each, frame) if each else None for each in ends))
        return self.outcome(node, frame)

    def _formatted(self, node: ast.expr, frame: Frame) -> str:
        if isinstance(node, ast.FormattedValue):
            if node.format_spec or node.conversion != -1:
                raise UnknownError
            return str(plain(self.outcome(node.value, frame)))
        return str(self.outcome(node, frame))

    def _binary(self, node: ast.BinOp, frame: Frame) -> Any:
        left, right = self.outcome(node.left, frame), self.outcome(node.right, frame)
        if isinstance(node.op, ast.Add) and isinstance(left, (str, list, int, float)):
            return short_enough(left + right)
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            return short_enough(left % (tuple(right) if isinstance(right, list) else right))
        if isinstance(node.op, ast.BitOr) and isinstance(left, (set, frozenset)):
            return left | right
        numbers = {ast.Sub: operator.sub, ast.FloorDiv: operator.floordiv}
        if type(node.op) in numbers:
            return numbers[type(node.op)](left, right)
        raise UnknownError

    def _comprehension(self, node: Any, frame: Frame) -> Iterator[Any]:
        (loop, *more) = node.generators
        if more or not isinstance(loop.target, ast.Name) or isinstance(node, ast.DictComp):
            raise UnknownError
        for each in plain(self.outcome(loop.iter, frame)):
            inner = frame.with_value(loop.target.id, each)
            if all(self.truth(test, inner) for test in loop.ifs):
                yield self.outcome(node.elt, inner)

    def _compare(self, node: ast.Compare, frame: Frame) -> bool:
        left = self.outcome(node.left, frame)
        for test, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.outcome(right_node, frame)
            if not COMPARE[type(test)](left, right):
                return False
            left = right
        return True

    def _either(self, node: ast.BoolOp, frame: Frame) -> Any:
        """Return what and/or give; an operand that is not reached need not be known."""
        result = None
        for each in node.values:
            result = self.outcome(each, frame)
            if bool(result) is isinstance(node.op, ast.Or):
                break
        return result

    # Names and attributes

    def _name(self, node: ast.Name, frame: Frame) -> Any:
        if node.id in frame.values:
            return frame.values[node.id]
        found = Reaching(self.outcome, node.id, frame).before(node)
        if found is not MISSING:
            return found
        return self.imported(frame, node.id)

    def imported(self, frame: Frame, name: str) -> Any:
        """Return what an import, a class or a function of the file makes of a name."""
        file = frame.file
        if name in file.functions:
            return ProgramFunction(file, file.functions[name])
        what = file.imports.get(name)
        other = what and what.name and file.open_module(what.module, what.level)
        if not what or not other or frame.depth > DEEPEST:
            raise UnknownError
        return self.at_end(other, what.name, frame.depth + 1)

    def at_end(self, file: Program, name: str, depth: int = 0) -> Any:
        """Return what a name of a module is when it has been imported."""
        frame = Frame(file, depth=depth)
        found = Reaching(self.outcome, name, frame).at_end()
        return self.imported(frame, name) if found is MISSING else found

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Any:
        file, base = frame.file, node.value
        if isinstance(base, ast.Name) and base.id in file.imports:
            what = file.imports[base.id]
            module = f"{what.module}.{what.name}".strip(".") if what.name else what.module
            if other := file.open_module(module, what.level):
                return self.at_end(other, node.attr, frame.depth + 1)
        if node.attr == "value" and isinstance(base, ast.Attribute):
            if isinstance(base.value, ast.Name) and base.value.id in file.classes:
                return self.outcome(base, frame)  # of an Enum
        values = file.attributes.get(node.attr, [])
        if len(values) == 1 and is_object(base, file):
            return self.outcome(values[0], Frame(file, depth=frame.depth))
        if (flag := flag_of(file, node)) is not None:
            return self._flag(flag, frame)
        method = file.functions.get(node.attr)
        if method and is_object(base, file):
            decorators = {last_name(each) for each in method.decorator_list}
            if decorators & {"property", "cached_property"}:
                return self._result(ProgramFunction(file, method), ast.Call(base, [], []), frame)
            return ProgramFunction(file, method)
        raise UnknownError

    def _flag(self, call: ast.Call, frame: Frame) -> Any:
        """Return what argparse makes of the default of a flag that nobody passes."""
        keywords = {each.arg: each.value for each in call.keywords}
        value = self.outcome(keywords["default"], frame)
        if "type" in keywords and isinstance(value, str):
            wanted = ast.Call(keywords["type"], [ast.Constant(value)], [])
            return self._call(wanted, frame)
        return value

    # Calls

    def _call(self, node: ast.Call, frame: Frame) -> Any:
        function, name = node.func, last_name(node.func)
        if isinstance(function, ast.Name) and name not in frame.file.functions:
            if name in BUILTINS and name not in frame.file.stores:
                return self._called(BUILTINS[name], node, frame)
        if name in {"field", "Field"} and name not in frame.file.functions:
            return self._field(node, frame)
        if isinstance(function, ast.Attribute):
            if name in OF_MODULES and isinstance(function.value, (ast.Name, ast.Attribute)):
                return self._called(OF_MODULES[name], node, frame)
            if name in METHODS or name in {"get", "index"}:
                return self._method(node, function, frame)
        elif name in OF_MODULES and name in frame.file.imports:
            return self._called(OF_MODULES[name], node, frame)
        called = self.outcome(function, frame)
        if not isinstance(called, ProgramFunction):
            raise UnknownError
        return self._result(called, node, frame)

    def _called(self, function: Callable[..., Any], node: ast.Call, frame: Frame) -> Any:
        given = [plain(self.outcome(each, frame)) for each in node.args]
        if node.keywords and function is not dict:
            raise UnknownError
        named = {each.arg or "": self.outcome(each.value, frame) for each in node.keywords}
        return function(*given, **named)

    def _method(self, node: ast.Call, function: ast.Attribute, frame: Frame) -> Any:
        held = self.outcome(function.value, frame)
        given = [plain(self.outcome(each, frame)) for each in node.args]
        named = {each.arg or "": self.outcome(each.value, frame) for each in node.keywords}
        if isinstance(held, str) and function.attr in METHODS and len(held) < LIMIT:
            if function.attr == "format" and ":" in held:
                raise UnknownError  # a width of any size
            # startswith() takes no lists.
            given = [tuple(e) if isinstance(e, list) else e for e in given]
            return getattr(held, function.attr)(*given, **named)
        if isinstance(held, (dict, list)) and function.attr in {"get", "index", "count"}:
            return getattr(held, function.attr)(*given)
        if held is None:
            raise AttributeError(function.attr)
        raise UnknownError

    def _field(self, node: ast.Call, frame: Frame) -> Any:
        """Return the default of a field of a dataclass or a pydantic model: it is not checked."""
        keywords = {each.arg: each.value for each in node.keywords}
        if "default_factory" in keywords:
            return self._call(ast.Call(keywords["default_factory"], [], []), frame)
        given = keywords.get("default", node.args[0] if node.args else None)
        if given is None:
            raise UnknownError
        return self.outcome(given, frame)

    def _result(self, called: ProgramFunction, node: ast.Call, frame: Frame) -> Any:
        function = called.node
        if isinstance(function, ast.AsyncFunctionDef) or is_changed(function):
            raise UnknownError
        inner = frame.calling(called.file, function, node)
        if isinstance(function, ast.Lambda):
            return self.outcome(function.body, inner)
        found = self._run(function.body, inner)
        return None if found is _GIVES_NONE else found

    def _run(self, body: list[ast.stmt], frame: Frame) -> Any:
        """Return what the statements of a function return."""
        for statement in body:
            found = self._step(statement, frame)
            if found is not _GIVES_NONE:
                return found
        return _GIVES_NONE

    def _step(self, statement: ast.stmt, frame: Frame) -> Any:
        if isinstance(statement, ast.Return):
            return self.outcome(statement.value, frame) if statement.value else None
        if isinstance(statement, ast.Raise):
            raise RaisedError(error_of(statement.exc))
        if isinstance(statement, ast.With):
            return self._run(statement.body, frame)
        if isinstance(statement, ast.Try):
            return self._tried(statement, frame)
        if isinstance(statement, ast.If):
            if not may_end(statement):
                return _GIVES_NONE
            chosen = statement.body if self.truth(statement.test, frame) else statement.orelse
            return self._run(chosen, frame)
        if isinstance(statement, FUNCTIONS) or not may_end(statement):
            passes(statement, frame, self.outcome)
            return _GIVES_NONE
        raise UnknownError

    def _tried(self, statement: ast.Try, frame: Frame) -> Any:
        try:
            found = self._run([*statement.body, *statement.orelse], frame)
        except RaisedError as error:
            handler = handler_of(statement, error.error)
            if handler is None:
                raise
            found = self._run(handler.body, frame)
        return found
