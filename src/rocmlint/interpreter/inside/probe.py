"""Runs one small operation, or a function of the user, under the profiler.

The profiler writes its Chrome trace to a file that the parent reads. ``sdpa`` and ``linear`` also
run once under a dispatch mode, which shows the operators that reach the backend. A function of the
user does not: under a dispatch mode ``torch.compile`` runs the plain code, so that other kernels
would be seen than those of the job (measured with torch 2.13.0).
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import tempfile
import warnings
from typing import TYPE_CHECKING, Any

from . import CannotAnswerError, search
from .devices import is_built_for_cpu
from .imports.importing import import_installed
from .variables import relevant_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FUSED = ("FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION")
_ALL = (*_FUSED, "MATH")
_NOISE = "USDT:"
"""How lines begin that kineto 2.13 prints at each start and stop."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run the operation and say on what.

    The request: ``operation`` (sdpa, linear or PKG.MOD:FUNC), ``device``, ``dtype``, ``shape``
    (B, H, L, D), ``backends`` (SDPA's, none for those that are enabled), ``trace``, the file to
    write the trace to, and ``only_on_gpu``: then nothing is run without a GPU, and a torch that is
    built for the CPU is not even imported. Raises what the function raises, and CannotAnswerError.
    """
    try:
        return _probe(request)
    except SystemExit as error:
        message = f"{request['operation']} exited with sys.exit({error.code!r})"
        raise CannotAnswerError(message) from error


def _probe(request: dict[str, Any]) -> dict[str, Any]:
    operation = request["operation"]
    function = None
    if ":" in operation:
        search.as_program()
        function = _function(operation)
    without_gpu = {"has_run": False, "device": "cpu"}
    if request["only_on_gpu"] and is_built_for_cpu():
        return without_gpu
    torch = _torch(of_program=function is not None)
    device = _device(torch, request["device"])
    if request["only_on_gpu"] and device.type == "cpu":
        return without_gpu
    facts: dict[str, Any] = {"has_run": True, "operators": []}
    inputs: tuple[Any, ...] = ()
    with _chosen(request["backends"]):
        if function is None:
            make = {"sdpa": _sdpa, "linear": _linear}[operation]
            function, inputs = make(torch, request, device)
            function()  # what is compiled or tuned at the first call is not the question
            facts["operators"] = _dispatched(function)
        facts["profiler"] = _profiled(torch, function, device, request["trace"])
        facts["enabled"] = _enabled(torch)
    if operation == "sdpa":
        facts["refused"] = _refused(inputs, facts["enabled"])
    return {**facts, **_build(torch, device)}


def _torch(*, of_program: bool) -> Any:
    try:
        return importlib.import_module("torch") if of_program else import_installed("torch")
    except Exception as error:
        message = f"torch cannot be imported: {type(error).__name__}: {error}; use "
        message += "--python to name the interpreter of the job"
        raise CannotAnswerError(message) from error


def _device(torch: Any, name: str) -> Any:
    """Return the device that was asked for; ``auto`` is the first GPU, else the CPU."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except Exception as error:
        message = f"the device {name} cannot be used: {str(error).splitlines()[0]}"
        raise CannotAnswerError(message) from error
    return device


def _random(torch: Any, request: dict[str, Any], device: Any, *shape: int) -> Any:
    """Make a tensor; the numbers are drawn in float32, since not every dtype can be drawn."""
    dtype = getattr(torch, request["dtype"], None)
    if not isinstance(dtype, torch.dtype):
        message = f"torch {torch.__version__} has no dtype {request['dtype']}"
        raise CannotAnswerError(message)
    return torch.randn(*shape).to(device=device, dtype=dtype)


def _sdpa(
    torch: Any, request: dict[str, Any], device: Any
) -> tuple[Callable[[], object], tuple[Any, ...]]:
    query, key, value = (_random(torch, request, device, *request["shape"]) for _ in range(3))
    attention = torch.nn.functional.scaled_dot_product_attention

    def run() -> object:
        try:
            return attention(query, key, value)
        except RuntimeError as error:
            message = f"scaled_dot_product_attention: {str(error).splitlines()[0]}"
            raise CannotAnswerError(message) from error

    return run, (query, key, value)


def _linear(
    torch: Any, request: dict[str, Any], device: Any
) -> tuple[Callable[[], object], tuple[Any, ...]]:
    batch, heads, length, width = request["shape"]
    inputs = _random(torch, request, device, batch, length, heads * width)
    weight = _random(torch, request, device, heads * width, heads * width)
    bias = _random(torch, request, device, heads * width)

    def run() -> object:
        try:
            return torch.nn.functional.linear(inputs, weight, bias)
        except RuntimeError as error:
            message = f"linear: {str(error).splitlines()[0]}"
            raise CannotAnswerError(message) from error

    return run, (inputs, weight, bias)


def _function(place: str) -> Callable[[], object]:
    """Import what ``PKG.MOD:FUNC`` names."""
    module_name, _, path = place.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        message = f"{place}: {error} (the current directory is {os.getcwd()})"
        raise CannotAnswerError(message) from error
    for name in path.split("."):
        if not hasattr(found, name):
            message = f"{place}: {module_name} has no {path}"
            raise CannotAnswerError(message)
        found = getattr(found, name)
    if not callable(found):
        message = f"{place} is a {type(found).__name__}; name a function without arguments"
        raise CannotAnswerError(message)
    function: Callable[[], object] = found
    return function


@contextlib.contextmanager
def _chosen(backends: list[str]) -> Iterator[None]:
    """Allow only some backends of scaled_dot_product_attention; none: those that are enabled."""
    if not backends:
        yield
        return
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: PLC0415
    except ImportError as error:
        message = "choosing a backend requires torch 2.3 or later"
        raise CannotAnswerError(message) from error
    members = SDPBackend.__members__
    with sdpa_kernel([members[each] for each in _ALL if each.split("_")[0].lower() in backends]):
        yield


def _dispatched(run: Callable[[], object]) -> list[str]:
    """Return the operators that reach the backend, in order, once for each call."""
    mode: Any = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode
    seen: list[str] = []

    def record(_mode: Any, operator: Any, _types: Any, args: Any = (), named: Any = None) -> Any:
        seen.append(str(operator))
        return operator(*args, **(named or {}))

    with type("Record", (mode,), {"__torch_dispatch__": record})():
        run()
    return seen


def _profiled(torch: Any, run: Callable[[], object], device: Any, trace: str) -> str:
    """Run once more, write the trace, and give what the profiler printed."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    profiler = torch.profiler.profile(activities=activities)
    printed: list[str] = []
    with _caught(printed):
        profiler.start()
    try:
        run()
        if on_gpu:
            torch.cuda.synchronize(device if device.type == "cuda" else None)
    finally:
        # To stop a profiler that is stopped already ends the process (torch 2.13.0).
        stopped = not getattr(torch.autograd, "_profiler_enabled", lambda: True)()
        if not stopped:
            with _caught(printed):
                profiler.stop()
    if stopped:
        message = "it uses torch.profiler itself, and only one profiler can run: remove that"
        raise CannotAnswerError(message)
    with _caught(printed):
        profiler.export_chrome_trace(trace)
    return "\n".join(line for line in printed if line.strip() and not line.startswith(_NOISE))


@contextlib.contextmanager
def _caught(lines: list[str]) -> Iterator[None]:
    """Keep what C++ prints to stderr out of the user's terminal."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), 2)
            try:
                yield
            finally:
                sys.stderr.flush()
                os.dup2(kept, 2)
            file.seek(0)
            lines += file.read().decode("utf-8", "backslashreplace").splitlines()
    finally:
        os.close(kept)


def _enabled(torch: Any) -> dict[str, bool]:
    """Return which backends scaled_dot_product_attention may choose from, for CPU and GPU."""
    names = {
        "flash": "flash_sdp_enabled",
        "efficient": "mem_efficient_sdp_enabled",
        "cudnn": "cudnn_sdp_enabled",
        "math": "math_sdp_enabled",
    }
    backends = torch.backends.cuda
    return {
        name: bool(getattr(backends, ask)())
        for name, ask in names.items()
        if hasattr(backends, ask)
    }


def _refused(inputs: tuple[Any, ...], enabled: dict[str, bool]) -> dict[str, str]:
    """Ask each fused backend alone, and give what it says where it will not."""
    import torch  # noqa: PLC0415

    refused: dict[str, str] = {}
    for name in _FUSED:
        short = name.split("_")[0].lower()
        if not enabled.get(short):
            continue
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                with _chosen([short]):
                    torch.nn.functional.scaled_dot_product_attention(*inputs)
                continue
            except Exception as error:  # noqa: BLE001 - why it will not is the answer
                said = [str(each.message).split(" (Triggered")[0] for each in caught]
                if said:  # without a word, this device has no such backend at all
                    refused[short] = " ".join([*said, str(error).splitlines()[0]])
    return refused


def _build(torch: Any, device: Any) -> dict[str, Any]:
    """Return which torch this is, on which device, and what is preferred there."""
    facts: dict[str, Any] = {
        "executable": sys.executable,
        "torch": torch.__version__,
        "torch_file": torch.__file__,
        "hip": getattr(torch.version, "hip", None),
        "cuda": torch.version.cuda,
        "device": device.type,
        "device_name": "",
        "environment": relevant_environment(),
        "preferences": _preferences(torch),
    }
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        architecture = getattr(properties, "gcnArchName", "")
        facts["device_name"] = f"{properties.name} {architecture}".strip()
    return facts


def _preferences(torch: Any) -> dict[str, str]:
    """Return the settings that name a library; others may still be used."""
    found: dict[str, str] = {}
    for name in ("preferred_blas_library", "preferred_rocm_fa_library"):
        ask = getattr(torch.backends.cuda, name, None)
        if ask is not None:
            with contextlib.suppress(Exception):
                found[name] = str(ask()).rpartition(".")[2]
    return found
