"""The session in which a model is exported and its program runs, or none."""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def opened(model: Any, *, plain: bool) -> Iterator[Any]:
    """Open an export session with what this model needs; None if ``plain``.

    Raises ExportError.
    """
    if plain:
        yield None
        return
    patches = importlib.import_module("rocmlint.export.patches").patches_for(model)
    caches = importlib.import_module("rocmlint.export.caches").registrations(model)
    outputs = importlib.import_module("rocmlint.export.outputs").registrations()
    begin = importlib.import_module("rocmlint.export").session
    with begin(model, patches=patches, register=[*caches, *outputs]) as session:
        yield session


def proof(session: Any, program: Any) -> dict[str, Any] | None:
    """Return what the session saw of its patches while this program was exported."""
    found: dict[str, Any] | None = None
    if session is not None:
        found = session.proof(program).as_json()
    return found
