"""The first module of a model whose result a program does not compute."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import Tensor, torch
from rocmlint.export.agreement.compare import differing
from rocmlint.export.agreement.leaves import tensors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.export.agreement.cases import Case


def first_differing(model: Any, case: Case, computed: Sequence[Tensor]) -> str:
    """Return the first module, in the order in which they end, whose output no node computes.

    A program has no modules, and operations may be attributed to a caller; so each output is
    looked for among all values of the program.
    """
    by_shape: dict[tuple[int, ...], list[Tensor]] = {}
    for each in computed:
        by_shape.setdefault(tuple(each.shape), []).append(each)
    for name, kind, outputs in _outputs(model, case):
        for each in outputs:
            near = by_shape.get(tuple(each.shape), ())
            if not any(differing([("", each)], [("", other)]) is None for other in near):
                return f"{name or 'the model itself'} ({kind})"
    return ""


def _outputs(model: Any, case: Case) -> list[tuple[str, str, list[Tensor]]]:
    """Run the model itself; return what each module returned, in the order in which they ended."""
    found: list[tuple[str, str, list[Tensor]]] = []

    def listener(name: str) -> Any:
        def listen(module: Any, _: Any, result: Any) -> None:
            held = [each.detach().clone() for each in tensors(result).values()]
            found.append((name, type(module).__name__, held))

        return listen

    args, kwargs = case.fresh()
    with ExitStack() as undo, torch.no_grad():
        for name, module in model.named_modules():
            undo.callback(module.register_forward_hook(listener(name)).remove)
        try:
            model(*args, **kwargs)
        except Exception:  # noqa: BLE001 - what came before it is still good
            return found
    return found
