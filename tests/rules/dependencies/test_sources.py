"""Indexes that a project binds to torch: by uv, Poetry, PDM and Hatch, in defaults, in matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.repositories import PROJECT

if TYPE_CHECKING:
    from tests.support.repositories import Repository

SERVER = "https://download.pytorch.org/whl"

UV = f"""
[[tool.uv.index]]
name = "rocm"
url = "{SERVER}/rocm7.0"
explicit = true
"""
POETRY = f"""
[[tool.poetry.source]]
name = "rocm"
url = "{SERVER}/rocm7.0"
priority = "explicit"
"""
PDM = f"""
[[tool.pdm.source]]
name = "rocm"
url = "{SERVER}/rocm7.0"
"""
HATCH = f'[tool.hatch.envs.gpu.env-vars]\nPIP_INDEX_URL = "{SERVER}/rocm7.0"\n'


def depends(*requirements: str) -> str:
    return f"{PROJECT}dependencies = {list(requirements)}\n"


@pytest.mark.parametrize(
    ("project", "codes"),
    [
        pytest.param(
            depends("torch==2.9.1") + UV + '[tool.uv.sources]\ntorch = { index = "rocm" }\n',
            ["ROC202"],
            id="uv binds torch to an index that lacks it",
        ),
        pytest.param(
            depends("torch==2.10.0") + UV + '[tool.uv.sources]\ntorch = { index = "rocm" }\n',
            [],
            id="uv binds torch to an index that has it",
        ),
        pytest.param(
            depends("torch==2.9.1") + UV,
            [],
            id="an explicit index of uv is not asked for torch unless a source says so",
        ),
        pytest.param(
            depends("torch==2.9.1") + UV.replace("explicit = true\n", ""),
            ["ROC202"],
            id="uv asks the first index that has torch, and no other",
        ),
        pytest.param(
            depends("torch==2.9.1")
            + UV
            + "[tool.uv.sources]\n"
            + "torch = [{ index = 'rocm', marker = \"sys_platform == 'win32'\" }]\n",
            [],
            id="a source of uv for another system",
        ),
        pytest.param(
            f'{PROJECT}[project.optional-dependencies]\ncpu = ["torch==2.9.1"]\n'
            f'rocm = ["torch==2.10.0"]\n{UV}'
            "[tool.uv.sources]\ntorch = [{ index = 'rocm', extra = 'rocm' }]\n",
            [],
            id="a source of uv for one extra",
        ),
        pytest.param(
            f'{PROJECT}[project.optional-dependencies]\ncpu = ["torch==2.10.0"]\n'
            f'rocm = ["torch==2.9.1"]\n{UV}'
            "[tool.uv.sources]\ntorch = [{ index = 'rocm', extra = 'rocm' }]\n",
            ["ROC202"],
            id="the pin of that extra",
        ),
        pytest.param(
            "[tool.poetry.dependencies]\n"
            f'torch = {{ version = "2.9.1", source = "rocm" }}\n{POETRY}',
            ["ROC202"],
            id="Poetry binds torch to an index that lacks it",
        ),
        pytest.param(
            f'[tool.poetry.dependencies]\ntorch = "2.9.1"\n{POETRY}',
            [],
            id="Poetry asks an explicit source for what names it",
        ),
        pytest.param(
            "[tool.poetry.dependencies]\n"
            f'torch = {{ version = "^2.10", source = "rocm" }}\n{POETRY}',
            [],
            id="a range of Poetry that the index meets",
        ),
        pytest.param(
            depends("torch==2.9.1") + PDM + 'include_packages = ["torch*"]\n',
            ["ROC202"],
            id="PDM binds torch to an index that lacks it",
        ),
        pytest.param(
            depends("torch==2.9.1") + PDM + 'include_packages = ["torchvision"]\n',
            [],
            id="PDM binds something else to it",
        ),
        pytest.param(
            f'{HATCH}[tool.hatch.envs.gpu]\ndependencies = ["torch==2.9.1"]\n',
            ["ROC202"],
            id="an environment of Hatch has pip ask an index that lacks its torch",
        ),
        pytest.param(
            depends("torch==2.10.0") + HATCH.replace("rocm7.0", "rocm6.5"),
            ["ROC202"],
            id="an environment of Hatch names an index that does not exist",
        ),
        pytest.param(
            depends("torch==2.9.1") + HATCH.replace("gpu", "docs") + "[tool.hatch.envs.docs]\n"
            'detached = true\ndependencies = ["mkdocs"]\n',
            [],
            id="a detached environment of Hatch has no torch",
        ),
    ],
)
def test_a_pin_and_the_index_that_it_is_taken_from_are_judged_together(
    repository: Repository, project: str, codes: list[str]
) -> None:
    assert repository.codes("pyproject.toml", project) == codes


def test_what_uv_cannot_find_is_said_of_the_index_and_the_pin(repository: Repository) -> None:
    text = depends("torch==2.9.1") + UV + '[tool.uv.sources]\ntorch = { index = "rocm" }\n'
    (found,) = repository.lint("pyproject.toml", text)
    assert found.message == "The index for ROCm 7.0 has torch 2.10, not `torch==2.9.1`"
    assert found.line == text[: text.index(SERVER)].count("\n") + 1
    assert "6.3 and 6.4" in found.help


LAUNCHER = "import os\n\n\ndef prepare():\n"


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        (f'url = os.environ.get("TORCH_INDEX_URL", "{SERVER}/rocm6.5")', ["ROC202"]),
        (f'url = os.getenv("TORCH_INDEX_URL", "{SERVER}/rocm6.5")', ["ROC202"]),
        (f'url = os.getenv("TORCH_INDEX_URL") or "{SERVER}/rocm6.5"', ["ROC202"]),
        (f'os.environ.setdefault("TORCH_INDEX_URL", "{SERVER}/rocm6.5")', ["ROC202"]),
        (f'os.environ["TORCH_INDEX_URL"] = "{SERVER}/rocm6.5"', ["ROC202"]),
        (f'url = os.environ.get("TORCH_INDEX_URL", "{SERVER}/rocm6.4")', []),
        (f'print("rocm", "{SERVER}/rocm6.5")', []),
        (
            (
                f"cmd = os.environ.get('TORCH_COMMAND',"
                f" 'pip install torch==2.9.1 --index-url {SERVER}/rocm7.0')"
            ),
            ["ROC202"],
        ),
        (
            (
                f"cmd = os.environ.get('TORCH_COMMAND',"
                f" 'torch==2.9.1+rocm7.0 torchvision --index-url {SERVER}/rocm7.0')"
            ),
            ["ROC202"],
        ),
        (
            (
                f"cmd = os.environ.get('TORCH_COMMAND',"
                f" '--pre torch torchvision --index-url {SERVER}/nightly/rocm7.2')"
            ),
            [],
        ),
        ('cmd = os.environ.get("SERVE_COMMAND", "torchrun serve.py")', []),
    ],
)
def test_defaults_of_environment_variables_count_as_what_is_run(
    repository: Repository, line: str, codes: list[str]
) -> None:
    assert repository.codes("launch.py", f"{LAUNCHER}    {line}\n") == codes


def test_a_default_index_is_put_into_the_default_command(repository: Repository) -> None:
    text = (
        f'{LAUNCHER}    url = os.environ.get("TORCH_INDEX_URL", "{SERVER}/rocm7.0")\n'
        '    cmd = os.getenv("TORCH_COMMAND", f"pip install torch==2.9.1 -i {url}")\n'
    )
    (found,) = repository.lint("launch.py", text)
    assert (found.code, found.line) == ("ROC202", 6)
    (found,) = repository.lint("launch.py", text.replace("rocm7.0", "rocm6.5"))
    assert (found.code, found.line) == ("ROC202", 5)


@pytest.mark.parametrize(
    ("script", "codes"),
    [
        (f"pip install torch --index-url ${{TORCH_INDEX_URL:-{SERVER}/rocm6.5}}", ["ROC202"]),
        (f"pip install torch --index-url ${{TORCH_INDEX_URL:-{SERVER}/rocm6.4}}", []),
        (f"${{TORCH_COMMAND:-pip install torch==2.9.1 --index-url {SERVER}/rocm7.0}}", ["ROC202"]),
        (
            (
                f'PIP_COMMAND="${{PIP_COMMAND:-pip install torch --index-url {SERVER}/rocm6.5}}"\n'
                "$PIP_COMMAND"
            ),
            ["ROC202"],
        ),
        (
            (
                f'export TORCH_COMMAND="pip install torch==2.9.1 --index-url {SERVER}/rocm7.0"\n'
                "python launch.py"
            ),
            ["ROC202"],
        ),
        (f'export TORCH_INDEX_URL="{SERVER}/rocm6.5"\npython launch.py', ["ROC202"]),
        (
            f'export TORCH_INDEX_URL="{SERVER}/rocm6.5"\npip install torch -i $TORCH_INDEX_URL',
            ["ROC202"],
        ),
    ],
)
def test_defaults_in_a_shell_count_as_what_is_run(
    repository: Repository, script: str, codes: list[str]
) -> None:
    assert repository.codes("install.sh", f"{script}\n") == codes


MATRIX = """
on: push
jobs:
  wheels:
    runs-on: ubuntu-24.04
    strategy:
      matrix:
        {matrix}
    steps:
      - run: pip install torch{pin} --index-url {server}/rocm${{{{ matrix.rocm }}}}
