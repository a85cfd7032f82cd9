"""The check that a text has as many tokens of images as there are features of images."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin, replaces

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "torch_compilable_check"


def find(model: Any) -> Iterator[Patch]:
    """Yield a patch for each module of the model that has placeholders and makes the check."""
    names = {type(each).__module__ for each in model.modules() if hasattr(each, METHOD)}
    for module in (sys.modules[name] for name in sorted(names) if name in sys.modules):
        if NAME in vars(module):
            yield Patch(module, NAME, _unchecked(vars(module)[NAME]))


@replaces("transformers.models.llava.modeling_llava.torch_compilable_check")
def _unchecked(original: Any) -> Any:
    def torch_compilable_check(cond: Any, *args: Any, **kwargs: Any) -> Any:
        """Check nothing that a program would take for a limit of its batch."""
        import torch  # noqa: PLC0415

        if not isinstance(cond, torch.SymBool):
            original(cond, *args, **kwargs)

    return torch_compilable_check


METHOD = "get_placeholder_mask"
BUILTIN = Builtin(
    name="placeholder-check",
    reason="The number of features is compared with the number of selected elements, which limits "
    "the latter to a batch of 2 and more: programs refuse a batch of 1.",
    since="5.0",
    before="5.14",
    links=("https://github.com/pytorch/pytorch/issues/147096",),
    find=find,
)
