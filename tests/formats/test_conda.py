"""environment.yml and conda-lock.yml: what conda and pip install."""

from __future__ import annotations

import pytest

from rocmlint.formats.packaging import conda, conda_env, conda_lock
from tests.support.parts import at, declared

# conda

ENVIRONMENT = """\
name: x
channels: [pytorch]
dependencies:
  - python=3.10
  - pytorch=2.3
  - conda-forge::numpy>=1.20,<2
  - scipy=1.10.1=py310_0
  - pip:
    - "accelerate>=1"
    - --extra-index-url https://x/rocm6.2
    - -r more.txt
    - bad >> 1
"""


def test_an_environment_declares_what_translates() -> None:
    parts = conda.parse(ENVIRONMENT)
    assert [each.text for each in parts.declared] == [
        "torch==2.3.*",
        "numpy>=1.20,<2",
        "accelerate>=1",
    ]
    assert [each.path for each in parts.inclusions] == ["more.txt"]
    assert [at(ENVIRONMENT, each.span) for each in parts.indexes] == ["https://x/rocm6.2"]
    assert [(each.line, each.column) for each in parts.problems] == [(12, 7)]


def test_requirements_of_an_environment_stand_at_their_places() -> None:
    places = [at(ENVIRONMENT, each.span) for each in conda.parse(ENVIRONMENT).declared]
    assert places == ["pytorch=2.3", "conda-forge::numpy>=1.20,<2", "accelerate>=1"]


# conda-lock.yml, and environment files of other names


def test_what_is_locked_for_linux() -> None:
    text = (
        "version: 1\nmetadata:\n  content_hash:\n    linux-64: a\npackage:\n"
        "- name: pytorch\n  version: 2.5.1\n  manager: conda\n  platform: linux-64\n"
        "  dependencies:\n    version: '3'\n  category: main\n"
        "- name: torch\n  version: '2.5.1+rocm6.2'\n  manager: pip\n  platform: linux-64\n"
        "  category: dev\n"
        "- name: torch\n  version: 2.4.0\n  manager: pip\n  platform: osx-arm64\n"
        "- name: python\n  version: 3.12.1\n  manager: conda\n  platform: linux-64\n"
    )
    parts = conda_lock.parse(text)
    assert declared(parts) == [("torch==2.5.1", ""), ("torch==2.5.1+rocm6.2", "dev")]
    assert [at(text, each.span) for each in parts.declared] == ["pytorch", "torch"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("name: x\ndependencies:\n  - pip:\n    - torch==2.4\n", [("torch==2.4", "")]),
        ('"dependencies": ["numpy>=1"]\n', [("numpy>=1", "")]),
        ("replicas: {{ .Values.x }}\n", []),
        ("env:\n  dependencies: [a]\n", []),
    ],
)
def test_the_content_tells_an_environment_of_conda(text: str, found: list[tuple[str, str]]) -> None:
    parts = conda_env.parse(text)
    assert (declared(parts), parts.problems) == (found, ())
