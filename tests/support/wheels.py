"""The METADATA of wheels from the package index, for tests that have a network."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from email.parser import Parser
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path


def metadata_of(pinned: str, folder: Path) -> Message:
    """Download the wheel of ``name==version`` and give its METADATA; skips without a network."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run(
        [*command, "--retries", "0", "--timeout", "20", "--dest", str(folder), "-q", pinned],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"pip cannot download {pinned}: is there a network?")
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        (path,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
        return Parser().parsestr(wheel.read(path).decode())
