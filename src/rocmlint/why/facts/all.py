"""All functions that a condition may use."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.why.facts import shell_and_log
from rocmlint.why.facts.machine import binaries, driver, gpus, system
from rocmlint.why.facts.packages import installed, models, pairs
from rocmlint.why.facts.project import code, project_code
from rocmlint.why.facts.project import settings as project

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocmlint.why.facts.context import Context

_FACTS: dict[str, Callable[..., Any]] = {
    name: function
    for module in (
        binaries,
        code,
        driver,
        gpus,
        shell_and_log,
        installed,
        models,
        pairs,
        project,
        project_code,
        system,
    )
    for name, function in module.FACTS.items()
}
NAMES = frozenset(_FACTS)


def functions_of(context: Context) -> Mapping[str, Callable[..., Any]]:
    """Return the functions, which read what they need of a context."""
    return {name: partial(function, context) for name, function in _FACTS.items()}
