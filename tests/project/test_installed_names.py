"""Names, members and keywords as the files of installed packages have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocmlint.project.installed_names import InstalledNames
from rocmlint.source.document import Document
from tests.support.repositories import GONE, NEW, install, lint, write

pytestmark = pytest.mark.usefixtures("in_repository")


def test_what_a_version_beyond_the_index_has_is_read_from_its_files() -> None:
    install("venv/lib/python3.11/site-packages", "4.30.0", utils="class LossKwargs: ...\n")
    assert [each.line for each in lint(GONE + NEW, environment="venv")] == [2]


def test_no_older_version_is_said_to_bring_what_a_newer_one_than_the_index_lacks() -> None:
    install("venv/lib/python3.11/site-packages", "99.0.0", utils="")
    (finding,) = lint(NEW, environment="venv")
    assert "4.54" not in finding.message


def test_a_name_that_somebody_put_into_the_installed_package_is_there() -> None:
    install("venv/lib/python3.11/site-packages", "4.57.6", utils="LossKwargs = dict\n")
    assert lint(GONE, environment="venv") == []


MODULE = """
from .base import *
import sys
if sys.platform == "linux":
    CONDITIONAL = 1

class Own(Base):
    def method(self): ...
    def __init__(self, taken, *, only=None): ...

def function(first, **rest): ...
"""


@pytest.fixture
def folders() -> tuple[str, ...]:
    write("site/package/__init__.py", "")
    write("site/package/base.py", "class Base:\n    def inherited(self): ...\n")
    write("site/package/module.py", MODULE.replace("from .base import *", "from .base import Base"))
    write("site/package/star.py", "from .base import *\n")
    write("site/package/foreign.py", "from elsewhere import *\n")
    write("site/package/lazy.py", "def __getattr__(name):\n    return {'Known': 1}[name]\n")
    write("site/package/broken.py", "def (:\n")
    return (str(Path("site").absolute()),)


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("package", True),
        ("package.module", True),
        ("package.missing", False),
        ("package.module.CONDITIONAL", True),
        ("package.module.sys", True),
        ("package.module.Missing", False),
        ("package.star.Base", True),
        ("package.star.Missing", False),
        ("package.foreign.Anything", None),
        ("package.lazy.Known", None),
        ("package.lazy.Missing", False),
        ("package.broken.Name", None),
        ("elsewhere.Name", None),
    ],
)
def test_names_are_read_from_sources(
    dotted: str, expected: bool | None, folders: tuple[str, ...]
) -> None:
    assert InstalledNames(folders, Document("job.py", "")).has_name(dotted) is expected


def test_members_and_keywords_are_read_from_sources(folders: tuple[str, ...]) -> None:
    pytest.importorskip("astroid")
    names, own = InstalledNames(folders, Document("job.py", "")), "package.module.Own"
    members = [names.has_member(own, name) for name in ("method", "inherited", "missing")]
    assert members == [True, True, False]
    keywords = [names.takes_keyword(own, name) for name in ("taken", "only", "missing")]
    assert keywords == [True, True, False]
    assert names.takes_keyword("package.module.function", "anything") is None
