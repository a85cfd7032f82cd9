"""Whether what is around the code of a definition is what its source or its package puts there."""

from __future__ import annotations

import builtins
import functools
import os
import re
import sys
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from .decorators_and_metaclasses import names_in, run_by
from .fingerprints import fingerprint, is_function
from .reachable import ABSENT, attributes, bases, methods, module_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
_COMPILES = {"exec", "eval", "compile"}
_NEAR = 2
"""How often what a function names is followed: one that does the work for another is."""
_DEPTH = 6
"""The same for functions of the package of the maker: torch.compile delegates often."""
_COPIES = (functools.wraps, functools.update_wrapper)
"""Functions that give a wrapper the names of what it wraps, and put nothing around it."""
_MOST = 8000
"""How many functions are looked at for one decorator."""


class Makers:
    """The code that a decorator, a metaclass or a base may put around a function.

    That is what its own code defines or names: functions, classes, and what the functions that it
    calls define and name in turn.
    """

    def __init__(self, maker: object) -> None:
        self.maker = maker
        self._levels: list[_Reach] = []

    def may_make(self, part: object) -> bool:
        """Return whether an object is one of these."""
        if self.maker is ABSENT:
            return False
        if issubclass(type(self.maker), type) and self.maker in bases(type(part)):
            return True
        if any(each.includes(part) for each in self._reaches(0, _NEAR)):
            return True
        return type(part) is FunctionType and any(
            each.includes(part) for each in self._reaches(_NEAR, _DEPTH)
        )

    def keeps_argument(self, part: object) -> bool:
        """Return whether the code that makes an object gives it what is decorated, to keep.

        That of a function does so where the function uses an argument of the one that defines it;
        an object without Python code has nothing else that it could call.
        """
        if type(part) is not FunctionType:
            return not code_of(part)
        for reach in self._reaches(0, _DEPTH):
            for code in reach.codes.values():
                if any(each is part.__code__ for each in code.co_consts):
                    count = code.co_argcount + code.co_kwonlyargcount
                    return bool(set(code.co_varnames[:count]) & set(part.__code__.co_freevars))
        return False

    def _reaches(self, first: int, end: int) -> Iterator[_Reach]:
        """Yield what the maker runs, then what that may call, and so on."""
        for depth in range(first, end):
            if depth == len(self._levels):
                self._levels.append(_Reach(self._functions(depth)))
            yield self._levels[depth]

    def _functions(self, depth: int) -> Iterable[FunctionType]:
        if not depth:
            return run_by(self.maker)
        found = self._levels[-1].named_functions()
        if depth < _NEAR:
            return found
        packages = {_package(each) for each in run_by(self.maker)[:1]}
        return [each for each in found if _package(each) in packages]


def _package(function: FunctionType) -> str:
    return str(function.__globals__.get("__name__")).partition(".")[0]


class _Reach:
    """The code that some functions define, and what they name."""

    def __init__(self, functions: Iterable[FunctionType]) -> None:
        self.functions = {id(each): each for each in functions if each not in _COPIES}.values()
        codes = [it for each in self.functions for it in _nested(each.__code__)]
        self.codes = {id(each): each for each in codes}
        self.compiles = any(_COMPILES & set(each.co_names) for each in codes)
        self._named: dict[int, object] | None = None

    def includes(self, part: object) -> bool:
        """Return whether an object is of that code, or is an instance of a class that is named."""
        codes = code_of(part)
        if any(id(each) in self.codes for each in codes):
            return True
        if self.compiles and codes and not _is_in_its_file(codes[0]):
            return True
        return (
            type(part) not in (FunctionType, MethodType) and id(type(part)) in self.named_values()
        )

    def named_values(self) -> dict[int, object]:
        """Return the values of the names that the functions use, by identity."""
        if self._named is None:
            found = (it for each in self.functions for it in _named_by(each))
            self._named = {id(each): each for each in found}
        return self._named

    def named_functions(self) -> list[FunctionType]:
        """Return the functions, and the methods of the classes, that are named."""
        found: list[FunctionType] = []
        for each in self.named_values().values():
            if type(each) is FunctionType and each not in _COPIES:
                found.append(each)
            elif issubclass(type(each), type) and module_of(each) != "builtins":  # type: ignore[arg-type]
                found += [it for base in bases(each) for it in methods(base)]  # type: ignore[arg-type]
        return found[:_MOST]


