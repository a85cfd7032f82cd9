"""Variables that hold what another program runs or asks, such as TORCH_COMMAND of web UIs."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"[A-Z]\w*(?:COMMAND|CMD)\Z")
_INDEX = re.compile(r"(?!PIP_|UV_)[A-Z]\w*INDEX_URL\Z")
_INSTALLS = re.compile(r"\s*(?:pip3?|uv|\S*python3?)\s")


def names_command(name: str) -> bool:
    """Return whether a variable is called like one that holds a command."""
    return _COMMAND.match(name) is not None


def names_index(name: str) -> bool:
    """Return whether a variable is called like one that holds the URL of a package index.

    Those of pip and uv are not handed on: they are read by the commands of the script itself.
    """
    return _INDEX.match(name) is not None


def is_install(text: str) -> bool:
    """Return whether a value begins like a command that installs packages."""
    return _INSTALLS.match(text) is not None
