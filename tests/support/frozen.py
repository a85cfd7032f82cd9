"""An environment that ``stack freeze`` wrote down, and an install that replaces its torch."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tests.support.stacks import FakeEnvironment

if TYPE_CHECKING:
    import subprocess

    from tests.support.project import Project

STATE = "rocm-stack.json"


class Stack:
    """An environment with the ROCm wheels of torch 2.10.0, which was written down."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.packages = FakeEnvironment(project.root / "venv")
        self.packages.torch("2.10.0+rocm7.1", "7.1.25424")
        self.packages.install("triton-rocm", "3.6.0")
        self.packages.install("torchvision", "0.25.0+rocm7.1")
        self.packages.install("numpy", "2.4.6")
        self.packages.install("pip", "26.0")

    def run(self, verb: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        python = str(self.packages.python)
        return self.project.run("stack", verb, *arguments, "--python", python)

    def remove(self, name: str) -> None:
        for path in self.packages.site.glob(f"{name}-*.dist-info"):
            shutil.rmtree(path)


def replaced_by_vllm(stack: Stack) -> None:
    """Do what ``pip install vllm`` does to an environment."""
    for each in ("torch", "triton_rocm", "torchvision"):
        stack.remove(each)
    stack.packages.torch("2.11.0+cu130", cuda="13.0", git="other")
    stack.packages.install("triton", "3.6.0")
    stack.packages.install("torchvision", "0.26.0")
    stack.packages.install("vllm", "0.24.0", ["torch==2.11.0"])
