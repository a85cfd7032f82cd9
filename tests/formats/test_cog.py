"""cog.yaml: the packages of the image, the commands that build it, what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.formats.images.cog import parse
from rocmlint.formats.model import Parts
from rocmlint.text.text import Text
from tests.support.repositories import versions, write

if TYPE_CHECKING:
    from rocmlint.text.text import Span
    from tests.support.project import Project
    from tests.support.repositories import Repository

TEXT = """\
build:
  gpu: true
  python_version: "3.11"
  system_packages:
    - "libgl1"
  python_packages:
    - "torch==2.0.1"   # é
    - 'accelerate>=0.21'
    - torchvision==0.15.2 --extra-index-url https://download.pytorch.org/whl/cu118
  python_requirements: requirements.txt
  run:
    - cd /opt && pip install flash-attn>=2
    - command: pip install dlib
      mounts:
        - type: secret
    - |
      pip install a
      pip install b
predict: "predict.py:Predictor"
"""


def at(text: str, span: Span) -> str:
    lines = Text(text)
    start = lines.offset_of(span.line) + span.column - 1
    return text[start : lines.offset_of(span.end_line) + span.end_column - 1]


def test_the_packages_of_the_image_are_declared_at_their_places() -> None:
    declared = parse(TEXT).declared
    found = [(each.text, at(TEXT, each.span)) for each in declared]
    assert found == [(text, text) for text in ("torch==2.0.1", "accelerate>=0.21",
                                               "torchvision==0.15.2")]  # fmt: skip
    assert {each.group for each in declared} == {""}


def test_a_list_of_requirements_is_included() -> None:
    (included,) = parse(TEXT).inclusions
    assert (included.path, at(TEXT, included.span)) == ("requirements.txt", "requirements.txt")


def test_each_command_runs_in_a_shell_of_its_own() -> None:
    commands = parse(TEXT).commands
    found = [(each.step.number, " ".join(word.text for word in each.words)) for each in commands]
    assert found == [
        (1, "cd /opt"),
        (1, "pip install flash-attn"),
        (2, "pip install dlib"),
        (3, "pip install a"),
        (3, "pip install b"),
    ]
    assert [each.folder for each in commands] == ["", "/opt", "", "", ""]
    (redirect,) = commands[1].redirects
    assert at(TEXT, redirect.span) == ">=2"


@pytest.mark.parametrize(
    ("gpu", "image"), [("true", "nvidia/cuda"), ("false", None), ('"yes"', None), ("[a]", None)]
)
def test_a_gpu_is_one_of_nvidias(gpu: str, image: str | None) -> None:
    (command,) = parse(f"build:\n  gpu: {gpu}\n  run:\n  - pip install x\n").commands
    assert (command.image.text if command.image else None) == image


@pytest.mark.parametrize(
    "text",
    ["", "build:", "build: a", "image: x", "- a", "build:\n  run: a\n  python_packages: {a: b}\n"],
)
def test_what_says_nothing_has_no_parts(text: str) -> None:
    parts = parse(text)
    assert parts == Parts()


def test_a_requirement_that_pip_refuses_is_a_problem_at_its_line() -> None:
    parts = parse('build:\n  python_packages:\n    - "torch = 2"\n    - numpy\n')
    assert [each.line for each in parts.problems] == [3]
    assert [each.name for each in parts.declared] == ["numpy"]


def test_an_unquoted_version_in_a_command_is_found(project: Project) -> None:
    project.write("cog.yaml", TEXT.replace("gpu: true", "gpu: false"))
    assert project.findings("check", ".", "--select", "ROC208") == [("cog.yaml", "ROC208")]


@pytest.mark.parametrize("gpu", ["true", "false"])
def test_its_image_is_not_for_rocm_where_the_project_is(repository: Repository, gpu: str) -> None:
    text = f"build:\n  gpu: {gpu}\n  run:\n    - pip install vllm\n"
    assert repository.codes("install.sh", "pip install vllm\n", rocm=True) == ["ROC201"]
    assert repository.codes("cog.yaml", text, rocm=True) == []


@pytest.mark.usefixtures("in_repository")
def test_its_packages_are_the_versions_where_nothing_declares_any() -> None:
    write("cog.yaml", "build:\n  python_packages:\n    - transformers==4.48.1\n")
    assert versions("predict.py") == ["4.48.1"]
    write("requirements.txt", "transformers==4.50.0\n")
    assert versions("predict.py") == ["4.50.0"]
