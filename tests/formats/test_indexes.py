"""Which requirements a pyproject.toml takes from which index."""

from __future__ import annotations

import pytest

from rocmlint.formats import parse

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
