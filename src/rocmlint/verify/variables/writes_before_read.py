"""What a program sets a variable to before it is read: certainly, or perhaps."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rocmlint.python.names import last_name
from rocmlint.verify.variables.evaluate import Evaluator
from rocmlint.verify.variables.frame import Frame
from rocmlint.verify.variables.functions import RaisedError, UnknownError
from rocmlint.verify.variables.reaching import MISSING, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.verify.variables.program import Function, Program


When = Literal["at import", "when called"]


@dataclass(frozen=True)
class Write:
    """A place that sets or removes a variable; ``value`` is None where it removes it."""

    line: int
    value: str | None
    is_certain: bool
    text: str
    when: When = "at import"


_CHANGES = frozenset({"__setitem__", "clear", "pop", "popitem", "setdefault", "update"})
"""Methods of the environment that change it."""


_NAMES_READER = re.compile(r"\b(environb?|getenvb?)\b").search


@dataclass(frozen=True)
class Setting:
    """An expression or a statement that changes the environment.

    ``key`` is None for one that sets names which are not written there; ``value`` is None where
    the variable is removed.
    """

    node: ast.AST
    kind: Literal["set", "default", "remove", "unknown"]
    key: ast.expr | None = None
    value: ast.expr | None = None


def settings(file: Program) -> Sequence[Setting]:
    """Return every place of a file that changes the environment of the process."""
    return [each for node in file.nodes for each in _settings(file, node)]


def _settings(file: Program, node: ast.AST) -> Iterator[Setting]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript) and file.is_own_environment(target.value):
                yield Setting(node, "set", target.slice, node.value)
            elif isinstance(target, ast.Attribute) and target.attr == "environ":
                yield Setting(node, "unknown")  # all that is not in the new one is gone
                yield from _many(file, node, node.value)
            elif isinstance(target, ast.Attribute) and _is_reader(file, target):
                yield Setting(node, "unknown")  # it may answer anything
    elif isinstance(node, ast.AugAssign):
        target = node.target
        if isinstance(target, ast.Subscript) and file.is_own_environment(target.value):
            yield Setting(node, "unknown", target.slice)
        elif file.is_own_environment(target):
            yield from _many(file, node, node.value)
    elif isinstance(node, ast.Delete):
        for each in node.targets:
            if isinstance(each, ast.Subscript) and file.is_own_environment(each.value):
                yield Setting(node, "remove", each.slice)
    elif isinstance(node, ast.Call):
        yield from _call(file, node)
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, (ast.Load, ast.Del)):
        is_plain = isinstance(file.parents[node], (ast.Assign, ast.AugAssign))
        if not is_plain and file.is_own_environment(node.value):
            yield Setting(node, "unknown", node.slice)
    elif isinstance(node, ast.Attribute) and node.attr in _CHANGES:
        parent = file.parents[node]
        is_called = isinstance(parent, ast.Call) and parent.func is node
        if not is_called and file.is_own_environment(node.value):
            yield Setting(node, "unknown")


def _is_reader(file: Program, target: ast.Attribute) -> bool:
    """Return whether a function that reads the environment is replaced."""
    return target.attr in {"getenv", "getenvb"} or file.is_own_environment(target.value)


def _call(file: Program, node: ast.Call) -> Iterator[Setting]:
    name, first = last_name(node.func), node.args[0] if node.args else None
    keywords = {each.arg: each.value for each in node.keywords}
    constants = [str(each.value) for each in node.args[:2] if isinstance(each, ast.Constant)]
    if name in {"exec", "patch", "setattr"} and any(map(_NAMES_READER, constants)):
        yield Setting(node, "unknown")
    elif name == "load_dotenv":
        override = keywords.get("override")
        if override is not None and not (isinstance(override, ast.Constant) and not override.value):
            yield Setting(node, "unknown")
    elif name == "dict" and first is not None and file.is_own_environment(first):
        # mock.patch.dict(os.environ, {...}): for as long as the block runs
        if isinstance(node.func, ast.Attribute):
            for each in [*node.args[1:2], *keywords.values()]:
                yield Setting(node, "unknown", *_keys(each))
    elif isinstance(node.func, ast.Attribute) and file.is_own_environment(node.func.value):
        if name == "update":
            if first is not None:
                yield from _many(file, node, first)
            for keyword in node.keywords:
                written = ast.Constant(keyword.arg) if keyword.arg else None
                yield Setting(node, "set" if written else "unknown", written, keyword.value)
        elif name in {"clear", "popitem"}:
            yield Setting(node, "unknown")
        elif name == "pop" and first is not None:
            yield Setting(node, "remove", first)
        elif name == "setdefault" and len(node.args) > 1:
            yield Setting(node, "default", first, node.args[1])
        elif name == "__setitem__" and len(node.args) > 1:
            yield Setting(node, "set", first, node.args[1])


def _keys(node: ast.expr) -> list[ast.expr]:
    return [each for each in node.keys if each][:1] if isinstance(node, ast.Dict) else []


def _many(file: Program, node: ast.AST, given: ast.expr) -> Iterator[Setting]:
    """Yield what a mapping sets, as far as it is written down."""
    if isinstance(given, ast.Name):
        stores = file.stores.get(given.id, [])
        parent = file.parents[stores[0]] if len(stores) == 1 else None
        given = parent.value if isinstance(parent, ast.Assign) else given
    if isinstance(given, ast.Call) and last_name(given) == "dict" and not given.args:
        for each in given.keywords:
            name = ast.Constant(each.arg) if each.arg else None
            yield Setting(node, "set" if name else "unknown", name, each.value)
    elif isinstance(given, ast.Dict):
        for key, value in zip(given.keys, given.values, strict=True):
            if key is not None:
                yield Setting(node, "set", key, value)
            elif not file.is_environment(value):
                yield Setting(node, "unknown")
    elif not file.is_environment(given):
        yield Setting(node, "unknown")


class Written(Walk):
    """What the environment has for a variable where it is read."""

    def __init__(self, evaluator: Evaluator, frame: Frame) -> None:
        super().__init__(evaluator.outcome, frame)
        self.evaluator = evaluator
        self._settings: dict[ast.AST, list[Setting]] = {}
        for each in self.file.once(settings):
            if each.key is None or self._is_its(each.key):
                self._settings.setdefault(each.node, []).append(each)
            elif each.kind != "default" and self.evaluator.key(each.key, Frame(self.file)) is None:
                unknown = Setting(each.node, "unknown")
                self._settings.setdefault(each.node, []).append(unknown)
        self._writers = self._functions_that_write()
        calls = [
            call
            for function in self._writers
            for call in self.file.calls.get(getattr(function, "name", ""), [])
        ]
        self._calls = {
            call: self.file.functions[last_name(call)]
            for call in calls
            if last_name(call) in self.file.functions
        }
        self.touch([*self._settings, *self._calls])

    def _is_its(self, key: ast.expr) -> bool:
        return self.evaluator.key(key, Frame(self.file)) == self.evaluator.name

    def _functions_that_write(self) -> set[Function]:
        found: set[Function] = set()
        for node in self._settings:
            around = self.file.function_around(node)
            while around is not None and around not in found:
                found.add(around)
                around = self.file.function_around(around)
        for _ in range(3):  # those that call them
            for function in list(found):
                for call in self.file.calls.get(getattr(function, "name", ""), []):
                    if around := self.file.function_around(call):
                        found.add(around)
        return found

    def write(self, node: ast.AST) -> Write | None:
        """Return what is written before a place, if anything may be."""
        if not self._settings:
            return None
        try:
            found = self.before(node)
        except (UnknownError, RaisedError) as error:
            place = getattr(error, "place", None)
            if not (isinstance(place, (ast.stmt, ast.Call))):
                place = next(iter(self._settings))
            return self._told(self._inside(place), None, is_certain=False)
        if found is MISSING:
            return None
        place, value = found
        if value == self.evaluator.value:
            return None
        return self._told(place, value, is_certain=True)

    def _inside(self, place: ast.AST) -> ast.AST:
        return next((each for each in ast.walk(place) if each in self._settings), place)

    def _told(self, place: ast.AST, value: str | None, *, is_certain: bool) -> Write:
        text = " ".join(ast.unparse(place).split())
        line: int = place.lineno  # type: ignore[attr-defined]
        when: When = "when called" if self.file.function_around(place) else "at import"
        return Write(line, value, is_certain, text if len(text) <= 100 else f"{text[:99]}…", when)

    def outside(self, function: Function) -> Any:
        """Return what was written when a function is entered."""
        frame = self.frame
        is_called = frame.function is function and frame.caller and frame.call in self.file.parents
        if is_called and frame.caller and frame.call:
            return Written(self.evaluator, frame.caller).before(frame.call)
        others = [each for each in self._settings if self.file.function_around(each) is not None]
        if others and any(not self._is_harmless(each) for each in others):
            raise UnknownError(others[0])
        return self.block(self.file.module.body)

    def _is_harmless(self, node: ast.AST) -> bool:
        """Return whether all that a place sets is what the variable is anyhow."""
        try:
            return all(self._of(each) == self.evaluator.value for each in self._settings[node])
        except (UnknownError, RaisedError):
            return False

    def _is_ruled_out(self, node: ast.AST) -> bool:
        """Return whether a condition around a place is known to be false."""
        inner = node
        for around in self.file.around(node):
            if isinstance(around, ast.If) and inner is not around.test:
                try:
                    is_true = self.evaluator.truth(around.test, Frame(self.file))
                except (UnknownError, RaisedError):
                    is_true = inner in around.body
                if is_true != (inner in around.body):
                    return True
            inner = around
        return False

    def leaf(self, statement: ast.stmt) -> Any:
        """Return what a statement writes: the place, and the value."""
        for node in reversed(list(ast.walk(statement))):
            if node in self._calls and isinstance(node, ast.Call):
                if self.file.statement_around(node) is not statement:
                    continue
                function = self._calls[node]
                inner = Written(self.evaluator, self.frame.calling(self.file, function, node))
                found = inner.block(function.body)
                if found is not MISSING:
                    return found
            elif node in self._settings:
                setting = self._settings[node][-1]
                if setting.kind != "default" or self.evaluator.value is None:
                    return node, self._of(setting)
        return MISSING

    def _of(self, setting: Setting) -> str | None:
        """Return what a variable is set to. Raises UnknownError."""
        if setting.kind == "unknown":
            raise UnknownError(setting.node)
        if setting.kind == "remove":
            return None
        if setting.kind == "default" and self.evaluator.value is not None:
            return self.evaluator.value  # it stays as it is
        try:
            value = self.evaluator.outcome(setting.value or ast.Constant(None), self.frame)
        except UnknownError as error:
            raise UnknownError(setting.node) from error
        if not isinstance(value, str):
            raise UnknownError(setting.node)
        return value


def writes(file: Program, name: str, value: str) -> Iterator[Write]:
    """Yield the places of a file that may set a variable to something other than it is."""
    walk = Written(Evaluator(name, value), Frame(file))
    for node, some in walk._settings.items():  # noqa: SLF001 - of this file
        if walk._is_harmless(node) or all(each.kind == "default" for each in some):  # noqa: SLF001
            continue
        if walk._is_ruled_out(node):  # noqa: SLF001
            continue
        yield walk._told(node, None, is_certain=False)  # noqa: SLF001
