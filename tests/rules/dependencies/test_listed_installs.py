"""Installs of a list of requirements: which file it is, and what becomes of it before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.repositories import Repository


IMAGE = "FROM rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n"


@pytest.mark.parametrize(
    "steps",
    [
        "COPY . .\nRUN python3 use_existing_torch.py && pip install -r requirements.txt",
        "COPY . .\nRUN sed -i /torch/d requirements.txt && pip install -r requirements.txt",
    ],
)
def test_torch_that_is_taken_out_of_the_list_before_is_not_installed(
    repository: Repository, steps: str
) -> None:
    repository.write("requirements.txt", "torch==2.8.0\nnumpy\n")
    assert repository.codes("Dockerfile", f"{IMAGE}{steps}\n") == []
    unchanged = f"{IMAGE}COPY . .\nRUN pip install -r requirements.txt\n"
    assert repository.codes("Dockerfile", unchanged) == ["ROC201"]


def test_a_folder_that_is_copied_into_the_image_holds_the_list(repository: Repository) -> None:
    repository.write("scripts/list.txt", "torch==2.8.0\n")
    text = f"{IMAGE}COPY scripts/. /build/\nRUN pip install -r /build/list.txt\n"
    assert repository.codes("Dockerfile", text) == ["ROC201"]


def test_a_list_beside_the_script_is_read(repository: Repository) -> None:
    repository.write("tools/requirements.txt", "torch\n")
    text = (
        'SCRIPT_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n'
        'pip install -r "$SCRIPT_DIR/requirements.txt"\n'
    )
    assert repository.codes("tools/install_rocm.sh", text) == ["ROC201"]
    other = 'CLONE="$(dirname "$0")/ComfyUI"\npip install -r "$CLONE/requirements.txt"\n'
    assert repository.codes("tools/install_rocm.sh", other) == []


CLONE = "RUN git clone https://example.com/vllm.git\n"


@pytest.mark.parametrize(
    ("steps", "codes"),
    [
        ("RUN cd /opt && ls\nRUN pip install -r requirements.txt", ["ROC201"]),
        ("RUN cd /opt && pip install -r requirements.txt", []),
        (f"{CLONE}WORKDIR /app/vllm/\nRUN pip install -r requirements.txt", []),
        (f"{CLONE}WORKDIR /app\nRUN pip install -r requirements.txt", ["ROC201"]),
    ],
)
def test_a_list_is_read_from_where_the_instruction_runs(
    repository: Repository, steps: str, codes: list[str]
) -> None:
    repository.write("requirements.txt", "torch==2.8.0\n")
    assert repository.codes("Dockerfile", f"{IMAGE}COPY . .\n{steps}\n") == codes


def test_a_list_that_is_added_is_found_once(repository: Repository) -> None:
    repository.write("requirements.txt", "torch\naccelerate\n")
    assert repository.codes("install_rocm.sh", "uv add -r requirements.txt\n") == ["ROC201"]


SERVER = "https://download.pytorch.org/whl"


ROCM = f"pip install torch==2.9.1 --index-url {SERVER}/rocm6.4\n"


@pytest.mark.parametrize(("way", "codes"), [("cd build\ncd ..", ["ROC201"]), ("cd build", [])])
def test_the_way_back_leads_to_the_folder_of_the_script(
    repository: Repository, way: str, codes: list[str]
) -> None:
    repository.write("requirements.txt", "vllm==0.11.2\n")
    text = f"{ROCM}{way}\npip install -r requirements.txt\n"
    assert repository.codes("install.sh", text) == codes


@pytest.mark.parametrize(("option", "codes"), [("", ["ROC201"]), ("--from=build ", [])])
def test_a_list_that_another_stage_made_is_not_the_one_here(
    repository: Repository, option: str, codes: list[str]
) -> None:
    repository.write("requirements.txt", "torch==2.8.0\n")
    text = f"{IMAGE}COPY {option}requirements.txt /r/\nRUN pip install -r /r/requirements.txt\n"
    assert repository.codes("Dockerfile", text) == codes


PIN = "torch==2.8.0\n"


LIST = "RUN pip install -r /r/list.txt\n"


@pytest.mark.parametrize(
    ("steps", "codes"),
    [
        # Each was read otherwise by a search for lines that begin with an instruction.
        (f"COPY a/list.txt \\\n  # the list\n  /r/\n{LIST}", ["ROC201"]),
        (f"ARG A=a\nCOPY $A/list.txt /r/\n{LIST}", ["ROC201"]),
        (f"COPY a/list.txt /r/\nRUN cat <<EOF > x\nFROM nvidia/cuda\nEOF\n{LIST}", ["ROC201"]),
        (f"RUN cat <<EOF > x\nCOPY a/list.txt /r/\nEOF\n{LIST}", []),
        (f"# COPY a/list.txt /r/\n{LIST}", []),
        (f"RUN echo \\\nCOPY a/list.txt /r/\n{LIST}", []),
        (f"COPY a/other.txt /r/list.txt\n{LIST}", []),
        (f"FROM ubuntu\nCOPY a/list.txt /r/\nFROM rocm/pytorch\n{LIST}", []),
        (
            f"FROM ubuntu AS b\nCOPY a/list.txt /s/\n{IMAGE}COPY --from=b /s /r\n{LIST}",
            ["ROC201"],
        ),
        (
            (
                "RUN --mount=type=bind,source=a/list.txt,target=/r/list.txt \\\n"
                "  pip install -r /r/list.txt\n"
            ),
            ["ROC201"],
        ),
    ],
)
def test_the_list_of_an_image_is_the_one_that_its_build_copies(
    repository: Repository, steps: str, codes: list[str]
) -> None:
    repository.write("a/list.txt", PIN)
    repository.write("a/other.txt", "numpy\n")
    assert repository.codes("Dockerfile", IMAGE + steps) == codes


@pytest.mark.parametrize(
    ("way", "codes"),
    [
        ("%cd tools", ["ROC201"]),
        ("!cd tools", []),
        ("!git clone https://example.com/tools.git\n%cd tools", []),
    ],
)
def test_a_notebook_stays_in_the_folder_that_its_magic_leads_to(
    repository: Repository, way: str, codes: list[str]
) -> None:
    repository.write("tools/requirements.txt", PIN)
    source = f"{way}\n!pip install -q -r requirements.txt\n# rocm/pytorch:latest \n"
    cell = {"cell_type": "code", "source": source, "outputs": [], "metadata": {}}
    notebook = {
        "cells": [{**cell, "execution_count": None}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    found = repository.codes("a.ipynb", json.dumps(notebook), rocm=True)
    assert found == codes


@pytest.mark.parametrize(("option", "codes"), [("working-directory: tools", ["ROC201"]), ("", [])])
def test_a_step_reads_the_list_of_its_working_directory(
    repository: Repository, option: str, codes: list[str]
) -> None:
    repository.write("tools/requirements.txt", PIN)
    text = (
        "jobs:\n  test:\n    container: rocm/pytorch:latest\n    steps:\n"
        f"      - run: pip install -r requirements.txt\n        {option}\n"
    )
    assert repository.codes(".github/workflows/test.yml", text) == codes


@pytest.mark.parametrize(
    "step",
    [
        "python3 tools/override.py /app/list.txt /app/rocm.txt -o /app/list.txt",
        "python3 tools/override.py --output=/app/list.txt",
        "uv pip compile pyproject.toml -o list.txt",
        "pip-compile --output-file list.txt pyproject.toml",
        "grep -v torch list.in > list.txt",
        "grep -v torch list.in | tee list.txt",
        "sed -i /torch/d *.txt",
        "cp rocm.txt list.txt",
        "mv build/list.txt /app/",
        "curl -LO https://example.com/list.txt",
    ],
)
def test_a_list_that_a_command_writes_before_is_unknown(repository: Repository, step: str) -> None:
    repository.write("list.txt", PIN)
    start = f"{IMAGE}WORKDIR /app\nCOPY . /app\n"
    install = "RUN pip install -r /app/list.txt\n"
    assert repository.codes("Dockerfile", f"{start}RUN {step}\n{install}") == []
    assert repository.codes("Dockerfile", f"{start}{install}RUN {step}\n") == ["ROC201"]


@pytest.mark.parametrize(
    "step",
    [
        "grep torch list.txt > torch.txt",
        "wc -l < list.txt",
        "python3 tools/check.py list.txt",
    ],
)
def test_a_list_that_a_command_reads_before_is_the_one_here(
    repository: Repository, step: str
) -> None:
    repository.write("list.txt", PIN)
    text = f"{IMAGE}WORKDIR /app\nCOPY . /app\nRUN {step}\nRUN pip install -r list.txt\n"
    assert repository.codes("Dockerfile", text) == ["ROC201"]


def test_a_script_reads_the_list_that_it_writes(repository: Repository) -> None:
    repository.write("list.txt", "vllm==0.11.2\n")
    install = "pip install -r list.txt\n"
    assert repository.codes("install.sh", f"{ROCM}pip freeze > list.txt\n{install}") == []
    assert repository.codes("install.sh", f"{ROCM}pip freeze > now.txt\n{install}") == ["ROC201"]


COPY = "COPY list.txt /app/\n"


WRITE = "RUN pip freeze > /app/list.txt\n"


@pytest.mark.parametrize(
    ("stages", "codes"),
    [
        (f"FROM ubuntu\n{WRITE}{IMAGE}{COPY}", ["ROC201"]),
        (f"{IMAGE.strip()} AS made\n{COPY}{WRITE}FROM made\n", []),
    ],
)
def test_a_list_counts_as_written_in_the_image_where_it_is(
    repository: Repository, stages: str, codes: list[str]
) -> None:
    repository.write("list.txt", PIN)
    text = f"{stages}RUN pip install -r /app/list.txt\n"
    assert repository.codes("Dockerfile", text) == codes


def test_a_list_that_the_file_writes_is_not_that_of_a_clone(repository: Repository) -> None:
    clone = f"{ROCM}git clone https://example.com/tools.git && cd tools\n"
    install = "pip install -r requirements.txt\n"
    assert repository.codes("install.sh", clone + install, preview=True) == ["ROC210"]
    edited = f"{clone}sed -i /torch/d requirements.txt\n{install}"
    assert repository.codes("install.sh", edited, preview=True) == []