"""


@pytest.mark.parametrize(
    ("matrix", "pin", "codes"),
    [
        ("rocm: ['6.4', '6.5']", "", ["ROC202"]),
        ("rocm: ['6.4', '7.1']", "", []),
        ("rocm: [6.4, 7.0]", "==2.9.1", ["ROC202"]),
        ("rocm: ${{ fromJSON(needs.plan.outputs.rocm) }}", "", []),
        (
            (
                "include:\n          - {rocm: '6.4', torch: 2.9.1}\n"
                "          - {rocm: '7.0', torch: 2.10.0}"
            ),
            "==${{ matrix.torch }}",
            [],
        ),
        (
            "rocm: ['6.4', '7.0']\n        torch: [2.9.1, 2.10.0]",
            "==${{ matrix.torch }}",
            ["ROC202", "ROC202"],
        ),
        (
            (
                "rocm: ['6.4', '7.0']\n        torch: [2.9.1, 2.10.0]\n        exclude:\n"
                "          - {rocm: '6.4', torch: 2.10.0}\n          - {rocm: '7.0', torch: 2.9.1}"
            ),
            "==${{ matrix.torch }}",
            [],
        ),
        (
            (
                "rocm: ['6.4']\n        include:\n          - {rocm: '6.4', python: '3.12'}\n"
                "          - {rocm: '6.5'}"
            ),
            "",
            ["ROC202"],
        ),
    ],
)
def test_each_combination_of_a_matrix_runs(
    repository: Repository, matrix: str, pin: str, codes: list[str]
) -> None:
    text = MATRIX.format(matrix=matrix, pin=pin, server=SERVER)
    assert repository.codes(".github/workflows/ci.yml", text) == codes
