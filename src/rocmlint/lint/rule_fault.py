"""Exceptions that nobody expects: of a local rule its author is told once, of others we are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.errors import described
from rocmlint.rule.places import attribute_place, error_place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rocmlint.rule.rule import Rule


class RuleFault(NamedTuple):
    """What went wrong in a local rule; plain data that passes between processes."""

    place: str
    """The file and line of the rule."""
    path: str
    """The file that was linted."""
    what: str
    """The exception and the code of the rule."""
    traceback: str


def fault_of(rule: Rule[Any], error: BaseException, path: str) -> RuleFault:
    """Describe an exception that a local rule raised while it looked at a file.

    What it yields may be wrong, too: then it is raised elsewhere, and the method is to blame.
    """
    import traceback  # noqa: PLC0415 - only mistakes pay for it

    place = error_place(error) or attribute_place(type(rule), "check")
    written = "".join(traceback.format_exception(error)).rstrip()
    return RuleFault(place, path, f"{described(error)} ({rule.code})", written)


def first_of_each(faults: Iterable[RuleFault]) -> list[RuleFault]:
    """Return one exception for each place in the rules: that of the first file."""
    first: dict[str, RuleFault] = {}
    for fault in sorted(faults):
        first.setdefault(fault.place, fault)
    return [*first.values()]


def told(faults: Iterable[RuleFault]) -> list[str]:
    """Return a line for each place in the rules, with the first file that shows the mistake."""
    return [
        f"error in your rule {each.place}: {each.what}, first in {each.path}"
        for each in first_of_each(faults)
    ]


def internal_error(path: str, error: BaseException, where: str = "") -> str:
    """Return the line about an error inside rocmlint. Ctrl-C is raised again."""
    if isinstance(error.__cause__, KeyboardInterrupt):  # before 3.12 so while a class is made
        raise error
    return f"{path}: internal error{where}, please report it: {described(error)}"
