"""Control flow that an export keeps: plain Python otherwise, so that eager code stays as it was.

While ``torch.export`` runs, these functions call torch's operators of the same purpose, which take
more care: they accept operands that are not tensors, and clone what branches return, since torch
refuses branches that return an operand or one tensor twice.
Source: https://docs.pytorch.org/docs/stable/cond.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor


def cond(
    predicate: Any,
    then: Callable[..., Any],
    otherwise: Callable[..., Any],
    operands: Sequence[Any] = (),
) -> Any:
    """Return ``then(*operands)`` if the predicate is true, else ``otherwise(*operands)``.

    While exporting, a predicate that depends on a tensor becomes a ``torch.cond``, and both
    branches are in the program. Raises then what ``torch.cond`` raises, for instance where the
    branches return tensors of different dtypes.
    """
    if not _is_exported(predicate):
        return then(*operands) if predicate else otherwise(*operands)
    from torch import cond as conditional  # noqa: PLC0415 - whoever exports has it

    tensors, refill = _separated(operands)

    def then_branch(*given: Tensor) -> Any:
        return _cloned(then(*refill(given)))

    def other_branch(*given: Tensor) -> Any:
        return _cloned(otherwise(*refill(given)))

    return conditional(predicate, then_branch, other_branch, tensors)


def raise_if(
    failed: Any, error: type[Exception], message: str | Callable[[], str] | None = None
) -> None:
    """Raise the error if something failed; a callable message is called only then.

    While exporting, a condition that depends on a tensor becomes an assertion of the program, which
    raises RuntimeError with the name of the error, and with the message where that is a text. It
    stays in the program with ``strict=True`` too, where torch 2.13 loses ``torch._check``.
    """
    if _is_exported(failed):
        _assert(failed, error, message, holds=False)
    elif failed:
        raise _made(error, message)


def raise_unless(
    holds: Any, error: type[Exception], message: str | Callable[[], str] | None = None
) -> None:
    """Raise the error unless something holds: the opposite of :func:`raise_if`."""
    if _is_exported(holds):
        _assert(holds, error, message, holds=True)
    elif not holds:
        raise _made(error, message)


def while_loop(
    test: Callable[..., Any], body: Callable[..., Sequence[Any]], carried: Sequence[Any]
) -> tuple[Any, ...]:
    """Return what is carried after ``carried = body(*carried)`` while ``test(*carried)`` is true.

    While exporting it is torch's ``while_loop``: each tensor keeps its shape and dtype.
    """
    if not _is_exporting():
        while test(*carried):
            carried = body(*carried)
        return tuple(carried)
    from torch._higher_order_ops.while_loop import (  # noqa: PLC0415 - as above
        while_loop as operator,
    )

    tensors, refill = _separated(carried)

    def step(*given: Tensor) -> tuple[Any, ...]:
        return tuple(_cloned(tuple(body(*refill(given)))))

    loop: Any = operator
    return tuple(loop(lambda *given: test(*refill(given)), step, tensors))


def map_rows(row: Callable[..., Tensor], rows: Tensor) -> Tensor:
    """Return ``torch.stack([row(each) for each in rows])``.

    While exporting it is torch's ``map``, so that the number of rows stays dynamic.
    """
    import torch  # noqa: PLC0415 - the caller has a tensor of it

    if not _is_exporting():
        return torch.stack([row(each) for each in rows])
    from torch._higher_order_ops.map import map as operator  # noqa: PLC0415 - as above

    rowwise: Any = operator
    return cast("Tensor", rowwise(lambda each: _cloned(row(each)), rows))


def _made(error: type[Exception], message: str | Callable[[], str] | None) -> Exception:
    if message is None:
        return error()
    return error(message() if callable(message) else message)


def _assert(
    tested: Any, error: type[Exception], message: str | Callable[[], str] | None, *, holds: bool
) -> None:
    """Put an assertion into the program, which cannot raise the error itself."""
    import torch  # noqa: PLC0415 - whoever exports has it

    if not isinstance(tested, torch.Tensor):
        choose: Any = torch.sym_ite
        tested = torch.scalar_tensor(choose(tested, 1, 0), dtype=torch.int64)
    said = message if isinstance(message, str) else "a check failed"
    test = tested if holds else torch.logical_not(tested)
    torch._assert_async(test, f"{error.__name__}: {said}")  # noqa: SLF001 - the only one that stays


def _is_exporting() -> bool:
    import sys  # noqa: PLC0415 - as cheap as a name

    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.compiler.is_exporting())


def _is_exported(predicate: Any) -> bool:
    """Return whether the program must decide the predicate, since Python cannot."""
    if not _is_exporting():
        return False
    import torch  # noqa: PLC0415 - as above

    if torch.compiler.is_dynamo_compiling() and isinstance(predicate, bool):
        return True  # Dynamo shows a symbol as a bool, and reduces what is constant itself
    return isinstance(predicate, (torch.Tensor, torch.SymBool, torch.SymInt, torch.SymFloat))


def _separated(
    operands: Sequence[Any],
) -> tuple[tuple[Tensor, ...], Callable[[Sequence[Tensor]], list[Any]]]:
    """Return the tensors among the operands, and what puts others in their places again."""
    import torch  # noqa: PLC0415 - as above

    places = [isinstance(each, torch.Tensor) for each in operands]

    def refill(given: Sequence[Tensor]) -> list[Any]:
        left = list(given)
        return [left.pop(0) if here else each for here, each in zip(places, operands, strict=True)]

    return tuple(each for each in operands if isinstance(each, torch.Tensor)), refill


def _cloned(result: Any) -> Any:
    from torch import Tensor  # noqa: PLC0415 - as above
    from torch.utils import _pytree  # noqa: PLC0415 - as above

    return _pytree.tree_map_only(Tensor, lambda each: each.clone(), result)
