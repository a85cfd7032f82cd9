"""Repositories to lint files in: in a folder, or where the test runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rocmlint.api import lint_paths
from rocmlint.config.configuration import Configuration
from rocmlint.lint.linter import Linter
from rocmlint.source.document import Document

if TYPE_CHECKING:
    from rocmlint.findings import Finding
    from rocmlint.project.versions import Candidate

GONE = "from transformers.utils import LossKwargs\n"  # until 4.53
NEW = "from transformers.utils import TransformersKwargs\n"  # since 4.54
PROJECT = '[project]\nname = "server"\nversion = "0.1.0"\n'
ON_REQUIREMENTS = (
    *("ROC201", "ROC202", "ROC203", "ROC206", "ROC208"),
    *("ROC209", "ROC210", "ROC220"),
)


class Repository:
    """A repository in a folder; files are written, then linted with these rules."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".git").mkdir(parents=True)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def lint(self, path: str, text: str, **options: object) -> list[Finding]:
        file = self.write(path, text)
        linter = Linter(Configuration(options).settings_for(str(self.root)))
        analysis = linter.lint_text(str(file), text)
        return [each for each in analysis.findings if each.code in ON_REQUIREMENTS]

    def codes(self, path: str, text: str, **options: object) -> list[str]:
        return [each.code for each in self.lint(path, text, **options)]


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def paths_with(code: str) -> list[str]:
    """Return the files, here and below, in which a rule finds something; one for each finding."""
    return [each.path for each in lint_paths(["."], options={"select": [code]})]


def install(folder: str, version: str, **modules: str) -> None:
    """Make a folder with transformers in it, as pip leaves it."""
    write(f"{folder}/transformers-{version}.dist-info/METADATA", "")
    write(f"{folder}/transformers/__init__.py", "")
    for module, text in modules.items():
        write(f"{folder}/transformers/{module}.py", text)


def candidates(name: str = "job.py", package: str = "transformers") -> tuple[Candidate, ...]:
    return Document(str(Path(name).absolute()), "").versions(package)


def versions(name: str = "job.py") -> list[str]:
    return [str(each.version) for each in candidates(name)]


def lint(text: str, name: str = "job.py", **options: object) -> list[Finding]:
    """Find what the rules on names find in a file that is written for it."""
    path = write(name, text).absolute()
    settings = Configuration({"select": ["ROC204", "ROC205", "ROC207"], **options})
    linter = Linter(settings.settings_for(str(path.parent)))
    return list(linter.lint_text(str(path), text).findings)
