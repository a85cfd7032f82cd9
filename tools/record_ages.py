"""Writes the newest row of each table, and its day, for rocmlint.published.ages.

To be run after any of the other tools: the rows are in the tables, the days on the package index
that pip is configured with.

    python -m tools.record_ages
"""

from __future__ import annotations

import json
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import (
    amd_wheels,
    deepspeed,
    deprecated,
    drivers,
    requirements,
    rocm_wheels,
    tables,
    variables,
)
from rocmlint.published.name_data import FOLDER, NameFile
from rocmlint.stack.indexes.fetch import IndexReader
from rocmlint.stack.indexes.index_config import find_index
from rocmlint.stack.indexes.simple_index import first_uploads, project_files

OUTPUT = Path(tables.SHIPPED) / "ages.json"


def main() -> None:
    """Write the days."""
    found = {
        "names": max(map(newest_of_names, sorted(Path(FOLDER).glob("*.names"))), key=_day),
        "requirements": newest_requirement(),
        "rocm_wheels": newest_wheels(),
        "amd_wheels": newest_of_amd(),
        "drivers": newest_driver(),
        "deprecated": released("torch", deprecated.releases()[-1]),
        "deepspeed": released("deepspeed", str(max(deepspeed.releases()))),
        "variables": ("the files that were searched", variables.SEARCHED),
    }
    OUTPUT.write_text(json.dumps(found, indent=1) + "\n")


def newest_of_names(path: Path) -> tuple[str, str]:
    """Return the newest release in a file of names."""
    packed = NameFile(str(path))
    newest = max(map(Version, packed.head["versions"]))
    return released(canonicalize_name(packed.head["package"]), str(newest))


def newest_requirement() -> tuple[str, str]:
    """Return a release of the day of the requirements, which is that of the newest one."""
    for package in requirements.packages():
        version = str(requirements.releases(package)[-1])
        found = released(package, version)
        if found[1] == requirements.AS_OF:
            return found
    message = f"no release of {requirements.AS_OF} is the newest of its package"
    raise SystemExit(message)


def newest_wheels() -> tuple[str, str]:
    """Return the row of the newest wheels."""
    row = next(each for each in rocm_wheels.rows() if each.date == rocm_wheels.as_of())
    return f"torch {row.torch}, for ROCm {' and '.join(row.rocm)}", row.date


def newest_of_amd() -> tuple[str, str]:
    """Return the newest of AMD's builds."""
    build = next(each for each in amd_wheels.builds() if each.date == amd_wheels.as_of())
    return f"torch {build.torch}, for ROCm {build.rocm}", build.date


def newest_driver() -> tuple[str, str]:
    """Return the first row of AMD's matrix, which is the newest driver."""
    driver = drivers.newest()
    return f"amdgpu {driver}, for ROCm {drivers.rocm_for(driver)[-1]}", drivers.as_of()


def released(package: str, version: str) -> tuple[str, str]:
    """Return a release and the day on which the first of its files was uploaded."""
    files = project_files(IndexReader(seconds=60), find_index().url, package)
    return f"{package} {version}", first_uploads(files)[version]


def _day(found: tuple[str, str]) -> str:
    return found[1]


if __name__ == "__main__":
    main()
