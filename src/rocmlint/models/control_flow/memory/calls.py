"""What calls do to memory: what their results may share, what they write to, and what they keep."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.models.control_flow.memory import operations
from rocmlint.models.control_flow.memory.origins import (
    ANYTHING,
    ATTRIBUTES,
    NOTHING,
    OUTSIDE,
    PARAMETERS,
    STATISTICS,
)
from rocmlint.models.control_flow.memory.targets import Targets
from rocmlint.models.tensors.definitions import Definitions
from rocmlint.models.tensors.torch_names import (
    HOST_METHODS,
    METHODS,
    PYTHON_FUNCTIONS,
    PYTHON_METHODS,
    SHAPE_FUNCTIONS,
    SHAPE_METHODS,
    TENSOR_MODULES,
    words,
)
from rocmlint.models.tensors.value_facts import Kind
from rocmlint.python.names import root

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocmlint.models.control_flow.memory.origins import Origins
    from rocmlint.models.control_flow.memory.targets import Target
    from rocmlint.models.control_flow.scope import Scope
    from rocmlint.models.control_flow.tree import Tree
    from rocmlint.python.scopes import FunctionNode

_KNOWN_MODULES = frozenset({"torch", *TENSOR_MODULES} - {"torch.ops"})
_PLAIN_BUILTINS = words(
    """
    len int float bool str repr isinstance issubclass hasattr callable type id print range abs round
    any all sum divmod pow hash ord chr format slice object ValueError TypeError RuntimeError
    super IndexError KeyError NotImplementedError AssertionError
    """
)
_KEEPING_BUILTINS = words(
    "list tuple dict set frozenset sorted reversed zip enumerate iter next max min getattr filter"
)
_LOGGING = words("warning warning_once info info_once debug error warn exception")
_CONTAINER_READS = words(
    """
    get pop popleft popitem items keys values copy index count remove clear sort reverse join split
    format startswith endswith strip lower upper replace discard
    """
)
_CONTAINER_WRITES = words("append extend insert appendleft add setdefault")
PLAIN_METHODS = _CONTAINER_READS | _CONTAINER_WRITES | _LOGGING
"""Methods of lists, dictionaries, texts and loggers."""
_PLAIN_LIBRARIES = ("math.", "os.", "re.", "warnings.", "logging.", "typing.", "time.")


class Done(NamedTuple):
    """What a call does; expressions stand for the memory that they may share."""

    of: tuple[ast.expr, ...] = ()
    """The result may share the memory of these."""
    origins: Origins = NOTHING
    """And this memory."""
    written: tuple[ast.expr, ...] = ()
    writes: Origins = NOTHING
    """The memory that is written, besides that of ``written``."""
    kept: tuple[ast.expr, ...] = ()
    """What the call may store somewhere."""


@dataclass(frozen=True)
class Summary:
    """What a call of a function does, by its text."""

    writes: Origins
    keeps: bool
    returns: Origins

    def at(
        self, given: tuple[ast.expr, ...], receiver: tuple[ast.expr, ...], *, sees: bool
    ) -> Done:
        """Return what one call does that gives the function these.

        ``sees`` says whether it may be defined in the function that calls it, and see its names.
        """
        return Done(
            self._reached(self.returns, given, receiver),
            _outside(self.returns, sees=sees),
            self._reached(self.writes, given, receiver),
            _outside(self.writes, sees=sees),
            given if self.keeps else (),
        )

    @staticmethod
    def _reached(
        origins: Origins, given: tuple[ast.expr, ...], receiver: tuple[ast.expr, ...]
    ) -> tuple[ast.expr, ...]:
        reached = given if origins & {PARAMETERS, ANYTHING} else ()
        return (*reached, *receiver) if origins & {ATTRIBUTES, ANYTHING} else reached


def _outside(origins: Origins, *, sees: bool) -> Origins:
    """Return what of the memory that a function reaches its caller did not give to it."""
    found = origins & {ATTRIBUTES, STATISTICS}
    if ANYTHING in origins:
        found |= {ANYTHING if sees else ATTRIBUTES}
    return found


class Called:
    """The calls of a file."""

    def __init__(self, tree: Tree, summary_of: Callable[[FunctionNode], Summary]) -> None:
        """Take the file, and what says what its functions do as a whole."""
        self._tree = tree
        self._definitions = Definitions(tree.inference.tree)
        self.targets = Targets(tree, self._definitions)
        self._summary_of = summary_of
        self._done: dict[ast.Call, Done] = {}
        self.defined = frozenset(
            {*self._definitions.by_name, *self._definitions.classes, *vars(builtins)}
        )
        """Names that hold functions and classes."""
        self.own_names = frozenset({*self._definitions.classes, *self._definitions.imported})
        """Names of the file's classes, and of what it imports."""

    def dotted(self, scope: Scope, node: ast.expr) -> str:
        """Return the full name of what an import gave; empty for anything else."""
        name = root(node)
        if isinstance(name, ast.Name) and name.id in scope.bound:
            return ""
        return self._definitions.dotted(node)

    def result(self, scope: Scope, node: ast.Call) -> Done:
        """Return what a call in a function does."""
        done = self._done.get(node)
        if done is None:
            done = self._done[node] = self._of(scope, node)
        return done

    def _of(self, scope: Scope, node: ast.Call) -> Done:
        given = _given(node)
        dotted = self.dotted(scope, node.func)
        if dotted:
            return self._of_imported(dotted, node, given)
        targets = self.targets.of(scope, node)
        if targets is not None:
            return self._of_targets(scope, targets, node, given)
        if isinstance(node.func, ast.Attribute):
            return self._of_method(scope, node, node.func, given)
        if isinstance(node.func, ast.Name) and self._is_builtin(scope, node.func.id):
            return _of_builtin(node.func.id, node, given)
        return _unknown(node, given, sees=scope.has_closures)

    def _is_builtin(self, scope: Scope, name: str) -> bool:
        return name not in scope.bound and name not in self.targets.module_names

    def _of_imported(self, dotted: str, node: ast.Call, given: tuple[ast.expr, ...]) -> Done:
        module, _, name = dotted.rpartition(".")
        if module == "rocmlint.export":
            return Done(given, frozenset({ANYTHING}))
        if dotted.startswith((*_PLAIN_LIBRARIES, "einops.")):
            return Done(given)
        if module.startswith(("torch.compiler", "torch.jit")) and name.startswith("is_"):
            return Done()
        if not dotted.startswith("torch."):
            return _unknown(node, given)
        if operations.writes_by_place(name, node):
            return Done(given, written=given)
        if any(True for _ in operations.in_place_keywords(node)):
            return Done(given, written=given, kept=given if _has_double_star(node) else ())
        if module.endswith(("autocast", "amp", "cuda.amp", "profiler")) or name == "device":
            return Done()
        if module not in _KNOWN_MODULES or name in operations.CALLS_BACK or name[:1] == "_":
            return _unknown(node, given)
        if name in PYTHON_FUNCTIONS | SHAPE_FUNCTIONS:
            return Done()
        new = name in operations.NEW_MEMORY
        if name == "where" and len(node.args) != 3:
            new = True
        return Done((), frozenset({node})) if new else Done(given, frozenset({node}))

    def _of_targets(
        self, scope: Scope, targets: Sequence[Target], node: ast.Call, given: tuple[ast.expr, ...]
    ) -> Done:
        """Return what a call of functions of the file, or of modules of torch, does."""
        receiver = (node.func.value,) if isinstance(node.func, ast.Attribute) else (node.func,)
        found = Done((), frozenset({node}))
        for each in targets:
            if isinstance(each, tuple):
                name, made = each
                new = operations.gives_new_memory(made, name)
                reached = () if new else given
                one = Done(reached, written=given if new is None else ())
                if operations.writes_statistics(name):
                    one = one._replace(writes=frozenset({STATISTICS}))
            else:
                one = self._summary_of(each).at(given, receiver, sees=scope.has_closures)
            found = Done(
                (*found.of, *one.of),
                found.origins | one.origins,
                (*found.written, *one.written),
                found.writes | one.writes,
                (*found.kept, *one.kept),
            )
        return found

    def _of_method(
        self, scope: Scope, node: ast.Call, func: ast.Attribute, given: tuple[ast.expr, ...]
    ) -> Done:
        name, holder = func.attr, func.value
        on = (holder,)
        if name.endswith("__") and name.startswith("__"):
            return _unknown(node, given)
        if name.endswith("_"):
            return Done(on, written=on)
        kind = self._tree.inference.kind_of(holder)
        kept = () if kind is Kind.TENSOR else given
        is_own = isinstance(holder, ast.Name) and holder.id == scope.own_name
        if is_own:
            return _unknown(node, given)
        if any(True for _ in operations.in_place_keywords(node)):
            return Done((*on, *given), frozenset({node}), (*on, *given), NOTHING, kept)
        if name in _CONTAINER_WRITES and kind is not Kind.TENSOR:
            return Done(on, kept=given)
        if name in HOST_METHODS | SHAPE_METHODS and name != "numpy":
            return Done(kept=kept)
        if name in METHODS and not name.startswith("register_"):
            new = name in operations.NEW_MEMORY
            if new or (name in PYTHON_METHODS and name != "type"):
                return Done((), frozenset({node}), kept=kept)
            return Done(on, frozenset({node}), kept=kept)
        if name in _CONTAINER_READS:
            return Done((*on, *given))
        if name in _LOGGING and isinstance(holder, ast.Name):
            return Done()
        return _unknown(node, given)


def _given(node: ast.Call) -> tuple[ast.expr, ...]:
    positional = (each.value if isinstance(each, ast.Starred) else each for each in node.args)
    return (*positional, *(each.value for each in node.keywords))


def _has_double_star(node: ast.Call) -> bool:
    return any(each.arg is None for each in node.keywords)


def _of_builtin(name: str, node: ast.Call, given: tuple[ast.expr, ...]) -> Done:
    if name in _PLAIN_BUILTINS:
        return Done(origins=frozenset({node}))
    if name in _KEEPING_BUILTINS:
        return Done(given, frozenset({node}))
    return _unknown(node, given)


def _unknown(node: ast.Call, given: tuple[ast.expr, ...], *, sees: bool = False) -> Done:
    """Return what a call may do of which nothing is known."""
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    reached = (*given, receiver)
    origins = OUTSIDE | {node}
    if sees and not isinstance(node.func, ast.Attribute):
        origins |= {ANYTHING}  # a closure gives what it sees
    return Done(reached, origins, reached, OUTSIDE, given)
