"""What `rocmlint why` looks at: a log, a machine in a folder, an environment of metadata alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.why.diagnose import diagnose
from rocmlint.why.facts.context import Context
from rocmlint.why.log.log_reader import read_text
from tests.support.stacks import FakeMachine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rocmlint.why.answer import Answer

_NODES = "/sys/class/kfd/kfd/topology/nodes"
_TORCH = "hip = {hip!r}\ncuda = {cuda!r}\n__version__ = {version!r}\n"


class Situation:
    """A machine, an environment and a project, none of which can run."""

    def __init__(self, root: Path, python: str = "3.12") -> None:
        self.here = FakeMachine(root / "machine")
        self.here.root.mkdir()
        self.prefix = root / "env"
        self.site = self.prefix / "lib" / f"python{python}" / "site-packages"
        self.site.mkdir(parents=True)
        (self.prefix / "pyvenv.cfg").write_text("home = /usr/bin\n")
        self.project = root / "project"
        self.project.mkdir()

    def gpus(self, *names: str) -> None:
        """Let the kernel driver list these GPUs: "gfx942"."""
        self.here.file("/sys/module/amdgpu/version", "6.16.13\n")
        for index, name in enumerate(names):
            digits = name.removeprefix("gfx")
            major, minor, step = digits[:-2], int(digits[-2], 16), int(digits[-1], 16)
            version = int(major) * 10_000 + minor * 100 + step
            text = f"gfx_target_version {version}\n"
            self.here.file(f"{_NODES}/{index + 1}/properties", text)

    def install(self, packages: Mapping[str, str]) -> None:
        for name, version in packages.items():
            record = self.site / f"{name.replace('-', '_')}-{version}.dist-info"
            record.mkdir()
            (record / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
            (record / "top_level.txt").write_text(name.replace("-", "_"))
            if name == "torch":
                self.write("torch/version.py", _version_of(version))

    def write(self, path: str, text: str = "") -> None:
        """Write a file among the packages."""
        target = self.site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def context(self, text: str) -> Context:
        log = read_text(text.replace("SITE", str(self.site)))
        return Context(
            log, str(self.project), str(self.prefix), is_given=True, machine=self.here.machine
        )

    def why(self, text: str) -> Answer:
        """Ask; SITE in the text stands for the folder of the packages."""
        return diagnose(self.context(text))


def _version_of(version: str) -> str:
    label = version.partition("+")[2]
    hip = f"{label.removeprefix('rocm')}.12345" if label.startswith("rocm") else None
    cuda = "12.8" if label.startswith("cu") else None
    return _TORCH.format(hip=hip, cuda=cuda, version=version)


def said(answer: Answer) -> str:
    """Return all that an answer says, for tests that look for words in it."""
    explained = answer.explanation
    if explained is None:
        return ""
    parts: Sequence[str] = (explained.cause, *(each.text for each in explained.actions))
    return "\n".join(parts)
