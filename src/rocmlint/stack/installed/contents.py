"""Contents of a distribution: its shared libraries, and its requirements."""

from __future__ import annotations

import csv
import os
from io import StringIO
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.disk.read import read_small
from rocmlint.text.written import holds

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from rocmlint.stack.installed.distributions import Distribution, Environment

_LARGEST_RECORD = 100_000_000


def always_required(distribution: Distribution, environment: Environment) -> dict[str, Requirement]:
    """Return what a package requires here without any extra."""
    markers = {**environment.markers, "extra": ""}
    return {
        canonicalize_name(each.name): each
        for each in distribution.requires
        if holds(each.marker, markers)
    }


def libraries(distribution: Distribution) -> list[str]:
    """Return the shared libraries among the files of a package, as its RECORD lists them."""
    try:
        text = read_small(os.path.join(distribution.place, "RECORD"), _LARGEST_RECORD).decode()
        rows = csv.reader(StringIO(text, newline=""))
        return [row[0] for row in rows if row and row[0].endswith(".so")]
    except (OSError, ValueError, csv.Error):
        return []
