"""Which dimensions that were to be dynamic became static, and at which statement."""

from __future__ import annotations

import importlib
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import torch
from rocmlint.export.agreement.leaves import tensors
from rocmlint.export.frames import running
from rocmlint.export.static_sizes import sizes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.export.agreement.cases import Asked

_SOURCE = re.compile(r"L\[[^\n()]*?\]\S*?\.size\(\)\[(?P<at>\d+)\]")
_FLAT = re.compile(r"L\['flat_args'\]\[(\d+)\]")
_CONSTANT = re.compile(r"specialized it to be a constant \((\d+)\)")
"""How a message tells the size of a named ``Dim``, instead of the inputs that have it."""
_HUGE = 2**31
"""An upper bound that is larger is none."""


@contextmanager
def watched(found: list[dict[str, Any]]) -> Iterator[None]:
    """Note each dimension that gets a fixed size while a model is exported, with the statement.

    What torch itself does is unchanged. ``ShapeEnv`` calls ``_set_replacement`` for it (torch 2.4
    to 2.13); where a version has none, no statement is known.
    """
    env: Any = importlib.import_module("torch.fx.experimental.symbolic_shapes").ShapeEnv
    original = getattr(env, "_set_replacement", None)
    if original is None:
        yield
        return

    def noting(self: Any, symbol: Any, target: Any, *more: Any, **named: Any) -> Any:
        if getattr(target, "is_Integer", False):
            sizes = sizes_of(self, symbol)
            found.append({"value": int(target), "place": running(), "source": sizes})
        return original(self, symbol, target, *more, **named)

    env._set_replacement = noting  # noqa: SLF001
    try:
        yield
    finally:
        env._set_replacement = original  # noqa: SLF001


def named(source: str, flat: list[str]) -> str:
    """Return what a dimension of torch's messages is called in the inputs: ``x dimension 0``."""
    match = _SOURCE.search(source)
    if match is None:
        return source
    inner = source[: source.rindex(".size()")]
    number = _FLAT.search(inner)
    if number is not None and int(number[1]) < len(flat):
        inner = flat[int(number[1])]
    else:
        inner = re.sub(r"^L\['(\w+)'\]", r"\1", inner)
    return f"{inner} dimension {match['at']}"


def of_failure(noted: list[dict[str, Any]], message: str, flat: list[str]) -> list[dict[str, Any]]:
    """Return the dimensions that a failed export was not allowed to fix, and where it did."""
    told = {named(each.group(), flat) for each in _SOURCE.finditer(message)}
    sizes = {int(each) for each in _CONSTANT.findall(message)} if not told else set()
    found: dict[str, dict[str, Any]] = {}
    for each in noted:
        for source in each["source"]:
            name = named(source, flat)
            if name in told or each["value"] in sizes:
                fact = {"dimension": name, "size": each["value"], "place": each["place"]}
                found.setdefault(name, fact)
    return list(found.values())


def of_program(
    program: Any, args: Any, kwargs: Any, asked: Asked, noted: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return each dimension that was asked for, and what became of it."""
    shapes = _shapes(program, args, kwargs)
    bounds = {str(key): value for key, value in program.range_constraints.items()}
    held = {**tensors(args), **tensors(kwargs)}
    facts = []
    for path, dims in asked.items():
        tensor = held.get(path)
        shape = shapes.get(id(tensor)) if tensor is not None else None
        for at, name in dims.items():
            fact = {"dimension": f"{path} dimension {at}", "name": name, "at": at, "path": path}
            if shape is None:
                facts.append({**fact, "became": "unused", "size": None, "place": ""})
                continue
            size = _fixed(shape[at])
            if size is not None:
                place = _place(noted, path, at, size)
                facts.append({**fact, "became": "static", "size": size, "place": place})
            else:
                facts.append(
                    {
                        **fact,
                        "became": "symbolic",
                        "most": _upper(bounds.get(str(shape[at]))),
                        "size": None,
                        "place": "",
                    }
                )
    return facts


def _fixed(size: Any) -> int | None:
    """Return a size that is a number, also where the program still has a symbol for it."""
    if isinstance(size, int):
        return size
    number = getattr(getattr(size, "node", None), "maybe_as_int", lambda: None)()
    return None if number is None else int(number)


def guards(program: Any) -> list[str]:
    """Return the conditions on sizes that a program checks (torch 2.9 and later keep them)."""
    return [
        re.sub(r"L\['(\w+)'\]", r"\1", str(each))
        for each in getattr(program, "_guards_code", None) or ()
    ]


def _upper(bound: Any) -> int | None:
    try:
        return int(bound.upper) if int(bound.upper) < _HUGE else None
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None


def flat_inputs(program: Any, args: Any, kwargs: Any) -> list[Any]:
    """Return the inputs in the order in which the program takes them."""
    check = getattr(program, "_get_flat_args_with_check", None)
    if check is not None:
        return list(check(args, kwargs)[0])
    leaves: list[Any] = torch.utils._pytree.tree_leaves((args, kwargs))  # noqa: SLF001
    return leaves


def _shapes(program: Any, args: Any, kwargs: Any) -> dict[int, Any]:
    """Return the shape that each input tensor has in the program."""
    values = {
        each.name: each.meta.get("val") for each in program.graph.nodes if each.op == "placeholder"
    }
    names = [
        getattr(each.arg, "name", None)
        for each in program.graph_signature.input_specs
        if each.kind.name == "USER_INPUT"
    ]
    flat = flat_inputs(program, args, kwargs)
    return {
        id(tensor): values[name].shape
        for tensor, name in zip(flat, names, strict=False)
        if isinstance(tensor, torch.Tensor) and isinstance(values.get(name), torch.Tensor)
    }


def _place(noted: list[dict[str, Any]], path: str, at: int, size: int) -> str:
    """Return where a dimension got its size: of its own symbol, else of one with the same size."""
    same = [each for each in noted if each["value"] == size]
    ending, first = f".size()[{at}]", path.partition(".")[0].partition("[")[0]
    own = [
        each
        for each in same
        if any(it.endswith(ending) and (first in it or "flat_args" in it) for it in each["source"])
    ]
    return next((each["place"] for each in (*own, *same) if each["place"]), "")
