"""Errors of a file that holds device code, or of this installation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from types import ModuleType


class UnreadableError(RocmlintError):
    """The file, or a part of it, is not what its format says."""


class MissingExtraError(RocmlintError):
    """A library of the extra ``verify`` is not installed."""


def extra(module: str) -> ModuleType:
    """Import a module that comes with ``rocmlint[verify]``. Raises MissingExtraError."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        message = f"this requires {package}: pip install 'rocmlint[verify]'"
        raise MissingExtraError(message) from error
