"""Real environments to patch: a venv without pip, packages with a RECORD, and what is run there."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import venv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def plain_environment(**variables: str) -> dict[str, str]:
    """Return the variables of a shell in which nobody has configured Python."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, **variables}


class Environment:
    """A virtual environment in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        if not root.exists():
            venv.create(root, symlinks=True)
        self.python = root / "bin" / "python"
        (self.site,) = root.glob("lib/python*/site-packages")

    def copy(self, root: Path) -> Environment:
        shutil.copytree(self.root, root, symlinks=True)
        return Environment(root)

    def write(self, path: str, text: str) -> Path:
        target = self.site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def install(
        self, name: str, version: str, files: Mapping[str, str], *, in_hex: bool = False
    ) -> Path:
        """Install as a wheel is, and give the .dist-info."""
        information = f"{name}-{version}.dist-info"
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        everything = {
            **files,
            f"{information}/METADATA": metadata,
            f"{information}/INSTALLER": "pip\n",
        }
        lines = [f"{information}/RECORD,,"]
        for path, text in everything.items():
            digest = hashlib.sha256(self.write(path, text).read_bytes()).digest()
            encoded = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            lines.append(f"{path},sha256={digest.hex() if in_hex else encoded},{len(text)}")
        return self.write(f"{information}/RECORD", "\n".join(lines) + "\n").parent

    def run(
        self,
        *arguments: str,
        cwd: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run its Python, which writes bytecode."""
        return subprocess.run(
            [str(self.python), *arguments],
            env=plain_environment(**(variables or {})),
            cwd=cwd or self.root,
            capture_output=True,
            text=True,
            check=False,
        )
