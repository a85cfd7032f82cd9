"""One forward of a model under watch: what modules return, and what is multiplied."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from ..tensors import floats_in
from .crash import crash_of
from .origins import TensorOrigins
from .watch import watch_of

_MATRIX = 2
_LATER = (Iterator, Awaitable, AsyncIterator)
"""Results that do their work when somebody asks for it."""


def trace(
    model: Any,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    dominant: str,
    designs: dict[str, str],
) -> dict[str, Any]:
    """Run the model once and report what left its dtype, and what was multiplied in a larger one.

    ``designs`` says by name why a weight may have a dtype of its own. ``boundaries`` has, in the
    order in which modules first ended, the dtypes that each was given and gave; ``left`` the calls
    that gave what they were not given, the first one first, and ``designed`` those that do so by
    design; ``matmuls`` the multiplications of matrices.
    """
    torch = importlib.import_module("torch")
    watch = watch_of(dominant, TensorOrigins(model, designs, dominant, (arguments, keywords)))
    names = {module: name for name, module in model.named_modules()}
    crash, later = None, ""
    with ExitStack() as undo, torch.no_grad():
        _run_eagerly(model, undo)
        for module, name in names.items():
            for handle in watch.hook(module, name):
                undo.callback(handle.remove)
        undo.enter_context(watch)
        undo.enter_context(watch.asked)
        try:
            output = model(*arguments, **keywords)
            later = type(output).__name__ if isinstance(output, _LATER) else ""
        except Exception as error:  # noqa: BLE001 - the model's own, and told as such
            crash = crash_of(error, watch)
    dtypes = watch.matmuls.dtypes
    return {
        "modules": len(names),
        "calls": watch.calls,
        "operations": watch.operations,
        "later": later,
        "given": sorted(floats_in((arguments, keywords))),
        "boundaries": watch.boundaries,
        "left": _spread(watch.left, watch.boundaries, crash) or _blamed(watch.passed, crash),
        "designed": watch.designed,
        "matmuls": {
            "count": watch.matmuls.count,
            "dtypes": {name: ", ".join(sorted(each)) for name, each in dtypes.items()},
            "wide": list(watch.matmuls.wide.values()),
            "unseen": watch.unseen,
            "matrices": sum(each.dim() >= _MATRIX for each in model.parameters()),
        },
        "crash": crash,
    }


def _spread(
    left: list[dict[str, Any]], boundaries: Mapping[str, Any], crash: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Leave out modules that give the dtype of their own weights to one that takes it back."""
    if crash and crash["about_dtypes"]:
        return left
    found = {(each["module"], dtype): each for each in left for dtype in each["new"]}

    def is_kept_in(each: dict[str, Any]) -> bool:
        if not each["own"]:
            return False
        holder = holder_of(each["module"], boundaries)
        above = [found.get((holder, dtype)) for dtype in each["new"]] if holder is not None else []
        return bool(above) and all(one is None or is_kept_in(one) for one in above)

    return [each for each in left if not is_kept_in(each)]


def _blamed(passed: list[dict[str, Any]], crash: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return the calls that gave what they were given, by the very cast that the run failed of."""
    cast = crash["cast"] if crash and crash["about_dtypes"] else None
    return [
        each
        for each in passed
        if cast and cast["is_given"] and each["cast"] and each["cast"]["place"] == cast["place"]
    ]


def holder_of(module: str, called: Mapping[str, Any]) -> str | None:
    """Return the module that holds another and was called too."""
    while module:
        module = module.rpartition(".")[0]
        if module in called:
            return module
    return None


def _run_eagerly(model: Any, undo: ExitStack) -> None:
    """Leave torch.compile out: compiled code does not call hooks one by one."""
    torch = importlib.import_module("torch")
    set_stance = getattr(torch.compiler, "set_stance", None)
    if set_stance:
        undo.enter_context(set_stance("force_eager"))
    for module in model.modules():
        compiled = module.__dict__.get("_compiled_call_impl")
        if compiled is not None:
            module._compiled_call_impl = None  # noqa: SLF001 - put back below
            undo.callback(setattr, module, "_compiled_call_impl", compiled)
