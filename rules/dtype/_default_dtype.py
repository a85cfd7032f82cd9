"""Calls that set the default dtype of the process: what is found, and what excuses it."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    calls,
    calls_in,
    compile_lazily,
    is_explained_beside,
    last_name,
    shortened,
    string_value,
    walk,
)

if TYPE_CHECKING:
    from rocmlint.rule import Source

_SETTERS = ("set_default_dtype", "set_default_tensor_type")
_FUNCTIONS = frozenset(f"torch.{name}" for name in _SETTERS)
_FLOAT32 = frozenset({"float32", "float", "FloatTensor"})
_OTHER_TYPES = compile_lazily(r"b?float(?:16|64)|half|double|(?:BFloat16|Half|Double)Tensor")
_SAVED = compile_lazily(
    r"(?i)(?:^|_)(?:old|orig|original|prev|previous|prior|saved|default|initial)"
)
_HALVES = compile_lazily(r"b?float16|half|(?:BFloat16|Half)Tensor")
_INFERS = compile_lazily(r"\binference_mode\b|\bno_grad\b")
TRAINS = compile_lazily(
    r"\.\s*backward\s*\(|\boptim\w*\s*\.\s*step\s*\(|\bTrainer\s*\(|\btorch\.optim\b"
)
_LOADS_MODEL = compile_lazily(r"Model\w*\s*\.\s*from_(?:pretrained|config)\b")
_AUTOCAST = compile_lazily(r"\bautocast\b")
_FOR_ONE_RUN = frozenset({"example", "benchmark", "script", "docs"})
_PROGRAM = compile_lazily(r"^if[ (]+__name__\b", re.MULTILINE)
_DEFINITION = compile_lazily(r"^(?:async[ \t]+)?(?:def|class)\b", re.MULTILINE)
_MENTIONS = compile_lazily(r"\b[sg]et_default_(?:dtype|tensor_type)\b[ \t]*\(")
_LONGEST_VALUE = 30
SETS_DEFAULT = calls(*_SETTERS)
"""Where :func:`sets_default` may be true."""


def sets_default(call: cst.Call, source: Source) -> bool:
    """Return whether a call sets the default dtype of PyTorch."""
    return bool(call.args) and source.resolve(call.func) in _FUNCTIONS


def default_message(node: cst.Call, source: Source) -> str:
    """Return what the call changes, in one sentence."""
    value = shortened(source.text_of(node.args[0].value), _LONGEST_VALUE)
    return f"The default dtype of the whole process is set to `{value}` and never restored"


DEFAULT_HELP = (
    "Pass `dtype=` where the model is made, or restore the default in `finally`. "
    "Masks, rotary tables and optimizer state that are created later have this type too."
)


def restores_default(node: cst.Call, source: Source) -> bool:
    """Calls that set float32, or what `get_default_dtype` returned before."""
    return _type_of(node) in _FLOAT32 or _was_read(node.args[0].value, source)


def is_restored(node: cst.Call, source: Source) -> bool:
    """Defaults that are read before or set again, in the function, its class or at top level."""
    scopes = [each for each in source.ancestors(node) if isinstance(each, cst.FunctionDef)]
    if not scopes:
        return len(_MENTIONS.findall(source.code)) > 1
    owner = source.whole_class(node)
    if "get_default_dtype" in source.text_of(owner or scopes[-1]):
        return True
    here, own = source.span(node), source.span(scopes[-1])
    value = source.text_of(node.args[0].value)
    for call in filter(partial(sets_default, source=source), calls_in(owner or scopes[-1])):
        place = source.span(call)
        if not own.line <= place.line <= own.end_line:
            if restores_default(call, source):
                return True
        elif place > here and not _OTHER_TYPES.fullmatch(_type_of(call)):
            if source.text_of(call.args[0].value) != value:
                return True
    return False


def is_smoke_test(node: cst.Call, source: Source) -> bool:
    """The smoke test at the end of a module: the `__main__` block of a file with definitions."""
    if source.function(node) is not None:
        return False
    return any(isinstance(each, cst.If) for each in source.ancestors(node)) and bool(
        _PROGRAM.search(source.code) and _DEFINITION.search(source.code)
    )


def is_explained(node: cst.Call, source: Source) -> bool:
    """Calls with a comment next to them that gives a reason."""
    return is_explained_beside(node, source)


def reaches_no_caller(node: cst.Call, source: Source) -> bool:
    """Programs without an optimizer or autocast, notebooks, functions that return no model."""
    if source.kinds & _FOR_ONE_RUN:
        return not TRAINS.search(source.code)
    function = source.function(node)
    if function is None or function.name.value == "main":
        works = TRAINS.search(source.code) or _AUTOCAST.search(source.code)
        return works is None or _HALVES.fullmatch(_type_of(node)) is None
    return not (function.name.value == "__init__" or _returns(function, node, source))


def runs_worker(node: cst.Call, source: Source) -> bool:
    """Workers that only infer: the default device is set as well, or no library loads the model."""
    function = source.function(node)
    if function is None or TRAINS.search(source.code):
        return False
    if "set_default_device" in source.text_of(function):
        return True
    return _INFERS.search(source.code) is not None and not _LOADS_MODEL.search(source.code)


def _returns(function: cst.FunctionDef, node: cst.Call, source: Source) -> bool:
    """Check whether a function returns something after a call."""
    returned = (each for each in walk(function.body) if isinstance(each, cst.Return))
    return any(each.value and source.span(each) > source.span(node) for each in returned)


def _was_read(value: cst.BaseExpression, source: Source) -> bool:
    """Check whether a value is the default that was read before, by where it comes from.

    Where that is unknown, as for a parameter or what another function returns, its name tells.
    """
    bound = source.bindings(value.value, value) if isinstance(value, cst.Name) else []
    made = [each.value for each in bound]
    called = [last_name(each.func) for each in (value, *made) if isinstance(each, cst.Call)]
    if "get_default_dtype" in called:
        return True
    known = [each for each in made if isinstance(each, (cst.Name, cst.Attribute))]
    origins = known if known and len(known) == len(made) else [value]
    return any(_SAVED.search(last_name(each) or "") is not None for each in origins)


def _type_of(call: cst.Call) -> str:
    value = call.args[0].value
    return (string_value(value) or last_name(value) or "").rpartition(".")[2]
