"""Where in the user's code something happens."""

from __future__ import annotations

import importlib
import os
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
_CALLS = ("_call_impl", "_wrapped_call_impl")
"""How torch calls a module."""


def place_of(frame: Any) -> str:
    """Return the innermost ``file:line`` outside torch and rocmlint, from a frame outwards."""
    torch: Any = importlib.import_module("torch")
    own = (os.path.dirname(os.path.abspath(torch.__file__)) + os.sep, _HERE + os.sep, "<frozen")
    innermost = ""
    while frame is not None:
        path = frame.f_code.co_filename
        if not innermost and not path.startswith(own[1:]):
            innermost = f"{path}:{frame.f_lineno}"
        if not path.startswith(own) and not path.startswith("<"):
            return f"{path}:{frame.f_lineno}"
        frame = frame.f_back
    return innermost


def files_of_call(frame: Any, module: Any) -> set[str]:
    """Return the files, other than torch's, of the code from a frame out to a module's forward.

    That is its own method, or whatever is called in its place: hooks and what replaced the method.
    """
    torch: Any = importlib.import_module("torch")
    root = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
    files = set()
    while frame is not None:
        path, name = frame.f_code.co_filename, frame.f_code.co_name
        if path.startswith(root):
            if name in _CALLS:
                break
        elif not path.startswith((_HERE + os.sep, "<")):
            files.add(path)
            if name == "forward" and frame.f_locals.get("self") is module:
                break
        frame = frame.f_back
    return files
