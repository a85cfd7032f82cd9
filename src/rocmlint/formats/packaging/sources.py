"""The package indexes of a pyproject.toml, and which requirements are taken from which of them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.formats.model import Declared, Index
from rocmlint.text.written import holds, requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.formats.readers.toml import Table, Value

_LINUX = {
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "x86_64",
    "os_name": "posix",
    "python_version": "3.11",
    "python_full_version": "3.11.0",
    "extra": "",
}
_OF_PIP = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL")
_BESIDE_PYPI = "PIP_EXTRA_INDEX_URL"


def indexes(tool: Table, declared: Iterable[Declared]) -> Iterator[Index]:
    """Yield the indexes that the tools are told of, with what they take from each."""
    required = [each for each in declared if not each.constraint]
    yield from _of_uv(tool.table("uv"), required)
    yield from _of_poetry(tool.table("poetry"), required)
    yield from _of_pdm(tool.table("pdm"), required)
    for name, value in tool.table("hatch", "envs").values.items():
        yield from _of_hatch(name, value.table, required)


def _of_uv(table: Table, required: list[Declared]) -> Iterator[Index]:
    """Read uv's: it asks the first index that has a package, or the one of the package's source."""
    sources = [
        (canonicalize_name(package), entry.table)
        for package, value in table.table("sources").values.items()
        for entry in (value.items() if isinstance(value.content, list) else (value,))
    ]
    bound = {package for package, _ in sources}
    free = tuple(each for each in required if not each.group and each.name not in bound)
    listed = _items(table.get("index"))
    asked = [each for each in listed if not _is(each.table, "explicit")]
    for each in listed:
        name = _text(each.table, "name")
        takes = [
            one
            for package, source in sources
            if name and _text(source, "index") == name and _is_for_linux(source)
            for one in required
            if one.name == package and _is_of(one, source)
        ]
        takes += free if asked == [each] else ()
        yield from _index(each.table.get("url"), not _is(each.table, "default"), tuple(takes))
    yield from _index(table.get("index-url"), False, () if listed else free)
    beside = [each for key in ("extra-index-url", "find-links") for each in _items(table.get(key))]
    for each in beside:
        yield from _index(each, True, free if len(beside) == 1 and not listed else ())
    for key in ("index-url", "extra-index-url", "find-links"):
        value = table.get("pip", key)
        for each in _items(value) or filter(None, [value]):
            yield from _index(each, key != "index-url", ())


def _of_poetry(table: Table, required: list[Declared]) -> Iterator[Index]:
    """Read Poetry's: what a dependency names as its source is asked for it alone."""
    groups = [("", table.table("dependencies"))]
    groups += [
        (name, value.table.table("dependencies"))
        for name, value in table.table("group").values.items()
    ]
    named = [
        (canonicalize_name(package), group, _text(each.table, "source"))
        for group, dependencies in groups
        for package, value in dependencies.values.items()
        for each in (value.items() if isinstance(value.content, list) else (value,))
    ]
    for source in _items(table.get("source")):
        name = _text(source.table, "name")
        beside = _text(source.table, "priority") not in ("", "default", "primary")
        takes = tuple(
            one
            for package, group, wanted in named
            if name and wanted == name
            for one in required
            if one.name == package and one.group in (group, "")
        )
        yield from _index(source.table.get("url"), beside, takes)


def _of_pdm(table: Table, required: list[Declared]) -> Iterator[Index]:
    """Read PDM's: it takes the best of all sources, of some packages from theirs alone."""
    for source in _items(table.get("source")):
        patterns = [each.text or "" for each in _items(source.table.get("include_packages"))]
        takes = None
        if patterns:
            takes = tuple(
                each
                for each in required
                if not each.group and any(fnmatchcase(each.name, one) for one in patterns)
            )
        is_beside = _text(source.table, "name") != "pypi"
        yield from _index(source.table.get("url"), is_beside, takes)


def _of_hatch(name: str, environment: Table, required: list[Declared]) -> Iterator[Index]:
    """Read the variables of an environment of Hatch's, which tell pip or uv."""
    variables = environment.table("env-vars")
    own = [each for each in required if each.group == name]
    is_alone = _is(environment, "detached") or _is(environment, "skip-install")
    named = {each.name for each in own}
    base = [each for each in required if not each.group and each.name not in named]
    takes = (*own, *(() if is_alone else base))
    for key in _OF_PIP:
        yield from _index(variables.get(key), key not in _OF_PIP[:3], takes)
    yield from _index(variables.get(_BESIDE_PYPI), True, takes if own or is_alone else None)


def _index(
    value: Value | None, beside: bool, takes: tuple[Declared, ...] | None
) -> Iterator[Index]:
    if value is not None and value.text:
        yield Index(value.text, value.excerpt.span(), beside, takes)


def _items(value: Value | None) -> list[Value]:
    return [] if value is None else list(value.items())


def _text(table: Table, key: str) -> str:
    value = table.get(key)
    return (value and value.text) or ""


def _is(table: Table, key: str) -> bool:
    value = table.get(key)
    return value is not None and value.content is True


def _is_of(declared: Declared, source: Table) -> bool:
    """Return whether a source of uv's holds for a requirement: one of an extra for that alone."""
    group = _text(source, "extra") or _text(source, "group")
    return declared.group == group if group else True


def _is_for_linux(source: Table) -> bool:
    marker = _text(source, "marker")
    requirement = requirement_of(f"torch ; {marker}") if marker else None
    return requirement is None or holds(requirement.marker, _LINUX)
