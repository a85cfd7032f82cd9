"""Builds the data of rocmlint.published.rocm_wheels: torch, its ROCm wheels, what fits beside it.

The ROCm columns are read from the history of the build matrix in a clone of pytorch/test-infra,
a row from the first commit that releases a minor version of torch; what is only a candidate or a
nightly build there says so. The GPUs are those of ``wheel_gpus.py``. triton, torchvision and
Python come from the metadata that ``build_requirements.py`` gathered, the Python tags from the
package index that pip is configured with, the libraries from uv's resolver (Python 3.11, today).

    git clone --filter=blob:none https://github.com/pytorch/test-infra
    python -m tools.build_rocm_wheels --test-infra test-infra
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
from pathlib import Path
from typing import Any

from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.published.fitting import shown
from rocmlint.stack.compatible import compatible
from rocmlint.stack.indexes.fetch import IndexReader
from rocmlint.stack.indexes.index_config import find_index
from rocmlint.stack.indexes.simple_index import by_python, project_files, wheel_of
from tools.wheel_gpus import gpus

DATA = Path(__file__).parents[1] / "src" / "rocmlint" / "published" / "data"

MATRIX = "tools/scripts/generate_binary_build_matrix.py"
CHANNELS = {"release": "STABLE", "candidate": "CANDIDATE", "nightly": "NIGHTLY"}
"""Which version of torch (``CURRENT_..._VERSION``) each list of ROCm versions is built for."""

PYTHON = "3.11"
SINCE = Version("2.0")
"""The first torch that libraries are resolved for."""

_PAGE = "github:pytorch/pytorch.github.io _get_started/previous-versions.md@04862e376"
OLDER = {
    "1.9": "4.0.1 4.1 4.2",
    "1.10": "4.0.1 4.1 4.2",
    "1.11": "4.5.2",
    "1.12": "5.1.1",
}
"""Before the matrix had ROCm versions; from the page of install commands."""

LATER = {
    "2.14": {
        "rocm": ["7.2", "7.14"],
        "status": "release",
        "source": "github:pytorch/test-infra#8712, with the ROCm versions of #8498",
        "date": "2026-09-02",
    },
    "2.15": {
        "rocm": ["7.14", "10.0"],
        "status": "nightly",
        "source": "github:pytorch/test-infra#8670",
        "date": "2026-08-28",
    },
}
"""What was merged after the newest snapshot that was at hand; goes when the clone has it."""

Row = dict[str, Any]


def main() -> None:
    """Write the data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test-infra", required=True, help="a clone, with its history")
    parser.add_argument("--output", type=Path, default=DATA / "rocm_wheels.json")
    flags = parser.parse_args()
    rows = {**older(), **matrix_rows(flags.test_infra), **LATER}
    tags = python_tags()
    data = {
        "rows": [
            {
                "torch": torch,
                **rows[torch],
                **beside(torch),
                **gpus(torch, rows[torch]["rocm"]),
                "python_tags": tags.get(torch, {}),
            }
            for torch in sorted(rows, key=Version)
        ],
    }
    flags.output.write_text(json.dumps(data, indent=1) + "\n")


def older() -> dict[str, Row]:
    """Return the rows from before the matrix."""
    return {
        torch: {"rocm": rocm.split(), "status": "release", "source": _PAGE, "date": ""}
        for torch, rocm in OLDER.items()
    }


def matrix_rows(clone: str) -> dict[str, Row]:
    """Follow the matrix through its history.

    A release counts from its first commit, as the lists are later changed for the next one; what
    is not released yet, from its last.
    """
    rows: dict[str, Row] = {}
    log = _git(clone, "log", "--reverse", "--date=short", "--format=%h %cd", "--", MATRIX)
    for line in log.splitlines():
        commit, date = line.split()
        text = _git(clone, "show", f"{commit}:{MATRIX}")
        rocm = _rocm_lists(text)
        for status, channel in CHANNELS.items():
            version = re.search(rf'^CURRENT_{channel}_VERSION = "(\d+\.\d+)', text, re.MULTILINE)
            if rocm is None or version is None:
                continue
            before = rows.get(version[1], {})
            row = {"rocm": rocm["test" if status == "candidate" else status], "status": status}
            if _is_news(row, before):
                source = f"github:pytorch/test-infra {MATRIX}@{commit}"
                rows[version[1]] = {**row, "source": source, "date": date}
    return rows


def _is_news(row: Row, before: Row) -> bool:
    """Return whether a row says more than the one before: a status nearer release, other lists."""
    order = (*CHANNELS, None)
    rank, known = order.index(row["status"]), order.index(before.get("status"))
    if rank != known:
        return rank < known
    return bool(row["status"] != "release" and row["rocm"] != before["rocm"])


def _rocm_lists(text: str) -> dict[str, list[str]] | None:
    found = re.search(r"^ROCM_ARCHES_DICT = (\{.*?^\})", text, re.MULTILINE | re.DOTALL)
    lists: dict[str, list[str]] | None = ast.literal_eval(found[1]) if found else None
    return lists


def beside(torch: str) -> Row:
    """Return what belongs to a torch, and the newest libraries that fit it."""
    versions = [each for each in requirements.releases("torch") if _minor(each) == torch]
    newest = versions[-1] if versions else None
    python = requirements.requires_python("torch", newest) if newest else None
    fits: dict[str, Any] = {"newest": {}, "newest_source": ""}
    if newest and Version(torch) >= SINCE:
        answer = compatible(str(newest), python=PYTHON)
        if answer.source != "uv":
            message = f"uv gave no answer for torch {newest}: {answer.notes}"
            raise SystemExit(message)
        fits = {
            "newest": {each.package.split("[")[0]: each.version for each in answer.libraries},
            "newest_source": f"uv pip compile for torch {newest}, {answer.as_of}",
        }
    return {
        "triton": _triton(newest) if newest else "",
        "torchvision": _torchvision(versions),
        "python": shown(python) if python else "",
        **fits,
    }


def python_tags() -> dict[str, dict[str, str]]:
    """Return the Python tags of torch's wheels on the index, by minor version and release.

    The wheels for ROCm are built for the same (pytorch/pytorch, ``generate_binary_build_matrix``).
    """
    found: dict[Version, set[str]] = {}
    for each in project_files(IndexReader(seconds=120), find_index().url, "torch"):
        wheel = wheel_of(each.name)
        if wheel is not None and wheel.is_for_linux and not wheel.version.is_prerelease:
            found.setdefault(wheel.version, set()).update(wheel.python_tags)
    tags: dict[str, dict[str, str]] = {}
    for version in sorted(found):
        listed = " ".join(sorted(found[version], key=by_python))
        tags.setdefault(_minor(version), {})[str(version)] = listed
    return tags


def _triton(torch: Version) -> str:
    required = requirements.requirements("torch", torch) or ()
    held = requirements.applicable(required, python=PYTHON)
    return next((shown(each.specifier) for each in held if each.name == "triton"), "")


def _torchvision(torch: list[Version]) -> str:
    """Return the torchvision whose metadata require one of these; the newest such."""
    for version in reversed(requirements.releases("torchvision")):
        required = requirements.requirements("torchvision", version) or ()
        specifiers = [each.specifier for each in required if each.name == "torch"]
        if any(each.contains(one) for each in specifiers for one in torch):
            return _minor(version)
    return ""


def _minor(version: Version) -> str:
    return f"{version.major}.{version.minor}"


def _git(clone: str, *arguments: str) -> str:
    command = ["git", "-C", clone, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
