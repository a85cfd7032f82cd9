"""Stopping an export where it makes a dynamic size static, at the line of the model that does.

With ``Dim.AUTO`` torch 2.13 does so silently; with ``Dim.DYNAMIC`` it says so in the end, without
the line. Either way the size is set to a number in ``ShapeEnv._set_replacement``.
"""

from __future__ import annotations

from typing import Any

from rocmlint.export.errors import StaticSizeError
from rocmlint.export.frames import running
from rocmlint.export.patch import Patch, find


def stop_if_static() -> Patch:
    """Return the patch that raises StaticSizeError. Raises ExportError where torch is another."""
    owner: Any = find("torch.fx.experimental.symbolic_shapes.ShapeEnv")
    original = owner._set_replacement  # noqa: SLF001 - there is no public hook

    def _set_replacement(self: Any, a: Any, tgt: Any, *rest: Any, **named: Any) -> Any:
        names = sizes_of(self, a) if getattr(tgt, "is_number", False) else ()
        if names:
            line = running() or "torch itself"
            message = f"the dynamic size {names[0]} became {tgt}, because of {line}"
            raise StaticSizeError(message)
        return original(self, a, tgt, *rest, **named)

    return Patch(owner, "_set_replacement", _set_replacement, "stop_if_static", required=False)


def sizes_of(environment: Any, symbol: Any) -> list[str]:
    """Return the inputs' sizes that a symbol stands for, such as ``L['x'].size()[0]``.

    One that torch has computed stands for none.
    """
    held = getattr(environment, "var_to_sources", None)
    held = held or getattr(environment, "_var_to_sources", {})
    names = (getattr(each, "name", "") for each in held.get(symbol, ()))
    return [str(each() if callable(each) else each) for each in names]
