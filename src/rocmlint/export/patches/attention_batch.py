"""Attention on CPU for a batch whose size depends on data, such as images that are not padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.export.containers.caches import is_traced
from rocmlint.export.patch import Patch
from rocmlint.export.patches.builtin import Builtin, replaces

if TYPE_CHECKING:
    from collections.abc import Iterator


def find(model: Any) -> Iterator[Patch]:
    """Yield the patch for models that select images by a mask."""
    import torch  # noqa: PLC0415

    if any("idefics" in type(each).__module__ or "smolvlm" in type(each).__module__
           for each in model.modules()):  # fmt: skip
        functional = torch.nn.functional
        original = functional.scaled_dot_product_attention
        yield Patch(functional, "scaled_dot_product_attention", _attention(original))


@replaces("torch.nn.functional.scaled_dot_product_attention")
def _attention(original: Any) -> Any:
    def scaled_dot_product_attention(query: Any, *args: Any, **kwargs: Any) -> Any:
        """Use the implementation that does not ask whether the batch is 1, while traced."""
        from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: PLC0415

        if not is_traced(query) or query.device.type != "cpu":
            return original(query, *args, **kwargs)
        with sdpa_kernel(SDPBackend.MATH):
            return original(query, *args, **kwargs)

    return scaled_dot_product_attention


BUILTIN = Builtin(
    name="attention-batch",
    reason="scaled_dot_product_attention asks on CPU whether the batch is 1, which is not known if "
    "its size depends on data.",
    since="4.57",
    before="6",
    links=("https://github.com/pytorch/pytorch/issues/180202",),
    find=find,
)
