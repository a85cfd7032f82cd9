"""Which images a project starts from: their Python, and the packages that they hold already."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from rocmlint.source.document import Document
from tests.support.repositories import GONE, candidates, lint, write

pytestmark = pytest.mark.usefixtures("in_repository")

START = "docker run -d --name=job --device /dev/kfd -v $HOME:/home \\\n    -w /work {} {}\n"
PY_3_9 = "rocm/vllm:rocm6.2_mi300_ubuntu20.04_py3.9_vllm_0.6.4"

EGG = "vllm-0.8.5.dev0+rocm634-py3.12-linux-x86_64.egg"
INSTALLS = "FROM rocm/pytorch\nRUN pip install transformers\n"


def holds(package: str, name: str = "job.py") -> bool:
    return Document(str(Path(name).absolute()), "").project.is_in_image(package)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("start_docker.sh", START.format("rocm/pytorch:rocm6.2_py3.9_pytorch_2.5", "bash")),
        ("README.md", "```bash\n" + START.format("team/job:python3.9-rocm6", "") + "```\n"),
        ("docker/Dockerfile.rocm", "FROM rocm/pytorch:rocm6.2_ubuntu22.04_py3.9_pytorch_2.5\n"),
        ("Container.rocm", "FROM python:3.9-slim\n"),
        ("Dockerfile", "ARG BASE=team/training:2.1.0-gpu-py39-cu121\nFROM ${BASE}\n"),
        ("docker-compose.yml", "services:\n  job:\n    image: team/job:py3.9\n"),
    ],
)
def test_the_image_that_the_project_runs_in_tells_its_python(name: str, text: str) -> None:
    write("requirements.txt", "transformers\n")
    write(name, text)
    (found,) = candidates()
    assert found.version < Version("5.0")
    assert found.said.endswith("allows on Python 3.9")


def test_a_major_release_of_python_is_no_minor_one() -> None:
    write("requirements.txt", "transformers\n")
    write("Dockerfile", "FROM nvcr.io/nvidia/pytorch:24.05-py3\n")
    (found,) = candidates()
    assert "Python" not in found.said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Dockerfile", "FROM vllm-mi300x-base:v0.11.2\n"),
        ("docker/Dockerfile.rocm", "FROM lmsysorg/sglang:v0.4.5-rocm630\n"),
        ("docker/dockerfile", "FROM team/base:th2.6.0-vllm0.8.3-flashinfer0.2.2\n"),
        ("Dockerfile", "FROM huggingface/transformers-pytorch-amd-gpu\n"),
        ("start.sh", START.format("rocm/vllm:latest", "tail -f /dev/null")),
        ("start.sh", f"IMAGE=${{IMAGE:-{PY_3_9}}}\n" + START.format("$IMAGE", "bash")),
        ("start.sh", START.format("--entrypoint bash vllm/vllm-openai:latest", "")),
        ("README.md", "```\ndocker pull rocm/vllm:latest\n```\n"),
        (
            "compose.yaml",
            "services:\n  job:\n    image: rocm/vllm:latest\n    command: python job.py\n",
        ),
        (
            "Dockerfile",
            f"FROM team/base\nRUN sed -i s/a/b/ /usr/lib/dist-packages/{EGG}/vllm/v1/a.py\n",
        ),
    ],
)
def test_an_image_of_a_package_holds_what_the_package_requires(name: str, text: str) -> None:
    write(name, text)
    assert holds("transformers")
    assert not holds("trl")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Dockerfile", "FROM rocm/pytorch:latest\n"),
        ("Dockerfile", "# FROM rocm/vllm:latest\nFROM python:3.12\n"),
        ("container.py", "from transformers import Trainer\n"),
        ("dockerfile.py", "from transformers import Trainer\n"),
        ("serve.sh", START.format("vllm/vllm-openai:latest", "--model gpt2")),
        ("serve.sh", START.format("rocm/vllm:latest", "vllm serve gpt2")),
        ("serve.sh", START.format("ghcr.io/huggingface/text-generation-inference:3", "")),
        ("compose.yaml", "services:\n  llm:\n    image: vllm/vllm-openai:latest\n"),
        (
            "compose.yaml",
            "services:\n  llm:\n    image: rocm/vllm\n    command: [--model, gpt2]\n",
        ),
        ("Dockerfile", f"{INSTALLS}RUN sed -i s/a/b/ /opt/site-packages/transformers/trainer.py\n"),
    ],
)
def test_an_image_of_something_else_and_a_server_hold_nothing_of_the_project(
    name: str, text: str
) -> None:
    write(name, text)
    assert not holds("transformers")


def test_the_newest_image_of_pytorch_has_the_newest_torch_and_a_tagged_one_its_own() -> None:
    write("Dockerfile", "FROM rocm/pytorch:latest\n")
    assert not holds("torch")
    write("other/.git/config", "")
    write("other/Dockerfile", "FROM rocm/pytorch:rocm6.2_ubuntu22.04_py3.10_pytorch_2.3.0\n")
    assert holds("torch", "other/job.py")


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("FROM nvcr.io/nvidia/pytorch:24.08-py3\n", True),
        ("FROM team/training:th2.6.0-cu126-vllm0.8.3\n", True),
        ("FROM python:3.12\n", False),
        ("FROM rocm/pytorch:latest\n", False),
    ],
)
def test_all_images_must_hold_it_but_those_for_other_gpus(other: str, expected: bool) -> None:
    write("docker/Dockerfile.vllm", "FROM vllm-base:v0.11.2\n")
    write("docker/Dockerfile.other", other)
    assert holds("transformers") == expected


def test_where_some_images_are_for_rocm_only_these_count() -> None:
    write("docker/Dockerfile.rocm", "FROM rocm/vllm:latest\n")
    write("docker/Dockerfile", "FROM python:3.12\n")
    assert holds("transformers")


def test_images_of_the_nearest_folder_count_and_those_that_the_project_builds_are_its_own() -> None:
    write("Dockerfile", "FROM vllm-base:v0.11.2\n")
    write("README.md", "docker build -t team/job .\ndocker run -it team/job:v1\n")
    write("trainer/Dockerfile", "FROM python:3.12\n")
    assert holds("transformers")
    assert not holds("transformers", "trainer/job.py")


@pytest.mark.parametrize("requirement", ["transformers", "transformers>=4.49"])
def test_of_an_open_requirement_pip_keeps_what_the_image_holds(requirement: str) -> None:
    write("requirements.txt", f"{requirement}\n")
    assert [each.code for each in lint(GONE)] == ["ROC204"]
    write("Dockerfile", "FROM vllm-mi300x-base:v0.11.2\nRUN pip install -r requirements.txt\n")
    assert lint(GONE) == []


@pytest.mark.parametrize("requirement", ["transformers==5.1.0", "transformers>=5"])
def test_what_only_releases_without_the_name_meet_is_told_in_any_image(requirement: str) -> None:
    write("requirements.txt", f"{requirement}\n")
    write("Dockerfile", "FROM vllm-mi300x-base:v0.11.2\nRUN pip install -r requirements.txt\n")
    assert [each.code for each in lint(GONE)] == ["ROC204"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("ROC204", "import torch\nroots = torch.lstsq(a, b)\n"),
        ("ROC213", "import torch\nu, s, v = torch.svd(matrix)\n"),
        ("ROC216", "import torch\nstate = torch.load('model.pt').state_dict()\n"),
        ("ROC218", "from torch.utils.checkpoint import checkpoint\nout = checkpoint(block, x)\n"),
    ],
)
def test_nor_is_the_torch_of_an_image_known(code: str, text: str) -> None:
    write("requirements.txt", "torch\n")
    assert [each.code for each in lint(text, select=[code], preview=True)] == [code]
    write("Dockerfile", "FROM rocm/pytorch:rocm6.2_ubuntu22.04_py3.10_pytorch_2.3.0\n")
    assert lint(text, select=[code], preview=True) == []
