"""One forward of a model under watch: which module gives a dtype that it was not given."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import os
import re
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_ABOUT_DTYPES = re.compile(
    r"dtype|scalar type|same type|BFloat16|\bHalf\b|\bFloat\b|\bDouble\b|bfloat16|float16|float32"
)
_LONGEST = 400
"""Characters of an error that are told."""
_HERE = os.path.dirname(os.path.abspath(__file__))


def _module(name: str) -> Any:
    """Import a part of torch, which only the process of a model has."""
    return importlib.import_module(name)


@dataclasses.dataclass
class Call:
    """A module that is being called."""

    module: Any
    name: str
    given: set[str]
    """Floating-point dtypes of its arguments."""
    arguments: Any
    casts: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)
    """What it did itself: the new dtype, the place, the operation."""


def trace(
    model: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], dominant: str
) -> dict[str, Any]:
    """Run the model once and tell what left its dtype.

    ``boundaries`` has, in the order in which modules first ended, the dtypes that each was given
    and gave; ``left`` the calls that gave what they were not given, the first one first.
    """
    torch = _module("torch")
    watch = _watch(dominant)
    names = {module: name for name, module in model.named_modules()}
    crash = None
    with ExitStack() as undo, torch.no_grad():
        _run_eagerly(model, undo)
        for module, name in names.items():
            for handle in watch.hook(module, name):
                undo.callback(handle.remove)
        undo.enter_context(watch)
        try:
            model(*arguments, **keywords)
        except Exception as error:  # noqa: BLE001 - the model's own, and told as such
            crash = watch.crashed(error)
    return {
        "modules": len(names),
        "calls": watch.calls,
        "operations": watch.operations,
        "given": sorted(floats_in((arguments, keywords))),
        "boundaries": watch.boundaries,
        "left": watch.left,
        "crash": crash,
    }


def name_of(dtype: Any) -> str:
    """Return the name of a dtype without ``torch.``."""
    return str(dtype).rpartition(".")[2]


def floats_in(values: Any) -> set[str]:
    """Return the floating-point dtypes of the tensors in a structure."""
    return {name_of(tensor.dtype) for tensor in tensors_in(values) if tensor.is_floating_point()}


def tensors_in(values: Any) -> Iterator[Any]:
    """Yield the tensors of a structure: pytrees, and dataclasses that are none."""
    torch = _module("torch")
    tree_flatten = _module("torch.utils._pytree").tree_flatten
    for leaf in tree_flatten(values)[0]:
        if isinstance(leaf, torch.Tensor):
            yield leaf
        elif dataclasses.is_dataclass(leaf) and not isinstance(leaf, type):
            yield from tensors_in([getattr(leaf, each.name) for each in dataclasses.fields(leaf)])


def _run_eagerly(model: Any, undo: ExitStack) -> None:
    """Leave torch.compile out: compiled code does not call hooks one by one."""
    torch = _module("torch")
    set_stance = getattr(torch.compiler, "set_stance", None)
    if set_stance:
        undo.enter_context(set_stance("force_eager"))
    for module in model.modules():
        compiled = module.__dict__.get("_compiled_call_impl")
        if compiled is not None:
            module._compiled_call_impl = None  # noqa: SLF001 - put back below
            undo.callback(setattr, module, "_compiled_call_impl", compiled)


def _autocast_dtypes(device_types: set[str]) -> set[str]:
    """Return the dtypes between which autocast chooses now; empty where it is off."""
    torch = _module("torch")
    found = set()
    for device in device_types:
        with suppress(RuntimeError, TypeError):  # devices without autocast, torch before 2.4
            if torch.is_autocast_enabled(device):
                found |= {name_of(torch.get_autocast_dtype(device)), "float32"}
    return found


def place_of(frame: Any) -> str:
    """Return the innermost ``file:line`` outside torch and rocmlint, from a frame outwards."""
    torch = _module("torch")
    own = (os.path.dirname(os.path.abspath(torch.__file__)) + os.sep, _HERE + os.sep, "<frozen")
    innermost = ""
    while frame is not None:
        path = frame.f_code.co_filename
        if not innermost and not path.startswith(own[1:]):
            innermost = f"{path}:{frame.f_lineno}"
        if not path.startswith(own) and not path.startswith("<"):
            return f"{path}:{frame.f_lineno}"
        frame = frame.f_back
    return innermost


def _is_about_dtypes(error: Exception) -> bool:
    """Return whether an error complains of dtypes that do not go together.

    That a device has no kernel for a dtype ("not implemented for 'Half'") is another thing.
    """
    if not isinstance(error, (RuntimeError, ValueError)) or "not implemented" in str(error):
        return False
    return bool(_ABOUT_DTYPES.search(str(error)))


def _watch(dominant: str) -> Any:
    """Make the mode that sees every operation, with the hooks that see every module."""
    mode: Any = _module("torch.utils._python_dispatch").TorchDispatchMode
    weak = _module("torch.utils.weak")

    class Watch(mode):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.calls = self.operations = 0
            self.open: list[Call] = []
            self.boundaries: dict[str, list[list[list[str]]]] = {}
            self.left: list[dict[str, Any]] = []
            self.origins = weak.WeakTensorKeyDictionary()

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = func(*args, **(kwargs or {}))
            self.operations += 1
            sources = [each for each in tensors_in((args, kwargs)) if each.is_floating_point()]
            for tensor in tensors_in(result):
                if tensor.is_floating_point():
                    self._trace_back(tensor, sources, func)
            return result

        def _trace_back(self, tensor: Any, sources: list[Any], func: Any) -> None:
            """Note where the dtype of a tensor comes from: an operation made it or took it over."""
            same = [each for each in sources if each.dtype == tensor.dtype]
            for each in same:
                if each in self.origins:
                    self.origins[tensor] = self.origins[each]
                    return
            if len(same) < len(sources) or not sources:
                origin = (name_of(tensor.dtype), place_of(inspect.currentframe()), str(func))
                self.origins[tensor] = origin
                if self.open:
                    self.open[-1].casts.append(origin)

        def hook(self, module: Any, name: str) -> list[Any]:
            """Put hooks on a module; gives the handles that take them off."""

            def before(_: Any, args: Any, kwargs: Any) -> None:
                given = floats_in((args, kwargs))
                self.open.append(Call(module, name, given, (args, kwargs)))

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
            gave = {name_of(each.dtype) for each in tensors if each.dim()}
            boundary = [sorted(call.given), sorted(gave)]
            seen = self.boundaries.setdefault(call.name, [])
            if boundary in seen:
                return
            seen.append(boundary)
            new = gave - self._allowed(call)
            if new:
                odd = [each for each in tensors if name_of(each.dtype) in new and each.dim()]
                self.left.append({**self._told(call, new), "cast": self._cast(call, odd, new)})

        def _allowed(self, call: Call) -> set[str]:
            """Return the dtypes that a module may give."""
            owned = list(call.module.parameters())
            devices = {each.device.type for each in (*tensors_in(call.arguments), *owned)}
            autocast = _autocast_dtypes(devices)
            if call.given:
                return call.given | autocast
            # Without a floating-point argument (token ids) the weights say what is right.
            own = {name_of(each.dtype) for each in owned if each.is_floating_point()}
            return (own | autocast) or {"float16", "bfloat16", "float32", "float64", dominant}

        def _told(self, call: Call, new: set[str]) -> dict[str, Any]:
            return {
                "module": call.name,
                "class": type(call.module).__name__,
                "given": sorted(call.given),
                "new": sorted(new),
            }

        def _cast(self, call: Call, tensors: list[Any], new: set[str]) -> dict[str, str] | None:
            """Return the operation that made a new dtype of some tensors."""
            origins = [self.origins[each] for each in tensors if each in self.origins]
            origins += [each for each in reversed(call.casts) if each[0] in new]
            if not origins:
                return None
            dtype, place, operation = origins[0]
            return {"dtype": dtype, "place": place, "operation": operation}

        def crashed(self, error: Exception) -> dict[str, Any]:
            """Return what the forward raised, and where the dtype there came from."""
            trail = error.__traceback__
            while trail is not None and trail.tb_next is not None:
                trail = trail.tb_next
            message = f"{type(error).__name__}: {error}"
            told: dict[str, Any] = {
                "error": message.splitlines()[0][:_LONGEST],
                "place": place_of(trail.tb_frame) if trail else "",
                "about_dtypes": _is_about_dtypes(error),
                "module": None,
                "cast": None,
                "own": [],
            }
            if self.open:
                call = self.open[-1]
                own = {name_of(each.dtype) for each in call.module.parameters(recurse=False)}
                foreign = call.given - own if own else call.given - {dominant}
                floats = [each for each in tensors_in(call.arguments) if each.is_floating_point()]
                odd = [each for each in floats if name_of(each.dtype) in foreign]
                everything = {each[0] for each in call.casts}
                told.update(self._told(call, foreign))
                told["own"] = sorted(own)
                told["cast"] = self._cast(call, odd, foreign or everything - {dominant})
            return told

    return Watch()
