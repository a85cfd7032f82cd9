"""The session in which a model is exported and its program runs, or none."""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def opened(model: Any, *, plain: bool) -> Iterator[Any]:
    """Open a session with the registrations, patches and rewrites that a model needs.

    Gives None if ``plain``. Raises ExportError.
    """
    if plain:
        yield None
        return
    begin = importlib.import_module("rocmlint.export").session
    with begin(model, patches=True, register=True, rewrite=True) as session:
        yield session


def proof(session: Any, program: Any) -> dict[str, Any] | None:
    """Return what the session saw of its patches while this program was exported."""
    found: dict[str, Any] | None = None
    if session is not None:
        found = session.proof(program).as_json()
    return found
