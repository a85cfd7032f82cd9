"""pyproject.toml: what a project declares to need, and the package indexes that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from packaging.utils import canonicalize_name

from rocmlint.formats.model import Declared, Inclusion, Parts, Problem
from rocmlint.formats.packaging import pixi, poetry, sources
from rocmlint.formats.packaging.specifiers import Declaration, declare
from rocmlint.formats.readers import toml
from rocmlint.formats.readers.excerpt import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.readers.toml import Table, Value

    Part = Declared | Inclusion | Problem

Kind = TypeVar("Kind", Declared, Inclusion)


def parse(text: str) -> Parts:
    """Read a pyproject.toml: PEP 621, PEP 735, setuptools, Poetry, uv, PDM and Hatch."""
    excerpt = Excerpt.of(text)
    root = toml.read(excerpt)
    if isinstance(root, Problem):
        return Parts(problems=(root,))
    found: list[Part] = [
        *_standard(root),
        *_setuptools(root.table("tool", "setuptools", "dynamic")),
        *_poetry(root.table("tool", "poetry")),
        *_uv(root.table("tool", "uv")),
        *_pdm(root.table("tool", "pdm")),
        *_hatch(root.table("tool", "hatch", "envs")),
    ]
    of_pixi = pixi.read(root.table("tool", "pixi"))
    declared = _only(Declared, [*found, *of_pixi.declared])
    indexes = [*sources.indexes(root.table("tool"), declared), *of_pixi.indexes]
    return Parts(
        commands=of_pixi.commands,
        declared=declared,
        indexes=tuple(sorted(indexes, key=lambda each: each.span)),
        inclusions=_only(Inclusion, found),
        problems=tuple(each for each in found if isinstance(each, Problem)),
    )


def _only(kind: type[Kind], parts: list[Part]) -> tuple[Kind, ...]:
    found = (each for each in parts if isinstance(each, kind))
    return tuple(sorted(found, key=lambda each: each.span))


def _standard(root: Table) -> Iterator[Part]:
    yield from _requirements(root.get("project", "dependencies"))
    for group, value in root.table("project", "optional-dependencies").values.items():
        yield from _requirements(value, Declaration(group))
    yield from _requirements(root.get("build-system", "requires"), Declaration("build-system"))
    yield from _groups(root.table("dependency-groups"))


def _requirements(value: Value | None, where: Declaration | None = None) -> Iterator[Part]:
    """Read an array of PEP 508 strings."""
    for each in value.items() if value is not None else ():
        if each.text is None:
            continue
        result = declare(each.string, where or Declaration())
        if result is not None:
            yield result


def _groups(groups: Table) -> Iterator[Part]:
    """Read dependency groups; one that includes another declares its requirements as well."""
    by_name = {canonicalize_name(name): value for name, value in groups.values.items()}
    for name in groups.values:
        seen = {canonicalize_name(name)}
        waiting = [canonicalize_name(name)]
        while waiting:
            value = by_name.get(waiting.pop())
            if value is None:
                continue
            yield from _requirements(value, Declaration(name))
            for each in value.items():
                included = each.table.get("include-group")
                key = canonicalize_name((included and included.text) or "")
                if key and key not in seen:
                    seen.add(key)
                    waiting.append(key)


def _setuptools(dynamic: Table) -> Iterator[Part]:
    """Read where setuptools is told to find the requirements."""
    files = dynamic.get("dependencies", "file")
    if files is not None:
        for each in [files, *files.items()]:
            if each.text:
                yield Inclusion(each.text, each.excerpt.span())


def _poetry(table: Table) -> Iterator[Part]:
    extras: dict[str, str] = {}
    for extra, names in table.table("extras").values.items():
        for each in names.items():
            extras.setdefault(canonicalize_name(each.text or ""), extra)
    yield from _poetry_group(table.table("dependencies"), "", extras)
    yield from _poetry_group(table.table("dev-dependencies"), "dev", extras)
    for name, value in table.table("group").values.items():
        yield from _poetry_group(value.table.table("dependencies"), name, extras)


def _poetry_group(table: Table, group: str, extras: dict[str, str]) -> Iterator[Part]:
    for name, value in table.values.items():
        if canonicalize_name(name) == "python":
            continue
        for each in value.items() if isinstance(value.content, list) else (value,):
            where = group
            optional = each.table.get("optional")
            if optional is not None and optional.content is True and not group:
                where = extras.get(canonicalize_name(name), "optional")
            yield _poetry_dependency(name, each, table.keys.get(name, each.excerpt), where)


def _poetry_dependency(name: str, value: Value, key: Excerpt, group: str) -> Declared:
    version = value if value.text is not None else value.table.get("version")
    extras = value.table.get("extras")
    names = [each.text or "" for each in extras.items()] if extras is not None else []
    marker = poetry.marker_of({key: each.text for key, each in value.table.values.items()})
    text = None
    if version is not None and version.text is not None and marker is not None:
        bracketed = f"[{','.join(names)}]" if names else ""
        text = poetry.pep508(name, version.text, bracketed, marker)
    place = version.excerpt if version is not None and version.excerpt.text else key
    return Declared(text or name, canonicalize_name(name), place.span(), group)


def _uv(table: Table) -> Iterator[Part]:
    yield from _requirements(table.get("dev-dependencies"), Declaration("dev"))
    for key in ("constraint-dependencies", "override-dependencies"):
        yield from _requirements(table.get(key), Declaration(constraint=True))


def _pdm(table: Table) -> Iterator[Part]:
    for group, value in table.table("dev-dependencies").values.items():
        yield from _requirements(value, Declaration(group))


def _hatch(environments: Table) -> Iterator[Part]:
    for name, value in environments.values.items():
        for key in ("dependencies", "extra-dependencies"):
            yield from _requirements(value.table.get(key), Declaration(name))
