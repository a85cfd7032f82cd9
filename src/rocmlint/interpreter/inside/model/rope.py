"""The position ids of a model, and those of the code that transformers has for its class."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import CannotAnswerError
from ..factory import found, torch_of_the_job
from . import inputs as model_inputs
from . import parts as model_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "get_rope_index"
_LONGEST = 300
_CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("one square image", {"images": [(1, 4, 4)]}),
    ("one wide image", {"images": [(1, 2, 8)]}),
    ("one tall image", {"images": [(1, 8, 2)]}),
    ("the smallest image", {"images": [(1, 2, 2)]}),
    ("an image at the start", {"images": [(1, 4, 6)], "before": 0}),
    ("an image after much text", {"images": [(1, 6, 4)], "before": 9}),
    ("two images", {"images": [(1, 4, 4), (1, 2, 6)]}),
    ("three images", {"images": [(1, 2, 2), (1, 6, 6), (1, 4, 2)]}),
    ("a video", {"videos": [(3, 4, 4)]}),
    ("an image and a video", {"images": [(1, 4, 4)], "videos": [(2, 2, 4)]}),
)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Compare position ids on generated grids; ``function`` is None or the one to compare.

    Raises CannotAnswerError.
    """
    parts = model_parts.parts_of(request, processor=False)
    model = parts.needed("model", "a model")
    facts: dict[str, Any] = {"model": parts.name, "missing": "", "cases": [], "used": []}
    facts["notes"] = [*model_parts.versions(), *parts.notes]
    owner = next((each for each in model.modules() if hasattr(each, NAME)), None)
    if owner is None:
        return {**facts, "missing": f"{type(model).__name__} has no {NAME}()"}
    try:
        official = _official(owner)
    except CannotAnswerError as error:
        return {**facts, "missing": str(error)}
    own = found(request["function"]) if request["function"] else getattr(owner, NAME)
    facts["function"] = _place(own)
    facts["official"] = _place(official)
    for name, how in _CASES:
        facts["cases"] += _compared(model, _Both(own, official, owner), name, how)
    facts["used"] = list(_used(model, owner, official))
    return facts


def _place(function: Any) -> str:
    with suppress(Exception):  # what is not written in Python
        code = inspect.unwrap(function).__code__
        return f"{code.co_filename}:{code.co_firstlineno}"
    return repr(function)


def _official(owner: Any) -> Any:
    """Return the method of the file of transformers, loaded once more: nothing has patched that.

    Raises CannotAnswerError.
    """
    for kind in type(owner).__mro__:
        module = str(kind.__module__)
        if module.startswith("transformers.models.") and hasattr(kind, NAME):
            fresh = getattr(_loaded_again(module), kind.__name__, None)
            method = getattr(fresh, NAME, None)
            if method is not None:
                return method
    message = f"{type(owner).__name__} is not based on a class of transformers with {NAME}()"
    raise CannotAnswerError(message)


def _loaded_again(name: str) -> Any:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or spec.loader is None:
        message = f"the file of {name} cannot be found"
        raise CannotAnswerError(message)
    again = importlib.util.spec_from_file_location(f"{name}_as_installed", spec.origin)
    if again is None or again.loader is None:
        message = f"{spec.origin} cannot be loaded"
        raise CannotAnswerError(message)
    module = sys.modules[again.name] = importlib.util.module_from_spec(again)
    try:
        again.loader.exec_module(module)
    except (
        Exception
    ) as error:  # a file of transformers that was changed, or needs what is not there
        message = f"{spec.origin} cannot be loaded again: {type(error).__name__}: {error}"
        raise CannotAnswerError(message) from error
    return module


class _Both(NamedTuple):
    """The functions that are compared, and the model that they belong to."""

    own: Any
    official: Any
    owner: Any
    """The module that has the method."""


