"""Finding the git repositories that a folder is in, without git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.disk.files import ON_DISK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.disk.files import Files


def repositories(folder: str, files: Files = ON_DISK) -> Iterator[str]:
    """Yield the roots of the repositories that an absolute path is in, the nearest first.

    What marks a root is a folder ``.git``, or the file of that name in a worktree or submodule.
    """
    while True:
        if files.exists(os.path.join(folder, ".git")):
            yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above
