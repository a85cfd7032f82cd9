"""The metadata of the distribution that an installed file is part of, and what it requires."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from rocmlint.project.declarations import Declarations


def metadata_of(top: str, folder: str, project: Declarations) -> str:
    """Return the METADATA of the distribution of a top-level package."""
    names = [name for name in project.names_in(folder) if name.endswith(".dist-info")]
    own = canonicalize_name(top)
    named = [name for name in names if canonicalize_name(name.rpartition("-")[0]) == own]
    found = named or names[:1] * (len(names) == 1)
    return "\n".join(project.read(os.path.join(folder, name, "METADATA")) for name in found)


@lru_cache(maxsize=16)
def requirements_in(metadata: str) -> tuple[Requirement, ...]:
    """Return the requirements of a METADATA, of which each package is asked for in turn."""
    lines = re.findall(r"^Requires-Dist:[ \t]*(.+)$", metadata, re.MULTILINE)
    return tuple(each for each in map(requirement_of, lines) if each is not None)


def is_extra(requirement: Requirement) -> bool:
    """Return whether a requirement holds only where an extra is asked for."""
    return "extra" in str(requirement.marker or "")
