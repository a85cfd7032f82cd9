"""Stopping an export where it makes a dynamic size static, at the line of the model that does.

With ``Dim.AUTO`` torch 2.13 does so silently; with ``Dim.DYNAMIC`` it says so in the end, without
the line. Either way the size is set to a number in ``ShapeEnv._set_replacement``.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from rocmlint.export.errors import StaticSizeError
from rocmlint.export.patch import Patch, find

if TYPE_CHECKING:
    from types import FrameType

_OWN = os.path.dirname(os.path.dirname(__file__)) + os.sep


def stop_if_static() -> Patch:
    """Return the patch that raises StaticSizeError. Raises ExportError where torch is another."""
    owner: Any = find("torch.fx.experimental.symbolic_shapes.ShapeEnv")
    original = owner._set_replacement  # noqa: SLF001 - there is no public hook

    def _set_replacement(self: Any, a: Any, tgt: Any, *rest: Any, **named: Any) -> Any:
        names = _sizes(self, a) if getattr(tgt, "is_number", False) else ()
        if names:
            message = f"the dynamic size {names[0]} became {tgt}, because of {_line()}"
            raise StaticSizeError(message)
        return original(self, a, tgt, *rest, **named)

    return Patch(owner, "_set_replacement", _set_replacement, "stop_if_static", required=False)


def _sizes(environment: Any, symbol: Any) -> tuple[str, ...]:
    """Return the names of the inputs' sizes that a symbol stands for; a computed one has none."""
    sources = getattr(environment, "var_to_sources", {}).get(symbol, ())
    names = (each.name for each in sources)
    return tuple(str(each() if callable(each) else each) for each in names)


def _line() -> str:
    """Return the innermost line that is neither torch's nor ours."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the documented way
    while frame is not None:
        path, module = frame.f_code.co_filename, str(frame.f_globals.get("__name__"))
        if not (path.startswith((_OWN, "<")) or module.partition(".")[0] in {"torch", "sympy"}):
            return f"{path}:{frame.f_lineno}"
        frame = frame.f_back
    return "torch itself"
