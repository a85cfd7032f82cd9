"""The mode and the hooks under which a model runs: what each operation and each module does."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..places import files_of_call, place_of
from ..tensors import floats_in, name_of, names_a_dtype, tensors_in
from .library import library_of, library_of_class
from .matmuls import Matmuls, multiplies, name_of_operation
from .origins import CONSTANT, FLOW, FOREIGN, DtypeOrigin, TensorOrigins

_MATRIX = 2
_SHAPED = re.compile(r"^new_|_like$")
"""Operations that take nothing but the shape of a tensor."""
_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})


def _module(name: str) -> Any:
    """Import a part of torch, which only the process of a model has."""
    return importlib.import_module(name)


@dataclasses.dataclass
class ModuleCall:
    """A module that is being called."""

    module: Any
    name: str
    given: set[str]
    """Floating-point dtypes of its arguments."""
    arguments: Any
    casts: list[DtypeOrigin] = dataclasses.field(default_factory=list)
    """The casts that it made itself."""


def watch_of(dominant: str, origins: TensorOrigins) -> Any:
    """Make the mode that sees every operation, with the hooks that see every module."""
    torch = _module("torch")
    mode: Any = _module("torch.utils._python_dispatch").TorchDispatchMode
    function_mode: Any = _module("torch.overrides").TorchFunctionMode

    class Asked(function_mode):  # type: ignore[misc]
        """Knows whether the function of torch that is being called got a dtype.

        Where it was not, torch itself casts: autocast, or the default dtype.
        """

        names_a_dtype = False

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            before = self.names_a_dtype
            self.names_a_dtype = names_a_dtype(func, args, kwargs)
            try:
                return func(*args, **(kwargs or {}))
            finally:
                self.names_a_dtype = before

    class Watch(mode):  # type: ignore[misc]
        supports_higher_order_operators = True

        def __init__(self) -> None:
            super().__init__()
            self.calls = self.operations = 0
            self.open: list[ModuleCall] = []
            self.boundaries: dict[str, list[list[list[str]]]] = {}
            self.left: list[dict[str, Any]] = []
            self.designed: list[dict[str, Any]] = []
            self.passed: list[dict[str, Any]] = []
            """Calls that gave by a cast of their own what they had been given."""
            self.unseen: list[str] = []
            self.matmuls = Matmuls(origins, getattr(torch, dominant, None) if dominant else None)
            self.failed: tuple[BaseException | None, bool] = (None, False)
            """The exception of an operation, and whether its floating-point dtypes differed."""
            self.asked = Asked()
            self.dominant, self.origins = dominant, origins

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            kwargs = kwargs or {}
            is_higher = not hasattr(func, "_schema")
            if is_higher and not multiplies(func):
                message = f"rocmlint cannot look into {func}"  # it would run unseen
                raise NotImplementedError(message)
            if torch.is_inference_mode_enabled() and not is_higher:  # there it comes undivided
                with self:
                    result = func.decompose(*args, **kwargs)
                if result is not NotImplemented:
                    return result
            sources = list(tensors_in((args, kwargs)))
            try:
                result = func(*args, **kwargs)
            except Exception as error:
                self.failed = (error, len({each.dtype for each in only_floats(sources)}) > 1)
                raise
            self.operations += 1
            call = self.open[-1] if self.open else None
            wide = self.matmuls.note(func, sources, call.name if call else "")
            if wide:
                self._note_wide(wide, call)

            def describe(dtype: str, is_mixed: bool) -> DtypeOrigin:
                return self._origin(func, dtype, is_mixed)

            name = name_of_operation(func)[1]
            made_of = [] if _SHAPED.search(name) else sources
            new = origins.note(made_of, list(tensors_in(result)), name == "copy_", describe)
            if call:
                call.casts += new
            return result

        def _note_wide(self, wide: dict[str, Any], call: ModuleCall | None) -> None:
            place = place_of(inspect.currentframe())
            name = call.name if call else ""
            key = (wide["kind"], name, wide["weight"], place)
            if wide["kind"] == "opaque":
                wide["why"] = ""
            entry = {"module": name, "place": place, "count": 0, **wide}
            self.matmuls.wide.setdefault(key, entry)["count"] += 1

        def _origin(self, func: Any, dtype: str, is_mixed: bool) -> DtypeOrigin:
            """Describe a dtype that an operation gives.

            Code of a library may take a dtype from what somebody else's code gave it: that is the
            origin then.
            """
            place, how = place_of(inspect.currentframe()), "mixed" if is_mixed else "chosen"
            new = DtypeOrigin(dtype, place, str(func), how)
            if is_mixed or not self.open or not self.asked.names_a_dtype:
                return new
            call = self.open[-1]
            files = files_of_call(inspect.currentframe(), call.module)
            library = _library_of_all(files)
            if not library or library not in map(_library_of_call, self.open):
                return new
            given = [origins.origin(each) for each in tensors_in(call.arguments)]
            for each in (*call.casts, *given):
                if each and each.dtype == dtype and each.place and not each.design:
                    return each
            return new._replace(design=f"code of {library}")

        def hook(self, module: Any, name: str) -> list[Any]:
            """Put hooks on a module; gives the handles that take them off."""

            def before(_: Any, args: Any, kwargs: Any) -> None:
                given = floats_in((args, kwargs))
                self.open.append(ModuleCall(module, name, given, (args, kwargs)))

            def after(_: Any, args: Any, kwargs: Any, output: Any) -> None:  # noqa: ARG001
                self._ended(module, output)

            try:
                return [
                    module.register_forward_pre_hook(before, with_kwargs=True, prepend=True),
                    module.register_forward_hook(after, with_kwargs=True),
                ]
            except (RuntimeError, TypeError):  # TorchScript takes no hooks
                return []

        def _ended(self, module: Any, output: Any) -> None:
            self.calls += 1
            call = self.open.pop()
            while call.module is not module:  # it left by an exception that was caught
                call = self.open.pop()
            tensors = [each for each in tensors_in(output) if each.is_floating_point()]
            tensors = [each for each in tensors if each.dim()]
            self._look_for_unseen(call, tensors)
            boundary = [sorted(call.given), sorted({name_of(each.dtype) for each in tensors})]
            seen = self.boundaries.setdefault(call.name, [])
            if boundary not in seen:
                seen.append(boundary)
            odd = self._not_allowed(call, tensors)
            reasons = {id(each): self._reason(call, each, output) for each in odd}
            for each in odd:
                if reasons[id(each)]:
                    self._note(self.designed, call, [each], reasons[id(each)])
            new = [each for each in odd if not reasons[id(each)]]
            if new:
                self._note(self.left, call, new, "")

        def _look_for_unseen(self, call: ModuleCall, tensors: list[Any]) -> None:
            """Note a module with matrices whose result no operation made of what it was given."""
            kinds = {origins.origin_of(each).kind for each in tensors}
            given = [each for each in tensors_in(call.arguments) if each.is_floating_point()]
            if kinds and kinds <= {CONSTANT, FOREIGN} and call.name not in self.unseen:
                flows = any(origins.origin_of(each).kind == FLOW for each in given)
                if flows and any(each.dim() >= _MATRIX for each in call.module.parameters()):
                    self.unseen.append(call.name)

        def _not_allowed(self, call: ModuleCall, tensors: list[Any]) -> list[Any]:
            """Return the tensors whose dtype is neither the model's nor one that was given."""
            if all(name_of(each.dtype) == dominant for each in tensors):
                return []
            owned = list(call.module.parameters())
            arguments = list(tensors_in(call.arguments))
            allowed = {
                dominant,
                *_autocast_dtypes({each.device.type for each in (*arguments, *owned)}),
            }
            known: set[DtypeOrigin | None] = {None, *map(origins.origin, arguments)}
            if not call.given:
                # Without a floating-point argument (token ids) the weights say what is right.
                own = {name_of(each.dtype) for each in only_floats(owned)}
                allowed |= _FLOATS if len(allowed) == 1 and not own else set()

            def is_given(tensor: Any) -> bool:
                origin = origins.origin(tensor)
                if call.given and name_of(tensor.dtype) not in call.given:
                    return False
                is_for_all = bool(call.given) and dominant not in call.given
                if origin in known or origin is None:
                    return True
                is_cast = is_for_all and origin.how == "chosen"
                if is_cast:
                    self._note(self.passed, call, [tensor], "")
                return is_cast

            return [
                each
                for each in tensors
                if name_of(each.dtype) not in allowed and not is_given(each)
            ]

        def _reason(self, call: ModuleCall, tensor: Any, output: Any) -> str:
            """Return why a module gives a dtype by design; empty where nothing says so."""
            origin = origins.origin(tensor)
            if origin is None:
                return ""
            if not call.name and tensor is _logits(output) and origin in call.casts:
                is_last = origin.dtype == "float32" and "_to_copy" in origin.operation
                return origin.design or ("logits" if is_last else "")
            return origin.design

        def _note(
            self, kept: list[dict[str, Any]], call: ModuleCall, tensors: list[Any], why: str
        ) -> None:
            new = {name_of(each.dtype) for each in tensors}
            cast = cast_of(origins, call, tensors, new)
            entry = {**described(call, new), "cast": cast, "why": why}
            entry["own"] = {
                name_of(each.dtype) for each in only_floats(call.module.parameters())
            } == new
            if not any(
                each["module"] == call.name and each["new"] == entry["new"] for each in kept
            ):
                kept.append(entry)

    return Watch()


