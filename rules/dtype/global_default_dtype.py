"""ROC401, global-default-dtype."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, calls, calls_in, compile_lazily, last_name, string_value, walk
from rocmlint.rule.claims import dtypes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_SETTERS = ("set_default_dtype", "set_default_tensor_type")
_FUNCTIONS = frozenset(f"torch.{name}" for name in _SETTERS)
_FLOAT32 = frozenset({"float32", "float", "FloatTensor"})
_OTHER_TYPES = compile_lazily(r"b?float(?:16|64)|half|double|(?:BFloat16|Half|Double)Tensor")
_SAVED = compile_lazily(
    r"(?i)(?:^|_)(?:old|orig|original|prev|previous|prior|saved|default|initial)"
)
_PROGRAM = compile_lazily(r"^if __name__\b", re.MULTILINE)
_DEFINITION = compile_lazily(r"^(?:async[ \t]+)?(?:def|class)\b", re.MULTILINE)
_MENTIONS = compile_lazily(r"\b[sg]et_default_(?:dtype|tensor_type)\b[ \t]*\(")


class GlobalDefaultDtype(PythonRule["cst.Call"]):
    """A default dtype for the whole process that is set and never restored.

    ## Why it matters
    ``torch.set_default_dtype`` changes every floating-point tensor that the process creates
    afterwards without a dtype: masks, RoPE tables, buffers, optimizer state, the tensors of
    other libraries. In half precision they lose range and digits far away from the line that
    changed the default, and a second model in the same process is built in the wrong dtype.

    ## Instead
    Say the dtype where the model is made (``dtype=`` of ``from_pretrained``, ``.to(dtype)`` of
    the part), or set the default in a context manager that restores it in ``finally``. Defaults
    that are saved, restored or set back to float32, and the smoke test at the end of a module,
    are not reported; in programs (examples, files with ``if __name__ == "__main__"``) it is
    reported with ``--preview`` only.

    ## Source
    Seed 000, "Dtype Mismatches": never modify the global dtype logic.
    """

    code = "ROC401"
    name = "global-default-dtype"
    since = "0.1.0"
    on = calls(*_SETTERS)
    severity = "warning"
    skips = frozenset({"test"})

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find calls after which nothing restores the default."""
        if not _sets_default(node, source) or _restores(node):
            return
        if _is_restored(node, source) or _is_setter(node, source):
            return
        if not self.with_preview and _is_program(node, source):
            return
        setter = source.resolve(node.func)
        value = " ".join(source.text_of(node.args[0].value).split())
        message = (
            f"`{setter}({value})` changes every tensor that this process creates afterwards "
            "(masks, RoPE tables, optimizer state) and is never restored. Say the dtype where "
            "the model is made, or restore the default in `finally`."
        )
        yield self.finding(node, source, message, claims=(dtypes(),))


def _restores(call: cst.Call) -> bool:
    """Say whether a call sets float32 or what was saved before."""
    return _type_of(call) in _FLOAT32 or bool(_SAVED.search(_type_of(call)))


def _is_restored(node: cst.Call, source: Source) -> bool:
    scopes = [each for each in source.ancestors(node) if isinstance(each, cst.FunctionDef)]
    if not scopes:
        return len(_MENTIONS.findall(source.code)) > 1 or _is_smoke_test(node, source)
    owner = source.whole_class(node)
    if "get_default_dtype" in source.text_of(owner or scopes[-1]):
        return True
    here, own = source.span(node), source.span(scopes[-1])
    for call in calls_in(owner or scopes[-1]):
        if _sets_default(call, source):
            place = source.span(call)
            if not own.line <= place.line <= own.end_line:
                if _restores(call):
                    return True
            elif place > here and not _OTHER_TYPES.fullmatch(_type_of(call)):
                return True
    return False


def _sets_default(call: cst.Call, source: Source) -> bool:
    return bool(call.args) and source.resolve(call.func) in _FUNCTIONS


def _type_of(call: cst.Call) -> str:
    value = call.args[0].value
    return (string_value(value) or last_name(value) or "").rpartition(".")[2]


def _is_smoke_test(node: cst.Call, source: Source) -> bool:
    """Say whether the call stands in the ``__main__`` block of a module with definitions."""
    return any(isinstance(each, cst.If) for each in source.ancestors(node)) and bool(
        _PROGRAM.search(source.code) and _DEFINITION.search(source.code)
    )


def _is_setter(node: cst.Call, source: Source) -> bool:
    """Say whether the function around only passes its parameter on, for its callers to decide."""
    function = source.function(node)
    value = node.args[0].value
    if function is None or not isinstance(value, cst.Name):
        return False
    named_so = re.match(r"_*set_", function.name.value) is not None
    return named_so and any(
        isinstance(each, cst.Param) and each.name.value == value.value for each in walk(function)
    )


def _is_program(node: cst.Call, source: Source) -> bool:
    if source.kinds & {"example", "benchmark", "script", "docs"}:
        return True
    return source.function(node) is None or bool(_PROGRAM.search(source.code))
