"""One call of compute_loss, watched: what it returns, what it logs, and where NaN comes from."""

from __future__ import annotations

import importlib
import inspect
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from ..factory import torch_of_the_job
from ..places import place_of
from . import inputs as model_inputs
from . import parts as model_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .parts import ModelParts

_LONGEST = 400
_SHOWN = 20
_LABELS = "label"
"""The names of labels contain this, as in ``find_labels`` of transformers."""
_IGNORED = -100
"""The label that losses of torch leave out."""
_FILLS = ("full", "fill", "where", "scalar_tensor", "lift_fresh", "tensor", "empty", "mask", "copy")
"""Operations that write what they are given: an infinite mask is on purpose."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Compute the loss once, and its gradients. Raises CannotAnswerError."""
    parts = model_parts.parts_of(request)
    model = parts.needed("model", "a model or a trainer")
    given = _inputs(parts)
    facts: dict[str, Any] = {
        "model": parts.name,
        "signature": _signature(parts),
        "error": None,
        "logged": [],
    }
    facts["weights"] = _not_finite(model.named_parameters())[:_SHOWN]
    watch = _Watch(model)
    with ExitStack() as undo:
        for handle in watch.hooks():
            undo.callback(handle.remove)
        _listen(parts.trainer, facts["logged"], undo)
        try:
            with watch.mode():
                returned = _called(parts, given)
        except Exception as error:  # noqa: BLE001 - code of the user
            facts["error"] = _error(error)
            returned = None
    facts["notes"] = [*model_parts.versions(), *parts.notes]
    facts |= _counted(given)
    loss, outputs = _parted(returned, parts)
    is_named = loss is not returned and not isinstance(returned, (tuple, list))
    facts |= {
        "loss": _about(loss, is_named=is_named),
        "outputs": _outputs(outputs),
        "origins": watch.origins,
    }
    facts["kind_of_outputs"] = type(outputs).__name__
    facts["gradients"] = _gradients(model, loss)
    return facts


def _inputs(parts: ModelParts) -> Any:
    """Return keyword arguments, or the positional ones of the factory."""
    model_inputs.add_batch(parts)
    if parts.inputs is not None and not hasattr(parts.inputs, "keys"):
        return tuple(model_inputs.moved(parts.inputs, parts.model))
    return model_inputs.inputs_for(parts, labels=True)


def _counted(given: Any) -> dict[str, Any]:
    """Return whether there are labels, and why no row of the inputs can count for a loss."""
    torch = torch_of_the_job()
    named = dict(given) if hasattr(given, "keys") else dict(enumerate(given))
    tensors = {str(name): it for name, it in named.items() if isinstance(it, torch.Tensor)}
    labels = {name: each for name, each in tensors.items() if _LABELS in name}
    nothing = ""
    if tensors and not any(each.numel() for each in (labels or tensors).values()):
        nothing = f"{_names(labels or tensors)} of the inputs have no elements"
    elif labels and all(
        not each.is_floating_point() and bool((each == _IGNORED).all()) for each in labels.values()
    ):
        nothing = f"every element of {_names(labels)} is {_IGNORED}, which losses leave out"
    return {"has_labels": any(_LABELS in str(name) for name in named), "nothing": nothing}


def _names(named: dict[str, Any]) -> str:
    """Name the first of some inputs."""
    return ", ".join(list(named)[:3])


def _signature(parts: ModelParts) -> dict[str, Any] | None:
    """Return whether compute_loss takes what Trainer passes; None without one."""
    function = getattr(parts.trainer, "compute_loss", None)
    if function is None:
        return None
    parameters = inspect.signature(function).parameters.values()
    names = [each.name for each in parameters]
    code = getattr(inspect.unwrap(function), "__code__", None)
    return {
        "names": names,
        "takes": "num_items_in_batch" in names
        or any(each.kind is each.VAR_KEYWORD for each in parameters),
        "place": f"{code.co_filename}:{code.co_firstlineno}" if code else "",
    }


def _called(parts: ModelParts, given: Any) -> Any:
    """Compute the loss as Trainer does when it evaluates: with the outputs."""
    parts.model.train()
    if parts.trainer is None:
        return parts.model(*given) if isinstance(given, tuple) else parts.model(**given)
    keywords = {"return_outputs": True} if _returns_outputs(parts.trainer) else {}
    return parts.trainer.compute_loss(parts.model, dict(given), **keywords)


def _returns_outputs(trainer: Any) -> bool:
    return "return_outputs" in inspect.signature(trainer.compute_loss).parameters


def _parted(returned: Any, parts: ModelParts) -> tuple[Any, Any]:
    """Return loss and outputs, found where Trainer looks for them."""
    if parts.trainer is not None:
        is_pair = isinstance(returned, (tuple, list)) and len(returned) == 2
        if is_pair and _returns_outputs(parts.trainer):
            return returned[0], returned[1]
        return returned, None
    if hasattr(returned, "get"):
        return returned.get("loss"), returned
    if hasattr(returned, "loss"):
        return returned.loss, returned
    if isinstance(returned, (tuple, list)):
        return (returned[0] if returned else None), returned
    return returned, returned


def _listen(trainer: Any, logged: list[dict[str, str]], undo: ExitStack) -> None:
    """Note what compute_loss logs."""
    log = getattr(trainer, "log", None)
    if not callable(log):
        return

    def listening(logs: Any, *args: Any, **kwargs: Any) -> Any:
        logged.extend(_values(logs))
        return log(logs, *args, **kwargs)

    with suppress(AttributeError, TypeError):
        trainer.log = listening
        undo.callback(trainer.__dict__.pop, "log", None)


