"""What passes between the server and the child that lints."""

from __future__ import annotations

import pickle
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.findings import Finding

LENGTH = struct.Struct(">Q")
"""What stands before each message: how many bytes it has."""


class Options(NamedTuple):
    """What the editor or its user sets for all files."""

    over: Mapping[str, Any] = {}
    """Options laid over the configuration, with the keys of ``[tool.rocmlint]``."""
    config: tuple[str, ...] = ()
    isolated: bool = False


class Unsaved(NamedTuple):
    """A file as it is in the editor.

    ``path`` is absolute; ``text`` has the line ends and the BOM of the editor and is the JSON of a
    notebook; ``root`` is the folder of the workspace that the file is in.
    """

    path: str
    text: str
    root: str


class Linted(NamedTuple):
    """What the command would report of a file."""

    findings: tuple[Finding, ...] = ()
    problems: tuple[str, ...] = ()
    pages: Mapping[str, str] = {}
    """The addresses of the pages of the rules, by code; a local rule has none."""
    depends: tuple[str, ...] = ()
    """The files and folders that settings and local rules were read from."""
    remarks: tuple[str, ...] = ()
    """What somebody may wonder about; nothing is wrong."""


def framed(message: object) -> bytes:
    """Return the bytes of a message, with their number before them."""
    data = pickle.dumps(message)
    return LENGTH.pack(len(data)) + data
