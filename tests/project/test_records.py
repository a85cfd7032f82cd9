"""Lists that record what a machine held: they set no versions where nothing installs them."""

from __future__ import annotations

import pytest

from tests.support.repositories import lint, paths_with, versions, write

pytestmark = pytest.mark.usefixtures("in_repository")

_OTHERS = "".join(f"package{number:03}==1.{number}\n" for number in range(40))
_FREEZE = (
    "accelerate==0.34.1\n-e git+ssh://git@github.com/me/job.git@6e35468#egg=job\n"
    f"{_OTHERS}torch==2.2.0\ntransformers==4.44.2\nxformers==0.0.20\n"
)


def write_project(freeze: str = _FREEZE, name: str = "requirements_env.txt") -> None:
    write("requirements.txt", "transformers\n")
    write("setup.py", "setup(install_requires=open('requirements.txt').readlines())\n")
    write(name, freeze)


def test_what_pip_froze_on_a_machine_sets_no_version_where_nothing_names_it() -> None:
    write_project()
    assert versions() == ["5.24.0"]


def test_its_pins_are_not_compared_with_each_other() -> None:
    write_project()  # xformers 0.0.20 needs torch 2.0.1
    assert paths_with("ROC203") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", "pip install -r requirements_env.txt\n"),
        ("docs/install.md", "pip install -r ../requirements_env.txt\n"),
        ("docker/Dockerfile", "COPY requirements_env.txt .\n"),
        ("Makefile", "install:\n\tpip install -r requirements_env.txt\n"),
        (".github/workflows/ci.yml", "run: pip install -r requirements_env.txt\n"),
        ("setup.py", "setup(install_requires=open('requirements_env.txt').readlines())\n"),
        ("noxfile.py", "session.install('-r', f'requirements_{name}.txt')\n"),
        ("requirements-dev.txt", "-r requirements_env.txt\n"),
        ("tox.ini", "deps = -r requirements_*.txt\n"),
    ],
)
def test_a_freeze_that_something_names_is_a_declaration(name: str, text: str) -> None:
    write_project()
    write(name, text)
    assert "4.44.2" in versions()
    assert paths_with("ROC203") == ["requirements_env.txt"]


def test_a_freeze_that_is_the_only_declaration_counts() -> None:
    write("requirements_env.txt", _FREEZE)
    assert versions() == ["4.44.2"]


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-lock.txt", "constraints.txt"])
def test_a_freeze_by_a_name_that_people_install_counts(name: str) -> None:
    write("setup.py", "setup()\n")
    write(name, _FREEZE)
    assert versions() == ["4.44.2"]


@pytest.mark.parametrize(
    "text",
    [
        "transformers==4.44.2\n",
        f"# the environment of the paper\n{_FREEZE}",
        f"{_OTHERS}transformers>=4.44,<4.45\n",
        "\n".join(reversed(_FREEZE.splitlines())),
        _FREEZE.replace("torch==2.2.0", 'torch==2.2.0 ; python_version >= "3.9"'),
        _FREEZE.replace("torch==2.2.0", "torch==2.2.0 \\\n    --hash=sha256:00"),
    ],
    ids=["one pin", "a comment", "a range", "not sorted", "a marker", "a hash"],
)
def test_a_list_that_somebody_wrote_or_a_tool_locked_counts(text: str) -> None:
    write_project(text)
    assert {"4.44.2", "4.44.3"} & {*versions()}


def test_what_pip_and_conda_say_of_themselves_is_no_comment_of_a_person() -> None:
    told = "# Editable Git install with no remote (job==0.1)\n-e /Users/me/job\n"
    write_project(
        f"# This file may be used to create an environment using:\n{_OTHERS}{told}"
        "transformers==4.44.2\n"
    )
    assert versions() == ["5.24.0"]


def test_advice_never_rests_on_a_freeze() -> None:
    write_project()
    assert (
        lint("from transformers.pipelines.conversational import Conversation\n")[0].help.count(
            "requirements_env"
        )
        == 0
    )
