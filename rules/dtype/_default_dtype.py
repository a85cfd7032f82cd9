"""Calls that set the default dtype of the process: what is found, and what excuses it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import calls, calls_in, compile_lazily, last_name, string_value, walk

if TYPE_CHECKING:
    from rocmlint.rule import Source

_SETTERS = ("set_default_dtype", "set_default_tensor_type")
_FUNCTIONS = frozenset(f"torch.{name}" for name in _SETTERS)
_FLOAT32 = frozenset({"float32", "float", "FloatTensor"})
_OTHER_TYPES = compile_lazily(r"b?float(?:16|64)|half|double|(?:BFloat16|Half|Double)Tensor")
_SAVED = compile_lazily(
    r"(?i)(?:^|_)(?:old|orig|original|prev|previous|prior|saved|default|initial)"
)
_PROGRAM = compile_lazily(r"^if[ (]+__name__\b", re.MULTILINE)
_DEFINITION = compile_lazily(r"^(?:async[ \t]+)?(?:def|class)\b", re.MULTILINE)
_MENTIONS = compile_lazily(r"\b[sg]et_default_(?:dtype|tensor_type)\b[ \t]*\(")
SETS_DEFAULT = calls(*_SETTERS)
"""Where :func:`sets_default` may be true."""


def sets_default(call: cst.Call, source: Source) -> bool:
    """Say whether a call sets the default dtype of PyTorch."""
    return bool(call.args) and source.resolve(call.func) in _FUNCTIONS


def default_message(node: cst.Call, source: Source) -> str:
    """Say what the call changes."""
    value = " ".join(source.text_of(node.args[0].value).split())
    return (
        f"`{source.resolve(node.func)}({value})` changes every tensor that this process creates "
        "afterwards (masks, RoPE tables, optimizer state) and is never restored. Say the dtype "
        "where the model is made, or restore the default in `finally`."
    )


def restores_default(node: cst.Call, source: Source) -> bool:
    """Calls that set float32, or what was saved before."""
    del source
    return _type_of(node) in _FLOAT32 or _SAVED.search(_type_of(node)) is not None


def is_restored(node: cst.Call, source: Source) -> bool:
    """Defaults that are read before or set again, in the function, its class or at top level."""
    scopes = [each for each in source.ancestors(node) if isinstance(each, cst.FunctionDef)]
    if not scopes:
        return len(_MENTIONS.findall(source.code)) > 1
    owner = source.whole_class(node)
    if "get_default_dtype" in source.text_of(owner or scopes[-1]):
        return True
    here, own = source.span(node), source.span(scopes[-1])
    for call in calls_in(owner or scopes[-1]):
        if sets_default(call, source):
            place = source.span(call)
            if not own.line <= place.line <= own.end_line:
                if restores_default(call, source):
                    return True
            elif place > here and not _OTHER_TYPES.fullmatch(_type_of(call)):
                return True
    return False


def is_smoke_test(node: cst.Call, source: Source) -> bool:
    """The smoke test at the end of a module: the `__main__` block of a file with definitions."""
    if source.function(node) is not None:
        return False
    return any(isinstance(each, cst.If) for each in source.ancestors(node)) and bool(
        _PROGRAM.search(source.code) and _DEFINITION.search(source.code)
    )


def is_setter(node: cst.Call, source: Source) -> bool:
    """Functions `set_…` that only pass their parameter on, for their callers to decide."""
    function = source.function(node)
    value = node.args[0].value
    if function is None or not isinstance(value, cst.Name):
        return False
    named_so = re.match(r"_*set_", function.name.value) is not None
    return named_so and any(
        isinstance(each, cst.Param) and each.name.value == value.value for each in walk(function)
    )


def is_in_program(node: cst.Call, source: Source) -> bool:
    """Programs (examples, files with a `__main__` block): see program-default-dtype."""
    if source.kinds & {"example", "benchmark", "script", "docs"}:
        return True
    return source.function(node) is None or bool(_PROGRAM.search(source.code))


def _type_of(call: cst.Call) -> str:
    value = call.args[0].value
    return (string_value(value) or last_name(value) or "").rpartition(".")[2]
