"""Dynamic shapes of what a model takes by ``**kwargs``."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin, replaces

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "_get_range_constraints"


def find(model: Any) -> Iterator[Patch]:
    """Yield the patch if the model takes ``**kwargs``."""
    trace = importlib.import_module("torch.export._trace")
    if _extra(model) is not None and hasattr(trace, NAME):
        yield Patch(trace, NAME, _nested(getattr(trace, NAME)))


@replaces("torch.export._trace._get_range_constraints")
def _nested(original: Any) -> Any:
    def _get_range_constraints(
        mod: Any, export_artifact: Any, args: Any, kwargs: Any, dynamic_shapes: Any
    ) -> Any:
        """Pass on keywords as dynamic shapes have them: below the name of ``**kwargs``."""
        shaped = nested(mod, args, kwargs or {})
        return original(mod, export_artifact, args, shaped, dynamic_shapes)

    return _get_range_constraints


def nested(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return keywords with those for ``**kwargs`` in a dictionary of that name, if in one row.

    Inputs of the program come in this order. If others stand between them, ranges would be those
    of other inputs, so that all are returned as they are.
    """
    name = _extra(model)
    if name is None:
        return kwargs
    bound = inspect.signature(model.forward).bind_partial(*args, **kwargs)
    extras: dict[str, Any] = bound.arguments.get(name, {})
    if not extras:
        return kwargs
    names = list(kwargs)
    first = min(map(names.index, extras))
    if set(names[first : first + len(extras)]) != set(extras):
        return kwargs
    before = {each: kwargs[each] for each in names[:first]}
    after = {each: kwargs[each] for each in names[first + len(extras) :]}
    return {**before, name: extras, **after}


def _extra(model: Any) -> str | None:
    """Return the name of ``**kwargs`` of a model, None if it has none."""
    try:
        parameters = inspect.signature(model.forward).parameters.values()
    except (AttributeError, TypeError, ValueError):
        return None
    return next((each.name for each in parameters if each.kind is each.VAR_KEYWORD), None)


BUILTIN = Builtin(
    name="keyword-shapes",
    reason="Keywords are compared with dynamic shapes twice: on their own, and below the name of "
    "`**kwargs`.",
    since="2.13",
    before="2.14",
    links=(
        "https://github.com/pytorch/pytorch/issues/150022",
        "https://github.com/pytorch/pytorch/pull/174593",
    ),
    find=find,
    library="torch",
)
