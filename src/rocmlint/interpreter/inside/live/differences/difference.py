"""Something that a process has and the source of its module does not give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..objects.origin_package import belongs, is_made, is_standard

if TYPE_CHECKING:
    from ..objects.on_disk import OnDisk

_CERTAIN = {"added", "import", "value", "entry"}
"""The kinds of which the source leaves no doubt what the name is."""


@dataclass(frozen=True)
class Alteration:
    """A name whose value differs from its source, and where its code is, as far as known."""

    name: str
    kind: str
    """One of the words that the judgement has a sentence for."""
    file: str | None = None
    line: int | None = None

    def is_certain(self, disk: OnDisk) -> bool:
        """Return whether it is code from elsewhere in the module itself."""
        if self.kind not in _CERTAIN or self.file is None or self.line is None:
            return False
        if is_made(self.file):  # whose text that was is not known
            return False
        return not (is_standard(self.file) or belongs(self.file, disk.module))
