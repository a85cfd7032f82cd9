"""Environments made of folders alone: ``.dist-info`` with a version, and the files that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.why.diagnose import diagnose
from rocmlint.why.facts.context import Context
from rocmlint.why.log.log_reader import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocmlint.why.answer import Answer


def traceback(last: str, *frames: str) -> str:
    """Write a traceback; a frame is "FILE: code"."""
    lines = ["Traceback (most recent call last):"]
    for each in frames:
        file, _, code = each.partition(": ")
        lines += [f'  File "{file}", line 7, in <module>', f"    {code or 'pass'}"]
    return "\n".join([*lines, last, ""])


class FakeSite:
    """A virtual environment and a project in a folder; nothing of them can run."""

    def __init__(self, root: Path, packages: Mapping[str, str], python: str = "3.11") -> None:
        self.root = root
        self.prefix = root / "env"
        self.site = self.prefix / "lib" / f"python{python}" / "site-packages"
        self.project = root / "project"
        self.project.mkdir(parents=True)
        self.site.mkdir(parents=True)
        (self.prefix / "pyvenv.cfg").write_text("home = /usr/bin\n")
        for name, version in packages.items():
            self.install(name, version)

    def install(self, name: str, version: str, *, tops: str = "", requires: str = "") -> None:
        """Write a .dist-info; ``tops`` are its modules where they have other names."""
        record = self.site / f"{name.replace('-', '_')}-{version}.dist-info"
        record.mkdir()
        required = f"Requires-Dist: {requires}\n" if requires else ""
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{required}"
        (record / "METADATA").write_text(text)
        (record / "top_level.txt").write_text(tops or name.replace("-", "_"))

    def write(self, path: str, text: str = "") -> None:
        """Write a file; SITE and PROJECT begin its path."""
        folder = self.site if path.startswith("SITE/") else self.project
        target = folder / path.partition("/")[2]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def why(self, text: str) -> Answer:
        """Explain a text; SITE and PROJECT stand for the folders in it."""
        text = text.replace("SITE", str(self.site)).replace("PROJECT", str(self.project))
        python = str(self.prefix / "bin" / "python")
        log = read_text(text)
        return diagnose(Context(log, str(self.project), python, is_given=True))
