"""The errors of an export session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from rocmlint.export.proof import Proof


class ExportError(RocmlintError):
    """A patch, a registration or a rewrite cannot be applied; nothing of the session is left."""


class StaticSizeError(ExportError):
    """A size that was to be dynamic became a number; see ``session(stop_if_static=True)``."""


class PatchNotProvenError(RocmlintError, AssertionError):
    """A patch did not take effect, or that could not be seen; ``proof`` says which and why."""

    def __init__(self, message: str, proof: Proof) -> None:
        """Take the whole proof, also of the patches that are proven."""
        super().__init__(message)
        self.proof = proof
