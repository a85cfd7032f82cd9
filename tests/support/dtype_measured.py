"""What a forward of a model really does with dtypes, seen by hooks and a mode of the tests' own."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

torch = pytest.importorskip("torch")
MODE: Any = pytest.importorskip("torch.utils._python_dispatch").TorchDispatchMode
FLATTEN: Any = pytest.importorskip("torch.utils._pytree").tree_flatten
PRODUCTS = ("mm", "bmm", "addmm", "baddbmm", "_grouped_mm", "convolution", "linear", "einsum")
"""What multiplies matrices in the models of the tests, but for attention."""


@dataclass
class Measured:
    """What was seen in one forward."""

    crash: Exception | None = None
    gave: dict[str, set[Any]] = field(default_factory=dict)
    """Floating-point dtypes of what each module returned."""
    new: dict[str, set[Any]] = field(default_factory=dict)
    """Those of them that it was not given."""
    products: Counter[Any] = field(default_factory=Counter)
    """How many multiplications of matrices ran in each dtype."""


def floats(values: Any) -> list[Any]:
    leaves = FLATTEN(values)[0]
    tensors = [each for each in leaves if isinstance(each, torch.Tensor)]
    return [each for each in tensors if each.is_floating_point() and each.dim()]


def measured(model: Any, inputs: Any) -> Measured:
    """Run a model once."""
    seen = Measured()

    class Watch(MODE):  # type: ignore[misc]
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if func._schema.name.split("::")[1] in PRODUCTS:
                matrices = [each for each in floats((args, kwargs)) if each.dim() > 1]
                if matrices and matrices[-1].shape[-2] != 1:  # not the outer product of rotary
                    seen.products[matrices[-1].dtype] += 1
            return func(*args, **(kwargs or {}))

    def hook(name: str) -> Any:
        def after(_: Any, args: Any, kwargs: Any, output: Any) -> None:
            gave = {each.dtype for each in floats(output)}
            seen.gave.setdefault(name, set()).update(gave)
            seen.new.setdefault(name, set()).update(
                gave - {each.dtype for each in floats((args, kwargs))}
            )

        return after

    handles = [
        module.register_forward_hook(hook(name), with_kwargs=True)
        for name, module in model.named_modules()
    ]
    try:
        with torch.no_grad(), Watch():
            model(**inputs) if hasattr(inputs, "keys") else model(*inputs)
    except Exception as error:  # noqa: BLE001 - that it fails is what was seen
        seen.crash = error
    for handle in handles:
        handle.remove()
    return seen