def _values(mapping: Any) -> Iterator[dict[str, str]]:
    if hasattr(mapping, "items"):
        for name, value in mapping.items():
            yield {"name": str(name), **_kind(value)}


def _kind(value: Any) -> dict[str, str]:
    """Return what a value is: float, tensor with its shape, or another type."""
    torch = torch_of_the_job()
    if isinstance(value, torch.Tensor):
        kind = "scalar tensor" if value.numel() == 1 else "tensor"
        return {"kind": kind, "type": f"tensor of shape {list(value.shape)} on {value.device}"}
    if isinstance(value, (bool, int, float, str)) and type(value).__module__ == "builtins":
        return {"kind": "plain", "type": type(value).__name__}
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    return {"kind": "scalar" if name.startswith("numpy.") else "other", "type": name}


def _outputs(outputs: Any) -> list[dict[str, str]] | None:
    """Return what the outputs hold; None where they are no mapping."""
    if outputs is None or not hasattr(outputs, "items"):
        return None
    return list(_values(outputs))[:200]


def _about(loss: Any, *, is_named: bool) -> dict[str, Any] | None:
    """Return what matters of a loss; None without one.

    ``is_named``: the code calls it the loss, and it is not only the first of its results.
    """
    torch = torch_of_the_job()
    if loss is None:
        return None
    if not isinstance(loss, torch.Tensor):
        return {
            "type": type(loss).__name__,
            "shape": None,
            "value": "",
            "finite": False,
            "graph": False,
            "is_named": is_named,
        }
    value = loss.detach().float()
    return {
        "type": "tensor",
        "shape": list(loss.shape),
        "value": f"{value.item():g}" if loss.numel() == 1 else "",
        "finite": bool(torch.isfinite(value).all()),
        "graph": bool(loss.requires_grad),
        "is_named": is_named,
    }


def _gradients(model: Any, loss: Any) -> dict[str, Any]:
    """Go backward once, and return which parameters have gradients that are not finite."""
    torch = torch_of_the_job()
    trained = sum(each.requires_grad for each in model.parameters())
    facts: dict[str, Any] = {"tried": False, "made": 0, "wrong": [], "error": None}
    facts["trained"] = trained
    if not isinstance(loss, torch.Tensor) or not loss.requires_grad or loss.numel() != 1:
        return facts
    facts["tried"] = True
    try:
        model.zero_grad(set_to_none=True)
        loss.backward()
    except Exception as error:  # noqa: BLE001 - code of the user
        return {**facts, "error": _error(error)}
    grads = [(name, each.grad) for name, each in model.named_parameters() if each.grad is not None]
    return {**facts, "made": len(grads), "wrong": _not_finite(grads)}


def _not_finite(named: Any) -> list[str]:
    torch = torch_of_the_job()
    return [
        name
        for name, each in named
        if each.is_floating_point() and not each.is_meta and not bool(torch.isfinite(each).all())
    ]


def _error(error: Exception) -> dict[str, str]:
    trail = error.__traceback__
    while trail is not None and trail.tb_next is not None:
        trail = trail.tb_next
    message = (f"{type(error).__name__}: {error}".splitlines() or [""])[0][:_LONGEST]
    return {"text": message, "place": place_of(trail.tb_frame) if trail else ""}


class _Watch:
    """Finds the first operation that makes NaN or infinity of finite numbers, and its module."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._open: list[str] = []
        self.origins: dict[str, dict[str, str]] = {}
        """By what was made, "nan" or "inf": module, operation and line."""

    def hooks(self) -> Iterator[Any]:
        """Follow which module runs; yields the handles that end it."""
        for name, module in self._model.named_modules():

            def begin(_: Any, __: Any, name: str = name) -> None:
                self._open.append(name)

            def end(_: Any, __: Any, ___: Any) -> None:
                if self._open:
                    self._open.pop()

            with suppress(RuntimeError, TypeError):  # TorchScript takes no hooks
                yield module.register_forward_pre_hook(begin)
                yield module.register_forward_hook(end)

    def mode(self) -> Any:
        """Return a context in which each operation is looked at."""
        base: Any = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode
        watch = self

        class Mode(base):  # type: ignore[misc]
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                result = func(*args, **(kwargs or {}))
                if len(watch.origins) < 2:
                    watch.looked(func, args, kwargs or {}, result)
                return result

        return Mode()

    def looked(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        """Remember an operation that is the first to make something of finite numbers."""
        made = _states(result)
        new = {each for each in ("nan", "inf") if each in made and each not in self.origins}
        name = str(func)
        if not new or any(each in name for each in _FILLS):
            return
        before = _states((*args, *kwargs.values()))
        for each in new - before:
            self.origins[each] = {
                "module": self._open[-1] if self._open else "",
                "inside": "module" if self._open else "compute_loss",
                "operation": name,
                "place": place_of(inspect.currentframe()),
                "from": "inf" if "inf" in before else "",
            }


def _states(values: Any) -> set[str]:
    """Return which of "nan" and "inf" tensors hold."""
    torch = torch_of_the_job()
    found = set()
    for each in values if isinstance(values, (tuple, list)) else (values,):
        for leaf in each if isinstance(each, (tuple, list)) else (each,):
            if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() and not leaf.is_meta:
                with suppress(RuntimeError, NotImplementedError):  # float8, sparse
                    if bool(torch.isnan(leaf).any()):
                        found.add("nan")
                    if bool(torch.isinf(leaf).any()):
                        found.add("inf")
    return found
