"""The requirements of a job: files of manifests, and modules that must be as their source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocmlint.errors import ConfigError
from rocmlint.interpreter.inside.job.process import is_secret
from rocmlint.verify.manifest import read as manifest
from rocmlint.verify.manifest.function_entries import repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocmlint.gpus.target import Target
    from rocmlint.verify.manifest.function_entries import ManifestFunction
    from rocmlint.verify.manifest.read import Manifest


@dataclass(frozen=True)
class Watch:
    """The files, modules, packages and variables to check in each process.

    ``modules`` and ``files`` map to the SHA-256 that they must have (None: whatever is on disk),
    ``packages`` the distributions to the versions they must have. ``functions`` must be those of
    their files; ``wanted`` is what a process is asked about them, and ``owners`` are the modules
    that are only watched because they are looked up there. ``variables`` map to the values that
    they must have. ``arch`` is the GPU for which the libraries of a rank must have code, where it
    is not to be the one that torch uses there.
    """

    modules: Mapping[str, str | None] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[ManifestFunction, ...] = ()
    wanted: tuple[Mapping[str, Any], ...] = ()
    owners: frozenset[str] = frozenset()
    variables: Mapping[str, str] = field(default_factory=dict)
    arch: Target | None = None

    def __bool__(self) -> bool:
        return bool(self.modules or self.files or self.variables)

    def request(self) -> dict[str, Any]:
        """Return what :func:`.inside.job.witness.start` is asked for."""
        return {
            "modules": list(self.modules),
            "files": list(self.files),
            "distributions": list(self.packages),
            "functions": list(self.wanted),
            "variables": list(self.variables),
        }


def watch_of(
    manifests: Iterable[str], modules: Iterable[str], variables: Iterable[str] = ()
) -> Watch:
    """Read the manifests, and take the modules and the variables besides. Raises ConfigError."""
    return watch_of_manifests((manifest.read(each) for each in manifests), modules, variables)


def watch_of_manifests(
    manifests: Iterable[Manifest], modules: Iterable[str] = (), variables: Iterable[str] = ()
) -> Watch:
    """Take manifests, modules and variables together. Raises ConfigError."""
    hashes: dict[str, str | None] = {}
    files: dict[str, str] = {}
    packages: dict[str, str] = {}
    functions: dict[ManifestFunction, Mapping[str, Any]] = {}
    for read in manifests:
        functions.update(zip(read.functions, read.requests(), strict=True))
        if read.package:
            packages[read.package] = read.requires
        for each in read.files:
            if each.module is None:
                files[each.path] = each.sha256
            else:
                hashes[each.module] = each.sha256
    for name in modules:
        if not all(part.isidentifier() for part in name.split(".")):
            message = f"--module {name}: must be the name of a module, such as transformers.utils"
            raise ConfigError(message)
        hashes.setdefault(name, None)
    _refuse_two(list(functions), hashes)
    owners = frozenset(each.module for each in functions) - hashes.keys()
    hashes.update(dict.fromkeys(sorted(owners)))
    wanted = tuple(functions.values())
    asked = dict(_variable(each) for each in variables)
    return Watch(hashes, files, packages, tuple(functions), wanted, owners, asked)


def _variable(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name or "\0" in text:
        message = f"--variable {text!r}: must be NAME=VALUE"
        raise ConfigError(message)
    if is_secret(name):
        message = f"--variable {name}: its name says that it is a secret, which is not recorded"
        raise ConfigError(message)
    return name, value


def _refuse_two(functions: list[ManifestFunction], hashes: Mapping[str, str | None]) -> None:
    """Raise ConfigError where two manifests say different things of one function or module."""
    for each in functions:
        if hashes.get(each.module):
            message = f"{each.name}: another manifest has the whole file of its module"
            raise ConfigError(message)
    for each in repeated(functions):
        message = f"{each.name}: two manifests name different files or functions for it"
        raise ConfigError(message)
