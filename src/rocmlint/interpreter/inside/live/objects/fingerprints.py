"""Fingerprints of code objects: the same code, whichever file or process they came from."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Fingerprint = tuple[Any, ...]
"""Equal for equal code; hashable, and good within one process only."""

_OPTIMIZED = 0x1
"""CO_OPTIMIZED of CPython's ``code.h``: set for functions, not for modules and class bodies."""
_ITERABLE_COROUTINE = 0x100
"""CO_ITERABLE_COROUTINE of CPython's ``code.h``: ``types.coroutine`` sets it afterwards."""
_MADE_BY_COMPILER = ("<", "__annotate")
"""How the names of lambdas, comprehensions and (3.14) annotations begin."""
_TYPE_PARAMETERS = "<generic parameters of "
"""How the compiler (3.12) calls the scope around a definition that has type parameters."""


@dataclass(frozen=True)
class DefinedCode:
    """A function or class body that a code object defines, at any depth."""

    name: str
    """The qualified name, with ``<locals>``."""
    line: int
    fingerprint: Fingerprint
    is_function: bool
    inner: bool
    """Whether it is only defined when the function around it runs."""

    @property
    def is_named(self) -> bool:
        """Whether it has a name of its own; the compiler names lambdas and comprehensions."""
        return not self.name.rpartition(".")[2].startswith(_MADE_BY_COMPILER)

    @property
    def is_attribute(self) -> bool:
        """Whether it is a function that its module or a class of it should have."""
        return self.is_function and self.is_named and not self.inner


def fingerprint(code: CodeType) -> Fingerprint:
    """Return all of a code object that decides what it does, and its first line.

    The file name is left out, and so is what running it adds: the interpreter gives ``co_code`` as
    it was compiled, and ``types.coroutine`` sets one flag.
    """
    return (
        getattr(code, "co_qualname", code.co_name),
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags & ~_ITERABLE_COROUTINE,
        code.co_firstlineno,
        code.co_code,
        tuple(_constant(each) for each in code.co_consts),
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        getattr(code, "co_exceptiontable", b""),
    )


def _constant(value: object) -> object:
    """Return what is equal for equal constants only: 1 is not True or 1.0, 0.0 is not -0.0."""
    if isinstance(value, CodeType):
        return fingerprint(value)
    if isinstance(value, tuple):
        return (tuple, *map(_constant, value))
    if isinstance(value, frozenset):
        return (frozenset, frozenset(map(_constant, value)))
    if isinstance(value, (str, bytes)):
        return value
    return (type(value).__name__, repr(value))


def is_function(code: CodeType) -> bool:
    """Return whether it is the code of a function, not that of a module or a class body."""
    return bool(code.co_flags & _OPTIMIZED)


def definitions(code: CodeType, prefix: str = "", *, inner: bool = False) -> Iterator[DefinedCode]:
    """Yield what a code object defines, at any depth, each outer one before its inner ones."""
    for each in code.co_consts:
        if not isinstance(each, CodeType):
            continue
        if each.co_name.startswith(_TYPE_PARAMETERS):
            yield from definitions(each, prefix, inner=inner)
            continue
        name, function = prefix + each.co_name, is_function(each)
        yield DefinedCode(name, each.co_firstlineno, fingerprint(each), function, inner)
        below = f"{name}.<locals>." if function else f"{name}."
        yield from definitions(each, below, inner=inner or function)
