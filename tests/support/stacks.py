"""Stacks to look at: a folder that plays a machine, and environments made of metadata."""

from __future__ import annotations

import json
import stat
import sys
from typing import TYPE_CHECKING

from rocmlint.gpus.machine import Machine
from rocmlint.interpreter.ask import Interpreter
from rocmlint.stack.installed.distributions import read_environment
from rocmlint.stack.show import read_stack
from tests.support.environments import Environment as VirtualEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from rocmlint.stack.compatible import Compatible, FittingLibrary
    from rocmlint.stack.installed.distributions import Environment
    from rocmlint.stack.show import Stack
    from rocmlint.stack.verdicts import Verdict

ROCM_WHEEL = """\
from typing import Optional

__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']
__version__ = '{version}'
debug = False
cuda: Optional[str] = None
git_version = '{git}'
hip: Optional[str] = '{hip}'
"""
"""torch/version.py as torch's own build writes it."""

PLAIN_WHEEL = """\
from typing import Optional

__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'rocm', 'xpu']
__version__ = '{version}'
debug = False
cuda: Optional[str] = {cuda}
git_version = 'cf30153c4c131c8164ee7798e5022d810682e2cb'
hip: Optional[str] = None
rocm: Optional[str] = None
xpu: Optional[str] = None
"""


ROCMINFO = """\
ROCk module is loaded
HSA System Attributes
Runtime Version:         1.15
Agent 1
  Name:                    AMD EPYC 9654 96-Core Processor
Agent 2
  Name:                    gfx942
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
    ISA 2
      Name:                    amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-
Agent 3
  Name:                    gfx942
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
"""
"""What rocminfo prints on a machine with two MI300X."""
INDEX = "https://download.pytorch.org/whl"
TORCH = {
    "torch/__init__.py": "",
    "torch/version.py": "__version__ = '2.9.1+rocm6.4'\nhip = '6.4.43484-123eb5128'\n",
}


class FakeMachine:
    """A file system below a folder, with programs of its own on PATH."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment = {"PATH": f"{root / 'usr' / 'bin'}:/usr/bin:/bin"}

    @property
    def machine(self) -> Machine:
        return Machine(str(self.root), self.environment, seconds=5)

    def file(self, path: str, text: str) -> Path:
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def link(self, path: str, to: str) -> None:
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(to)

    def program(self, name: str, prints: str = "", *, code: int = 0, does: str = "") -> None:
        """Put a program on PATH that prints what the real one was seen to print."""
        said = self.file(f"/usr/share/{name}.txt", prints)
        path = self.file(f"/usr/bin/{name}", f"#!/bin/sh\ncat '{said}'\n{does}\nexit {code}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


class FakeEnvironment:
    """An interpreter whose only packages are those that a test lays down."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.site = root / "site-packages"
        self.site.mkdir(parents=True)
        # The same Python, without its own packages.
        self.python = root / "python"
        self.python.write_text(
            f'#!/bin/sh\nPYTHONPATH="{self.site}" exec "{sys.executable}" -S "$@"\n'
        )
        self.python.chmod(0o755)

    def write(self, path: str, text: str) -> Path:
        target = self.site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def install(
        self, name: str, version: str, requires: Sequence[str] = (), record: str | None = None
    ) -> Path:
        """Lay down a .dist-info."""
        folder = f"{name.replace('-', '_')}-{version}.dist-info"
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {each}" for each in requires]
        self.write(f"{folder}/METADATA", "\n".join(lines) + "\n")
        self.write(f"{folder}/INSTALLER", "pip\n")
        if record is not None:
            self.write(f"{folder}/RECORD", record)
        return self.site / folder

    def read(self) -> Environment:
        return read_environment(Interpreter(str(self.python)))

    def show(self, here: FakeMachine, *, smoke: bool = False, project: str = "") -> Stack:
        interpreter = Interpreter(str(self.python), timeout=20)
        return read_stack(interpreter, smoke=smoke, machine=here.machine, project=project)

    def torch(self, version: str, hip: str = "", *, git: str = "ee1b6804", cuda: str = "") -> Path:
        """Lay down a torch as far as nobody imports it; one for ROCm is like PyTorch's wheels."""
        if hip:
            self.write("torch/lib/libamdhip64.so", "")
        plain = PLAIN_WHEEL.format(version=version, cuda=repr(cuda or None))
        self.write(
            "torch/version.py",
            ROCM_WHEEL.format(version=version, hip=hip, git=git) if hip else plain,
        )
        self.write("torch/__init__.py", "from .version import __version__\n")
        record = f"torch/version.py,sha256={version},1\ntorch/lib/x.so,sha256={git},1\n"
        return self.install("torch", version, record=record)


def amd_smi(rocm: str) -> str:
    """Return what ``amd-smi version --json`` prints (ROCm 7.0.2's, with another version)."""
    return json.dumps(
        [
            {
                "tool": "AMDSMI Tool",
                "version": "26.2.0+021c61fc",
                "amdsmi_library_version": "26.2.0",
                "rocm_version": rocm,
                "amdgpu_version": "6.16.6",
                "amd_hsmp_driver_version": "N/A",
            }
        ]
    )


def standing(verdicts: Iterable[Verdict]) -> list[tuple[str, str, str]]:
    """Return what does not fit."""
    return [
        (each.package, each.requirement, each.judgement)
        for each in verdicts
        if each.judgement != "fits"
    ]


def add(
    environment: VirtualEnvironment,
    name: str,
    version: str,
    *requires: str,
    files: Mapping[str, str] | None = None,
    origin: Mapping[str, object] | None = None,
) -> Path:
    """Install a package that has metadata and a few files."""
    module = name.replace("-", "_")
    folder = environment.install(module, version, files or {f"{module}/__init__.py": ""})
    lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {r}" for r in requires)]
    (folder / "METADATA").write_text("Metadata-Version: 2.1\n" + "\n".join(lines) + "\n")
    if origin:
        (folder / "direct_url.json").write_text(json.dumps(origin))
    return folder


def stack_for_rocm_6_4(root: Path) -> VirtualEnvironment:
    """Make a virtual environment with a torch for ROCm 6.4."""
    made = VirtualEnvironment(root)
    add(made, "torch", "2.9.1+rocm6.4", "pytorch-triton-rocm==3.5.1", files=TORCH)
    add(made, "torchvision", "0.24.1+rocm6.4", "torch==2.9.1")
    add(made, "pytorch-triton-rocm", "3.5.1", files={"triton/__init__.py": ""})
    return made


def library(answer: Compatible, name: str) -> FittingLibrary:
    """Return the answer for one library, by its name without extras."""
    (found,) = (each for each in answer.libraries if each.name == name)
    return found
