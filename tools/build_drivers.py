"""Builds the data of rocmlint.published.drivers: which ROCm AMD supports with which amdgpu driver.

The facts are recorded in ``tools/data/drivers.toml``, each with its public page. A newer state of
AMD's page is read from a clone of its repository, in place of the recorded matrix:

    python -m tools.build_drivers
    git clone https://github.com/ROCm/amdgpu-docs
    python -m tools.build_drivers --date 2026-12-01 \
        --page amdgpu-docs/docs/compatibility/compatibility-matrix.rst
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RECORDED = Path(__file__).parent / "data" / "drivers.toml"
OUTPUT = Path(__file__).parents[1] / "src" / "rocmlint" / "published" / "data" / "drivers.json"
_ROW = re.compile(r'^\s*"(\d+\.\d+)\.x",\s*"([\d.x, ]+)"\s*$', re.MULTILINE)


def main() -> None:
    """Write the data. Raises ValueError for a page without the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, help="compatibility-matrix.rst of ROCm/amdgpu-docs")
    parser.add_argument("--date", help="of the page (YYYY-MM-DD)")
    flags = parser.parse_args()
    data = table(tomllib.loads(RECORDED.read_text(encoding="utf-8")))
    if flags.page:
        if not flags.date:
            parser.error("--page requires --date")
        read = matrix(flags.page.read_text(encoding="utf-8"))
        data |= {"date": flags.date, "rocm_of_driver": read}
    OUTPUT.write_text(written(data), encoding="utf-8")


def table(recorded: dict[str, Any]) -> dict[str, Any]:
    """Return the data that the recorded facts make."""
    packages = dict(recorded["packages"])
    pool = packages.pop("source")
    return {
        "date": str(recorded["date"]),
        "source": recorded["source"],
        "rocm_of_driver": {driver: rocm.split() for driver, rocm in recorded["matrix"].items()},
        "driver_of_module": {
            package.partition("-")[0].rpartition(".")[0]: {
                "driver": ".".join(release.split(".")[:2]),
                "package": f"amdgpu-dkms {package}",
                "source": pool.format(release),
            }
            for release, package in packages.items()
        },
    }


def matrix(page: str) -> dict[str, list[str]]:
    """Return the minor releases of ROCm for each of the driver. Raises ValueError for none."""
    rows = {
        driver: [".".join(each.strip().split(".")[:2]) for each in rocm.split(",")]
        for driver, rocm in _ROW.findall(page)
    }
    if not rows:
        message = "the page has no table of drivers"
        raise ValueError(message)
    return rows


def written(data: dict[str, Any]) -> str:
    """Return the data as the file has them."""
    return json.dumps(data, indent=1) + "\n"


if __name__ == "__main__":
    main()
