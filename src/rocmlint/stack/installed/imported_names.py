"""Names that a package imports from others when it is imported; read from source, never run.

Only what an import is certain to run counts: not the body of a function or a class, and nothing
that depends on a condition or is caught where it fails.
"""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.python.names import last_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.stack.installed.module_files import PackageModules

_MOST = 20_000_000
"""Characters that are parsed for one package, a few seconds' work; what HF has takes a tenth."""
_NOT_OF_IMPORTS = frozenset(
    {"ValueError", "KeyError", "TypeError", "OSError", "RuntimeError", "NotImplementedError"}
    | {"IndexError", "LookupError", "ZeroDivisionError", "FileNotFoundError", "NameError"}
)
"""Exceptions that an import of a missing name does not raise; AttributeError is in doubt."""
_TRANSPARENT = frozenset({"catch_warnings", "nullcontext", "no_grad"})
"""Context managers that let exceptions pass."""

Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class ImportedName:
    """A name that a module of another package must have, or the module itself (no ``name``)."""

    module: str
    name: str
    path: str
    line: int

    @property
    def top(self) -> str:
        """The package that it is asked of, by its import name."""
        return self.module.partition(".")[0]

    def __str__(self) -> str:
        """Return its full name."""
        return f"{self.module}.{self.name}" if self.name else self.module


def imported_names(modules: PackageModules, *, whole: bool = False) -> Iterator[ImportedName]:
    """Yield what ``import package`` asks of other packages, in the order of reading.

    Only with ``whole`` is it certain; without, a string may have been taken for code. Ends early
    for a package that would take too long.
    """
    read = modules.tree if whole else modules.outline
    waiting, seen = deque([modules.package]), {modules.package}
    while waiting and modules.read < _MOST:
        module = waiting.popleft()
        tree = read(module)
        for each in _executed(tree.body) if tree else ():
            for base, name in _asked(each, module, modules):
                own = base.partition(".")[0] == modules.package
                if not own:
                    yield ImportedName(base, name, modules.find(module) or "", each.lineno)
                for needed in _loaded(base, name, modules) if own else ():
                    if needed not in seen:
                        seen.add(needed)
                        waiting.append(needed)


def _asked(node: Import, module: str, modules: PackageModules) -> Iterator[tuple[str, str]]:
    """Yield module and name of each thing that a statement imports."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, "") for alias in node.names)
        return
    base = modules.source_of(node, module)
    if base:
        yield from ((base, "" if alias.name == "*" else alias.name) for alias in node.names)


def _loaded(base: str, name: str, modules: PackageModules) -> Iterator[str]:
    """Yield the modules of the package itself that an import of one of them executes."""
    parts = base.split(".")
    yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    if name and modules.find(f"{base}.{name}"):
        yield f"{base}.{name}"


def _executed(body: Iterable[ast.stmt]) -> Iterator[Import]:
    """Yield the imports among statements that run, and end the import where they fail."""
    for each in body:
        if isinstance(each, (ast.Import, ast.ImportFrom)):
            yield each
        elif isinstance(each, ast.Try):
            if not any(map(_catches, each.handlers)):
                yield from _executed([*each.body, *each.orelse])
            yield from _executed(each.finalbody)
        elif isinstance(each, ast.If):
            holds = _holds(each.test)
            if holds is not None:
                yield from _executed(each.body if holds else each.orelse)
        elif isinstance(each, ast.With):
            if all(last_name(item.context_expr) in _TRANSPARENT for item in each.items):
                yield from _executed(each.body)
        elif isinstance(each, ast.Raise):
            return


def _catches(handler: ast.ExceptHandler) -> bool:
    """Return whether a failed import may end in a handler that does not raise in turn."""
    if isinstance(handler.body[-1], ast.Raise):
        return False
    kind = handler.type
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return not all(each and last_name(each) in _NOT_OF_IMPORTS for each in kinds)


def _holds(test: ast.expr) -> bool | None:
    """Return whether a condition holds when a program runs; None if that is not known."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _holds(test.operand)
        return None if inner is None else not inner
    return False if last_name(test) == "TYPE_CHECKING" else None
