"""Install files as people write them: which of them harm a ROCm torch, and which must be silent.

Each is a whole file of a project of its own. The harmless ones look like the harmful.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.support.repositories import PROJECT

if TYPE_CHECKING:
    from tests.support.repositories import Repository


SERVER = "https://download.pytorch.org/whl"


IMAGE = "FROM rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n"


PLAIN = "FROM rocm/dev-ubuntu-24.04:6.4.3-complete\n"


ROCM = f"pip install torch==2.9.1 --index-url {SERVER}/rocm6.4\n"


UV = (
    '\n[tool.uv.sources]\ntorch = {{ index = "rocm" }}\n\n[[tool.uv.index]]\nname = "rocm"\n'
    f'url = "{SERVER}/{{}}"\nexplicit = true\n'
)


class Snippet(NamedTuple):
    name: str
    path: str
    text: str
    codes: str = ""
    rocm: bool | None = None


def workflow(*steps: str, head: str = "") -> str:
    lines = "".join(f"      - run: {each}\n" for each in steps)
    return f"on: push\njobs:\n  test:\n    runs-on: ubuntu-24.04\n{head}    steps:\n{lines}"


def notebook(*cells: str) -> str:
    found = [
        {"cell_type": "code", "metadata": {}, "source": each, "outputs": [], "execution_count": 1}
        for each in cells
    ]
    return json.dumps({"cells": found, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def requires(*lines: str) -> str:
    return "".join(f"{each}\n" for each in lines)


def depends(*requirements: str) -> str:
    return f"{PROJECT}dependencies = {json.dumps(requirements)}\n"


def setup(body: str) -> str:
    return f"import subprocess\nfrom setuptools import setup\n\n{body}\n"


SNIPPETS = [
    Snippet(
        "xformers of another torch", "Dockerfile", f"{IMAGE}RUN pip install xformers", "ROC201"
    ),
    Snippet("any torch is enough", "Dockerfile", f"{IMAGE}RUN pip install peft accelerate\n"),
    Snippet("a pin in an image", "Dockerfile", f"{IMAGE}RUN pip install torch==2.10.0", "ROC201"),
    Snippet(
        "the index of the image's ROCm",
        "Dockerfile",
        f"{PLAIN}RUN pip3 install torch torchvision --index-url {SERVER}/rocm6.4\n",
    ),
    Snippet(
        "an index that does not exist",
        "Dockerfile",
        f"{PLAIN}RUN pip3 install torch --index-url {SERVER}/rocm6.5\n",
        "ROC202",
    ),
    Snippet(
        "torch after torch for ROCm",
        "Dockerfile",
        f"{PLAIN}RUN {ROCM}RUN pip install --upgrade torch\n",
        "ROC201",
    ),
    Snippet(
        "an index beside PyPI, which is newer",
        "Dockerfile",
        f"{PLAIN}RUN pip install torch --extra-index-url {SERVER}/rocm7.1\n",
        "ROC201",
    ),
    Snippet(
        "builds by their label",
        "Dockerfile",
        f"{PLAIN}RUN pip install torch==2.9.1+rocm6.4 --extra-index-url {SERVER}/rocm6.4\n",
    ),
    Snippet("what goes with any torch", "install.sh", f"{ROCM}pip install datasets trl\n"),
    Snippet("sglang pins torch", "install.sh", f"{ROCM}pip install sglang==0.5.6\n", "ROC201"),
    Snippet(
        "an older torch from a newer index",
        "install.sh",
        f"pip install torch==2.9.1 --index-url {SERVER}/rocm7.0\n",
        "ROC202",
    ),
    Snippet("a bound without quotes", "install.sh", "pip install transformers>=4.51", "ROC208"),
    Snippet("a bound in quotes", "install.sh", f'{ROCM}pip install "transformers>=4.51"\n'),
    Snippet(
        "a branch for other machines",
        "install.sh",
        f"if command -v rocminfo; then\n  {ROCM}else\n  pip install torch\nfi\n",
    ),
    Snippet(
        "pins of one command",
        "install.sh",
        "pip install torch==2.4.1 torchvision==0.20.1\n",
        "ROC203",
    ),
    Snippet(
        "TheRock",
        "install.sh",
        "pip install torch --index-url https://rocm.nightlies.amd.com/v2/gfx1151/\n"
        "pip install transformers\n",
    ),
    Snippet(
        "lmdeploy for CUDA",
        ".github/workflows/ci.yml",
        workflow("pip install lmdeploy", head="    container: rocm/pytorch:latest\n"),
        "ROC201",
    ),
    Snippet(
        "torch for the CPU of a runner",
        ".github/workflows/ci.yml",
        workflow(f"pip install torch --index-url {SERVER}/cpu", "pip install xformers"),
    ),
    Snippet(
        "GitLab in an image",
        ".gitlab-ci.yml",
        "test:\n  image: rocm/pytorch:latest\n  script:\n    - pip install -U torch\n",
        "ROC201",
    ),
    Snippet(
        "GitLab with an index",
        ".gitlab-ci.yml",
        f"test:\n  image: rocm/dev-ubuntu-24.04:6.4\n  script:\n    - {ROCM}",
    ),
    Snippet(
        "a list with an index that has its torch",
        "requirements-rocm.txt",
        requires(f"--index-url {SERVER}/rocm6.4", "torch==2.9.1"),
    ),
    Snippet(
        "a list with an index that does not exist",
        "requirements-rocm.txt",
        requires(f"--extra-index-url {SERVER}/rocm6.6", "torch"),
        "ROC202",
    ),
    Snippet(
        "a list with an index that lacks its torch",
        "requirements-rocm.txt",
        requires(f"--extra-index-url {SERVER}/rocm7.0", "torch==2.9.1"),
        "ROC202",
    ),
    Snippet(
        "a list that no release meets",
        "requirements.txt",
        requires("torch==2.7.0", "vllm==0.11.2"),
        "ROC203",
    ),
    Snippet(
        "torchvision of another torch",
        "requirements.txt",
        requires("torch==2.4.1", "torchvision==0.20.1"),
        "ROC203",
    ),
    Snippet(
        "a list that goes together",
        "requirements.txt",
        requires("torch==2.5.1", "torchvision==0.20.1", "transformers>=4.46"),
    ),
    Snippet(
        "uv's source has the torch",
        "pyproject.toml",
        depends("torch==2.9.1") + UV.format("rocm6.4"),
    ),
    Snippet(
        "uv's source lacks the torch",
        "pyproject.toml",
        depends("torch==2.9.1") + UV.format("rocm7.0"),
        "ROC202",
    ),
    Snippet(
        "dependencies that exclude each other",
        "pyproject.toml",
        depends("torch==2.4.1", "transformers==5.23.0"),
        "ROC203",
    ),
    Snippet(
        "uv's index does not exist",
        "pyproject.toml",
        depends("torch") + UV.format("rocm6.5"),
        "ROC202",
    ),
    Snippet(
        "an environment of Hatch",
        "pyproject.toml",
        depends("numpy") + '\n[tool.hatch.envs.amd]\ndependencies = ["torch==2.9.1"]\n'
        f'env-vars = {{ PIP_INDEX_URL = "{SERVER}/rocm7.0" }}\n',
        "ROC202",
    ),
    Snippet("a project that names no index", "pyproject.toml", depends("torch>=2.4", "trl")),
    Snippet(
        "pip in an environment of conda",
        "environment.yml",
        "dependencies:\n  - python=3.11\n  - pip:\n"
        f"      - --extra-index-url {SERVER}/rocm6.5\n      - torch\n",
        "ROC202",
    ),
    Snippet(
        "an environment of conda with an index",
        "environment.yml",
        "dependencies:\n  - python=3.11\n  - pip:\n"
        f"      - --index-url {SERVER}/rocm6.4\n      - torch\n",
    ),
    Snippet(
        "CUDA of conda in a project for ROCm",
        "environment.yml",
        "channels: [pytorch, nvidia]\ndependencies:\n  - pytorch=2.5.1\n  - pytorch-cuda=12.4\n",
        "ROC201",
        rocm=True,
    ),
    Snippet(
        "CUDA of conda",
        "environment.yml",
        "channels: [pytorch, nvidia]\ndependencies:\n  - pytorch=2.5.1\n  - pytorch-cuda=12.4\n",
    ),
    Snippet(
        "CUDA of conda beside ROCm",
        "environment-cuda.yml",
        "channels: [pytorch, nvidia]\ndependencies:\n  - pytorch=2.5.1\n  - pytorch-cuda=12.4\n",
        rocm=True,
    ),
    Snippet(
        "a cell with an index that does not exist",
        "a.ipynb",
        notebook(f"%pip install torch --index-url {SERVER}/rocm6.5"),
        "ROC202",
    ),
    Snippet(
        "vllm of PyPI behind torch for ROCm",
        "a.ipynb",
        notebook(f"!{ROCM}", "!pip install vllm"),
        "ROC201",
    ),
    Snippet("a cell with an index", "a.ipynb", notebook(f"!{ROCM}", "!pip install peft trl")),
    Snippet(
        "a setup.py with pins",
        "setup.py",
        setup("setup(name='a', install_requires=['torch==2.4.1', 'torchvision==0.20.1'])"),
        "ROC203",
    ),
    Snippet(
        "a setup.py that installs torch",
        "setup.py",
        setup("subprocess.check_call(['pip', 'install', 'torch'])\nsetup(name='a')"),
        "ROC201",
    ),
    Snippet(
        "a launcher behind torch for ROCm",
        "launch.py",
        f"import os\n\nos.system('rocm-smi')\nos.system('{ROCM.strip()}')\n"
        "os.system('pip install xformers==0.0.28')\n",
        "ROC201",
    ),
    Snippet(
        "a launcher that installs torch",
        "launch_rocm.py",
        "import subprocess, sys\n\n"
        "subprocess.run([sys.executable, '-m', 'pip', 'install', 'torch'], check=True)\n",
        "ROC201",
    ),
    Snippet(
        "a launcher with the index",
        "launch_rocm.py",
        "import subprocess, sys\n\nsubprocess.run([sys.executable, '-m', 'pip', 'install', 'torch',"
        f" '--index-url', '{SERVER}/rocm6.4'], check=True)\n",
    ),
    Snippet(
        "a launcher of a web UI",
        "launch.py",
        f"import os\n\nurl = os.environ.get('TORCH_INDEX_URL', '{SERVER}/rocm6.5')\n"
        "command = os.environ.get('TORCH_COMMAND', f'pip install torch --index-url {url}')\n",
        "ROC202",
    ),
    Snippet(
        "what is built here",
        "job.sh",
        f"{ROCM}pip install flash-attn --no-build-isolation\n",
    ),
    Snippet(
        "one of a matrix",
        ".github/workflows/ci.yml",
        workflow(
            f"pip install torch --index-url {SERVER}/rocm${{{{ matrix.rocm }}}}",
            head="    strategy:\n      matrix:\n        rocm: ['6.4', '6.5']\n",
        ),
        "ROC202",
    ),
    Snippet(
        "uv chooses the index",
        "install.sh",
        "rocm-smi\nuv pip install torch vllm --torch-backend=auto\n",
    ),
    Snippet(
        "xformers behind TheRock",
        "install.sh",
        "pip install torch --index-url https://rocm.nightlies.amd.com/v2/gfx1151/\n"
        "pip install xformers\n",
        "ROC201",
    ),
    Snippet(
        "a start script", "start.sh", "export HSA_OVERRIDE_GFX_VERSION=11.0.0\npython app.py\n"
    ),
    Snippet(
        "nightly builds that never were",
        "requirements-amd.txt",
        requires("--pre", f"--index-url {SERVER}/nightly/rocm6.5", "torch"),
        "ROC202",
    ),
    Snippet("unsloth brings xformers", "install.sh", f"{ROCM}pip install unsloth\n", "ROC201"),
    Snippet(
        "unsloth on a ROCm build of xformers",
        "install.sh",
        f"{ROCM}pip install xformers torchvision --index-url {SERVER}/rocm6.4\n"
        "pip install unsloth\n",
    ),
    Snippet(
        "timm brings torchvision and its torch",
        "install.sh",
        f"{ROCM}pip install timm\n",
        "ROC201",
    ),
    Snippet(
        "timm beside torchvision",
        "install.sh",
        f"pip install torch==2.9.1 torchvision --index-url {SERVER}/rocm6.4\npip install timm\n",
    ),
    Snippet(
        "transformer-engine of PyPI",
        "install.sh",
        f"{ROCM}pip install 'transformer-engine[pytorch]'\n",
        "ROC201",
    ),
    Snippet(
        "transformer-engine that the image has",
        "Dockerfile",
        "FROM rocm/megatron-lm:v25.6_py312\nRUN pip install transformer-engine megatron-core\n",
    ),
    Snippet(
        "an image for AMD's processors",
        ".github/workflows/ci.yml",
        workflow("pip install torch==2.2.1", head="    container: amd/zentorch:2.2.1\n"),
    ),
    Snippet(
        "nothing that excludes the torch",
        "install.sh",
        f"{ROCM}pip install megatron-core nvidia-modelopt\n",
    ),
]


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda each: f"{each.path}: {each.name}")
def test_a_snippet_is_judged_as_it_runs(repository: Repository, snippet: Snippet) -> None:
    text = f"{snippet.text.rstrip()}\n"
    options = {} if snippet.rocm is None else {"rocm": snippet.rocm}
    assert repository.codes(snippet.path, text, **options) == snippet.codes.split()