def only_floats(tensors: Any) -> list[Any]:
    """Return the floating-point tensors."""
    return [each for each in tensors if each.is_floating_point()]


def described(call: ModuleCall, new: set[str]) -> dict[str, Any]:
    """Describe a call of a module that has to do with other dtypes than it should."""
    return {
        "module": call.name,
        "class": type(call.module).__name__,
        "given": sorted(call.given),
        "new": sorted(new),
    }


def cast_of(
    origins: TensorOrigins, call: ModuleCall, tensors: list[Any], new: set[str]
) -> dict[str, Any] | None:
    """Return the operation that made a new dtype of some tensors, or else one of the call."""
    found = list(map(origins.origin, tensors))
    found += [each for each in reversed(call.casts) if each.dtype in new]
    first = next((each for each in found if each and each.place), None)
    if first is None:
        return None
    cast = {"dtype": first.dtype, "place": first.place, "operation": first.operation}
    return {**cast, "weight": first.weight, "is_given": first in found[: len(tensors)]}


def _logits(output: Any) -> Any:
    """Return what a model calls its logits; None without."""
    if isinstance(output, Mapping):
        return output.get("logits")
    return getattr(output, "logits", None)


def _autocast_dtypes(device_types: set[str]) -> set[str]:
    """Return the dtypes between which autocast chooses now; empty where it is off."""
    torch = _module("torch")
    found = set()
    for device in device_types:
        with suppress(RuntimeError, TypeError):  # devices without autocast, torch before 2.4
            if torch.is_autocast_enabled(device):
                found |= {name_of(torch.get_autocast_dtype(device)), "float32"}
    return found


def _library_of_all(files: set[str]) -> str:
    """Return the library that all of some files belong to; empty where there is not one."""
    libraries = {library_of(each) for each in files}
    return libraries.pop() if len(libraries) == 1 else ""


def _library_of_call(call: ModuleCall) -> str:
    return library_of_class(type(call.module))
