"""What the requirements of other packages say about the version of one."""

from __future__ import annotations

import pytest
from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.source.document import Document
from tests.support.repositories import candidates, versions, write

pytestmark = pytest.mark.usefixtures("in_repository")


def test_a_release_that_another_requirement_rules_out_is_not_the_newest() -> None:
    """optimum-amd: each transformers before 5 requires huggingface-hub before 1."""
    write("requirements.txt", "transformers>=4.38,<5\nhuggingface-hub\n")
    (found,) = candidates(package="huggingface-hub")
    assert found.version < Version("1")


def test_a_package_that_another_requirement_brings_has_the_version_that_this_allows() -> None:
    write("requirements.txt", "transformers>=4.38,<5\n")
    (found,) = candidates(package="huggingface-hub")
    assert found.version < Version("1")
    assert found.declared
    assert "`transformers<5,>=4.38`" in found.said
    assert found.lowest is None


def test_what_the_same_command_installs_rules_releases_out_too() -> None:
    """An image of kyuz0: unsloth_zoo 2026.1.4 requires transformers up to 4.57.6."""
    write("Dockerfile", "RUN pip install transformers peft unsloth_zoo==2026.1.4 trl\n")
    assert versions() == ["4.57.6"]


def test_what_a_notebook_installs_rules_releases_out_too() -> None:
    text = "# /// script\n# dependencies = ['transformers', 'unsloth-zoo==2026.1.4']\n# ///\n"
    (found,) = Document("job.py", text).versions("transformers")
    assert str(found.version) == "4.57.6"


def test_the_newest_release_that_a_bounded_requirement_allows_counts() -> None:
    """sentence-transformers 2.2.2: older transformers would take any huggingface-hub."""
    write("requirements.txt", "transformers>=4.6,<5\nhuggingface-hub>=0.4\n")
    (found,) = candidates(package="huggingface-hub")
    assert found.version < Version("1")
    assert found.said.endswith("allows with `transformers<5,>=4.6`")


def test_what_bounds_another_package_bounds_what_that_requires() -> None:
    """In invokeai 6.4 compel takes transformers before 5, and these huggingface-hub before 1."""
    write("requirements.txt", "compel==2.1.1\ntransformers>=4.40\nhuggingface-hub\n")
    (found,) = candidates(package="huggingface-hub")
    assert found.version < Version("1")


def test_of_an_open_requirement_of_another_package_the_newest_release_counts_today() -> None:
    """A later release of it may go with what it rules out now, so both may be installed."""
    write("requirements.txt", "transformers\nunsloth-zoo\n")
    today, some_day = candidates()
    assert today.version < some_day.version
    assert today.said.endswith("allows with `unsloth-zoo`")
    assert some_day.said.endswith(f"allows (as of {requirements.AS_OF})")


def test_a_bounded_requirement_that_only_older_releases_meet_rules_nothing_out() -> None:
    write("requirements.txt", "transformers>=4.6,<5\nhuggingface-hub>=2\n")
    (found,) = candidates(package="huggingface-hub")
    assert found.version >= Version("2")


def test_a_pinned_package_bounds_what_it_requires() -> None:
    write("pyproject.toml", '[project]\nname="a"\ndependencies=["transformers", "compel==2.1.1"]\n')
    (found,) = candidates()
    assert found.version < Version("5")


def test_what_a_pinned_package_requires_of_a_third_rules_releases_out() -> None:
    """All of transformers 5 requires huggingface-hub 1, which datasets 2.8.0 excludes."""
    write("requirements.txt", "transformers\ndatasets==2.8.0\n")
    (found,) = candidates()
    assert found.version < Version("5")
    assert found.said.endswith("allows with `datasets==2.8.0`")
