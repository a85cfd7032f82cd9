"""The package rocmlint itself, in an interpreter where it need not be installed."""

from __future__ import annotations

import importlib.util
import os
import sys

from . import CannotAnswerError

_OLDEST = (3, 10)
_NAME = "rocmlint"


def load() -> None:
    """Have imports of ``rocmlint`` find the package that asks, and nothing else of its folder.

    ``sys.path`` is left as it is, so none of the packages next to it can take the place of the
    user's own. Raises CannotAnswerError.
    """
    if sys.version_info < _OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        message = f"this check needs Python {'.'.join(map(str, _OLDEST))} or later, this is {found}"
        raise CannotAnswerError(message)
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    loaded = sys.modules.get(_NAME)
    if loaded is not None and getattr(loaded, "__path__", None) == [folder]:
        return
    path = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location(_NAME, path, submodule_search_locations=[folder])
    if spec is None or spec.loader is None:
        message = f"{folder}: the package {_NAME} cannot be loaded from there"
        raise CannotAnswerError(message)
    module = sys.modules[_NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
