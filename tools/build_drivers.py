"""Builds the data of rocmlint.published.drivers: which ROCm AMD supports with which amdgpu driver.

The matrix is a table of AMD's driver documentation; the version that a module shows in
/sys/module/amdgpu/version is that of the package which the driver's release has in AMD's
repository, where the name of the file has both.

    git clone https://github.com/ROCm/amdgpu-docs
    python -m tools.build_drivers amdgpu-docs/docs/compatibility/compatibility-matrix.rst \
        --date 2026-08-26
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

DATA = Path(__file__).parents[1] / "src" / "rocmlint" / "published" / "data" / "drivers.json"
PAGE = (
    "https://instinct.docs.amd.com/projects/amdgpu-docs/en/latest/compatibility/"
    "compatibility-matrix.html"
)
_ROW = re.compile(r'^\s*"(\d+\.\d+)\.x",\s*"([\d.x, ]+)"\s*$', re.MULTILINE)
_POOL = "https://repo.radeon.com/amdgpu/{}/ubuntu/pool/main/a/amdgpu-dkms/"
_PACKAGES = (
    ("5.7", "6.2.4.50700-1652687"),
    ("6.0", "6.3.6.60000-1697589"),
    ("6.1.2", "6.7.0.60102-1781449"),
    ("6.2.3", "6.8.5.60203-2044426"),
    ("6.3.4", "6.10.5.60304-2125197"),
    ("6.4", "6.12.12.60400-2147987"),
    ("30.10", "6.14.14.30100000-2204008"),
    ("30.20.1", "6.16.6.30200100-2255209"),
    ("30.30.3", "6.16.13.30300300-2327507"),
    ("31.30", "6.19.4.31300000-2337710"),
    ("31.40", "6.19.14.31400000-2364437"),
    ("31.50", "7.1.3.31500000-2390945"),
)
"""A package of each minor release: its directory, and the version in the name of its file."""


def main() -> None:
    """Read the page and write the data. Raises ValueError for a page without the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="compatibility-matrix.rst of ROCm/amdgpu-docs")
    parser.add_argument("--date", required=True, help="of the page (YYYY-MM-DD)")
    flags = parser.parse_args()
    document = {
        "date": flags.date,
        "source": PAGE,
        "rocm_of_driver": matrix(flags.page.read_text(encoding="utf-8")),
        "driver_of_module": {
            package.rpartition("-")[0].rpartition(".")[0]: {
                "driver": ".".join(release.split(".")[:2]),
                "package": f"amdgpu-dkms {package}",
                "source": _POOL.format(release),
            }
            for release, package in _PACKAGES
        },
    }
    DATA.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


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


if __name__ == "__main__":
    main()
