"""Environments made of folders alone: ``.dist-info`` with a version, and the files that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.why.diagnose import diagnose
from rocmlint.why.facts.context import Context
from rocmlint.why.log.read import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocmlint.why.answer import Answer


class FakeSite:
    """A virtual environment and a project in a folder; nothing of them can run."""

    def __init__(self, root: Path, packages: Mapping[str, str], python: str = "3.11") -> None:
        self.prefix = root / "env"
        self.site = self.prefix / "lib" / f"python{python}" / "site-packages"
        self.project = root / "project"
        self.project.mkdir(parents=True)
        self.site.mkdir(parents=True)
        (self.prefix / "pyvenv.cfg").write_text("home = /usr/bin\n")
        for name, version in packages.items():
            self.install(name, version)

    def install(self, name: str, version: str, files: Mapping[str, str] | None = None) -> None:
        record = self.site / f"{name.replace('-', '_')}-{version}.dist-info"
        record.mkdir()
        lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"]
        (record / "METADATA").write_text("".join(lines))
        tops = {each.partition("/")[0] for each in files or ()} or {name.replace("-", "_")}
        (record / "top_level.txt").write_text("\n".join(sorted(tops)))
        for path, text in (files or {}).items():
            self.write(self.site, path, text)

    def write(self, folder: Path, path: str, text: str) -> Path:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def why(self, text: str) -> Answer:
        """Ask; SITE and PROJECT in the text stand for the folders."""
        text = text.replace("SITE", str(self.site)).replace("PROJECT", str(self.project))
        python = str(self.prefix / "bin" / "python")
        log = read_text(text)
        return diagnose(Context(log, str(self.project), python, is_given=True))
