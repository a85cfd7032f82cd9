"""Installs behind one that has replaced the ROCm build of torch already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from rocmlint.findings import Finding
    from tests.support.repositories import Repository

IMAGE = "FROM rocm/pytorch:rocm6.2_ubuntu22.04_py3.10_pytorch_2.5.0\n"
VLLM = "RUN pip install vllm==0.10.0\n"  # it requires torch==2.7.1
INDEX = "--index-url https://download.pytorch.org/whl/rocm6.2"


def lines(found: list[Finding]) -> list[int]:
    return [each.line for each in found if each.code == "ROC201"]


def project(repository: Repository, *requires: str) -> None:
    listed = "".join(f'"{each}", ' for each in requires)
    repository.write(
        "pyproject.toml", f'[project]\nname = "ocr"\nversion = "1"\ndependencies = [{listed}]\n'
    )


def test_what_the_torch_of_the_first_meets_is_not_reported_again(repository: Repository) -> None:
    project(repository, "torch>=2.7", "transformers>=4.57")
    text = f"{IMAGE}COPY . .\n{VLLM}RUN pip install -e .\n"
    assert lines(repository.lint("Dockerfile", text)) == [3]
    assert lines(repository.lint("Dockerfile", text.replace(VLLM, ""))) == [3]


@pytest.mark.parametrize(
    "after",
    [
        pytest.param("RUN pip install torch==2.6.0", id="another torch"),
        pytest.param("RUN pip install -U torch", id="an upgrade"),
        pytest.param("RUN /opt/venv/bin/pip install torch==2.7.1", id="another environment"),
        pytest.param("RUN . /opt/venv/bin/activate && pip install torch==2.7.1", id="activated"),
        pytest.param(f"{IMAGE}RUN pip install torch==2.7.1", id="another stage"),
    ],
)
def test_what_it_does_not_meet_is(repository: Repository, after: str) -> None:
    assert len(lines(repository.lint("Dockerfile", f"{IMAGE}{VLLM}{after}\n"))) == 2


def test_a_first_install_that_runs_only_sometimes_does_not_count(repository: Repository) -> None:
    rocm = f"pip install torch==2.5.0 {INDEX}\n"
    text = f"{rocm}if $FAST; then pip install vllm==0.10.0; fi\npip install torch==2.7.1\n"
    assert lines(repository.lint("install.sh", text)) == [2, 3]


def test_the_torchvision_that_came_with_torch_is_kept(repository: Repository) -> None:
    text = f"{IMAGE}RUN pip install 'torchvision>=0.20.0' 'torchaudio>=2.5.0'\n"
    assert lines(repository.lint("Dockerfile", text)) == []
    (found,) = repository.lint("Dockerfile", text.replace("0.20.0", "0.21.0"))
    assert found.message.startswith("`torchvision>=0.21.0` replaces the ROCm torch 2.5.0")


def test_an_index_alone_is_advised_only_where_nothing_else_is_asked_for(
    repository: Repository,
) -> None:
    """PyTorch's indexes have no transformers, and nothing to build a project with."""
    (found,) = repository.lint("Dockerfile", f"{IMAGE}RUN pip install torch==2.5.1 torchvision\n")
    assert found.help == f"Add `{INDEX}`."
    first = f"First install torch alone, with `{INDEX}`."
    (found,) = repository.lint("Dockerfile", f"{IMAGE}RUN pip install torch==2.5.1 transformers\n")
    assert found.help == first
    project(repository, "torch==2.5.1", "torchvision", "numpy")
    (found,) = repository.lint("Dockerfile", f"{IMAGE}COPY . .\nRUN pip install -e .\n")
    both = first.replace("torch alone", "torch and torchvision alone")
    assert found.help == f"{both[:-1]} (pyproject.toml:4 asks for it)."


def test_an_upgrade_keeps_torch_by_a_constraint(repository: Repository) -> None:
    text = f"{IMAGE}RUN pip install -U torch transformers\n"
    (found,) = repository.lint("Dockerfile", text)
    assert found.help.endswith(
        "alone, with the `--index-url` that `rocmlint stack index-url` "
        "prints, and keep it by a constraint (`-c`)."
    )


def test_uv_takes_torch_alone_from_the_index_of_a_backend(repository: Repository) -> None:
    (found,) = repository.lint(
        "Dockerfile", f"{IMAGE}RUN uv pip install torch==2.5.1 transformers\n"
    )
    assert found.help == "Add `--torch-backend rocm6.2`."