def _compared(model: Any, both: _Both, name: str, how: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what both functions give for a case: as it is, and padded on either side."""
    own, official, owner = both
    try:
        given = model_inputs.moved(model_inputs.of_grids(model, **how), model)
    except (CannotAnswerError, TypeError, ValueError) as error:
        yield {"name": name, "skipped": str(error)[:_LONGEST]}
        return
    for side in ("", "padded on the left", "padded on the right"):
        asked = _padded(given, side)
        facts = {"name": f"{name} {side}".strip(), "skipped": "", "error": "", "differs": ""}
        try:
            wanted = _positions(official, asked, owner)
        except Exception as error:  # noqa: BLE001 - not every version takes every case
            yield {**facts, "skipped": f"{type(error).__name__}: {error}"[:_LONGEST]}
            continue
        try:
            got = _positions(own, asked, owner, official)
        except Exception as error:  # noqa: BLE001 - code of the user
            yield {**facts, "error": f"{type(error).__name__}: {error}"[:_LONGEST]}
        else:
            yield {**facts, "differs": _difference(got, wanted, asked)}


def _padded(given: dict[str, Any], side: str) -> dict[str, Any]:
    """Return inputs with two more tokens on one side, which the mask leaves out."""
    torch = torch_of_the_job()
    if not side or "attention_mask" not in given:
        return given
    padded = dict(given)
    for name in ("input_ids", "attention_mask", "mm_token_type_ids"):
        if name in given:
            nothing = torch.zeros_like(given[name][:, :2])
            pieces = (nothing, given[name]) if "left" in side else (given[name], nothing)
            padded[name] = torch.cat(pieces, dim=1)
    return padded


def _positions(function: Any, given: dict[str, Any], owner: Any, like: Any = None) -> Any:
    """Call a function with what it names; ``owner`` is its self, where it needs one.

    A function that takes anything is given what ``like`` names.
    """
    parameters = inspect.signature(function).parameters
    names = set(parameters)
    if like is not None and any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        names |= set(inspect.signature(like).parameters)
    first = [owner] if next(iter(parameters), "") == "self" and owner is not None else []
    keywords = {name: each for name, each in given.items() if name in names}
    if "config" in names:
        keywords["config"] = owner.config
    result = function(*first, **keywords)
    return result[0] if isinstance(result, (tuple, list)) else result


def _difference(got: Any, wanted: Any, given: dict[str, Any]) -> str:
    """Return the first place where two tensors of position ids differ; empty where none does."""
    torch = torch_of_the_job()
    if not isinstance(got, torch.Tensor):
        return f"returns {type(got).__name__} instead of position ids"
    if got.device != given["input_ids"].device:
        return f"position ids on {got.device}, the tokens are on {given['input_ids'].device}"
    if got.shape != wanted.shape:
        return f"shape {list(got.shape)} instead of {list(wanted.shape)}"
    mask = given.get("attention_mask")
    apart = got != wanted
    if mask is not None:
        apart &= mask.bool().expand_as(apart)
    if not apart.any():
        return ""
    axis, row, at = (int(each) for each in apart.nonzero()[0])
    names = ("time", "height", "width")
    name = names[axis] if len(names) == got.shape[0] else f"axis {axis}"
    return (
        f"{name} of token {at} is {int(got[axis, row, at])} instead of {int(wanted[axis, row, at])}"
        f" ({int(apart.sum())} of {apart.numel()} differ)"
    )


def _used(model: Any, owner: Any, official: Any) -> Iterator[dict[str, Any]]:
    """Yield, for a few forwards, how the positions that the rotary embedding gets differ."""
    torch = torch_of_the_job()
    rotary = list(_rotary(model))
    if not rotary:
        yield {"name": "", "skipped": "no rotary embedding of the text was found"}
        return
    for name, how in _CASES[:7:3]:
        facts = {"name": name, "skipped": "", "error": "", "differs": ""}
        seen: list[Any] = []

        def note(_: Any, args: Any, kwargs: Any, seen: list[Any] = seen) -> None:
            found = kwargs.get("position_ids", args[1] if len(args) > 1 else None)
            seen.extend([] if found is None else [found])

        try:
            given = model_inputs.moved(model_inputs.of_grids(model, **how), model)
            wanted = _positions(official, given, owner)
        except Exception as error:  # noqa: BLE001 - not every version takes every case
            yield {**facts, "skipped": f"{type(error).__name__}: {error}"[:_LONGEST]}
            continue
        handles = [each.register_forward_pre_hook(note, with_kwargs=True) for each in rotary]
        try:
            with torch.no_grad():
                model.eval()(**given)
        except Exception as error:  # noqa: BLE001 - the model's own, for any reason
            failed = f"the forward failed: {type(error).__name__}: {error}"
            yield {**facts, "skipped": failed[:_LONGEST]}
            continue
        finally:
            for handle in handles:
                handle.remove()
        if not seen:
            yield {**facts, "skipped": "the rotary embedding was not given position ids"}
        else:
            yield {**facts, "differs": _difference(seen[0], wanted, given)}


def _rotary(model: Any) -> Iterator[Any]:
    """Yield the rotary embeddings of the text; some versions have one in each layer too."""
    for name, module in model.named_modules():
        *above, last = name.split(".")
        if last == "rotary_emb" and not {"visual", "vision_tower", "vision_model"} & set(above):
            yield module
