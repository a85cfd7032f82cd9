"""Hints about dtypes in the error of a forward that failed."""

from __future__ import annotations

import re
from typing import Any

from ..places import place_of
from ..tensors import name_of, tensors_in
from .watch import cast_of, described, only_floats

_FLOAT = re.compile(
    r"BFloat16|Half|Double|(?<!B)Float(?!16|ing|8)|Float8_\w+"
    r"|\b(?:bfloat16|float16|float32|float64|half|float|double|float8_\w+)\b"
)
"""As errors name the types: Float, torch.FloatTensor, CPUFloatType, c10::Half, torch.float32."""
_WHOLE = re.compile(r"\b(Long|Int)\b|IntTensor|LongTensor|\bint(32|64)\b")
_ABOUT_DTYPES = re.compile(r"dtype|scalar type|same type|data type")
_LONGEST = 400
"""Characters of an error that are reported."""


def crash_of(error: Exception, watch: Any) -> dict[str, Any]:
    """Return what a forward under watch raised, and where the dtype there came from."""
    trail = error.__traceback__
    while trail is not None and trail.tb_next is not None:
        trail = trail.tb_next
    failed, is_mixed = watch.failed
    crash: dict[str, Any] = {
        "error": f"{type(error).__name__}: {error}".splitlines()[0][:_LONGEST],
        "place": place_of(trail.tb_frame) if trail else "",
        "about_dtypes": _is_about_dtypes(error, failed is error and is_mixed),
        "module": None,
        "cast": None,
        "own": [],
    }
    if watch.open:
        call = watch.open[-1]
        own = {name_of(each.dtype) for each in call.module.parameters(recurse=False)}
        foreign = call.given - own if own else call.given - {watch.dominant}
        floats = only_floats(tensors_in(call.arguments))
        odd = [each for each in floats if name_of(each.dtype) in foreign]
        new = foreign or {each.dtype for each in call.casts} - {watch.dominant}
        crash.update(described(call, foreign))
        crash["own"] = sorted(own)
        crash["cast"] = cast_of(watch.origins, call, odd, new)
    return crash


def _is_about_dtypes(error: Exception, mixed: bool) -> bool:
    """Return whether an error complains of floating-point dtypes that do not go together.

    ``mixed`` says that it came from an operation on several of them. That a device has no kernel
    for a dtype ("not implemented for 'Half'"), or that indices are floats, is another thing.
    """
    message = str(error)
    is_other = "not implemented" in message or _WHOLE.search(message)
    if not isinstance(error, (RuntimeError, ValueError)) or is_other:
        return False
    named = {each.lower() for each in _FLOAT.findall(message)}
    return len(named) > 1 or (mixed and bool(named or _ABOUT_DTYPES.search(message)))
