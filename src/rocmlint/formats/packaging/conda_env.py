"""conda's environments in files of other names, such as env_rocm.yaml: their content tells."""

from __future__ import annotations

import re

from rocmlint.formats.model import Parts
from rocmlint.formats.packaging import conda

_DEPENDENCIES = re.compile(r"^[\"']?dependencies[\"']?[ \t]*:", re.MULTILINE)


def parse(text: str) -> Parts:
    """Read an environment file; one of something else has no parts."""
    return conda.parse(text) if _DEPENDENCIES.search(text) else Parts()
