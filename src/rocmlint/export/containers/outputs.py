"""Outputs of transformers and diffusers as containers of tensors, where they are not already.

Both libraries register their outputs when they define them: that is used as it is. What is missing
in transformers 5.8 and older, and in diffusers, is what ``dynamic_shapes`` and names of inputs need
if such an output is an input too (``encoder_outputs``): the keys of the children.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rocmlint.export.containers.registration import Registration

if TYPE_CHECKING:
    from collections.abc import Iterator

BASES = (("transformers.utils.generic", "ModelOutput"), ("diffusers.utils.outputs", "BaseOutput"))


def registrations() -> list[Registration]:
    """Return registrations for the outputs that torch.export cannot take apart with keys yet."""
    return [_of_dictionary(each) for each in _defined() if not _has_keys(each)]


def _defined() -> Iterator[type]:
    for module, name in BASES:
        base = getattr(sys.modules.get(module), name, None)
        if base is not None:
            yield from _below(base)


def _below(cls: type) -> Iterator[type]:
    subclasses: list[type] = cls.__subclasses__()
    for each in dict.fromkeys(subclasses):
        yield each
        yield from _below(each)


def _has_keys(cls: type) -> bool:
    from torch.utils import _pytree  # noqa: PLC0415

    node: Any = _pytree.SUPPORTED_NODES.get(cls)
    return node is not None and node.flatten_with_keys_fn is not None


def _of_dictionary(cls: type) -> Registration:
    def flatten(output: Any) -> tuple[list[Any], Any]:
        return list(output.values()), list(output.keys())

    def unflatten(children: Any, context: Any) -> Any:
        return cls(**dict(zip(context, children, strict=True)))

    def flatten_with_keys(output: Any) -> tuple[list[tuple[Any, Any]], Any]:
        from torch.utils import _pytree  # noqa: PLC0415

        return [(_pytree.MappingKey(key), each) for key, each in output.items()], list(output)

    return Registration(cls, flatten, unflatten, flatten_with_keys)