def _named_by(function: FunctionType) -> Iterator[object]:
    """Yield what the names of a function stand for, also in the modules that it names."""
    names = list(dict.fromkeys(names_in(function.__code__)))
    spaces = [function.__globals__]
    seen = {id(function.__globals__)}
    for space in spaces:
        for name in names:
            value = space.get(name)
            if value is None and space is function.__globals__:
                value = vars(builtins).get(name, sys.modules.get(name))
            if value is None:
                continue
            yield value
            if isinstance(value, ModuleType) and id(value) not in seen:
                seen.add(id(value))
                spaces.append(dict(attributes(value)))


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _nested(each)


def code_of(part: Any) -> Sequence[CodeType]:
    """Return the code of a function, or of the methods of a class or of that of an instance."""
    if type(part) is MethodType:
        part = part.__func__
    if type(part) is FunctionType:
        return (part.__code__,)
    owners = [part] if issubclass(type(part), type) else bases(type(part))
    return [each.__code__ for owner in owners for each in methods(owner)]


def is_set_by(package: str, name: str, part: object) -> bool:
    """Return whether a package itself puts an object in the place of its own function of a name.

    The code of the object must be that of a module of the package, as its file has it. That file
    must set an attribute of that name, or make the object where it sets attributes by a variable.
    """
    for code in code_of(part)[:1]:
        owners = _modules_of(code.co_filename)
        if any(each.partition(".")[0] == package for each in owners):
            around = _around(code)
            return around is not None and (
                _sets(code.co_filename, name) or any("setattr" in it.co_names for it in around)
            )
    return False


def _is_in_its_file(code: CodeType) -> bool:
    """Return whether the file that code names is there and has it: generated code may name any."""
    return os.path.exists(code.co_filename) and _around(code) is not None


def _around(code: CodeType) -> list[CodeType] | None:
    """Return the functions in which a file defines code; None if it does not."""
    whole = _compiled(code.co_filename, _state(code.co_filename))
    waiting: list[tuple[CodeType, list[CodeType]]] = [(whole, [])] if whole else []
    wanted = fingerprint(code)
    while waiting:
        each, outer = waiting.pop()
        for inner in each.co_consts:
            if isinstance(inner, CodeType):
                if inner.co_firstlineno == code.co_firstlineno and fingerprint(inner) == wanted:
                    return outer
                waiting.append((inner, [*outer, inner] if is_function(inner) else outer))
    return None


def _modules_of(file: str) -> Iterator[str]:
    for name, module in list(sys.modules.items()):
        if attributes(module).get("__file__") == file:
            yield name


def _sets(file: str, name: str) -> bool:
    """Return whether the text of a file sets an attribute of a name, or of one that it computes."""
    own = name.rpartition(".")[2]
    word, text = re.escape(own.encode()), _text(file, _state(file)) or b""
    if re.search(rb"\.%s\s*=[^=]|setattr\([^)]*[\"']%s[\"']" % (word, word), text):
        return True
    if b"setattr(" not in text:
        return False
    return any(_may_give(each.decode("utf-8", "replace"), own) for each in _FORMATTED.findall(text))


_FORMATTED = re.compile(rb"""\bf["'](\w*\{[^"']*\}\w*)["']""")
_LEAST = 4
"""How many letters of a name a formatted string must have, to be taken for what makes it."""


def _may_give(formatted: str, name: str) -> bool:
    parts = re.split(r"\{[^}]*\}", formatted)
    pattern = ".+".join(map(re.escape, parts))
    return sum(map(len, parts)) >= _LEAST and re.fullmatch(pattern, name) is not None


def _state(file: str) -> tuple[int, int] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@functools.lru_cache(maxsize=16)
def _compiled(file: str, state: tuple[int, int] | None) -> CodeType | None:
    text = _text(file, state)
    try:
        return None if text is None else compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@functools.lru_cache(maxsize=16)
def _text(file: str, state: tuple[int, int] | None) -> bytes | None:
    if state is None:
        return None
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except OSError:
        return None
