"""The commands that carry a plan out, and those that restore what was there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published.closure import brings_other
from rocmlint.stack.advice.installer import Installer
from rocmlint.stack.advice.keeping import KeptBuilds
from rocmlint.stack.advice.rollback import compiled_again, not_restored, words_to_compile
from rocmlint.stack.installed.distributions import minor_of
from rocmlint.stack.upgrade.sdk import requirements_of
from rocmlint.stack.wheels.install import pinned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.stack.upgrade.changes import PackageChange
    from rocmlint.stack.wheels.install import Wheels

_TRITONS = ("triton", "triton-rocm", "pytorch-triton-rocm")
"""All three write the folder ``triton``: of two that are installed neither is whole."""


@dataclass(frozen=True)
class Steps(Installer):
    """Writes the commands of a plan for the installer of an environment."""

    def forward(
        self, changes: Sequence[PackageChange], packages: Sequence[tuple[str, str]], wheels: Wheels
    ) -> Iterator[str]:
        """Return the commands of the plan; ``packages`` are those that come from the index."""
        if changes:
            yield from self.prepared()
        gone = [each.package for each in changes if each.action in {"remove", "rebuild"}]
        if gone:
            yield self.uninstall(gone)
        exact = pinned(packages, wheels.rocm, wheels.extras)
        if any(each.action == "install" for each in changes):
            yield self.install(*exact, *requirements_of(changes), "--index-url", wheels.url)
        moved = [each for each in changes if each.action in {"upgrade", "downgrade"}]
        alone = [each for each in moved if self._brings_other(each, changes, wheels)]
        beside = [f"{each.package}=={each.after}" for each in moved if each not in alone]
        if beside:
            # With torch named, nothing can replace it.
            yield self.install(
                *beside, *KeptBuilds(tuple(exact), wheels.url).words(uv=self.uses_uv)
            )
        if alone:
            yield self.install("--no-deps", *(f"{each.package}=={each.after}" for each in alone))
        for each in changes:
            installed = self.environment.get(each.package)
            if each.action == "rebuild" and installed:
                yield self.compile(*words_to_compile(installed, each.after))

    def back(self, changes: Sequence[PackageChange], freeze: str | None) -> Iterator[str]:
        """Return the commands that undo the plan with the file that was written before."""
        if freeze is None or not changes:
            return
        touched = dict.fromkeys(each.package for each in changes)
        if "torch" in touched:
            touched |= dict.fromkeys(_TRITONS)
        yield self.uninstall(touched)
        yield self.restore(freeze)
        yield from compiled_again(self.environment, touched)
        yield from (f"# {each}" for each in not_restored(self.environment, touched))

    def _brings_other(
        self, change: PackageChange, changes: Sequence[PackageChange], wheels: Wheels
    ) -> bool:
        """Return whether a release requires PyPI's triton, or what PyPI has for CUDA only.

        AMD's torch requires a triton of that name; the one of PyTorch's has another name.
        """
        gone = {each.package for each in changes if each.action == "remove"}
        there = {each.name for each in self.environment.distributions} - gone
        there |= {"triton"} if wheels.source == "amd" else set()
        python = minor_of(self.environment.python)
        return brings_other(change.package, Version(change.after), python, there)
