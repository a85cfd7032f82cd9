"""Whether the file of a frame differs from what its package installed."""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.why.facts.metadata import record_lines

if TYPE_CHECKING:
    from rocmlint.why.facts.metadata import Installed, Packages
    from rocmlint.why.log.log_data import LogFrame

_SITE = re.compile(r"^(?P<site>.*?[/\\](?:site|dist)-packages)[/\\](?P<rest>.+)$")


def is_patched(frame: LogFrame, packages: Packages) -> bool | None:
    """Return whether a file has another hash than in its RECORD; None where that is not known.

    A file is only read if it is in one of the packages' folders and its RECORD lists it.
    """
    found = _SITE.match(frame.file)
    if found is None or found["site"] not in packages.folders:
        return None
    path = found["rest"].replace("\\", "/")
    installed = packages.owner(path.partition("/")[0].partition(".")[0])
    if installed is None or installed.site != found["site"]:
        return None
    wanted = _recorded(installed, path)
    if not wanted:
        return None
    try:
        data = read_small(os.path.join(installed.site, path))
    except OSError:
        return None
    digest = hashlib.sha256(data).digest()
    return wanted not in {base64.urlsafe_b64encode(digest).decode().rstrip("="), digest.hex()}


def _recorded(installed: Installed, path: str) -> str:
    """Return the SHA-256 of a file as a RECORD has it; empty if it has none."""
    if ".." in path.split("/"):
        return ""
    for line in record_lines(installed):
        if path in line:  # a row may be quoted
            row = next(csv.reader([line]), [])
            if len(row) > 1 and row[0] == path and row[1].startswith("sha256="):
                return row[1].removeprefix("sha256=").rstrip("=")
    return ""
