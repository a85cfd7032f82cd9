"""The dtypes of a model: of its tensors, and at the boundaries of its modules in one forward."""

from __future__ import annotations

import importlib
import re
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from .. import CannotAnswerError, search
from ..factory import found, torch_of_the_job
from ..tensors import name_of
from .build import recorder
from .trace import trace

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCALE = re.compile(
    r"(scale|scales|scale_inv|zeros|zero_point|absmax|scb|quant_map)s?$", re.IGNORECASE
)
_ROTARY = re.compile(r"inv_freq$|rotary|rope", re.IGNORECASE)
_ADAPTER = re.compile(r"(^|\.)lora_")


class NoModelError(CannotAnswerError, TypeError):
    """The factory returns something that is not a model."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Build the model that ``factory`` gives, and return its dtypes.

    The request holds ``factory`` (``package.module:callable``), ``fake`` and ``device`` (or None).
    Raises what importing and calling the factory raises, CannotAnswerError and NoModelError.
    """
    search.as_program()
    torch = torch_of_the_job()
    with ExitStack() as modes:
        if request["fake"]:
            fake_tensor = importlib.import_module("torch._subclasses.fake_tensor")
            modes.enter_context(fake_tensor.FakeTensorMode(allow_non_fake_inputs=True))
            _convert_by_replacing(modes)
        if request["device"]:
            modes.enter_context(torch.device(request["device"]))
        with recorder() as made:
            model, inputs = _build(request["factory"])
        if request["device"] and not request["fake"]:
            model = model.to(request["device"])
        model = getattr(model, "_orig_mod", model)  # what torch.compile wraps
        simulated = request["fake"] or any(each.is_meta for each in model.parameters())
        facts, designs = _static(model, made)
        facts["simulated"] = simulated
        facts["forward"], facts["without"] = None, ""
        if inputs is None:
            inputs = _dummy_inputs(model)
        if inputs is None:
            facts["without"] = "the factory returns no inputs, and the model has no dummy_inputs"
        else:
            given = _on_device(model, inputs)
            facts["forward"] = trace(model, *given, facts["dominant"], designs)
    facts["peak_memory"] = _peak_memory()
    facts["torch"] = torch.__version__
    return facts


def _peak_memory() -> int | None:
    """Return the peak memory of this process, in bytes; None where Windows does not report it."""
    try:
        import resource  # noqa: PLC0415 - POSIX only
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _convert_by_replacing(modes: ExitStack) -> None:
    """Make ``Module.to()`` give new parameters: it cannot change fake ones in place.

    torch 2.13 swaps them, and refuses those of a FakeTensorMode ("Cannot swap t2").
    """
    torch = importlib.import_module("torch")
    done: dict[tuple[int, int], tuple[Any, Any, Any]] = {}

    def apply(self: Any, function: Any, recurse: bool = True) -> Any:
        if recurse:
            for child in self.children():
                child._apply(function)  # noqa: SLF001 - as the original does
        for name, old in self._parameters.items():
            if old is not None:
                key = (id(function), id(old))
                if key not in done:  # tied weights stay tied; what is kept keeps its id
                    new = torch.nn.Parameter(function(old.detach()), old.requires_grad)
                    done[key] = (new, old, function)
                self._parameters[name] = done[key][0]
        for name, old in self._buffers.items():
            self._buffers[name] = old if old is None else function(old)
        return self

    modules = torch.nn.Module
    modes.callback(setattr, modules, "_apply", modules._apply)  # noqa: SLF001 - undone at the end
    modules._apply = apply  # noqa: SLF001


def _build(factory: str) -> tuple[Any, Any]:
    """Call the factory and give the model and its inputs (None without)."""
    torch = importlib.import_module("torch")
    made = found(factory)
    if not isinstance(made, torch.nn.Module):
        made = made()
    inputs = None
    if isinstance(made, (tuple, list)) and len(made) == 2:
        made, inputs = made
    if not isinstance(made, torch.nn.Module):
        message = (
            f"{factory} returned {type(made).__name__}, not a torch.nn.Module or (model, inputs)"
        )
        raise NoModelError(message)
    return made, inputs


def _dummy_inputs(model: Any) -> Any:
    """Return the inputs that a model of transformers offers for a trial."""
    with suppress(Exception):  # a property of somebody else's class: whatever it raises, none
        return model.dummy_inputs or None
    return None


