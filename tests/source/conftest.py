"""What several tests of ``source`` share: a project with a file of each format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.acme import FILES

if TYPE_CHECKING:
    from tests.support.project import Project


@pytest.fixture
def acme(project: Project) -> Project:
    """Make a project with a file of each format, and a rule of its own."""
    for name, text in FILES.items():
        project.write(name, text)
    return project
