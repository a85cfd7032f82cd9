"""How Python code reads an environment variable: where, when, and what it makes of a value.

A value is followed from where it is looked up to where it counts: through names, attributes,
fields, flags of argparse, and the functions of the program that give it back or get it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.python.names import last_name
from rocmlint.verify.variables.evaluate import Evaluator
from rocmlint.verify.variables.flow import SAYS, Flow, Sink, is_known, is_none, shortened
from rocmlint.verify.variables.frame import Frame
from rocmlint.verify.variables.functions import ProgramFunction, RaisedError, UnknownError
from rocmlint.verify.variables.guards import as_chained, as_guard, guarded_by, is_check, is_presence
from rocmlint.verify.variables.program import Program, target_of
from rocmlint.verify.variables.reading import Reading
from rocmlint.verify.variables.writes_before_read import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.verify.variables.program import Lookup
    from rocmlint.verify.variables.reading import Kind
    from rocmlint.verify.variables.writes_before_read import When

_NO_READERS = SAYS | {
    "add", "append", "delenv", "discard", "endswith", "insert", "pop", "putenv", "remove",
    "replace", "set_env", "setdefault", "setenv", "setitem", "startswith", "unset_env", "unsetenv",
}  # fmt: skip
"""Functions that get a name without looking the variable up."""


class PythonFile(Program):
    """A Python file that can be asked how it reads a variable."""

    def readings(self, name: str) -> list[Reading]:
        """Return every place that looks the variable up; empty where it is only mentioned."""
        found: dict[tuple[int, ast.expr | None], Reading] = {}
        keys: set[ast.expr] = set()
        for lookup, frame, place in self._looked_up(name):
            keys.update(_constants(lookup.key, place))
            for each in self._readings(name, lookup, frame, place):
                found.setdefault((each.line, each.sink.node if each.sink else None), each)
        sure = [each for each in found.values() if each.kind == "reads"]
        sure = [each for each in sure if not self._is_default(each)]
        readings = [as_chained(self, as_guard(self, each, sure), sure) for each in sure]
        readings += [each for each in found.values() if each.kind != "reads"]
        return readings or list(self._mentions(name, keys))

    def _is_default(self, reading: Reading) -> bool:
        """Return whether it is asked if the variable is set only to set it, for others."""
        sink = reading.sink
        if sink is None or sink.frame.file is not self or not isinstance(sink.node, ast.Compare):
            return False
        guarded = set(guarded_by(self, sink.node)) if sink.is_condition else set()
        return is_presence(sink.node) and any(
            each.node in guarded
            and each.key is not None
            and Evaluator("", None).key(each.key, Frame(self)) == reading.name
            for each in self.once(settings)
        )

    def _looked_up(self, name: str) -> Iterator[tuple[Lookup, Frame, ast.expr]]:
        """Yield each look-up of the variable, and the call in this file that makes it."""
        asked = Evaluator(name, "1")
        for lookup in self.lookups.values():
            for frame, place in self._contexts(lookup.node, Frame(self), lookup.node):
                if asked.key(lookup.key, frame) == name:
                    yield lookup, frame, place
        mentions = list(self._named(name))
        calls = {
            around
            for node in mentions
            for around in list(self.around(node))[:2]
            if isinstance(around, ast.Call) and around not in self.lookups
        }
        for call in sorted(calls, key=lambda each: (each.lineno, each.col_offset)):
            helper = self._helper(call)
            if helper is None or helper.file is self:
                continue
            frame = Frame(self).calling(helper.file, helper.node, call)
            for lookup in helper.file.lookups.values():
                around = helper.file.function_around(lookup.node)
                if around is helper.node and Evaluator(name, "1").key(lookup.key, frame) == name:
                    yield lookup, frame, call

    def _contexts(
        self, node: ast.expr, frame: Frame, place: ast.expr, depth: int = 0
    ) -> Iterator[tuple[Frame, ast.expr]]:
        """Yield the frame of a look-up: as it stands there, and in each call of its function."""
        yield frame, place
        function = self.function_around(node)
        if depth > 2 or function is None:
            return
        if isinstance(function, ast.Lambda):
            target = target_of(self.parents[function])
            name = target.id if isinstance(target, ast.Name) else ""
        else:
            name = function.name if self.functions.get(function.name) is function else ""
        for call in self.calls.get(name, []) if name else ():
            around = self.function_around(call)
            outer = Frame(self, around)
            for caller, _ in self._contexts(call, outer, call, depth + 1):
                yield caller.calling(self, function, call), call

    def _helper(self, call: ast.Call) -> ProgramFunction | None:
        try:
            found = Evaluator("", None).outcome(call.func, Frame(self))
        except (UnknownError, RaisedError):
            return None
        return found if isinstance(found, ProgramFunction) else None

    def _named(self, name: str) -> Iterator[ast.expr]:
        """Yield where the name of the variable stands, or a name for it."""
        for text in self.texts.get(name, []):
            yield text
            target = target_of(self.parents[text])
            if isinstance(target, ast.Name) and len(self.stores[target.id]) == 1:
                yield from self.loads.get(target.id, [])

    def _readings(
        self, name: str, lookup: Lookup, frame: Frame, place: ast.expr
    ) -> Iterator[Reading]:
        def reading(sink: Sink) -> Reading:
            kind: Kind = (
                "reads" if Evaluator(name, "1").is_of_environment(lookup, frame) else "may read"
            )
            text = shortened(sink.text)
            return Reading(
                kind,
                place.lineno,
                self.when(place),
                text,
                name,
                is_check=is_check(sink.frame.file, sink.node),
                lookup=lookup,
                frame=frame,
                sink=sink,
            )

        start, inside = (place, Frame(self)) if place is not lookup.node else (lookup.node, frame)
        if start is place and self.function_around(place) is not None:
            inside = Frame(self, self.function_around(place))
        probe = Evaluator(name, "1")
        if not is_known(probe, start, inside) or is_none(probe, start, inside):
            start, inside = lookup.node, frame
        yield from map(reading, Flow(name).sinks(start, inside))

    def _mentions(self, name: str, keys: set[ast.expr]) -> Iterator[Reading]:
        """Yield the places that name the variable where other code may take the name from."""
        for node in self.texts.get(name, []):
            if node in keys:
                continue
            parent = self.parents[node]
            if isinstance(parent, (ast.Expr, ast.JoinedStr, ast.Raise)):
                continue  # documentation, a message
            if isinstance(parent, ast.Subscript) and not isinstance(parent.ctx, ast.Load):
                continue
            call = self.parents[parent] if isinstance(parent, ast.keyword) else parent
            if isinstance(call, ast.Call) and last_name(call.func) in _NO_READERS:
                continue
            if isinstance(parent, ast.Dict) and self._is_written(parent):
                continue
            text = shortened(ast.unparse(parent)) if isinstance(parent, ast.expr) else repr(name)
            yield Reading("may read", node.lineno, self.when(node), text, name)

    def _is_written(self, given: ast.Dict) -> bool:
        """Return whether a dictionary is what the environment is updated with."""
        parent = self.parents[given]
        return isinstance(parent, ast.Call) and last_name(parent.func) in {"update", "dict"}

    def when(self, node: ast.AST) -> When:
        """Return when a node is evaluated."""
        return "at import" if self.function_around(node) is None else "when called"


def _constants(*nodes: ast.expr) -> Iterator[ast.expr]:
    for node in nodes:
        yield from (each for each in ast.walk(node) if isinstance(each, ast.Constant))
