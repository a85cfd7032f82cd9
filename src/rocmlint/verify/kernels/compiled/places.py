"""Where kernels that are compiled at run time are kept: by a variable, or at the default place.

Sources: ``triton/runtime/cache.py`` (triton-lang/triton, commit 10852d2), ``jit/core.py`` of
ROCm/aiter (commit 0243447), ``torch/_inductor/runtime/cache_dir_utils.py`` of torch 2.13,
``binary_cache.cpp`` of ROCm/MIOpen (commit 0222ee6).
"""

from __future__ import annotations

import getpass
import os
import re
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Kind = Literal["Triton", "Inductor", "aiter", "MIOpen"]

_KEY = re.compile(r"[A-Z2-7]{52}|[0-9a-f]{32}|[0-9a-f]{64}")
"""How Triton names the folder of a kernel: base32 of a sha256, in earlier versions a hash."""
_AITER_FOLDERS = ("aiter", ".aiter")
"""Parents of aiter's folder ``jit``: the package, or the one at home where that is read-only."""


@dataclass(frozen=True)
class KernelCache:
    """A folder with kernels that were compiled at run time."""

    kind: Kind
    folder: str
    variable: str = ""
    """The environment variable that names it; "" at its default place."""

    def contains(self, path: str) -> bool:
        """Return whether a file lies in it."""
        return os.path.abspath(path).startswith(os.path.join(os.path.abspath(self.folder), ""))


def default_caches(environment: Mapping[str, str], package: str | None) -> Iterator[KernelCache]:
    """Yield the caches of this user that a variable names, or that are at their default place.

    ``package`` is the folder of aiter, if it is installed.
    """
    home = os.path.expanduser("~")
    inside_triton = os.path.join(environment.get("TRITON_HOME", home), ".triton", "cache")
    inductor = os.path.join(tempfile.gettempdir(), f"torchinductor_{_user()}")
    miopen = os.path.join(home, ".cache", "miopen")
    own = os.path.join(package, "jit") if package else ""
    aiter_jit = own if own and os.access(own, os.W_OK) else os.path.join(home, ".aiter", "jit")
    places: tuple[tuple[Kind, str, str], ...] = (
        ("Triton", "TRITON_CACHE_DIR", inside_triton),
        ("Inductor", "TORCHINDUCTOR_CACHE_DIR", inductor),
        ("aiter", "AITER_JIT_DIR", aiter_jit),
        ("MIOpen", "MIOPEN_CUSTOM_CACHE_DIR", miopen),
    )
    for kind, variable, default in places:
        named = environment.get(variable, "").strip()
        if named:
            yield KernelCache(kind, os.path.expanduser(named), variable)
        elif os.path.isdir(default):
            yield KernelCache(kind, default)


def caches_of(paths: Iterable[str]) -> Iterator[KernelCache]:
    """Yield the caches that some files with device code are in, by how those lay files out."""
    seen = set()
    for path in paths:
        folder, name = os.path.split(path)
        outer, inner = os.path.split(folder)
        cache: KernelCache | None = None
        if name.endswith(".hsaco") and is_key(inner):
            cache = KernelCache("Triton", outer)
        elif inner == "jit" and os.path.basename(outer) in _AITER_FOLDERS and name.endswith(".so"):
            cache = KernelCache("aiter", folder)
        if cache is not None and cache not in seen:
            seen.add(cache)
            yield cache


def is_key(name: str) -> bool:
    """Return whether a folder is named as Triton names that of a kernel."""
    return _KEY.fullmatch(name) is not None


def _user() -> str:
    """Return the user's name as torch writes it into a path."""
    try:
        return re.sub(r'[\\/:*?"<>|]', "_", getpass.getuser())
    except (KeyError, ImportError, OSError):
        return f"uid_{os.getuid()}" if hasattr(os, "getuid") else ""
