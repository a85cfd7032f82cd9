"""Commands that install in a place for ROCm, and what they do to the torch there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from packaging.utils import canonicalize_name

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.rule import install_of, once_per_file

from .platform import is_in_setup, packages_of_image, rocm_evidence
from .requested import asked_by, is_build
from .rocm_torch import FOR_ONE_COMMAND, torch_around_command
from .timeline import state_at

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

    from rocmlint.rule import Command, File, Install, Word

    from .requested import Everything, Requested
    from .rocm_torch import RocmTorch
    from .timeline import State

LOCKING = frozenset({"uv add", "uv sync", "poetry", "pdm"})
"""The tools, as installs name them, that make the environment what their lock says."""
_FORCED = frozenset({"--force-reinstall", "--ignore-installed", "-I", "--reinstall"})


@dataclass(frozen=True)
class Case:
    """A command that installs, and what is known of the place for ROCm where it runs."""

    command: Command
    install: Install
    everything: Everything
    state: State
    torch: RocmTorch | None
    evidence: str

    @cached_property
    def urls(self) -> list[tuple[str | None, bool]]:
        """The indexes that are asked, each with whether it is an additional one.

        None is one that only the run knows.
        """
        listed = [(each.url, each.extra) for each in self.everything.indexes]
        return [*((each.known_url, each.extra) for each in self.install.indexes), *listed]

    @cached_property
    def of_image(self) -> frozenset[str]:
        """The packages that the image has by its name."""
        return frozenset(packages_of_image(self.command))

    @cached_property
    def there(self) -> frozenset[str]:
        """The packages that are there or that it asks for, by their normalized names.

        They came with torch, the image has them by its name, or the file has installed or cloned
        them before. What the command itself asks for is judged by itself.
        """
        with_torch = FAMILY if self.torch is None else self.torch.packages
        asked = {canonicalize_name(each.requirement.name) for each in self.everything.asked}
        return self.state.packages.union(with_torch, self.of_image, asked)

    @property
    def options(self) -> set[str]:
        """The words of the command, of those with a value only the name of the option."""
        return {each.text.partition("=")[0] for each in self.command.words}

    @property
    def is_by_pip(self) -> bool:
        """Whether pip or uv installs, and no lock or channel of another tool decides."""
        return self.install.tool != "conda" and self.install.tool not in LOCKING

    @property
    def forced(self) -> bool:
        """Whether it upgrades or reinstalls what the packages require, too."""
        install = self.install
        eager = install.upgrade and (install.tool == "uv" or install.upgrade_strategy == "eager")
        return eager or bool(_FORCED & {each.text for each in self.command.words})

    @property
    def builds(self) -> bool:
        """Whether it asks for a build itself, such as 2.9.1+rocm6.4."""
        return any(is_build(each.requirement) for each in self.everything.asked)


@dataclass(frozen=True)
class Harm:
    """What an install does to the ROCm build, and the word or command that does it.

    ``kind`` is how: it asks for torch or its family, for a package that requires another torch,
    or for a wheel for CUDA; conda, or a tool with a lock, installs; PyPI's Triton is required; or
    requirements of a clone are not here. ``asked`` is the requirement, None where it is no one;
    ``through`` the packages that it brings, each for the next, the last of which does it.
    ``demanded`` are the versions that the torch may have that it brings, None where nobody says.
    """

    case: Case
    kind: Literal["torch", "package", "wheel", "conda", "add", "sync", "triton", "clone"]
    place: Word | Command
    message: str
    help: str
    asked: Requested | None = None
    through: tuple[str, ...] = ()
    demanded: SpecifierSet | None = None

    @property
    def package(self) -> str:
        """The normalized name of the package that does it; "" where it is not a package."""
        name = "" if self.asked is None else self.asked.requirement.name
        return canonicalize_name(self.through[-1] if self.through else name)


@once_per_file
def case_of(command: Command, file: File) -> Case | None:
    """Return what is known of a command that installs in a place for ROCm; None for all others."""
    install = install_of(command)
    if install is None or install.tool in FOR_ONE_COMMAND or is_in_setup(file):
        return None
    evidence = rocm_evidence(command, install, file)
    if not evidence:
        return None
    everything, state = asked_by(command, install, file), state_at(command, file)
    torch = state.torch or torch_around_command(command, state.torch_comes_later, file)
    return Case(command, install, everything, state, torch, evidence)
