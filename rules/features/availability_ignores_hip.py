"""ROC302, availability-ignores-hip."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    calls,
    compile_lazily,
    constant,
    dotted_text,
    last_name,
    shortened,
    statements,
    string_value,
)
from rocmlint.rule.closed_projects import is_in_unused_function

from ._cuda_version import (
    READS_CUDA_VERSION,
    is_cuda_version,
    knows_amd,
    question_about,
    reads_version,
)
from ._same_code import same_code
from ._vendor import around

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

    from ._cuda_version import Question

_WORKS_ON_ROCM = compile_lazily(
    r"b(?:f|loat|float)16|fp16|half|\bamp\b|autocast|flash|sdpa|xformers|triton|compil|gpu",
    re.IGNORECASE,
)
_NEEDS_CUDA = compile_lazily(
    r"[a-z0-9]_cuda\b|fp[48]|fa[34]\b|flash_att\w*_[34]|flashinfer|tensorrt|cutlass|<"
    r"|sm_?\d\d",
    re.IGNORECASE,
)
_FLAG = compile_lazily(r"avail|support|enabl|\buse_|\bhas_", re.IGNORECASE)
_READS_HIP = compile_lazily(
    r"version[\s\\]*\.[\s\\]*hip\b|getattr[\s\\]*\([^()]*version[\s\\]*,[\s\\]*[\"']hip"
)
_HIP_IS_ALWAYS_THERE = (
    "`torch.version.hip` exists in every build, so this treats every GPU as an AMD one",
    "Test `torch.version.hip is not None`: it is None in builds for CUDA.",
)
_NO_GPU = (
    "`torch.version.cuda` is None on ROCm, so this treats every AMD GPU as a CPU",
    "Use `torch.cuda.is_available()`.",
)
_RAISES = (
    "`torch.version.cuda` is None on ROCm, so this raises on every AMD GPU",
    "Use `torch.cuda.is_available()`, or test `torch.version.hip` as well.",
)
_OFF = "`torch.version.cuda` is None on ROCm, so `{}` is off on every AMD GPU"
_TEST_FOR_IT = (
    "Test for the feature itself (`torch.cuda.is_available()`, `is_bf16_supported()`), "
    "or test `torch.version.hip` as well."
)


def knows_of_amd(node: cst.CSTNode, source: Source) -> bool:
    """Code that knows of AMD or builds for CUDA: it names HIP, ROCm, NVIDIA or nvcc around."""
    return not _is_hasattr(node) and knows_amd(node, source)


def reads_hip_value(node: cst.CSTNode, source: Source) -> bool:
    """Questions whether `torch.version.hip` exists, beside code that reads what it is."""
    return _is_hasattr(node) and _READS_HIP.search(around(node, source)) is not None


class AvailabilityIgnoresHip(PythonRule["cst.Attribute | cst.Call"]):
    """Feature is chosen by a CUDA check that ignores AMD GPUs.

    ## Why it matters
    ``torch.version.cuda`` is None in a ROCm build of PyTorch, although ``torch.cuda`` works. Code
    that reads the None as "no GPU", "no bfloat16" or "no flash attention" runs in fp32, without
    the fast kernels, or not at all on every AMD GPU; ``assert torch.version.cuda is not None``
    always fails there. The other way round,
    ``hasattr(torch.version, "hip")`` is true on every build, since the attribute exists and is
    None where there is no HIP.

    Conditions on what only CUDA has (FlashInfer, TensorRT, fp8, versions of CUDA) are right, as
    are those that choose between two lists, one for each build: neither is reported. Copies of one
    function in a project are reported once.

    ## Example
    ```python
    import torch

    device = "cuda" if torch.version.cuda is not None else "cpu"
    ```

    ## Use instead
    Ask for what is needed: ``torch.cuda.is_available()``, ``torch.cuda.is_bf16_supported()``, or
    the import itself. Where the vendor matters, ask ``torch.version.hip is not None`` beside
    ``torch.version.cuda``.
    ```python
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/notes/hip.html
    """

    code = "ROC302"
    name = "availability-ignores-hip"
    since = "0.1.0"
    severity = "warning"
    on = READS_CUDA_VERSION | calls(
        "hasattr",
        words=(".version,", "(version,"),
        where=r"hasattr(?<!\whasattr)\s*\([\w.\s]*version\s*,",
    )
    skips = frozenset({"test", "setup"})
    excuses = (knows_of_amd, reads_hip_value, is_in_unused_function)

    def check(self, node: cst.Attribute | cst.Call, source: Source) -> Iterator[Finding]:
        """Find conditions on the build of PyTorch that forget ROCm."""
        words = _words(node, source)
        if words is not None and not self.is_excused(node, source):
            message, advice = words
            finding = self.finding(node, source, message, help=advice)
            yield replace(finding, once=same_code(finding, node, source))


def _is_hasattr(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and last_name(node.func) == "hasattr"


def _words(node: cst.Attribute | cst.Call, source: Source) -> tuple[str, str] | None:
    """Return what goes wrong on an AMD GPU and what to do, None where nothing does."""
    if isinstance(node, cst.Call) and reads_version(node, "hasattr", "hip", source):
        return _HIP_IS_ALWAYS_THERE
    question = question_about(node, source) if is_cuda_version(node, source) else None
    if question is None:
        return None
    if _says_cpu(question, source):
        return _NO_GPU
    if _raises(question, source):
        return _RAISES
    if _chooses_lists(question):
        return None
    feature = _switched_off(question) or _feature(question, source)
    return None if feature is None else (_OFF.format(shortened(feature, 30)), _TEST_FOR_IT)


def _says_cpu(question: Question, source: Source) -> bool:
    """Return whether CPU is chosen, or complained about, where CUDA is missing."""
    branch = question.without_cuda()
    if isinstance(branch, cst.BaseExpression):
        return _is_cpu(branch) and "device" in _user_of(question.user, source)
    return branch is not None and any(
        _is_cpu(each.value)
        if isinstance(each, (cst.Assign, cst.Return))
        else isinstance(each, cst.Raise) and "cpu" in source.text_of(each).lower()
        for each in statements(branch)
    )


def _raises(question: Question, source: Source) -> bool:
    """Return whether all that happens where CUDA is missing is an error, for no kernel of CUDA."""
    function, branch = source.function(question.condition), question.without_cuda()
    name = "" if function is None else function.name.value
    if _NEEDS_CUDA.search(f"{name} {source.text_of(question.user)}"):
        return False
    if isinstance(question.user, cst.Assert):
        return not question.negated
    return isinstance(branch, cst.BaseSuite) and any(
        isinstance(each, cst.Raise) for each in statements(branch)
    )


def _chooses_lists(question: Question) -> bool:
    """Return whether there is another list where CUDA is missing: both builds are served."""
    user, branch = question.user, question.without_cuda()
    if isinstance(user, cst.IfExp):
        return _is_filled(user.body) and _is_filled(user.orelse)
    if not isinstance(user, cst.If) or branch is None:
        return False
    lists = [
        {
            " ".join(_targets(each)) if isinstance(each, cst.Assign) else "return"
            for each in statements(block)
            if isinstance(each, (cst.Assign, cst.Return)) and _is_filled(each.value)
        }
        for block in (user.body, user.orelse.body if isinstance(user.orelse, cst.Else) else branch)
    ]
    return user.orelse is not None and not lists[0].isdisjoint(lists[1])


def _is_filled(value: cst.BaseExpression | None) -> bool:
    return isinstance(value, (cst.List, cst.Tuple, cst.Set, cst.Dict)) and bool(value.elements)


def _user_of(value: cst.CSTNode, source: Source) -> str:
    """Return the name that an expression is assigned to, or of what is called with it."""
    parent = source.parent(value)
    if isinstance(parent, cst.Assign):
        return " ".join(_targets(parent))
    call = source.parent(parent) if isinstance(parent, cst.Arg) else None
    return (last_name(call.func) or "") if isinstance(call, cst.Call) else ""


def _is_cpu(value: cst.BaseExpression | None) -> bool:
    if isinstance(value, cst.Call) and value.args and last_name(value.func) == "device":
        value = value.args[0].value
    return string_value(value) == "cpu"


def _switched_off(question: Question) -> str | None:
    """Return the flag or check that is made to say no where CUDA is missing."""
    branch = question.without_cuda()
    for each in statements(branch) if isinstance(branch, cst.BaseSuite) else ():
        if isinstance(each, cst.Assign):
            name = " ".join(_targets(each))
            of_rocm = (_FLAG.search(name) or _WORKS_ON_ROCM.search(name)) and not (
                _NEEDS_CUDA.search(name)
            )
            if _is_no(each.value) or (constant(each.value) == "False" and of_rocm):
                return name
    return None


def _feature(question: Question, source: Source) -> str | None:
    """Return the name of what the condition decides on, where it is something that ROCm has."""
    user, function = question.user, source.function(question.condition)
    condition = source.text_of(question.condition)
    if isinstance(user, cst.Assign):
        names = _targets(user)
    elif isinstance(user, cst.Arg) and user.keyword is not None:
        names = [user.keyword.value]
    elif function is not None and (isinstance(user, cst.Return) or _answers(user)):
        names = [function.name.value]
    else:
        names = [each for each in _done_in(user) if _WORKS_ON_ROCM.search(each)]
    found = " ".join([condition, *names])
    if not names or not _WORKS_ON_ROCM.search(found) or _NEEDS_CUDA.search(found):
        return None
    return names[-1]


def _done_in(user: cst.CSTNode) -> list[str]:
    """Return the names of what a branch sets and calls."""
    done: list[str] = []
    for each in statements(user.body) if isinstance(user, cst.If) else ():
        if isinstance(each, cst.Assign):
            done += _targets(each)
        value = getattr(each, "value", None)
        if isinstance(value, cst.Call):
            done.append(last_name(value.func) or "")
    return done


def _answers(user: cst.CSTNode) -> bool:
    """Return whether an ``if`` only decides what a check returns."""
    found = statements(user.body) if isinstance(user, cst.If) else []
    last = found[-1] if found else None
    return isinstance(last, cst.Return) and constant(last.value) in {"True", "False"}


def _targets(statement: cst.Assign) -> list[str]:
    return [dotted_text(each.target) or "" for each in statement.targets]


def _is_no(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Lambda) and constant(value.body) == "False"
