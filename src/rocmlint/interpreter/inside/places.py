"""Where in the user's code something happens."""

from __future__ import annotations

import importlib
import os
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))


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
