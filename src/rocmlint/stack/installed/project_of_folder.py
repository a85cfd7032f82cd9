"""Whether the project of a folder is for ROCm, as linting sees it."""

from __future__ import annotations

import os

from rocmlint.config.configuration import Configuration
from rocmlint.config.settings import Settings
from rocmlint.disk.disk import Disk
from rocmlint.errors import ConfigError
from rocmlint.project.project import Evidence, Project
from rocmlint.source.decoding import text_of


def rocm_evidence(folder: str) -> Evidence | None:
    """Return what shows that the project of a folder is for ROCm only; None where nothing does.

    A configuration that cannot be read says nothing.
    """
    folder = os.path.abspath(folder)
    try:
        settings = Configuration().settings_for(folder)
    except ConfigError:
        settings = Settings(root=folder)
    return Project(folder, settings, Disk(text_of)).rocm_evidence
