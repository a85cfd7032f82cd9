"""The formats beside Python that are linted: one file a format, each from text to parts."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from rocmlint.formats.model import Parts


PYTHON = (".py", ".pyi", ".pyw")
"""How the names of Python files end."""
NOTEBOOK = ".ipynb"


class Format(NamedTuple):
    """A format; its parser is imported when a file first needs it."""

    name: str
    path: re.Pattern[str]
    """What matches the paths of its files, with ``/``."""
    declares: bool = False
    """Whether projects declare requirements in it."""
    module: str = ""
    """The module of this room that has the function ``parse``, where it is not the name's."""

    @property
    def parse(self) -> Callable[[str], Parts]:
        """The parser."""
        parser: Callable[[str], Parts] = import_module(
            f"{__name__}.{self.module or self.name}"
        ).parse
        return parser


FORMATS = (
    Format("constraints", compile_lazily(r"constraints?[^/]*\.(txt|in)$"), declares=True),
    Format(
        "requirements",
        compile_lazily(
            r"requirements?[^/]*\.(txt|in)$|(^|/)requirements/([^/]*/)*[^/]*\.(txt|in)$"
        ),
        declares=True,
    ),
    Format("pyproject", compile_lazily(r"(^|/)pyproject\.toml$"), declares=True),
    Format("setup_cfg", compile_lazily(r"(^|/)setup\.cfg$"), declares=True),
    Format("setup_py", compile_lazily(r"(^|/)setup\.py$"), declares=True),
    Format("conda", compile_lazily(r"(^|/)(environment|conda)[^/]*\.ya?ml$"), declares=True),
    Format(
        "dockerfile",
        compile_lazily(
            r"(^|/)(Dockerfile|Containerfile)(?![^/]*\.(dockerignore|md|rst|txt|sh|py|j2|jinja2?|"
            r"in|tmpl|template|mustache|ya?ml|json)$)[^/]*$|\.([Dd]ocker|[Cc]ontainer)file$"
        ),
    ),
    Format("shell", compile_lazily(r"\.(sh|bash)$"), module="shell.script"),
    Format(
        "workflow",
        compile_lazily(
            r"(^|/)\.github/workflows/[^/]*\.ya?ml$|(^|/)(action|\.gitlab-ci|azure-pipelines[^/]*)\.ya?ml$|(^|/)\.circleci/config\.yml$"
        ),
    ),
)


@cache
def format_of(path: str) -> Format | None:
    """Give the format of a file by its path, None for Python and for what is not linted."""
    path = path.replace(os.sep, "/")
    return next((each for each in FORMATS if each.path.search(path)), None)


def is_python(path: str) -> bool:
    """Say whether a file is linted as Python: all that no other format claims, too."""
    return path.endswith(PYTHON) or (format_of(path) is None and not is_notebook(path))


def is_notebook(path: str) -> bool:
    """Say whether a file is a notebook."""
    return path.endswith(NOTEBOOK)


def parse(path: str, text: str) -> Parts:
    """Give the parts of a file with ``\\n`` line ends; none of a format that has none."""
    from rocmlint.formats.model import Parts  # noqa: PLC0415 - every start asks what a format is

    found = format_of(path)
    return Parts() if found is None else found.parse(text)
