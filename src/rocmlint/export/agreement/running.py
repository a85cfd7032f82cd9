"""Running a model or a program once: what it returns, and what it changes besides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import Tensor, torch
from rocmlint.export.agreement.leaves import leaves, structure
from rocmlint.export.frames import place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.export.agreement.cases import Case

_LONGEST = 600


@dataclass(frozen=True)
class Ran:
    """What one call did. Its fields are lists, strings and tensors, so that a file can hold it."""

    leaves: list[tuple[str, Any]] = field(default_factory=list)
    structure: str = ""
    mutated: list[str] = field(default_factory=list)
    """The inputs into whose memory it wrote."""
    aliases: list[tuple[str, str]] = field(default_factory=list)
    """Outputs that share memory with an input."""
    state: list[tuple[str, Any]] = field(default_factory=list)
    """The parameters and buffers that it changed, with their new values."""
    kept: list[tuple[str, Any]] = field(default_factory=list)
    """The same of buffers that are not saved, in which a module keeps what it can compute again."""
    error: str = ""
    place: str = ""


def ran(call: Callable[..., Any], module: Any, case: Case, seed: int = 0) -> Ran:
    """Call a model or a program, and restore the parameters and buffers that it changed.

    What it raises is part of what it did.
    """
    args, kwargs = case.fresh()
    given = [(path, each) for path, each in (*leaves(args), *leaves(kwargs)) if _is_tensor(each)]
    before = [each.clone() for _, each in given]
    state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    kept = {name: each.detach().clone() for name, each in state.items()}
    _scale(state, case.weights)
    scaled = {name: each.detach().clone() for name, each in state.items()}
    torch.manual_seed(seed)
    try:
        with torch.no_grad():
            result = call(*args, **kwargs)
        found = [(path, _own(each)) for path, each in leaves(result) if each is not None]
        return Ran(
            found,
            structure(result),
            _changed(given, before),
            _shared(result, given),
            *_state(module, scaled),
        )
    except Exception as error:  # noqa: BLE001 - whatever somebody else's model raises
        return Ran(error=_text(error), place=place(error))
    finally:
        _restore(module, state, kept)


def _is_tensor(value: object) -> bool:
    return isinstance(value, torch.Tensor)


def _own(value: Any) -> Any:
    """Return a copy that no later call can change, in memory that can be written to a file."""
    if isinstance(value, torch.Tensor):
        return value.detach().resolve_conj().resolve_neg().cpu().clone().contiguous()
    return value if isinstance(value, (bool, int, float, str)) else repr(value)


def _scale(state: dict[str, Any], factor: float) -> None:
    if factor != 1.0:
        with torch.no_grad():
            for each in state.values():
                if isinstance(each, torch.nn.Parameter) and each.is_floating_point():
                    each.mul_(factor)


def _changed(given: Iterable[tuple[str, Any]], before: Iterable[Any]) -> list[str]:
    return [
        path
        for (path, each), old in zip(given, before, strict=True)
        if each.shape != old.shape or not same(each, old)
    ]


def same(one: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same values; NaN is equal to NaN."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return bool(((one == other) | ((one != one) & (other != other))).all())  # noqa: PLR0124


def _shared(result: object, given: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    addresses = {_address(each): path for path, each in given if each.numel()}
    return [
        (path, addresses[_address(each)])
        for path, each in leaves(result)
        if _is_tensor(each) and each.numel() and _address(each) in addresses
    ]


def _address(tensor: Tensor) -> int:
    try:
        return int(tensor.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError):  # sparse tensors have no storage
        return id(tensor)


def _state(
    module: Any, before: dict[str, Any]
) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    """Return what changed of what a state_dict has, and of the other buffers."""
    now = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    saved = module.state_dict().keys()
    changed = [
        (name, _own(each))
        for name, each in sorted(now.items())
        if name not in before or not same(each.detach(), before[name])
    ]
    state = [each for each in changed if each[0] in saved]
    return state, [each for each in changed if each[0] not in saved]


def _restore(module: Any, state: dict[str, Any], kept: dict[str, Any]) -> None:
    """Put the values back, and the very tensors where the model has set others in their place."""
    with torch.no_grad():
        for name, each in state.items():
            if each.shape == kept[name].shape and not each.is_inference():
                each.copy_(kept[name])
            owner, _, last = name.rpartition(".")
            holder = module.get_submodule(owner)
            if holder._buffers.get(last) is not each and last in holder._buffers:  # noqa: SLF001
                holder._buffers[last] = each  # noqa: SLF001


def _text(error: BaseException) -> str:
    message = f"{type(error).__name__}: {error}".strip()
    return message[:_LONGEST]
