"""Weights that a library makes in a dtype of their own while a model is built."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from ..places import place_of
from ..tensors import address_of, names_a_dtype
from .library import library_of, library_of_class


def recorder() -> Any:
    """Make a mode that knows where a tensor was made, if a dtype was named there."""
    torch = importlib.import_module("torch")
    weak = importlib.import_module("torch.multiprocessing.reductions").StorageWeakRef
    mode: Any = importlib.import_module("torch.overrides").TorchFunctionMode

    class Recorder(mode):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.places: dict[int, str] = {}
            self.kept: list[Any] = []
            """So that no other storage gets the address of one that was seen."""

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = func(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor) and result.is_floating_point():
                self._note(result, func, args, kwargs)
            return result

        def _note(self, result: Any, func: Any, args: Any, kwargs: Any) -> None:
            values = (*args, *(kwargs or {}).values())
            given = [each for each in values if isinstance(each, torch.Tensor)]
            place = ""
            if not names_a_dtype(func, args, kwargs):
                known = (self.places.get(address_of(each)) for each in given)
                place = next((each for each in known if each), "")
            elif not given:  # who casts may do so for somebody else
                place = place_of(inspect.currentframe())
            address = address_of(result)
            if place or address in self.places:
                self.places[address] = place
                self.kept.append(weak(result.untyped_storage()))

        def library_of(self, tensor: Any, model: Any) -> str:
            """Return the library of the model's classes that made a tensor; empty for others."""
            library = library_of(self.places.get(address_of(tensor), "").rpartition(":")[0])
            known = {library_of_class(type(each)) for each in model.modules()} if library else ()
            return library if library in known else ""

    return Recorder()
