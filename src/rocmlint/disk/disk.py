"""What lies on disk around the files of a run; each path is looked at once for all of them."""

from __future__ import annotations

import os
from functools import cache
from typing import NamedTuple

from rocmlint.disk.state import UNREADABLE, data_of, digest, modules_below, names_in
from rocmlint.source.decoding import text_of
from rocmlint.text.text import with_plain_ends


class Content(NamedTuple):
    """The text of a file and the fingerprint of its bytes; empty where it cannot be read."""

    text: str
    digest: str


class Disk:
    """Answers as the disk was when a path was first asked for: made anew for each run."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.exists = cache(os.path.exists)
        self.names_in = cache(names_in)
        self.modules_below = cache(modules_below)
        self.read = cache(_read)


def _read(path: str) -> Content:
    data = data_of(path)
    if data is None:
        return Content("", UNREADABLE)
    try:
        text = text_of(path, data)
    except (SyntaxError, ValueError):
        text = with_plain_ends(data.decode("utf-8", "replace"))
    return Content(text, digest(data))
