"""What must be live in a job: files of manifests, and modules that must be as their source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocmlint.errors import ConfigError
from rocmlint.verify import manifest
from rocmlint.verify.manifest_functions import repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocmlint.verify.manifest_functions import ManifestFunction


@dataclass(frozen=True)
class Watch:
    """What to look for in each process.

    ``modules`` and ``files`` map to the SHA-256 that they must have (None: whatever is on disk),
    ``packages`` the distributions to the versions they must have. ``functions`` must be those of
    their files; ``wanted`` is what a process is asked about them, and ``owners`` are the modules
    that are only watched because they are looked up there.
    """

    modules: Mapping[str, str | None] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[ManifestFunction, ...] = ()
    wanted: tuple[Mapping[str, Any], ...] = ()
    owners: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.modules or self.files)

    def request(self) -> dict[str, Any]:
        """Return what :func:`.inside.witness.start` is asked for."""
        return {
            "modules": list(self.modules),
            "files": list(self.files),
            "distributions": list(self.packages),
            "functions": list(self.wanted),
        }


def watch_of(manifests: Iterable[str], modules: Iterable[str]) -> Watch:
    """Read the manifests and take the modules besides. Raises ConfigError."""
    hashes: dict[str, str | None] = {}
    files: dict[str, str] = {}
    packages: dict[str, str] = {}
    functions: dict[ManifestFunction, Mapping[str, Any]] = {}
    for path in manifests:
        read = manifest.read(path)
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
    return Watch(hashes, files, packages, tuple(functions), wanted, owners)


def _refuse_two(functions: list[ManifestFunction], hashes: Mapping[str, str | None]) -> None:
    """Raise ConfigError where two manifests say different things of one function or module."""
    for each in functions:
        if hashes.get(each.module):
            message = f"{each.name}: another manifest has the whole file of its module"
            raise ConfigError(message)
    for each in repeated(functions):
        message = f"{each.name}: two manifests name different files or functions for it"
        raise ConfigError(message)