def _on_device(model: Any, inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return positional and keyword arguments, on the device of the model."""
    torch = importlib.import_module("torch")
    tree_map = importlib.import_module("torch.utils._pytree").tree_map
    device = next((each.device for each in model.parameters()), None)

    def moved(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor) and device is not None and leaf.device != device:
            return leaf.to(device)
        return leaf

    if isinstance(inputs, Mapping):  # also what processors of transformers return
        return (), {name: tree_map(moved, value) for name, value in inputs.items()}
    if not isinstance(inputs, (tuple, list)):
        inputs = (inputs,)
    return tuple(tree_map(moved, each) for each in inputs), {}


def _static(model: Any, made: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the dtypes of all parameters and buffers, and those that are none of the dominant.

    Also return, by name, why a weight may have a dtype of its own. ``made`` is the recorder under
    which the model was built.
    """
    tensors = list(_float_tensors(model))
    sizes: Counter[str] = Counter()
    for tensor in tensors:
        if not tensor["by_design"]:
            sizes[tensor["dtype"]] += tensor["elements"]
    ranked = sorted(sizes, key=lambda dtype: (_is_packed(dtype), -sizes[dtype], dtype))
    dominant = ranked[0] if ranked else ""
    odd = [each for each in tensors if each["dtype"] != dominant]
    for each in odd:
        library = "" if each["by_design"] else made.library_of(each["tensor"], model)
        each["by_design"] = each["by_design"] or (library and f"code of {library} makes it so")
    facts = {
        "model": type(model).__name__,
        "dominant": dominant,
        "sizes": dict(sizes),
        "tensors": {each["name"]: each["dtype"] for each in tensors},
        "odd": _grouped([each for each in odd if not each["by_design"]], tensors),
        "by_design": [f"{each['name']}: {each['by_design']}" for each in odd if each["by_design"]],
    }
    return facts, {each["name"]: each["by_design"] for each in odd if each["is_weight"]}


def _float_tensors(model: Any) -> Iterator[dict[str, Any]]:
    """Yield each floating-point parameter and buffer once."""
    kept = _kept_in_float32(model)
    is_quantized = _says_it_is_quantized(model)
    for prefix, module in model.named_modules():
        start = f"{prefix}." if prefix else ""
        passing = getattr(module, "_non_persistent_buffers_set", ())
        held = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
        packed = {
            name
            for name, each in held
            if _is_packed(name_of(each.dtype)) or not each.is_floating_point()
        }
        scales = {name for name, _ in held if _SCALE.search(name)} if packed else set()
        is_unpacked = scales or is_quantized or _has_a_hook(module)
        for name, tensor in held:
            if not tensor.is_floating_point():
                continue
            dtype = name_of(tensor.dtype)
            is_passing = name in passing
            reason = ""
            if name in packed:
                reason = "quantized" if is_unpacked else ""
            elif name in scales:
                reason = "scale of a quantized weight"
            elif dtype == "float32":
                reason = _reason(start + name, kept, is_passing)
            is_rotary = bool(_ROTARY.search(name))
            yield {
                "name": start + name,
                "tensor": tensor,
                "module": prefix,
                "dtype": dtype,
                "elements": tensor.numel(),
                "by_design": reason,
                "is_weight": not is_passing and not is_rotary,
            }


def _is_packed(dtype: str) -> bool:
    """Return whether a dtype is one to store weights in, not to compute with."""
    return dtype.startswith(("float8", "float4", "float6"))


def _says_it_is_quantized(model: Any) -> bool:
    """Return whether transformers or diffusers have quantized the model."""
    config = getattr(model, "config", None)
    named = ("quantization_config", "quantization_method", "hf_quantizer", "is_quantized")
    return any(getattr(each, name, None) for each in (config, model) for name in named)


def _has_a_hook(module: Any) -> bool:
    """Return whether something is called before the module's own code, and can unpack weights."""
    return bool(module._forward_pre_hooks) or "forward" in vars(module)  # noqa: SLF001


def _reason(name: str, kept: list[tuple[str, re.Pattern[str], str]], is_passing: bool) -> str:
    """Return why a tensor may be float32; empty where nothing says so."""
    if is_passing:
        return "buffer that is not saved (persistent=False)"
    if _ROTARY.search(name.rpartition(".")[2]):
        return "rotary frequencies"
    for prefix, pattern, attribute in kept:
        if name.startswith(prefix) and pattern.search(name[len(prefix) :]):
            return f"the class keeps it in float32 ({attribute})"
    return "adapter that peft keeps in float32" if _ADAPTER.search(name) else ""


def _kept_in_float32(model: Any) -> list[tuple[str, re.Pattern[str], str]]:
    """Return what the classes of transformers say must stay in float32: where, what, and how.

    As there, what they name is a part of a name between dots, and may be a regular expression.
    """
    kept = []
    for prefix, module in model.named_modules():
        for attribute in ("_keep_in_fp32_modules_strict", "_keep_in_fp32_modules"):
            for name in sorted(map(str, getattr(module, attribute, None) or ())):
                with suppress(re.error):
                    pattern = re.compile(rf"(^|\.)(?:{name})(\.|$)")
                    kept.append((f"{prefix}." if prefix else "", pattern, attribute))
    return kept


def _grouped(odd: list[dict[str, Any]], tensors: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group tensors by the highest module that has nothing but their dtype."""
    inside: dict[str, set[str]] = {}
    for each in tensors:
        if not each["by_design"]:
            for module in _above(each["module"]):
                inside.setdefault(module, set()).add(each["dtype"])
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    for each in odd:
        whole = (module for module in _above(each["module"]) if len(inside[module]) == 1)
        module = next(whole, each["module"])
        group = groups.setdefault(
            (module, each["dtype"]),
            {"module": module, "dtype": each["dtype"], "names": [], "elements": 0},
        )
        group["names"].append(each["name"])
        group["elements"] += each["elements"]
    return list(groups.values())


def _above(module: str) -> list[str]:
    """Return a module and those that hold it, the outermost (without the model itself) first."""
    parts = module.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]
