"""Jobs that run several times: the matrices of GitHub, GitLab, CircleCI and Azure."""

from __future__ import annotations

import pytest

from rocmlint.formats.ci.matrix import combinations
from rocmlint.formats.ci.workflow import parse
from rocmlint.formats.readers import yaml
from rocmlint.formats.readers.excerpt import Excerpt


def runs(text: str) -> list[str]:
    """Return what the steps run, each with its image where one is known."""
    return [
        " ".join(word.text for word in each.words)
        + (f" in {each.image.text}" if each.image else "")
        for each in parse(text).commands
    ]


def unknown(text: str) -> list[str]:
    return [word.text for each in parse(text).commands for word in each.words if not word.known]


# GitHub


@pytest.mark.parametrize(
    ("matrix", "found"),
    [
        ("{a: [1, 2], b: [x]}", [{"a": "1", "b": "x"}, {"a": "2", "b": "x"}]),
        ("{a: [1, 2], exclude: [{a: 1}]}", [{"a": "2"}]),
        ("{a: [1, 2], include: [{a: 1, b: x}]}", [{"a": "1", "b": "x"}, {"a": "2"}]),
        ("{a: [1], include: [{a: 3}]}", [{"a": "1"}, {"a": "3"}]),
        ("{a: [1], include: [{b: x}, {b: y}]}", [{"a": "1", "b": "y"}]),
        ("{include: [{a: 1}, {a: 2}]}", [{"a": "1"}, {"a": "2"}]),
        ("{a: ['${{ x }}', 2]}", [{}, {"a": "2"}]),
        ("{a: [{b: 1}, 2]}", [{}, {"a": "2"}]),
        ("{a: '${{ fromJSON(x) }}'}", []),
        ("'${{ fromJSON(x) }}'", []),
        ("[1]", []),
    ],
)
def test_a_matrix_is_combined_as_github_does(matrix: str, found: list[dict[str, str]]) -> None:
    documents = yaml.read(Excerpt.of(f"strategy:\n  matrix: {matrix}\n"))
    assert isinstance(documents, list | tuple)
    (job,) = documents
    assert isinstance(job, yaml.Mapping)
    assert combinations(job) == found


def test_a_large_matrix_is_cut_off() -> None:
    axis = list(range(50))
    text = f"strategy:\n  matrix: {{a: {axis}, b: {axis}, c: {axis}}}\n"
    (job,) = yaml.read(Excerpt.of(text))  # type: ignore[misc]  # a Problem has no elements
    assert isinstance(job, yaml.Mapping)
    assert len(combinations(job)) == 256


# GitLab


def test_gitlab_runs_a_job_with_each_combination_of_each_matrix() -> None:
    text = """\
train:
  image: rocm/pytorch:$TAG
  parallel:
    matrix:
      - TAG: [a, b]
        PIN: "1.0"
      - TAG: c
        PIN: ["2.0", "3.0"]
  script:
    - pip install x==$PIN
"""
    assert runs(text) == [
        "pip install x==1.0 in rocm/pytorch:a",
        "pip install x==1.0 in rocm/pytorch:b",
        "pip install x==2.0 in rocm/pytorch:c",
        "pip install x==3.0 in rocm/pytorch:c",
    ]


def test_gitlab_starts_a_job_several_times_without_a_matrix_too() -> None:
    assert runs("train:\n  parallel: 4\n  script: pip install x\n") == ["pip install x"]


def test_what_gitlab_takes_from_elsewhere_is_unknown() -> None:
    text = """\
variables: {PIN: "9"}
train:
  parallel:
    matrix:
      - PIN: ["1.0", $ELSEWHERE]
  script: pip install x==$PIN
"""
    assert runs(text) == ["pip install x==1.0", "pip install x==$PIN"]
    assert unknown(text) == ["x==$PIN"]


# CircleCI


CIRCLE = """\
version: 2.1
jobs:
  train:
    parameters:
      rocm: {type: string}
      pin: {type: string, default: "2.4"}
    docker:
      - image: rocm/pytorch:<< parameters.rocm >>
    steps:
      - run: pip install x==<<parameters.pin>>
workflows:
  all:
    jobs:
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        pytest.param(
            "- train: {matrix: {parameters: {rocm: ['6.3', '6.4'], pin: [1, 2]}}}",
            ["1 in rocm/pytorch:6.3", "2 in rocm/pytorch:6.3", "1 in rocm/pytorch:6.4",
             "2 in rocm/pytorch:6.4"],
            id="matrix",
        ),
        pytest.param(
            "- train: {matrix: {parameters: {rocm: ['6.3', '6.4'], pin: [1, 2]},"
            " exclude: [{rocm: '6.3', pin: 1}, {rocm: '6.4', pin: 2}]}}",
            ["2 in rocm/pytorch:6.3", "1 in rocm/pytorch:6.4"],
            id="exclude",
        ),
        pytest.param(
            "- train: {name: t, rocm: '6.3', matrix: {parameters: {pin: ['3']}}}",
            ["3 in rocm/pytorch:6.3"],
            id="a parameter beside the matrix",
        ),
        pytest.param("- train: {rocm: '6.3'}", ["2.4 in rocm/pytorch:6.3"], id="default"),
        pytest.param(
            "- train: {rocm: '6.3'}\n      - train: {rocm: '6.4'}",
            ["2.4 in rocm/pytorch:6.3", "2.4 in rocm/pytorch:6.4"],
            id="two calls",
        ),
        pytest.param("- train", ["2.4"], id="an image that only the run knows"),
        pytest.param("- other", ["<<parameters.pin>>"], id="never called"),
        pytest.param("- train: {pin: << pipeline.id >>}", ["<<parameters.pin>>"], id="of the run"),
    ],
)  # fmt: skip
def test_circleci_runs_a_job_with_the_parameters_of_each_call(call: str, found: list[str]) -> None:
    assert runs(f"{CIRCLE}      {call}\n") == [f"pip install x=={each}" for each in found]


# Azure


def test_azure_runs_a_job_with_each_named_combination() -> None:
    text = """\
jobs:
- job: train
  strategy:
    matrix:
      old: {torch.pin: '2.3', tag: a}
      new: {torch.pin: '2.4', tag: b}
  container: rocm/pytorch:$(tag)
  steps:
  - bash: pip install torch==$(torch.pin)
  - script: pip install torch==$TORCH_PIN
"""
    assert runs(text) == [
        f"pip install torch=={pin} in rocm/pytorch:{tag}"
        for step in range(2)
        for pin, tag in (("2.3", "a"), ("2.4", "b"))
    ]


def test_a_macro_of_azure_has_the_value_of_its_variable() -> None:
    text = "variables: {pin: '2.4'}\nsteps:\n- bash: pip install torch==$(pin)\n"
    assert runs(text) == ["pip install torch==2.4"]


def test_parentheses_without_such_a_variable_run_a_command() -> None:
    text = "variables: {pin: '2.4'}\nsteps:\n- bash: pip install torch==$(newest)\n"
    assert unknown(text) == ["torch==$(newest)"]
    assert runs(text)[-1] == "newest"


@pytest.mark.parametrize("matrix", ["'$[ outputs.b ]'", "[a]", "{}", "{a: {b: [c]}}"])
def test_a_matrix_that_only_the_run_knows_leaves_its_values_unknown(matrix: str) -> None:
    text = f"jobs:\n- strategy: {{matrix: {matrix}}}\n  steps:\n  - bash: pip install x==$B\n"
    assert unknown(text) == ["x==$B"]
