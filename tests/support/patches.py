"""A small library in a folder of packages, and patches of it to check."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.config.settings import Settings
from rocmlint.disk.disk import Disk, DiskView
from rocmlint.models.patches.library import Library
from rocmlint.models.patches.project import check_text, folders_of
from rocmlint.source.decoding import text_of
from rocmlint.source.file import project_of

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.models.patches.check import Checked

LIBRARY = "lib"


class Patched:
    """A project with a file of patches, beside a folder with the library ``lib``."""

    def __init__(self, root: Path, version: str = "2.0") -> None:
        self.root = root
        self.site = root / "site"
        (root / "project" / ".git").mkdir(parents=True)
        self.write(f"site/lib-{version}.dist-info/METADATA", f"Name: lib\nVersion: {version}\n")

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def library(self, text: str = "", **modules: str) -> Library:
        """Write the library, and return what reads it; a name with __ is a module in a package."""
        self.write("site/lib/__init__.py", text)
        for name, code in modules.items():
            self.write(f"site/lib/{name.replace('__', '/')}.py", code)
        return Library((str(self.site),), DiskView(Disk(text_of)))

    def check(self, patches: str, name: str = "patches.py") -> Checked:
        """Check a file of patches against the library that was written."""
        path = str(self.write(f"project/{name}", patches))
        project = project_of(path, Settings())
        view = DiskView(Disk(text_of))
        library = Library((*folders_of(path, project, view), str(self.site)), view)
        checked = check_text(path, patches, library, project)
        assert checked is not None
        return checked

    def kinds(self, patches: str) -> list[str]:
        """Return the kinds of the problems in a file of patches."""
        return [each.kind for each in self.check(patches).problems]

    def told(self, patches: str) -> list[str]:
        """Return the messages of the problems in a file of patches."""
        return [each.message for each in self.check(patches).problems]


def patch_of(body: str, *, target: str = "lib.A", methods: str = '["f"]', more: str = "") -> str:
    """Return a patched class with this body."""
    lines = [
        "import lib",
        "class patched_A:",
        f"    _PATCHES_ = {methods}",
        f"    _PATCHED_CLASS_ = {target}",
        *([f"    {more}"] if more else []),
        *(f"    {line}" for line in body.splitlines()),
    ]
    return "\n".join(lines) + os.linesep
