"""Constraints files: requirements that install nothing by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats.packaging import requirements

if TYPE_CHECKING:
    from rocmlint.formats.model import Parts


def parse(text: str) -> Parts:
    """Read a constraints file, lines ended by ``\\n``."""
    return requirements.parse(text, constraint=True)
