"""Whether attributes have the literal values that the source of a module gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .reachable import ABSENT, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .bindings import Constant


def changed_literals(module: object, constants: Iterable[Constant]) -> list[str]:
    """Return the names that have another value now; additions to a container do not count."""
    return [
        ".".join(each.path)
        for each in constants
        if not _holds(value_at(module, each.path), each.value, in_class=len(each.path) > 1)
    ]


def _holds(live: object, literal: object, *, in_class: bool) -> bool:
    if type(live) is not type(literal):
        # A metaclass or a decorator makes of it what it likes: enumerations, fields.
        return live is not ABSENT and in_class
    if isinstance(literal, dict):
        return all(
            _holds(live.get(key, ABSENT), value, in_class=False)  # type: ignore[attr-defined]
            for key, value in literal.items()
        )
    if isinstance(literal, (list, set)):
        return all(each in live for each in literal)  # type: ignore[operator]
    return repr(live) == repr(literal)
