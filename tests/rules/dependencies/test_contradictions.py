"""Lists of requirements that contradict the project file beside them."""

from __future__ import annotations

import pytest

from rocmlint.api import lint_paths
from tests.support.repositories import write

pytestmark = pytest.mark.usefixtures("in_repository")


def found(listed: str, required: str, name: str = "requirements.txt") -> list[str]:
    write("pyproject.toml", f'[project]\nname="job"\nversion="1"\ndependencies=[{required}]\n')
    write(name, listed)
    return [each.message for each in lint_paths(["."], options={"select": ["ROC217"]})]


def test_two_releases_of_one_package_contradict() -> None:
    assert found("transformers==4.56.0\n", '"transformers==5.14.1"') == [
        "`transformers==4.56.0` contradicts `transformers==5.14.1` in pyproject.toml"
    ]


@pytest.mark.parametrize(
    ("listed", "required"),
    [
        ("transformers==4.38.0\n", '"transformers>=4.40"'),
        ("transformers>=4.53.1\n", '"transformers==4.46.2"'),
        ("transformers<4.40\n", '"transformers>=4.50,<5"'),
    ],
)
def test_so_does_what_no_release_meets(listed: str, required: str) -> None:
    assert len(found(listed, required)) == 1


@pytest.mark.parametrize(
    ("listed", "required"),
    [
        ("transformers==4.56.0\n", '"transformers>=4.50"'),
        ("transformers==4.56\n", '"transformers==4.56.0"'),
        ("transformers\n", '"transformers==4.56.0"'),
        ("transformers==4.56.0; python_version < '3.10'\n", '"transformers==5.14.1"'),
        ("torch==2.6.0+rocm6.2.4\n", '"torch==2.7.0"'),
        ("transformers @ git+https://github.com/huggingface/transformers\n", '"transformers<5"'),
        ("requests==1\n", '"requests==2"'),
    ],
)
def test_what_agrees_or_is_an_alternative_is_silent(listed: str, required: str) -> None:
    assert found(listed, required) == []


@pytest.mark.parametrize(
    "name",
    ["requirements-rocm.txt", "requirements/dev.txt", "requirements/cuda.txt", "constraints.txt"],
)
def test_a_list_for_one_case_is_an_alternative(name: str) -> None:
    assert found("transformers==4.56.0\n", '"transformers==5.14.1"', name) == []


def test_what_a_comment_explains_is_a_note_and_hides_no_warning() -> None:
    write(
        "pyproject.toml",
        '[project]\nname="a"\nversion="1"\ndependencies=["transformers==5.14.1", "torch==2.8"]\n',
    )
    listed = "transformers==4.56.0  # the last one for Python 3.9\naccelerate\ntorch==2.6.0\n"
    write("requirements.txt", listed)
    reported = lint_paths(["."], options={"select": ["ROC217"]})
    assert [each.severity for each in reported] == ["note", "warning"]


def test_a_list_that_was_forgotten_is_reported_once() -> None:
    """EAGLE: three pins of setup.py are others than those of its list."""
    write(
        "setup.py",
        "from setuptools import setup\nsetup(name='eagle', install_requires=["
        "'torch==2.0.1', 'transformers==4.46.2', 'accelerate==0.21.0'])\n",
    )
    write("requirements.txt", "torch==2.6.0\ntransformers>=4.53.1\naccelerate==0.26.0\n")
    (only,) = lint_paths(["."], options={"select": ["ROC217"]})
    assert only.help.endswith("The same holds for 2 more places.")
