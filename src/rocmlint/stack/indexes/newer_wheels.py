"""The ROCm wheels of torch that PyTorch's own index has, as rows of the table."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

from rocmlint.published import rocm_wheels
from rocmlint.published.rocm_wheels import Row
from rocmlint.stack.indexes.fetch import FetchError
from rocmlint.stack.indexes.simple_index import by_python, project_files, wheel_of
from rocmlint.stack.versions import labelled_rocm
from rocmlint.text.json import dumps
from rocmlint.text.secrets import without_password
from rocmlint.text.written import minor_release

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocmlint.stack.indexes.fetch import IndexReader
    from rocmlint.stack.indexes.simple_index import IndexFile

_NO_ROW = Row("", (), "nightly", "", "", "", "", "", {}, "", {}, {}, {})


class WheelsOfMinor(NamedTuple):
    """Wheels that an index has of a minor version of torch."""

    rocm: frozenset[str]
    python_tags: Mapping[str, str]
    """Of each release, as in a row."""


def find_wheels(reader: IndexReader, server: str) -> tuple[Row, ...]:
    """Return the table with what the index has now. Raises FetchError.

    What the index lists replaces what a build matrix promised. The GPUs and the libraries of a
    minor version that the shipped table does not have stay unknown.
    """
    released = built(project_files(reader, server, "torch"))
    if not released:
        message = f"{without_password(server)}/torch/ lists no ROCm wheels"
        raise FetchError(message)
    nightly = built(project_files(reader, f"{server}/nightly", "torch"), nightly=True)
    rows = {each.torch: each for each in rocm_wheels.rows()}
    today = datetime.now(timezone.utc).date().isoformat()
    for torch, found in (*nightly.items(), *released.items()):
        row = rows.get(torch, replace(_NO_ROW, torch=torch))
        is_released = torch in released
        if not is_released and row.status == "release":
            continue
        page = f"{without_password(server)}/{'' if is_released else 'nightly/'}torch/"
        rows[torch] = replace(
            row,
            rocm=tuple(sorted(found.rocm, key=Version)),
            status="release" if is_released else "nightly",
            source=page,
            date=today,
            python_tags={**row.python_tags, **found.python_tags}
            if is_released
            else row.python_tags,
        )
    return tuple(rows[torch] for torch in sorted(rows, key=Version))


def written(rows: Iterable[Row]) -> bytes:
    """Return the content of the table's file."""
    return dumps({"rows": [asdict(each) for each in rows]}, indent=1).encode()


def built(files: Iterable[IndexFile], *, nightly: bool = False) -> dict[str, WheelsOfMinor]:
    """Return what there is for Linux and ROCm of each minor version: releases or nightly builds."""
    rocm: dict[str, set[str]] = {}
    tags: dict[str, dict[str, set[str]]] = {}
    for each in files:
        wheel = wheel_of(each.name)
        if wheel is None or not wheel.is_for_linux or wheel.version.is_prerelease != nightly:
            continue
        label = labelled_rocm(str(wheel.version))
        if label and wheel.version.local == f"rocm{label}":
            torch = minor_release(wheel.version)
            rocm.setdefault(torch, set()).add(label)
            of_release = tags.setdefault(torch, {})
            of_release.setdefault(wheel.version.public, set()).update(wheel.python_tags)
    return {torch: WheelsOfMinor(frozenset(rocm[torch]), _sorted(tags[torch])) for torch in rocm}


def _sorted(tags: Mapping[str, set[str]]) -> dict[str, str]:
    releases = sorted(tags, key=Version)
    return {each: " ".join(sorted(tags[each], key=by_python)) for each in releases}
