"""Which package index an installer is configured with: that of pip, or that of uv."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PYPI = "https://pypi.org/simple"
_VARIABLES = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL")
_KEYS = ("global.index-url", "install.index-url", "download.index-url")
_CERTIFICATES = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
_NAMED = re.compile(r"^[\w.-]+=(?=https?:)")
"""The prefix that uv allows before an address: the index's name."""
_PATIENCE = 20


class ConfiguredIndex(NamedTuple):
    """A package index, and where it is configured."""

    url: str
    source: str


def find_certificates() -> str:
    """Return the file of authorities that pip or uv is set to trust; "" for the system's."""
    paths = (os.environ.get(name, "") for name in _CERTIFICATES)
    return next(filter(None, paths), "") or _written().get("global.cert", "")


def find_index() -> ConfiguredIndex:
    """Return the index that pip or uv installs from; PyPI where neither has another."""
    return next(_configured(), ConfiguredIndex(PYPI, "default"))


def _configured() -> Iterator[ConfiguredIndex]:
    for name in _VARIABLES:
        url = _NAMED.sub("", os.environ.get(name, "").strip())
        if url:
            yield ConfiguredIndex(url, name)
    written = _written()
    for key in _KEYS:
        if key in written:
            yield ConfiguredIndex(written[key], f"pip config, {key}")


@cache
def _written() -> dict[str, str]:
    """Return what pip's files set, as pip itself says; nothing where there is no pip."""
    command = [sys.executable, "-I", "-m", "pip", "config", "list"]  # not a pip/ of this folder
    try:
        listed = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return {}
    pairs = (line.partition("=") for line in listed.splitlines())
    return {key.strip(): _read(value.strip()) for key, _, value in pairs}


def _read(value: str) -> str:
    """Return a value as it was written: pip prints it as Python would."""
    try:
        return str(ast.literal_eval(value))
    except (ValueError, SyntaxError):
        return value
