"""An exact pin of a package, and lists of requirements beside it that nobody installs."""

from __future__ import annotations

import pytest

from tests.support.repositories import versions, write

pytestmark = pytest.mark.usefixtures("in_repository")

PIN = '[project]\nname = "trainer"\nversion = "1"\ndependencies = ["transformers{}"]\n'
MODULE = "trainer/model.py"
BOTH = ["4.56.0", "5.14.1"]


def write_package(required: str = "==5.14.1") -> None:
    """Make a package with a pin, and a list beside it that is included by another one."""
    write("pyproject.toml", PIN.format(required))
    write("trainer/__init__.py", "")
    write("requirements.txt", "-r requirements/runtime.txt\n")
    write("requirements/runtime.txt", "transformers==4.56.0\n")


def test_the_pin_of_a_package_outranks_a_list_that_was_forgotten() -> None:
    write_package()
    assert versions(MODULE) == ["5.14.1"]
    assert versions("trainer/models/llama.py") == ["5.14.1"]


def test_a_package_may_lie_below_src() -> None:
    write_package()
    write("src/runner/__init__.py", "")
    assert versions("src/runner/model.py") == ["5.14.1"]


@pytest.mark.parametrize("name", ["train.py", "tests/test_model.py", "examples/run.py"])
def test_outside_of_the_package_both_count(name: str) -> None:
    write_package()
    write("tests/__init__.py", "")
    assert sorted(versions(name)) == BOTH


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", "pip install -r requirements.txt\n"),
        ("README.md", "pip install -r requirements/runtime.txt\n"),
        ("Dockerfile", "FROM ubuntu\nCOPY requirements.txt .\n"),
        (
            ".github/workflows/ci.yml",
            "jobs: {t: {steps: [{run: pip install -r requirements.txt}]}}",
        ),
        ("setup.py", "from setuptools import setup\nopen('requirements.txt')\nsetup()\n"),
    ],
)
def test_a_list_that_something_installs_counts(name: str, text: str) -> None:
    write_package()
    write(name, text)
    assert sorted(versions(MODULE)) == BOTH


def test_a_range_of_the_package_outranks_nothing() -> None:
    write_package(">=5.14.1")
    assert "4.56.0" in versions(MODULE)


def test_a_list_that_agrees_counts() -> None:
    write_package("==4.56.0")
    assert set(versions(MODULE)) == {"4.56.0"}
