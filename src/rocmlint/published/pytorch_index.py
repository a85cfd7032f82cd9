"""PyTorch's package indexes: which ROCm the URL of one is for."""

from __future__ import annotations

import re
from typing import NamedTuple

from rocmlint.lazy import compile_lazily

_ROCM = compile_lazily(
    r"https?://download(?:-r2)?\.pytorch\.org/whl/(?P<kind>nightly/|test/)?rocm(?P<version>\d+(?:\.\d+)*)"
    r"(?P<rest>/[^\s]*)?\Z"
)
_OF_ROCM = compile_lazily(r"rocm|gfx\d|amd\.com|radeon\.com", re.IGNORECASE)
_OF_OTHERS = compile_lazily(r"/(?:cu\d\d+|cpu|xpu)(?:/|\Z)|nvidia|cuda", re.IGNORECASE)
_OF_PYPI = compile_lazily(r"pypi|/simple/?\Z", re.IGNORECASE)


class PytorchIndex(NamedTuple):
    """PyTorch's index for a ROCm, such as "6.4"; ``kind`` is "", "nightly" or "test"."""

    version: str
    kind: str

    @property
    def url(self) -> str:
        """The address."""
        from rocmlint.published.rocm_wheels import SERVER  # noqa: PLC0415 - loads packaging

        kind = self.kind and f"{self.kind}/"
        return f"{SERVER}/{kind}rocm{self.version}"


def pytorch_index(url: str) -> PytorchIndex | None:
    """Read the URL of an index; None for one that is not PyTorch's for ROCm."""
    match = _ROCM.match(url.strip())
    return PytorchIndex(match["version"], (match["kind"] or "").strip("/")) if match else None


def is_rocm(url: str) -> bool:
    """Say whether an index has builds for ROCm, whoever's."""
    return bool(_OF_ROCM.search(url))


def is_other(url: str) -> bool:
    """Say whether an index has builds for CUDA, XPU or the CPU."""
    return bool(_OF_OTHERS.search(url))


def is_pypi(url: str) -> bool:
    """Say whether an index has what PyPI has: PyPI itself or a mirror."""
    return bool(_OF_PYPI.search(url)) and not is_other(url) and not is_rocm(url)
