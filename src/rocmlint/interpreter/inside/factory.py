"""The object at ``package.module:name``: the one way in to the user's own code."""

from __future__ import annotations

import importlib
from typing import Any

from . import CannotAnswerError


def imported(name: str, otherwise: str) -> Any:
    """Import a module; if there is none of this name, say what to do instead of where it failed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module is there, and one that it imports is not
        message = f"no module {error.name} was found: {otherwise}"
        raise CannotAnswerError(message) from error


def torch_of_the_job() -> Any:
    """Import torch."""
    return imported("torch", "use --python to name the interpreter of the job")


def found(factory: str) -> Any:
    """Return what ``package.module:name`` names. Raises what importing it does."""
    module_name, _, attribute = factory.partition(":")
    place = imported(module_name, "run this in the directory from which it can be imported")
    for name in attribute.split("."):
        if not hasattr(place, name):
            message = f"{factory}: {getattr(place, '__file__', place)} has no {name}"
            raise CannotAnswerError(message)
        place = getattr(place, name)
    return place
