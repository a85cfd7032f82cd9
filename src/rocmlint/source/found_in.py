"""Notes an excuse that holds, and where it found that: in which files around one."""

from __future__ import annotations

import inspect
import os
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from rocmlint.disk.consulted_files import existing_among, read_among
from rocmlint.findings import Excused
from rocmlint.paths import relative

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rocmlint.project.versions import Candidate
    from rocmlint.source.file import File

_DEEP = 3
"""How many objects lie at most between a candidate and the versions that it is judged by."""


def note_excuse(
    code: str, name: str, candidate: object, excuse: Callable[..., bool], file: File
) -> None:
    """Note the excuse that keeps a candidate of a rule back, where somebody asks for it.

    Others may have got the same answers before: it is asked once more, to see where from.
    """
    kept_back = file.kept_back
    if kept_back is None:
        return
    span = kept_back.place_of(candidate, file.span)
    if span is not None:
        reason = (inspect.getdoc(excuse) or excuse.__name__).partition("\n")[0]
        why = (excuse.__name__, reason, _found_in(excuse, candidate, file))
        kept_back.add(Excused(file.path, *span, code, name, *why))


def _found_in(
    excuse: Callable[[object, File], bool], candidate: object, file: File
) -> tuple[str, ...]:
    """Evaluate an excuse once more, and return where the answer was found.

    The places are seen from the root of the project. Of what decides a version or the platform
    only the line that declares it counts. There is none where the file itself is enough.
    """
    with file.anew():
        excuse(candidate, file)
        decisive = [*file.decisive_places, *_judged_by(excuse, candidate)]
        consulted = dict(file.own_consulted if decisive else file.consulted)
        root = file.project.folders[-1]
    read = read_among(consulted, file.disk)
    paths = read if read or decisive else existing_among(consulted)
    itself = os.path.abspath(file.path)
    own = relative(itself, root)
    found = [
        *(each for each in decisive if each.partition(":")[0] != own),
        *(relative(each, root) for each in paths if each != itself),
    ]
    return tuple(dict.fromkeys(found))


def _judged_by(excuse: Callable[..., bool], candidate: object) -> Iterator[str]:
    """Yield where the versions are declared that an excuse only reads from a candidate."""
    names = _names_in(inspect.unwrap(excuse))
    for name, value in _attributes(candidate).items():
        if name in names:
            yield from (each.place for each in _versions_in(value) if each.place)


def _names_in(function: object) -> set[str]:
    """Return the names that a function uses, and those of functions that it calls itself."""
    if not isinstance(function, FunctionType):
        return set()
    names = set(_names_of(function.__code__))
    called = [function.__globals__.get(each) for each in names]
    of_called = (inspect.unwrap(each) for each in called if isinstance(each, FunctionType))
    return names.union(*(_names_of(each.__code__) for each in of_called))


def _names_of(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names_of(each)


def _versions_in(value: object, deep: int = _DEEP) -> Iterator[Candidate]:
    from rocmlint.project.versions import Candidate  # noqa: PLC0415 - loads packaging

    if isinstance(value, Candidate):
        yield value
    elif deep:
        inner = value if isinstance(value, tuple) else _attributes(value).values()
        for each in inner:
            yield from _versions_in(each, deep - 1)


def _attributes(value: object) -> Mapping[str, object]:
    """Return the fields of a dataclass or a named tuple that is no node of a tree."""
    if type(value).__module__.startswith("libcst") or isinstance(value, type):
        return {}
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return {each: getattr(value, each) for each in getattr(value, "_fields", ())}
