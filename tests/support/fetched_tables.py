"""Where ``rocmlint stack update`` keeps its tables, in a folder of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

ONLY = ("--only", "requirements", "rocm_wheels")
"""AMD's indexes are in its table, and are not asked by tests."""


def data_of(project: Project) -> dict[str, str]:
    """Return the variable that puts the data folder into the project; of Linux."""
    return {"XDG_DATA_HOME": str(project.root / "data")}


def fetched(project: Project, name: str) -> Path:
    """Return the path of a fetched table, or of another file beside it."""
    return project.root / "data" / "rocmlint" / "tables" / name
