"""Folders that are laid over an installed package, and the commands that copy them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.verify.claims.overlay import overlays

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "name",
    [
        *("Dockerfile", "Makefile", "README.md", "ci.yml", "setup.sh", "setup.slurm"),
        *("rocm.def", "Singularity"),
    ],
)
def test_the_command_that_lays_a_folder_over_a_package_is_found_in_any_format(
    tmp_path: Path, name: str
) -> None:
    site = tmp_path / "site-packages" / "acme"
    for folder in (site, tmp_path / "job" / "patch"):
        (folder / "models").mkdir(parents=True)
        (folder / "models" / "gemma.py").write_text("")
    command = "cp -r patch/* /opt/site-packages/acme/\n"
    (tmp_path / "job" / name).write_text(command)
    (tmp_path / "job" / "setup.py").write_text("import acme\n")
    (found,) = overlays("acme", str(site), [str(tmp_path / "job" / "setup.py")])
    assert found.copied_at.endswith(f"{name}:1")
