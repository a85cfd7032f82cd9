"""Calls that set the default dtype of the process: what is found, and what excuses it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import calls, calls_in, compile_lazily, last_name, string_value, walk

from ._cast import shortened

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
_WORKS = compile_lazily(
    r"\.\s*(?:backward|save_pretrained)\s*\(|\boptim\w*\s*\.\s*step\s*\(|Trainer\s*\("
    r"|\bsave_model\s*\(|\.\s*state_dict\s*\(\s*\)\s*,|\b(?:generate(?:_\w+)?|inference)\s*\("
)
"""What trains a model, generates with it or saves it."""
_INFERS = compile_lazily(r"\binference_mode\b|\bno_grad\b")
TRAINS = compile_lazily(
    r"\.\s*backward\s*\(|\boptim\w*\s*\.\s*step\s*\(|\bTrainer\s*\(|\btorch\.optim\b"
)
_MODEL_CLASS = compile_lazily(r"[A-Z]\w*(?:Model|LM|Generation)|(?:[A-Z]\w*)?Transformer")
_LOADS_MODEL = compile_lazily(r"Model\w*\s*\.\s*from_(?:pretrained|config)\b")
_ENGINES = compile_lazily(
    r"\b(?:vllm|sglang)\b[\s\S]*\b(?:LLM|Engine)[\s\\]*\([^()]*\bdtype[\s\\]*=[\s\\]*"
    r"[\"']?(?:torch[\s\\]*\.[\s\\]*)?(\w+)"
)
"""What makes a model of vLLM or SGLang of a type, which is the group."""
_CONVERTERS = compile_lazily(r"(?i)convert|merge|split|export|quanti[sz]e|conversion|to_hf")
_PROGRAM = compile_lazily(r"^if[ (]+__name__\b", re.MULTILINE)
_DEFINITION = compile_lazily(r"^(?:async[ \t]+)?(?:def|class)\b", re.MULTILINE)
_MENTIONS = compile_lazily(r"\b[sg]et_default_(?:dtype|tensor_type)\b[ \t]*\(")
_OTHER_HARDWARE = compile_lazily(r"\b(?:torch_)?(?:hpu|npu|tpu|xla|xpu)\b|\bxla_device\b")
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


def is_set_again(node: cst.Call, source: Source) -> bool:
    """Calls that set what the same function has set above."""
    function = source.function(node)
    here, value = source.span(node), source.text_of(node.args[0].value)
    return function is not None and any(
        sets_default(call, source)
        and source.span(call) < here
        and source.text_of(call.args[0].value) == value
        for call in calls_in(function)
    )


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
    for call in calls_in(owner or scopes[-1]):
        if sets_default(call, source):
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


def serves_one_model(node: cst.Call, source: Source) -> bool:
    """Programs that give the type to an engine, too, and make and train nothing else.

    vLLM and SGLang set the default themselves while they make the model.
    """
    if source.function(node) is not None or not source.kinds & {"example", "script"}:
        return False
    text = source.text
    engine = None if TRAINS.search(text) or _LOADS_MODEL.search(text) else _ENGINES.search(text)
    return engine is not None and engine[1] == _type_of(node)


def is_harmless_program(node: cst.Call, source: Source) -> bool:
    """Programs, unless they train, generate with or save a model in 16 bits."""
    if not _is_in_program(node, source):
        return False
    measures = "benchmark" in source.kinds
    converts = _CONVERTERS.search(source.place.rpartition("/")[2]) is not None
    works = _HALVES.fullmatch(_type_of(node)) and _WORKS.search(source.code)
    return measures or converts or not works


def is_for_other_hardware(node: cst.Call, source: Source) -> bool:
    """Functions for other hardware: HPU, NPU, TPU, XPU."""
    function = source.function(node)
    return function is not None and _OTHER_HARDWARE.search(source.text_of(function)) is not None


def is_in_notebook(node: cst.Call, source: Source) -> bool:
    """Notebooks: one person runs them, for one model."""
    del node
    return source.path.endswith(".ipynb")


def makes_one_model_to_run(node: cst.Call, source: Source) -> bool:
    """Inference that makes its model by its class below, whose kernels ask for the default.

    Where the default device is set too, all that the process makes is meant to change.
    """
    function = source.function(node)
    if function is None or not _INFERS.search(source.code) or TRAINS.search(source.code):
        return False
    called = [each for each in calls_in(function) if source.span(each) > source.span(node)]
    made = any(_MODEL_CLASS.fullmatch(last_name(each.func) or "") for each in called)
    text = source.text_of(function)
    return made and "set_default_device" not in text and not _LOADS_MODEL.search(source.code)


def _is_in_program(node: cst.Call, source: Source) -> bool:
    """Check whether a call is in an example, a script or a file with a `__main__` block."""
    if source.kinds & {"example", "benchmark", "script", "docs"}:
        return True
    return source.function(node) is None or bool(_PROGRAM.search(source.code))


def _was_read(value: cst.BaseExpression, source: Source, hops: int = 3) -> bool:
    """Check whether a value is the default that was read before, by where it comes from.

    Where that is unknown, as for a parameter or what another function returns, its name tells.
    """
    if isinstance(value, cst.Name):
        bound = [each.value for each in source.bindings(value.value, value)]
    else:
        bound = [source.value_of(value)]
    values = [each for each in bound if each is not None]
    if any(isinstance(each, cst.Call) and _reads_default(each) for each in (value, *values)):
        return True
    unknown = len(values) < len(bound) or not all(
        isinstance(each, (cst.Name, cst.Attribute)) for each in values
    )
    if unknown or not values or not hops:
        return _SAVED.search(last_name(value) or "") is not None
    return any(_was_read(each, source, hops - 1) for each in values)


def _reads_default(call: cst.Call) -> bool:
    return last_name(call.func) == "get_default_dtype"


def _type_of(call: cst.Call) -> str:
    value = call.args[0].value
    return (string_value(value) or last_name(value) or "").rpartition(".")[2]
