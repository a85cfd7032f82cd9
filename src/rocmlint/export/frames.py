"""Which line of a model runs, or has failed: not of torch, of Python or of rocmlint."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from itertools import dropwhile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROCMLINT = os.path.dirname(os.path.dirname(__file__)) + os.sep
_AGREEMENT = os.path.join(os.path.dirname(__file__), "agreement", "")
_PYTHON = os.path.dirname(os.__file__) + os.sep
_INSTALLED = ("site-packages", "dist-packages")
_BELOW = ("torch", "sympy")
"""What runs below a model: torch, and what it computes sizes with."""


def running() -> str:
    """Return the statement of a model that runs: as dynamo interprets it, else as Python does."""
    try:
        context: Any = importlib.import_module("torch._guards").TracingContext
        traced = list(context.extract_stack())
    except Exception:  # noqa: BLE001 - no context, or another version
        traced = []
    # What asks is of this package, and has the innermost frames.
    frames = list(dropwhile(_is_ours, reversed(traceback.extract_stack())))
    return innermost(traced) or innermost(frames[::-1])


def _is_ours(frame: traceback.FrameSummary) -> bool:
    return frame.filename.startswith(_ROCMLINT)


def place(error: BaseException) -> str:
    """Return ``file:line`` of the innermost frame of the model that raised an error."""
    return innermost(traceback.extract_tb(error.__traceback__))


def innermost(frames: Sequence[traceback.FrameSummary]) -> str:
    """Return ``file:line`` of the innermost frame of the model; nothing where none is of it.

    What called the comparison of a model with its program is not of the model.
    """
    for each in reversed(frames):
        if each.filename.startswith(_AGREEMENT):
            return ""
        if is_of_user(each.filename):
            return f"{each.filename}:{each.lineno}"
    return ""


def is_of_user(file: str) -> bool:
    """Return whether code is of a model, and not of torch, of Python or of rocmlint."""
    if file.startswith(("<", _ROCMLINT, *_folders())):
        return False
    return not file.startswith(_PYTHON) or any(each in file for each in _INSTALLED)


def _folders() -> list[str]:
    """Return the folders of what runs below a model, as far as it is loaded."""
    files = (getattr(sys.modules.get(name), "__file__", None) for name in _BELOW)
    return [os.path.dirname(each) + os.sep for each in files if each]
