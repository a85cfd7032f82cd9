"""Which requirements a pyproject.toml takes from which index; the combinations of a matrix."""

from __future__ import annotations

import pytest

from rocmlint.formats import parse, yaml
from rocmlint.formats.excerpt import Excerpt
from rocmlint.formats.matrix import combinations

UV = '[[tool.uv.index]]\nname = "rocm"\nurl = "https://example.com/rocm"\n'


def taken(text: str) -> list[list[str] | None]:
    found = parse("pyproject.toml", text).indexes
    return [None if each.takes is None else [one.text for one in each.takes] for each in found]


def test_uv_takes_what_its_sources_bind_and_what_nothing_binds() -> None:
    project = (
        '[project]\ndependencies = ["torch==2.9.1", "numpy", "triton"]\n'
        f'[tool.uv.sources]\ntorch = {{ index = "rocm" }}\ntriton = {{ git = "x" }}\n{UV}'
    )
    assert taken(project) == [["torch==2.9.1", "numpy"]]
    assert taken(f"{project}explicit = true\n") == [["torch==2.9.1"]]


def test_poetry_takes_what_names_the_source() -> None:
    text = (
        '[tool.poetry.dependencies]\ntorch = { version = "2.9.1", source = "rocm" }\nnumpy = "*"\n'
        '[[tool.poetry.source]]\nname = "rocm"\nurl = "https://example.com/rocm"\n'
    )
    assert taken(text) == [["torch==2.9.1"]]


def test_of_sources_of_pdm_the_best_wins_but_for_packages_that_it_includes() -> None:
    text = (
        '[project]\ndependencies = ["torch", "torchvision", "numpy"]\n'
        '[[tool.pdm.source]]\nname = "rocm"\nurl = "https://example.com/rocm"\n'
    )
    assert taken(text) == [None]
    assert taken(f'{text}include_packages = ["torch*"]\n') == [["torch", "torchvision"]]


@pytest.mark.parametrize(
    "text",
    [
        "[tool.uv]\nsources = 3\nindex = 'x'\n",
        f"{UV}[tool.uv.sources]\ntorch = [1, 'a', {{}}]\n",
        "[tool.poetry]\nsource = [1]\ndependencies = []\ngroup = { a = 1 }\n",
        "[tool.pdm]\nsource = [{ url = 1, include_packages = 'torch' }]\n",
        "[tool.hatch.envs]\na = 1\nb = { env-vars = [], dependencies = {} }\n",
        "[tool.hatch.envs.a.env-vars]\nPIP_INDEX_URL = true\n",
    ],
)
def test_what_is_no_source_is_passed_over(text: str) -> None:
    assert parse("pyproject.toml", text).problems == ()


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
