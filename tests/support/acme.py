"""A project with a file of each format and a rule of its own, and where something is found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.project import Project

RULE = '''
"""ACME001, no-vllm."""

from rocmlint import Rule
from rocmlint.findings import Fix
from rocmlint.rule.triggers import commands, declared, indexes


class NoVllm(Rule):
    """vLLM is installed or declared, or torch's index for CUDA is named."""

    code = "ACME001"
    name = "no-vllm"
    since = "0.1.0"
    on = (
        commands("vllm", described="commands with vllm")
        | declared("vllm", described="requirements of vllm")
        | indexes("cu121", described="indexes for CUDA")
    )

    def check(self, node, file):
        if hasattr(node, "words"):
            for word in node.words:
                if word.text.startswith("vllm"):
                    edit = file.replace(word, "aphrodite")
                    fix = Fix("Name the other", (edit,), safe=True)
                    yield self.finding(word, file, "vllm is installed", fix=fix)
        elif hasattr(node, "url"):
            yield self.finding(node, file, "an index for CUDA")
        elif node.name == "vllm":
            pins = file.project.requirements("torch")
            pinned = ", ".join(sorted(each.declared.text for each in pins)) or "no torch"
            yield self.finding(node, file, f"vllm is declared beside {pinned}")
'''
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Serve\n"]},
        {
            "cell_type": "code",
            "metadata": {},
            "execution_count": 1,
            "outputs": [],
            "source": ["import os\n", "!pip install vllm\n", "os.system('pip install vllm')"],
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
FILES = {
    "rocmlint.toml": 'rules = ["own"]\nselect = ["ACME", "ROC9"]\n',
    "own/no_vllm.py": RULE,
    "Dockerfile": "FROM rocm/pytorch\nRUN ls && \\\n    pip install vllm && \\\n    ls\n",
    ".github/workflows/ci.yml": (
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - run: |\n          ls\n          pip install vllm\n"
    ),
    "requirements.txt": (
        "--extra-index-url https://download.pytorch.org/whl/cu121\ntorch==2.4.1\nvllm==0.5.0\n"
    ),
    "pyproject.toml": (
        '[project]\nname = "a"\nversion = "1"\ndependencies = [\n    "vllm>=0.5",\n]\n'
    ),
    "setup.cfg": "[metadata]\nname = a\n[options]\ninstall_requires =\n    numpy\n    vllm>=0.5\n",
    "environment.yml": "name: a\ndependencies:\n  - python\n  - pip:\n      - vllm\n",
    "install.sh": "#!/bin/sh\npip install \\\n    vllm\n",
    "Makefile": "PACKAGES = numpy\ninstall:\n\t@pip install vllm $(PACKAGES)\n",
    "justfile": "v := '1'\ninstall:\n    pip install vllm {{ v }}\n",
    "job.sbatch": "#!/bin/bash\n#SBATCH -N 1\nsrun pip list\npip install vllm\n",
    "rocm.def": "Bootstrap: docker\nFrom: rocm/pytorch\n%post\n    pip install vllm\n",
    "docker-compose.yml": (
        "services:\n  a:\n    image: rocm/pytorch\n    command: bash -c 'pip install vllm'\n"
    ),
    ".devcontainer/devcontainer.json": (
        '// why\n{\n\t"image": "rocm/pytorch",\n\t"postCreateCommand": "pip install vllm",\n}\n'
    ),
    "pixi.toml": '[pypi-dependencies]\nvllm = ">=0.5"\n[tasks]\na = "pip install vllm"\n',
    "tox.ini": "[testenv]\ndeps =\n    vllm>=0.5\ncommands = pip install vllm\n",
    "noxfile.py": (
        'import nox\n\n\n@nox.session\ndef a(session):\n    session.install("vllm", "x")\n'
    ),
    "Pipfile": '[packages]\nvllm = ">=0.5"\n',
    "conda-lock.yml": (
        "package:\n- name: vllm\n  version: 0.5.0\n  manager: pip\n  platform: linux-64\n"
    ),
    "install.ps1": "$a = 'x'\n& pip install $a `\n    vllm\n",
    "install.bat": "@echo off\ncall pip install vllm\n",
    "env_rocm.yaml": "dependencies:\n  - pip:\n      - vllm\n",
    "serve.py": "import os\n\nos.system('pip install vllm')\n",
    "serve.ipynb": json.dumps(NOTEBOOK, indent=1) + "\n",
}


def places(project: Project, *arguments: str, stdin: str = "") -> list[str]:
    """Return where the command finds something."""
    flags = ("--no-cache", "--output-format", "concise")
    done = project.run(*flags, *arguments, stdin=stdin)
    assert "Traceback" not in done.stderr
    return [line.split(": ")[0] for line in done.stdout.splitlines()]
