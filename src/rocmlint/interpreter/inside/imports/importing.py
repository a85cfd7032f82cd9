"""Importing what is installed, and not what a checkout has under its name."""

from __future__ import annotations

import importlib
from typing import Any

from .. import search
from .files import ModuleCopy, locate


class CheckoutError(ImportError):
    """A module is in the current folder only; ``place`` says where."""

    def __init__(self, module: str, place: str) -> None:
        """Answer as an import would."""
        super().__init__(
            f"{module} is only in the current directory, whose code is not run: {place}"
        )
        self.place = place


def import_installed(module: str) -> Any:
    """Import a module; raise CheckoutError where that would run code of the current folder."""
    search_installed(module)
    return importlib.import_module(module)


def search_installed(module: str) -> ModuleCopy | None:
    """Have imports find what is installed, and return what one of this module would take.

    Raises CheckoutError as ``import_installed`` does.
    """
    anywhere = locate(module)
    search.as_installed()
    taken = next(iter(locate(module) or anywhere), None)
    place = _place(taken) if taken else None
    if place and search.is_of_checkout(place):
        raise CheckoutError(module, place)
    return taken


def _place(copy: ModuleCopy) -> str | None:
    return copy.origin or next(iter(copy.locations or ()), None)
