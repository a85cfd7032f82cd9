"""A compiled extension of a package gets a tensor of another dtype than the one that it takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.why.answer import Action
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.parts import OwnedFrame, made
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context

_MESSAGE = re.compile(r"expected scalar type (?P<takes>\w+) but found (?P<given>\w+)")
_CALL = re.compile(r"(?<![\w.])(?P<module>_C|_ext|_backend|_cuda|\w+_(?:cuda|ext|hip))\.\w+\(")
_CASTS = {"Float": "float", "Half": "half", "BFloat16": "bfloat16", "Double": "double"}
_WEIGHT = 36


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a dtype that a compiled function of an installed package does not take."""
    found = _MESSAGE.search(near(text, "expected scalar type"))
    frame = context.frames[-1] if context.frames else None
    call = _CALL.search(frame.code) if frame is not None else None
    if found is None or frame is None or call is None:
        return
    owner, cast = context.owner(frame), _CASTS.get(found["takes"])
    if owner.kind != "package" or owner.name == "torch" or cast is None:
        return
    context.saw(f"{frame.file}:{frame.line}", f"calls {call['module']}", str(owner))
    yield made(
        context,
        "compiled-call",
        f"the compiled code of {owner} takes {found['takes']}, and one of its inputs is"
        f" {found['given']}",
        weight=_WEIGHT,
        sure=False,
        where=_caller(context),
        actions=(
            Action(f"cast the inputs where they are passed to {owner.name}: x.{cast}()"),
            Action("with mixed precision, cast them under torch.autocast('cuda', enabled=False)"),
        ),
        missing=(
            UnreadFact(
                f"which input is {found['given']}", "print(x.dtype) of each before the call"
            ),
        ),
        message=found[0],
    )


def _caller(context: Context) -> str:
    """Return the innermost frame of the project: the call of the package."""
    for frame in reversed(context.frames):
        owner = context.owner(frame)
        if owner.kind in {"project", "other"}:
            return f"{OwnedFrame(frame, owner)}: cast before this call"
    return ""
