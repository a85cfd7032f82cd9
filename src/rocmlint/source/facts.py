"""Facts about one file that several ask for: worked out once, and kept with the file."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    Tells = TypeVar("Tells", bound=Callable[..., Any])


def once_per_file(tells: Tells) -> Tells:
    """Cache a function's answer for each question about a file.

    Its arguments are hashable, and the last one is the file. What it asks of the disk is noted
    with the file when it first answers.
    """

    @wraps(tells)
    def answer(*arguments: Any) -> Any:
        facts = arguments[-1].facts
        question = (tells, *arguments[:-1])
        if question not in facts:
            facts[question] = tells(*arguments)
        return facts[question]

    return cast("Tells", answer)
