"""Optimizers: which names stand for one, and where the code clears their gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import compile_lazily, last_name, once_per_file

from ._bound import bound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Binding, Source

_OF_TORCH = compile_lazily(r"torch\.optim\.(?!lr_scheduler)(?:\w+\.)*[A-Z]\w+")
_OF_OTHERS = compile_lazily(
    r"(?:\w+\.)+(?!\w*Scheduler)"
    r"(?:\w*(?:Adam|SGD|Lion|Muon|Lamb(?!da)|LAMB)\w*|Adafactor|RMSprop|Adagrad|Adadelta|Rprop)"
)
"""Classes of ``bitsandbytes``, ``transformers``, ``apex`` and others, by their full names."""
_PREPARES = frozenset({"prepare", "prepare_optimizer", "setup", "setup_optimizers"})
"""Methods of Accelerate and Fabric that wrap optimizers."""
_CLEARS = compile_lazily(
    r"(?i)(?:(\w+)[\s\\]*\.[\s\\]*|\w+\(\)[\s\\]*\.[\s\\]*|def[ \t]+)?"
    r"(?<!\w)(\w*(?:zero|clear|reset)_?(?:all_)?grad\w*)"
)
_GRADIENTS = compile_lazily(r"(?i)grad")
_SETS_GRADIENTS = compile_lazily(
    r"\.[\s\\]*grad(?:[\s\\]*\.[\s\\]*data)?[\s\\]*(?:=(?!=)|\.[\s\\]*(?:zero_|fill_|copy_|mul_))"
)


class Clearing(NamedTuple):
    """A place that clears gradients: ``optimizer.zero_grad()``."""

    owner: str
    """The last name of whose gradients; empty where that is unknown."""
    line: int


def is_optimizer(name: str, at: cst.CSTNode, source: Source) -> bool:
    """Check whether a name is certain to be an optimizer: the code makes it as one."""
    made = [each.value for each in bound(name, at, source) if not _is_wrapped(each)]
    return bool(made) and all(
        isinstance(each, cst.Call) and _is_class(each.func, source) for each in made
    )


@once_per_file
def clearings(source: Source) -> tuple[Clearing, ...]:
    """Return where a file clears gradients; a parameter's own ``.grad`` has no known owner."""
    code = source.code
    found = [
        Clearing(
            each[1] if each[1] and each[2] == "zero_grad" else "", source.line_of(each.start())
        )
        for start, end in _near_gradients(code)
        for each in _CLEARS.finditer(code, start, end)
    ]
    found += [Clearing("", source.line_of(each.start())) for each in _SETS_GRADIENTS.finditer(code)]
    return tuple(found)


def _near_gradients(code: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of lines that name gradients, each with the line above.

    To look at them alone is ten times faster than at all of the code.
    """
    start = end = 0
    for each in _GRADIENTS.finditer(code):
        if each.start() < end:
            continue
        above = code.rfind("\n", 0, max(0, code.rfind("\n", 0, each.start()))) + 1
        start, end = max(above, end), code.find("\n", each.end())
        end = len(code) if end < 0 else end
        yield start, end


def _is_class(function: cst.BaseExpression, source: Source) -> bool:
    """Check whether a function is the class of an optimizer, or one that was chosen above."""
    if _is_named_class(function, source):
        return True
    bound = source.bindings(function.value, function) if isinstance(function, cst.Name) else []
    chosen = [each.value for each in bound]
    return bool(chosen) and all(
        each is not None and _is_named_class(each, source) for each in chosen
    )


def _is_named_class(function: cst.BaseExpression, source: Source) -> bool:
    dotted = source.resolve(function) or ""
    return bool(_OF_TORCH.fullmatch(dotted) or _OF_OTHERS.fullmatch(dotted))


def _is_wrapped(binding: Binding) -> bool:
    """Check for ``model, optimizer = accelerator.prepare(model, optimizer)``."""
    value = binding.value if binding.value is not None else getattr(binding.node, "value", None)
    return isinstance(value, cst.Call) and last_name(value.func) in _PREPARES
