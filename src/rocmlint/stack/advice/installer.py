"""The installer of an environment, and how its commands are written."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.stack.advice.keeping import BEST_OF_ALL
from rocmlint.stack.advice.rocm_builds import COMPILE_ANEW

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.stack.installed.distributions import Environment


@dataclass(frozen=True)
class Installer:
    """Writes commands for an environment: for its pip, or for uv where that is what is there.

    uv counts where pip is not installed, and uv is on PATH or has installed torch. Without either
    pip comes first, from Python's ensurepip.
    """

    environment: Environment

    @cached_property
    def uses_uv(self) -> bool:
        """Whether the commands are for uv."""
        torch = self.environment.get("torch")
        by_uv = torch is not None and torch.installer == "uv"
        return self.environment.get("pip") is None and (by_uv or shutil.which("uv") is not None)

    def prepared(self) -> Iterator[str]:
        """Yield what makes the other commands possible, where nothing can install yet."""
        if self.environment.get("pip") is None and not self.uses_uv:
            yield self._command("-m", "ensurepip", "--upgrade")

    def uninstall(self, names: Iterable[str]) -> str:
        """Return the command that removes packages."""
        if not self.uses_uv:
            return self._command("-m", "pip", "uninstall", "-y", *names)
        return shlex.join(
            ("uv", "pip", "uninstall", "--python", self.environment.executable, *names)
        )

    def install(self, *words: str) -> str:
        """Return the command that installs what the words say."""
        if not self.uses_uv:
            return self._command("-m", "pip", "install", *words)
        return shlex.join(("uv", "pip", "install", "--python", self.environment.executable, *words))

    def compile(self, *source: str) -> str:
        """Return the command that compiles a package against the torch that is installed."""
        return self.install(*COMPILE_ANEW, *source)

    def restore(self, path: str) -> str:
        """Return the command that installs what a file lists, with the indexes that it names.

        uv would look for numpy in the index of torch only, which has a few old ones.
        """
        return self.install(*(BEST_OF_ALL * self.uses_uv), "--no-deps", "-r", path)

    def _command(self, *words: str) -> str:
        return shlex.join((self.environment.executable, *words))
