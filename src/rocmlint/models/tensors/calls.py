"""What calls of torch, of builtins and of methods give."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.tensors import torch_names as names
from rocmlint.models.tensors.value_facts import (
    NUMPY,
    PYTHON,
    RAGGED,
    SHAPE,
    TENSOR,
    UNKNOWN,
    VALUE,
    Held,
    Kind,
    at,
    container,
    element,
    fixed,
    is_container,
    join,
    joined,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TENSORS = container(TENSOR)
VALUES = container(VALUE)
_PAIR = fixed((TENSOR, TENSOR))


def of_torch(dotted: str, node: ast.Call, given: Sequence[Held]) -> Held:
    """Return what a function of torch, or a class of its modules, gives."""
    module, _, name = dotted.rpartition(".")
    if module == "torch.nn" or (module.startswith("torch.nn.") and name[:1].isupper()):
        if name in names.TENSOR_TYPES:
            return TENSOR
        if name in names.MODULE_LISTS:
            return _module_list(given)
        return Held(Kind.PYTHON, of=f"module {name}") if name[:1].isupper() else UNKNOWN
    if module == "torch" and name in names.TENSOR_TYPES:
        return TENSOR
    if module != "torch" and not module.startswith(names.TENSOR_MODULES):
        return PYTHON if name.startswith(("is_", "get_", "current_")) else UNKNOWN
    if name in names.JUDGING:
        return VALUE
    if name in names.PYTHON_FUNCTIONS or name[:1].isupper() or name.startswith(("_", "set_")):
        return PYTHON if name[:1] != "_" else UNKNOWN
    if name in names.SHAPE_FUNCTIONS:
        return SHAPE
    if name in names.UNKNOWN_FUNCTIONS:
        return UNKNOWN
    if name == "where" and len(node.args) == 1:
        return container(RAGGED)
    if name in {"device", "dtype"}:
        return PYTHON
    if name in names.FACTORIES and _is_counted(name, given):
        return TENSOR._replace(counted=True)
    return _of_operation(name, node, first=1)


def _is_counted(name: str, given: Sequence[Held]) -> bool:
    sized = {Kind.PYTHON, Kind.SHAPE} if name in {"linspace", "logspace"} else {Kind.PYTHON}
    return all(each.kind in sized for each in given)


def of_method(held: Held, name: str, node: ast.Call) -> Held:
    """Return what a method of a tensor gives."""
    if name in {"item", "__bool__", "__int__", "__float__"} or name in names.JUDGING:
        return VALUE
    if name in {"tolist", "numpy"}:
        return VALUES
    if name in names.SHAPE_METHODS:
        sized = SHAPE if name != "size" or node.args or node.keywords else container(SHAPE)
        return VALUE if held.ragged and name in {"size", "numel", "nelement"} else sized
    if name == "type" and node.args:
        return held
    if name in names.PYTHON_METHODS:
        return PYTHON
    if name in {"values", "indices"}:
        return UNKNOWN  # of a sparse tensor, or of a dictionary of tensors
    if name in names.KEEP_ROWS:
        return held._replace(sure=True)
    return _of_operation(name, node, first=0)


def of_attribute(held: Held, name: str) -> Held:
    """Return what an attribute of a tensor is."""
    if name == "shape":
        return VALUES if held.ragged else container(SHAPE)
    if name in names.SHAPE_ATTRIBUTES:
        return SHAPE
    if name in names.PYTHON_ATTRIBUTES:
        return PYTHON
    return held._replace(sure=True) if name in names.TENSOR_ATTRIBUTES else UNKNOWN


def _of_operation(name: str, node: ast.Call, *, first: int) -> Held:
    """Return what an operation gives; ``first`` is where its arguments after the tensor begin."""
    keywords = {each.arg for each in node.keywords}
    rest = node.args[first:]
    if name in {"unique", "unique_consecutive"} and keywords - {"input", "dim", "sorted"}:
        return container(TENSOR)
    if name == "nonzero" and _asks_for_tuple(node):
        return container(RAGGED)
    if name in names.RAGGED_RESULTS:
        fixed_size = name == "repeat_interleave" and (
            "output_size" in keywords or any(isinstance(each, ast.Constant) for each in rest[:1])
        )
        return TENSOR if fixed_size else RAGGED
    if name in names.PAIRS or (name in names.PAIRS_BY_DIM and _by_dimension(rest, keywords)):
        return _PAIR
    return TENSORS if name in names.SEVERAL else TENSOR


def _asks_for_tuple(node: ast.Call) -> bool:
    return any(
        each.arg == "as_tuple"
        and not (isinstance(each.value, ast.Constant) and not each.value.value)
        for each in node.keywords
    )


def _by_dimension(rest: Sequence[ast.expr], keywords: set[str | None]) -> bool:
    """Check whether `max` and its like are told a dimension, not another tensor."""
    if keywords & {"dim", "keepdim"}:
        return True
    match rest[:1]:
        case [ast.Constant(value=int())] | [ast.UnaryOp(operand=ast.Constant())]:
            return True
    return False


def of_builtin(name: str, node: ast.Call, given: Sequence[Held]) -> Held | None:
    """Return what a builtin function gives, None if it is not one that matters."""
    if not given:
        return _EMPTY.get(name)
    if name in _OF_FIRST:
        return _OF_FIRST[name](given[0])
    if name in {"max", "min"}:
        return _largest(given)
    if name == "zip":
        return container(fixed(map(element, given)))
    if name == "map":
        return container(UNKNOWN)
    if name == "range":
        return container(PYTHON)
    if name == "next":
        return element(given[0])
    if name == "getattr":
        return CONFIG_VALUE if given[0].of in {"config", "self"} else UNKNOWN
    if name in {
        "isinstance",
        "hasattr",
        "callable",
        "type",
        "id",
        "str",
        "repr",
        "print",
        "issubclass",
    }:
        return PYTHON
    if name in {"divmod", "pow"}:
        return joined(given)
    del node
    return None


CONFIG_VALUE = PYTHON
_EMPTY = {"list": fixed(()), "dict": container(UNKNOWN), "tuple": fixed(()), "set": UNKNOWN}


def _number(held: Held) -> Held:
    if held.depends:
        return VALUE._replace(gate=held.gate)
    return SHAPE if held.kind is Kind.SHAPE else PYTHON


def _length(held: Held) -> Held:
    if is_container(held):
        return PYTHON
    return VALUE if held.ragged else SHAPE


def _sum(held: Held) -> Held:
    return element(held) if held.kind is not Kind.UNKNOWN else UNKNOWN


def _same(held: Held) -> Held:
    if held.kind is Kind.TENSOR:
        return container(held._replace(ragged=False))
    return held if is_container(held) or held.kind is Kind.UNKNOWN else container(element(held))


def _any(held: Held) -> Held:
    inner = element(held)
    if inner.depends:
        return VALUE
    return UNKNOWN if inner.kind is Kind.UNKNOWN else PYTHON


def _largest(given: Sequence[Held]) -> Held:
    return joined(given) if len(given) > 1 else element(given[0])


_OF_FIRST: dict[str, Callable[[Held], Held]] = {
    "int": _number,
    "float": _number,
    "bool": _number,
    "round": lambda held: held if held.kind is Kind.TENSOR else _number(held),
    "abs": lambda held: held,
    "len": _length,
    "sum": _sum,
    "any": _any,
    "all": _any,
    "iter": lambda held: held if is_container(held) else container(element(held)),
    "list": _same,
    "tuple": _same,
    "set": _same,
    "sorted": lambda held: container(element(held)),
    "reversed": lambda held: container(element(held)),
    "enumerate": lambda held: container(fixed((PYTHON, element(held)))),
    "filter": lambda held: container(element(held)),
}


def of_container(held: Held, name: str, given: Sequence[Held]) -> Held:
    """Return what a method of a list, tuple or dictionary gives."""
    if name in {"get", "pop", "setdefault", "popleft", "popitem"}:
        default = given[1] if len(given) > 1 else None
        found = at(held, -1) if name == "pop" and not given else element(held)
        return join(found, default) if default is not None else found
    if name == "items":
        return container(fixed((PYTHON, element(held))))
    if name == "values" or name in {"copy", "to"}:
        return held
    if name in {"keys", "index", "count"}:
        return PYTHON
    return UNKNOWN


def grown(held: Held, name: str, given: Sequence[Held]) -> Held | None:
    """Return what a list is once a method has put something into it, None if it puts nothing."""
    if not given or held.kind is Kind.UNKNOWN:
        return None
    if name in {"append", "add", "insert", "appendleft"}:
        new = given[-1]
    elif name in {"extend", "update"}:
        new = element(given[0])
    else:
        return None
    if held.items == ():
        return container(new)
    return container(join(element(held), new)) if is_container(held) else None


def of_einops(dotted: str, given: Sequence[Held]) -> Held:
    """Return what a function of einops gives."""
    if dotted in names.REARRANGING and given:
        return TENSOR if given[0].kind in {Kind.TENSOR, Kind.UNKNOWN} else UNKNOWN
    return UNKNOWN


def of_numpy(given: Sequence[Held]) -> Held:
    """Return what a function of numpy gives."""
    told = any(each.depends or each.kind is Kind.VALUES for each in given)
    return VALUES if told else NUMPY


def _module_list(given: Sequence[Held]) -> Held:
    if not given:
        return Held(Kind.PYTHON, of="modules")
    inner = element(given[0])
    known = inner.of.startswith(("module", "object"))
    return Held(Kind.PYTHON, item=inner if known else UNKNOWN, of="modules")


def is_super(node: ast.Call) -> bool:
    """Check whether a call is that of `super`."""
    return isinstance(node.func, ast.Name) and node.func.id == "super"
