"""The disk that all files of a run share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.disk.disk import Disk
from rocmlint.disk.files import ON_DISK
from rocmlint.source.decoding import text_of

if TYPE_CHECKING:
    from rocmlint.disk.files import Files
    from rocmlint.disk.searches import Searches


def shared_disk(files: Files = ON_DISK, *, noted: bool, searches: Searches | None = None) -> Disk:
    """Return a disk; ``noted`` where a cache will ask for it, which knows earlier ``searches``."""
    return Disk(text_of, files, noted=noted, searches=searches)
