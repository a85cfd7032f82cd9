"""Whether the installed packages have the names that others ask for when they are imported.

Read from the files of both, never run: peft 0.17 says ``from transformers import HybridCache``,
which transformers 5 does not have, and by its metadata takes any transformers. Where the files of
a package do not show its names, the index of names knows those of its release.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.disk.read import read_small
from rocmlint.published.names import NamesDamagedError, names_of
from rocmlint.stack.advice.keeping import NOTHING, KeptBuilds
from rocmlint.stack.advice.remedy import importing
from rocmlint.stack.installed.bound_names import has_module, has_name
from rocmlint.stack.installed.distributions import TORCH_FAMILY, import_name
from rocmlint.stack.installed.imported_names import ImportedName, imported_names
from rocmlint.stack.installed.module_files import Folder, PackageModules
from rocmlint.stack.verdicts import Verdict
from rocmlint.text.words import few

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.stack.installed.distributions import Distribution, Environment

_SHOWN = 3
"""Names that a reason has."""
_LARGEST = 100_000


@dataclass(frozen=True)
class _Package:
    """An installed package and its modules."""

    distribution: Distribution
    modules: PackageModules

    def lacks(self, asked: ImportedName) -> bool:
        """Return whether it is certain that it does not have a name.

        One of its files and the index of names has to know, and neither may say that it has.
        """
        there = has_module(self.modules, asked.module)
        if there and asked.name:
            there = has_name(self.modules, asked.module, asked.name)
        if there:
            return False
        indexed = self._is_indexed(asked)
        return not indexed and (there is False or indexed is False)

    def _is_indexed(self, asked: ImportedName) -> bool | None:
        version = self.distribution.parsed
        try:
            known = names_of(self.modules.package)
            history = known.history(str(asked)) if known else None
        except NamesDamagedError:
            return None
        return history.at(version) if history and version else None


class _Installed:
    """The packages of an environment by their import names, each looked for once."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._found: dict[str, _Package | None] = {}

    def package_named(self, top: str) -> _Package | None:
        """Return the package of an import name, where that is also the distribution's."""
        if top not in self._found:
            distribution = self.environment.get(top)
            self._found[top] = self._package_at(distribution, top) if distribution else None
        return self._found[top]

    def packages_of(self, distribution: Distribution) -> Iterator[_Package]:
        """Yield the packages that a distribution is imported as."""
        name = import_name(distribution.name).replace("-", "_")
        found = [self._package_at(distribution, name)]
        if found == [None] and distribution.place:
            found = [
                self._package_at(distribution, each) for each in _top_level(distribution.place)
            ]
        yield from filter(None, found)

    def _package_at(self, distribution: Distribution, top: str) -> _Package | None:
        file = self.environment.modules.get(top)
        folder = os.path.dirname(os.path.dirname(file)) if file else ""
        modules = PackageModules(Folder(folder or os.path.dirname(distribution.place)), top)
        is_there = top.isidentifier() and modules.is_package(top)
        return _Package(distribution, modules) if is_there else None


def imports(environment: Environment, kept: KeptBuilds = NOTHING) -> Iterator[Verdict]:
    """Yield a conflict for each pair where a package asks at import for a name that is not there.

    Looked at are the packages of the stack, and others that require one of them. What to do leaves
    alone what is ``kept``.
    """
    installed = _Installed(environment)
    for distribution in environment.distributions:
        if _is_judged(distribution, environment):
            for package in installed.packages_of(distribution):
                yield from _verdicts_of(package, installed, kept)


def _is_judged(distribution: Distribution, environment: Environment) -> bool:
    """Return whether the imports of a package are read; torch installs its own family."""
    if distribution.name in TORCH_FAMILY:
        return False
    of_stack = {each.name for each in environment.packages} - {"numpy"}
    required = {canonicalize_name(each.name) for each in distribution.requires}
    return bool(({distribution.name} | required) & of_stack)


def _verdicts_of(package: _Package, installed: _Installed, kept: KeptBuilds) -> Iterator[Verdict]:
    lacking: dict[str, list[ImportedName]] = {}
    for asked in dict.fromkeys(imported_names(package.modules)):
        other = installed.package_named(asked.top)
        if other and other.distribution != package.distribution and other.lacks(asked):
            lacking.setdefault(asked.top, []).append(asked)
    certain = {*imported_names(package.modules, whole=True)} if lacking else set()
    for top, asked_of in lacking.items():
        found, other = [each for each in asked_of if each in certain], installed.package_named(top)
        if found and other:
            yield replace(
                _conflict(package, other, found),
                action=importing(
                    package.distribution,
                    other.distribution,
                    str(found[0]),
                    kept,
                    installed.environment.distributions,
                ),
            )


def _conflict(package: _Package, other: _Package, asked: list[ImportedName]) -> Verdict:
    subject, found = package.distribution, other.distribution
    names = list(dict.fromkeys(f"`{each}`" for each in asked))
    has = "which" if len(names) == 1 else "of which"
    lacks = "does not have" if len(names) == 1 else "has none"
    reason = f"import {package.modules.package} fails: it imports {few(names, _SHOWN)}, {has} "
    return Verdict(
        subject.name,
        subject.version,
        found.name,
        found.version,
        f"{asked[0]}",
        "code guard",
        "conflict",
        reason=f"{reason}{found} {lacks}",
        source=f"{os.path.join(_root(package), asked[0].path)}:{asked[0].line}",
    )


def _root(package: _Package) -> str:
    files = package.modules.files
    return files.root if isinstance(files, Folder) else ""


def _top_level(place: str) -> list[str]:
    """Return the import names that setuptools wrote down."""
    try:
        return read_small(os.path.join(place, "top_level.txt"), _LARGEST).decode().split()
    except (OSError, ValueError):
        return []
