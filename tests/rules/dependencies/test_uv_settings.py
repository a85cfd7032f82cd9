"""Where uv takes torch from in a project: a source, an index, a lock, and no mere word of ROCm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.repositories import PROJECT

if TYPE_CHECKING:
    from tests.support.repositories import Repository

ROCM = "https://download.pytorch.org/whl/rocm6.3"
CUDA = "https://download.pytorch.org/whl/cu128"
REQUIRED = f'{PROJECT}dependencies = ["torch==2.7.0"]\n'
SYNC = f"uv pip install torch==2.7.0 --index-url {ROCM}\nuv sync\n"
INSTALL = f"uv pip install torch==2.7.0 --index-url {ROCM}\nuv pip install vllm==0.11.2\n"


def index(name: str = "rocm", url: str = ROCM, *, explicit: bool = True) -> str:
    listed = f'\n[[tool.uv.index]]\nname = "{name}"\nurl = "{url}"\n'
    return listed + "explicit = true\n" * explicit


def sources(torch: str) -> str:
    return f"\n[tool.uv.sources]\ntorch = {torch}\n"


UNUSED = [
    pytest.param(f"# also for rocm\n{REQUIRED}[tool.uv]\nmanaged = true\n", id="a comment"),
    pytest.param(
        f'{PROJECT}description = "for rocm"\n{index(url=CUDA, name="cuda")}', id="a description"
    ),
    pytest.param("[tool.uv", id="not to be read"),
]
TOLD = [
    pytest.param(REQUIRED + index() + sources('{ index = "rocm" }'), id="a source"),
    pytest.param(
        REQUIRED
        + index()
        + index("cuda", CUDA)
        + sources('[{ index = "cuda", extra = "cuda" }, { index = "rocm", extra = "rocm" }]'),
        id="sources of extras",
    ),
    pytest.param(REQUIRED + sources('{ index = "rocm" }'), id="an index of another file"),
    pytest.param(REQUIRED + sources(f'{{ url = "{ROCM}/torch.whl" }}'), id="a wheel"),
    pytest.param(REQUIRED + sources('{ path = "wheels/torch.whl" }'), id="a file"),
    pytest.param(REQUIRED + index(explicit=False), id="an index for all"),
    pytest.param(f"{REQUIRED}{index()}\n[tool.uv.workspace]\nmembers = ['a']\n", id="a workspace"),
    pytest.param(f"{REQUIRED}[tool.uv]\nextra-index-url = ['{ROCM}']\n", id="an extra index"),
    pytest.param(f"{REQUIRED}[tool.uv]\nexclude-dependencies = ['torch']\n", id="no torch"),
    pytest.param(
        f"{REQUIRED}[tool.uv]\noverride-dependencies = [\"torch; sys_platform == 'never'\"]\n",
        id="never a torch",
    ),
    pytest.param(f'{PROJECT}dependencies = ["torch==2.7.0+rocm6.3"]\n', id="a build"),
]


@pytest.mark.parametrize("script", [SYNC, INSTALL])
@pytest.mark.parametrize("project", UNUSED)
def test_a_word_of_rocm_is_no_index_for_torch(
    repository: Repository, project: str, script: str
) -> None:
    repository.write("pyproject.toml", project)
    assert repository.codes("install_rocm.sh", script) == ["ROC201"]


@pytest.mark.parametrize("script", [SYNC, INSTALL])
@pytest.mark.parametrize("project", TOLD)
def test_an_index_that_torch_comes_from_is_enough(
    repository: Repository, project: str, script: str
) -> None:
    repository.write("pyproject.toml", project)
    assert repository.codes("install_rocm.sh", script) == []


def test_a_uv_toml_has_the_settings_of_uv(repository: Repository) -> None:
    repository.write("pyproject.toml", REQUIRED)
    repository.write("uv.toml", f'[[index]]\nname = "rocm"\nurl = "{ROCM}"\n')
    assert repository.codes("install_rocm.sh", SYNC) == []


@pytest.mark.parametrize(
    ("version", "registry", "codes"),
    [
        ("2.7.0", "https://pypi.org/simple", ["ROC201"]),
        ("2.7.0+cu128", CUDA, ["ROC201"]),
        ("2.7.0+rocm6.3", ROCM, []),
        ("2.7.0", "https://repo.amd.com/rocm/whl/gfx110X-all/", []),
    ],
)
def test_the_lock_says_what_a_sync_installs(
    repository: Repository, version: str, registry: str, codes: list[str]
) -> None:
    source = f'source = {{ registry = "{registry}" }}'
    lock = f'[[package]]\nname = "torch"\nversion = "{version}"\n{source}\n'
    repository.write("uv.lock", lock)
    for settings in (REQUIRED, REQUIRED + index(explicit=False)):
        repository.write("pyproject.toml", settings)
        assert repository.codes("install_rocm.sh", SYNC) == codes
    assert repository.codes("install_rocm.sh", INSTALL) == []  # `uv pip` reads no lock
