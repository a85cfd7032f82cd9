"""Which torch a project's uv.lock has, where `uv sync` installs it with the project."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rocmlint.published.pytorch_index import is_rocm

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_ROOT = (".", "./")


@lru_cache(maxsize=8)
def cuda_torch(lock: str) -> str:
    """Return the version of a torch for CUDA that a lock brings always, on Linux; "" if none.

    "" too where the lock has a torch for ROCm or the CPU, or cannot be read.
    """
    if "rocm" in lock:
        return ""
    versions = {
        str(each.get("version", ""))
        for each in _installed(_packages(lock))
        if each.get("name") == "torch"
    }
    if len(versions) != 1 or any("+" in each and "+cu" not in each for each in versions):
        return ""
    return versions.pop()


@lru_cache(maxsize=8)
def has_rocm_torch(lock: str) -> bool | None:
    """Return whether a lock has a torch for ROCm, maybe beside others; None where it has none."""
    found = [each for each in _packages(lock) if each.get("name") == "torch"]
    return any(map(_is_for_rocm, found)) if found else None


def _is_for_rocm(package: dict[str, Any]) -> bool:
    source = package.get("source")
    places = source.values() if isinstance(source, dict) else ()
    return "rocm" in str(package.get("version")) or any(is_rocm(str(each)) for each in places)


def _packages(lock: str) -> list[dict[str, Any]]:
    from rocmlint.text.toml import loads  # noqa: PLC0415 - few projects ask

    try:
        packages = loads(lock).get("package", [])
    except (ValueError, RecursionError):
        return []
    return (
        [each for each in packages if isinstance(each, dict)] if isinstance(packages, list) else []
    )


def _installed(packages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what is installed with the project itself, without extras and groups."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    for each in packages:
        by_name.setdefault(str(each.get("name")), []).append(each)
    waiting = [each for each in packages if _is_root(each)]
    seen: set[int] = set()
    while waiting:
        package = waiting.pop()
        if id(package) in seen:
            continue
        seen.add(id(package))
        yield package
        for needed in package.get("dependencies", ()):
            if isinstance(needed, dict) and _holds(str(needed.get("marker", ""))):
                waiting += by_name.get(str(needed.get("name")), [])


def _is_root(package: dict[str, Any]) -> bool:
    source = package.get("source")
    return isinstance(source, dict) and any(
        source.get(kind) in _OF_ROOT for kind in ("virtual", "editable")
    )


def _holds(marker: str) -> bool:
    """Return whether a marker holds on Linux."""
    from rocmlint.text.written import holds, requirement_of  # noqa: PLC0415 - loads packaging

    linux = {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64"}
    with_marker = requirement_of(f"torch ; {marker}" if marker else "torch")
    return with_marker is not None and holds(with_marker.marker, {**linux, "extra": ""})
