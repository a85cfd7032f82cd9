"""What must be live in a job: files of manifests, and modules that must be as their source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocmlint.errors import ConfigError
from rocmlint.verify import manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Watch:
    """What to look for in each process.

    ``modules`` and ``files`` map to the SHA-256 that they must have (None: whatever is on disk),
    ``packages`` the distributions to the versions they must have.
    """

    modules: Mapping[str, str | None] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.modules or self.files)

    def request(self) -> dict[str, Any]:
        """Return what :func:`.inside.witness.start` is asked for."""
        return {
            "modules": list(self.modules),
            "files": list(self.files),
            "distributions": list(self.packages),
        }


def watch_of(manifests: Iterable[str], modules: Iterable[str]) -> Watch:
    """Read the manifests and take the modules besides. Raises ConfigError."""
    hashes: dict[str, str | None] = {}
    files: dict[str, str] = {}
    packages: dict[str, str] = {}
    for path in manifests:
        read = manifest.read(path)
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
    return Watch(hashes, files, packages)
