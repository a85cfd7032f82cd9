"""A version is proven in a process of its own, which finds the package and rocmlint's tools."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tools.build_names import child, read_json

if TYPE_CHECKING:
    from pathlib import Path


def test_a_package_is_asked_in_its_environment(tmp_path: Path) -> None:
    package = tmp_path / "environment" / "smallpackage"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .parts import run\nSIZE = 1\n")
    (package / "parts.py").write_text("def run(model, *, size=1): ...\n")
    (package / "broken.py").write_text("import nowhere_to_be_found\n")
    out = str(tmp_path / "proof.json")
    ended, _ = child(str(tmp_path), str(package.parent), "smallpackage", out, [])
    log = (tmp_path / "proof.log").read_text()
    assert ended == 0, log
    assert os.path.exists(out), log
    proof = read_json(out)
    assert proof["names"]["smallpackage"]["SIZE"] == "v"
    assert proof["names"]["smallpackage"]["run"] == "fsmallpackage.parts.run"
    assert proof["functions"] == {"smallpackage.parts.run": "model,*,size"}
    assert proof["modules"]["smallpackage.broken"].startswith("ModuleNotFoundError")
