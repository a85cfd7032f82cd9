"""Whether the settings of uv take torch from an index for ROCm: pyproject.toml, or uv.toml."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rocmlint.published.pytorch_index import is_rocm

if TYPE_CHECKING:
    from collections.abc import Iterator

Table = dict[str, Any]

_URLS = ("index-url", "extra-index-url", "find-links")
_BACKENDS = ("rocm", "auto")
_ELSEWHERE = frozenset({"path", "git", "workspace"})
"""Sources of which nobody can tell here what they bring."""


def binds_torch(project: str) -> bool:
    """Return whether a pyproject.toml itself says of torch that it is from ROCm, or from elsewhere.

    Its source, its requirement or an override of uv says so, whatever the lock has.
    """
    root = _read(project)
    uv = _table(root, "tool", "uv")
    indexes = {str(each.get("name")): each for each in _tables(uv.get("index"))}
    sources = _table(uv, "sources").get("torch")
    for source in [sources] if isinstance(sources, dict) else _tables(sources):
        if _ELSEWHERE & source.keys():
            return True
        index = indexes.get(str(source["index"])) if "index" in source else source
        if index is None or is_rocm(str(index.get("url"))):  # it may be an index of the workspace
            return True
    return any("rocm" in each for each in _required(root)) or _is_overridden(uv)


def asks_rocm(project: str, settings: str, *, by_pip: bool) -> bool:
    """Return whether uv asks an index for ROCm for any package, by a pyproject.toml or a uv.toml.

    What is set for `uv pip` alone counts for nothing else.
    """
    for uv in (_table(_read(project), "tool", "uv"), _read(settings)):
        tables = (uv, _table(uv, "pip")) if by_pip else (uv,)
        if _lists_rocm(uv) or any(map(_names_rocm, tables)):
            return True
    return False


def _lists_rocm(uv: Table) -> bool:
    """Return whether an index for ROCm is listed; of an explicit one only sources take something.

    In a workspace that source may be another project's.
    """
    return any(
        is_rocm(str(each.get("url"))) and ("workspace" in uv or each.get("explicit") is not True)
        for each in _tables(uv.get("index"))
    )


def _names_rocm(table: Table) -> bool:
    urls = (url for key in _URLS for url in _texts(table.get(key)))
    return str(table.get("torch-backend", "")).startswith(_BACKENDS) or any(map(is_rocm, urls))


@lru_cache(maxsize=8)
def _read(text: str) -> Table:
    from rocmlint.text.toml import loads  # noqa: PLC0415 - few projects ask

    try:
        found: Table = loads(text)
    except (ValueError, RecursionError):
        return {}
    return found


def _is_overridden(uv: Table) -> bool:
    """Return whether uv is told of another torch than the packages require, or of none."""
    overridden = [each for each in _texts(uv.get("override-dependencies")) if _is_torch(each)]
    excluded = any(map(_is_torch, _texts(uv.get("exclude-dependencies"))))
    constrained = [*overridden, *_texts(uv.get("constraint-dependencies"))]
    is_rocm_build = any("rocm" in each for each in constrained if _is_torch(each))
    return excluded or is_rocm_build or any(";" in each for each in overridden)


def _required(root: Table) -> Iterator[str]:
    """Yield the requirements of torch, also those of extras and groups."""
    project = _table(root, "project")
    groups = [project.get("dependencies"), _table(root, "tool", "uv").get("dev-dependencies")]
    groups += _table(project, "optional-dependencies").values()
    groups += _table(root, "dependency-groups").values()
    yield from (each for group in groups for each in _texts(group) if _is_torch(each))


def _is_torch(requirement: str) -> bool:
    from rocmlint.text.written import requirement_of  # noqa: PLC0415 - loads packaging

    found = requirement_of(requirement)
    return found is not None and found.name.lower() == "torch"


def _table(table: Table, *path: str) -> Table:
    for key in path:
        below = table.get(key)
        table = below if isinstance(below, dict) else {}
    return table


def _tables(value: object) -> list[Table]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]
