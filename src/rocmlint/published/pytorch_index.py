"""PyTorch's package indexes: what they have, and which ROCm the URL of one is for."""

from __future__ import annotations

import re
from typing import NamedTuple

from rocmlint.lazy import compile_lazily

FAMILY = ("torch", "torchvision", "torchaudio")
"""What PyPI has for CUDA only, and a ROCm index for ROCm."""
_INDEX = compile_lazily(
    r"download(?:-r2)?\.pytorch\.org/whl/(?P<kind>nightly/|test/)?"
    r"(?P<label>rocm(?P<rocm>\d+(?:\.\d+)*)|cu\d+|cpu)\b(?P<rest>/\S*)?"
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
    url = url.strip()
    match = _INDEX.search(url)
    if match is None or not match["rocm"] or match.end() != len(url):
        return None
    if url[: match.start()] not in {"https://", "http://"}:
        return None
    return PytorchIndex(match["rocm"], (match["kind"] or "").strip("/"))


def label_in(text: str) -> str:
    """Return the label of the builds of the first index in a text: rocm6.4, cu128, cpu; or ""."""
    match = _INDEX.search(text)
    return "" if match is None else match["label"]


def rocm_in(text: str) -> list[str]:
    """Return the versions of ROCm that the indexes of releases in a text are for."""
    found = _INDEX.finditer(text)
    return [each["rocm"] for each in found if each["rocm"] and not each["kind"]]


def is_rocm(url: str) -> bool:
    """Return whether an index has builds for ROCm, whoever's."""
    return bool(_OF_ROCM.search(url))


def is_other(url: str) -> bool:
    """Return whether an index has builds for CUDA, XPU or the CPU."""
    return bool(_OF_OTHERS.search(url))


def is_pypi(url: str) -> bool:
    """Return whether an index has what PyPI has: PyPI itself or a mirror."""
    return bool(_OF_PYPI.search(url)) and not is_other(url) and not is_rocm(url)
