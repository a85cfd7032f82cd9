"""Facts about a project: its files, the packages that it imports, the versions it wants."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.disk.disk import Disk
from rocmlint.disk.read import read_small
from rocmlint.formats import is_python
from rocmlint.interpreter.inside.live.objects.imported_names import imported_packages
from rocmlint.lint.run import Options
from rocmlint.lint.run import run as lint
from rocmlint.project.project import Project
from rocmlint.source.decoding import text_of
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.config.configuration import Configuration
    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.lint.run import Outcome
    from rocmlint.project.declarations import Requirement
    from rocmlint.project.versions import Candidate

_MOST_BYTES = 20_000_000
"""Of Python files that are read for their imports; a project has less."""
_LARGEST = 1_000_000
_OF_ALL = frozenset(
    {"pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "Pipfile", "environment.yml"}
)
"""The files that say what every installation of a project has."""


@dataclass(frozen=True)
class CodeResults:
    """The files below a folder, read by the rules once for findings and claims."""

    folder: str
    configuration: Configuration
    progress: Callable[[int, int], None] | None = None

    @cached_property
    def outcome(self) -> Outcome:
        """The findings of the rules, and the claims of the code. Raises ConfigError."""
        options = Options(claims=True, progress=self.progress)
        return lint([self.folder], self.configuration.settings_for, options)

    @cached_property
    def project(self) -> Project:
        """The declarations in the files of the folder, whatever environment is configured."""
        folder = os.path.abspath(self.folder)
        settings = self.configuration.settings_for(folder)._replace(environment=None)
        return Project(folder, settings, Disk(text_of))

    @property
    def declared(self) -> dict[str, tuple[Candidate, ...]]:
        """The packages that are always installed with the project, and the versions it allows."""
        return {each: self.project.versions(each) for each in sorted(set(self._declared()))}

    def _declared(self) -> Iterator[str]:
        for folder in self.project.folders:
            for each in self.project.declared_in(folder):
                parsed = requirement_of(each.declared.text)
                is_here = parsed is not None and (parsed.marker is None or _is_met(parsed.marker))
                if is_here and _is_for_all(each):
                    yield each.declared.name

    @cached_property
    def imported(self) -> frozenset[str]:
        """The names of the packages that the files import, but Python's own."""
        found: set[str] = set()
        left = _MOST_BYTES
        for folder, folders, names in os.walk(self.folder):
            folders[:] = [each for each in folders if not _is_left_out(os.path.join(folder, each))]
            for name in sorted(names):
                if is_python(name) and left > 0:
                    try:
                        data = read_small(os.path.join(folder, name), _LARGEST)
                    except OSError:
                        continue
                    left -= len(data)
                    found |= imported_packages(data)
        return frozenset(found - sys.stdlib_module_names)


def _is_for_all(requirement: Requirement) -> bool:
    """Return whether pip installs it wherever the project runs.

    Lists of another name (requirements-dev.txt) are for some, and conda has names of its own.
    """
    declared, name = requirement.declared, os.path.basename(requirement.path)
    is_for_some = bool(declared.group) or declared.constraint or declared.by_conda
    return name in _OF_ALL and not is_for_some


def _is_met(marker: object) -> bool:
    from packaging.markers import Marker  # noqa: PLC0415 - most requirements have none

    return not isinstance(marker, Marker) or marker.evaluate({"extra": ""})


def _is_left_out(folder: str) -> bool:
    name = os.path.basename(folder)
    is_generated = name.startswith(".") or name in {"node_modules", "__pycache__", "site-packages"}
    return is_generated or os.path.exists(os.path.join(folder, "pyvenv.cfg"))


def folders_of(packages: frozenset[str], interpreter: Interpreter) -> dict[str, str]:
    """Return the folders of packages that an interpreter imports from its ``site-packages``.

    Raises InterpreterError.
    """
    names = sorted(packages)
    definitions = interpreter.ask("imports.defined", {"targets": [(each, "") for each in names]})
    found = {}
    for name, each in zip(names, definitions, strict=True):
        origin = each["origin"] or ""
        if "-packages" in origin and os.path.basename(origin) == "__init__.py":
            found[name] = os.path.dirname(origin)
    return found
