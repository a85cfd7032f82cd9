"""ROC403, parameter-dtype-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    calls_in,
    compile_lazily,
    dotted_text,
    last_name,
    nodes,
    shortened,
    statements,
    walk,
)
from rocmlint.rule.claims import dtypes
from rocmlint.text.headers import headers_above

from ._cast import below, cast_type, named_type, precision_tests

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_WHERE = compile_lazily(
    r"\.\s*data\s*=[\s(]*[\w.\s]+\.\s*(?:half|bfloat16|float|double|to|type)\s*\("
)
_WHOLE_MODELS = compile_lazily(
    r"self|(?:(?:base|full|my|peft|lora)_)?model|network|net|policy|vlm|vla"
)
_LONGEST_NAME = 30
_SETS_BACK = compile_lazily(r"\bnamed_(?:parameters|modules)\s*\(|float32")


def selects(node: cst.For, source: Source) -> bool:
    """Loops that look at `requires_grad`: they cast adapters, or freeze what they cast."""
    return "requires_grad" in source.text_of(node)


def is_option(node: cst.For, source: Source) -> bool:
    """Casts that an option asks for (`if args.fp16`)."""
    return bool(precision_tests(node, source))


def sets_back(node: cst.For, source: Source) -> bool:
    """Loops after which parts are set back: by name, by module, or to float32."""
    return _SETS_BACK.search(below(node, source)) is not None


def is_to_float32(node: cst.For, source: Source) -> bool:
    """Casts to float32, which only cost memory."""
    cast = _cast_in(node, source)
    return cast is not None and cast[1] == "float32"


def is_of_one_dtype(node: cst.For, source: Source) -> bool:
    """Casts of what has one dtype: the rest of the model keeps its own."""
    guards = (each for each in walk(node.body) if isinstance(each, cst.If))
    return any(isinstance(_guard(each, source), cst.Equal) for each in guards)


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find casts that are assigned to `.data` in what may be a loop over parameters."""
    for match in _WHERE.finditer(source.code):
        above = headers_above(source.code, match.start())
        if any(not each.keyword or "parameters" in each.text for each in above):
            yield match


class ParameterDtypeLoop(PythonRule["cst.For"]):
    """Loop casts every parameter of a model to another dtype.

    ## Why it matters
    ``for p in model.parameters(): p.data = p.data.float()`` overwrites every type that the model
    was built with: what it keeps in float32 on purpose, quantized weights, the type that
    ``dtype=`` of ``from_pretrained`` chose. Buffers (rotary tables, running statistics) keep the
    old type, so the next layer gets both. An optimizer that was made before keeps its state in
    the old type, and float32 doubles the memory of a bfloat16 model.

    ## Example
    ```python
    import torch

    def prepare(model):
        for parameter in model.parameters():
            parameter.data = parameter.data.to(torch.bfloat16)
    ```

    ## Use instead
    Load the model in the right type, and cast only what needs it: select by name, by
    ``requires_grad`` (adapters) or by dtype.
    ```python
    import torch
    from transformers import AutoModelForCausalLM

    def load(name):
        return AutoModelForCausalLM.from_pretrained(name, dtype=torch.bfloat16)
    ```

    ## References
    - https://huggingface.co/docs/transformers/main_classes/model
    - https://docs.pytorch.org/docs/stable/notes/amp_examples.html
    """

    code = "ROC403"
    name = "parameter-dtype-loop"
    since = "0.1.0"
    on = nodes(
        "For",
        words=(".data =", ".data="),
        described="loops that assign a cast to `.data`",
        suspects=_suspects,
    )
    severity = "warning"
    skips = frozenset({"test"})
    excuses = (is_option, sets_back)
    doubts = (selects, is_to_float32, is_of_one_dtype)

    def check(self, node: cst.For, source: Source) -> Iterator[Finding]:
        """Find loops over a whole model that cast each thing whatever it is."""
        model = _model_of(node, source)
        cast = None if model is None else _cast_in(node, source)
        severity = None if cast is None else self.severity_of(node, source)
        if model is None or cast is None or severity is None:
            return
        statement, dtype = cast
        new = "another dtype" if dtype == "dtype" else dtype
        which = "float32 parameter" if is_of_one_dtype(node, source) else "parameter"
        message = f"The loop casts every {which} of `{shortened(model, _LONGEST_NAME)}` to {new}"
        help = (
            "Pass `dtype=` where the model is loaded, or select by name or `requires_grad`. "
            "Norms and quantized weights lose the type they were made in, and buffers keep theirs."
        )
        yield self.finding(
            statement, source, message, help=help, severity=severity, claims=(dtypes(),)
        )


def _model_of(loop: cst.For, source: Source) -> str | None:
    """Return the whole model whose parameters a loop goes over, alone or with its recursion."""
    call = loop.iter
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    if call.func.attr.value not in {"parameters", "named_parameters"}:
        return None
    name = dotted_text(call.func.value) or ""
    if _is_recursive(source.function(loop)):
        return name
    return name if not call.args and _WHOLE_MODELS.fullmatch(name.rpartition(".")[2]) else None


def _is_recursive(function: cst.FunctionDef | None) -> bool:
    """Check whether a function calls itself for the children of a module."""
    if function is None:
        return False
    called = {last_name(each.func) for each in calls_in(function)}
    return function.name.value in called and not called.isdisjoint({"children", "named_children"})


def _cast_in(loop: cst.For, source: Source) -> tuple[cst.Assign, str] | None:
    """Return the statement that casts each parameter whatever it is, and the type."""
    target = loop.target.elements[-1].value if isinstance(loop.target, cst.Tuple) else loop.target
    parameter = dotted_text(target)
    data = f"{parameter}.data"
    for statement in _straight(loop.body, source):
        if isinstance(statement, cst.If) and _goes_on(statement):
            return None  # the others are left as they are
        if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Call):
            continue
        call = statement.value
        dtype = cast_type(call, source)
        cast = dotted_text(call.func.value) if isinstance(call.func, cst.Attribute) else None
        written = {dotted_text(each.target) for each in statement.targets}
        if dtype and data in written and cast in {parameter, data}:
            return statement, dtype
    return None


def _goes_on(branch: cst.If) -> bool:
    """Return whether a branch ends in ``continue``."""
    last = list(statements(branch.body))[-1:]
    return bool(last) and isinstance(last[0], cst.Continue)


def _straight(block: cst.CSTNode, source: Source) -> Iterator[cst.CSTNode]:
    """Yield the statements of a block that always run, those in ``with`` too.

    ``if p.dtype != torch.float16`` leaves out nothing, and ``==`` takes all that a model has.
    """
    for statement in statements(block):
        if isinstance(statement, cst.With) or (
            isinstance(statement, cst.If) and _guard(statement, source) is not None
        ):
            yield from _straight(statement.body, source)
        else:
            yield statement


def _guard(branch: cst.If, source: Source) -> cst.BaseCompOp | None:
    """Return how a condition compares a dtype: with another one than float32 by ``!=`` alone."""
    test = branch.test
    if not isinstance(test, cst.Comparison) or last_name(test.left) != "dtype":
        return None
    (compared, *more) = test.comparisons
    from_float32 = named_type(compared.comparator, source) == "float32"
    wanted = cst.Equal if from_float32 else cst.NotEqual
    return None if more or not isinstance(compared.operator, wanted) else compared.operator
