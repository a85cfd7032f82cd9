"""The answer of ``stack compatible``: for each library a release, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rocmlint.published.fitting import TORCH

Answer = Literal["fits", "none fits", "unknown"]


@dataclass(frozen=True)
class FittingLibrary:
    """The answer for one library."""

    package: str
    """As it was asked for, normalized, with the extras that count: ``transformers[torch]``."""
    answer: Answer
    version: str | None
    """The newest release that fits torch and the other libraries."""
    following: str | None
    """A newer release, which does not fit; None where there is none. It is the newest that takes
    this torch by itself, else the one after ``version``."""
    reason: str
    """Why ``following`` does not fit, or why there is no answer; empty where there is nothing to
    explain."""
    brings: tuple[str, ...] = ()
    """The ways from it to another torch, or to what PyPI has for CUDA only:
    ``unsloth==2026.10.9 -> xformers==0.0.35 -> torch==2.14.1``."""
    companions: tuple[str, ...] = ()
    """Its requirements of torchvision and torchaudio, which must come from torch's index and are
    missing.
    """

    @property
    def name(self) -> str:
        """The package without extras."""
        return self.package.partition("[")[0]

    @property
    def pin(self) -> str:
        """The chosen release as pip takes it; without the extra ``torch``, as torch is there."""
        extras = self.package.partition("[")[2].rstrip("]").split(",")
        others = ",".join(each for each in extras if each not in {"", TORCH})
        return (
            f"{self.name}[{others}]=={self.version}" if others else f"{self.name}=={self.version}"
        )


@dataclass(frozen=True)
class Compatible:
    """The newest releases that fit a torch, together."""

    torch: str
    """The release that was chosen, where more than one was meant (2.4 is 2.4.0 and 2.4.1)."""
    python: str
    libraries: tuple[FittingLibrary, ...]
    source: Literal["uv", "shipped data"]
    as_of: str
    """The day whose releases were known."""
    notes: tuple[str, ...] = ()
    """Why uv was not asked, or what else should be known of the answer, a line each."""
    together: bool = True
    """False if each library fits torch, but they do not fit each other: each is for itself."""
