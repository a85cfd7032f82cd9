"""The ONNX model of an exported program, run by onnxruntime on the CPU."""

from __future__ import annotations

import importlib
import importlib.util
import os
import tempfile
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import Tensor, torch
from rocmlint.export.agreement.dimensions import flat_inputs
from rocmlint.export.agreement.leaves import leaves, structure
from rocmlint.export.agreement.outcome import judged
from rocmlint.export.agreement.running import Ran

if TYPE_CHECKING:
    from rocmlint.export.agreement.cases import Case, Scenario

_NEEDED = ("onnx", "onnxscript", "onnxruntime")
_ROUNDING = 10.0
"""Another library, with fused operations, rounds otherwise than torch."""


def compared(program: Any, scenario: Scenario, reference: list[Ran]) -> dict[str, Any]:
    """Convert a program and compare it in the cases that have the weights of the program."""
    facts: dict[str, Any] = {"missing": "", "failure": "", "cases": []}
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return {**facts, "missing": f"not installed: {', '.join(missing)}"}
    with tempfile.TemporaryDirectory(prefix="rocmlint-onnx-") as folder:
        path = os.path.join(folder, "model.onnx")
        try:
            torch.onnx.export(program, dynamo=True, verbose=False).save(path)
            session = _session(path)
        except Exception as error:  # noqa: BLE001 - whatever a converter raises
            return {**facts, "failure": f"{type(error).__name__}: {error}"[:3000]}
        for case, expected in zip(scenario.cases, reference, strict=True):
            if case.weights == 1.0 and not expected.error:
                found = _ran(session, program, case)
                facts["cases"].append(judged(case, expected, found, _ROUNDING))
    return facts


def _session(path: str) -> Any:
    runtime: Any = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = torch.get_num_threads()
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _ran(session: Any, program: Any, case: Case) -> Ran:
    args, kwargs = case.fresh()
    try:
        flat = [
            each for each in flat_inputs(program, args, kwargs) if isinstance(each, torch.Tensor)
        ]
        names = [each.name for each in session.get_inputs()]
        feeds = dict(zip(names, map(_value, _used(flat, names, program)), strict=True))
        result = _unflattened(program, session.run(None, feeds))
    except Exception as error:  # noqa: BLE001 - whatever onnxruntime raises
        return Ran(error=f"{type(error).__name__}: {error}"[:600])
    found = [(path, each) for path, each in leaves(result) if each is not None]
    return Ran(found, structure(result))


def _used(flat: list[Tensor], names: list[str], program: Any) -> list[Tensor]:
    """Return the inputs that the ONNX model has: it may have dropped some that nothing uses."""
    if len(flat) == len(names):
        return flat
    given = [
        each.arg.name
        for each in program.graph_signature.input_specs
        if each.kind.name == "USER_INPUT"
        and hasattr(each.arg, "name")
        and type(each.arg).__name__ == "TensorArgument"
    ]
    by_name = dict(zip(given, flat, strict=True))
    return [by_name[name] for name in names]


def _value(tensor: Tensor) -> Any:
    """Return what onnxruntime takes: NumPy, or its own value for what NumPy does not know."""
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype is torch.bfloat16:
        runtime: Any = importlib.import_module("onnxruntime")
        bits = tensor.view(torch.int16).numpy()
        return runtime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, 16)
    return tensor.numpy()


def _unflattened(program: Any, outputs: list[Any]) -> Any:
    """Put outputs where the program has them; constants stand between its tensors."""
    rest = iter(outputs)
    flat = []
    for each in program.graph_signature.output_specs:
        if each.kind.name != "USER_OUTPUT":
            next(rest)  # a buffer that the program changes
        elif type(each.arg).__name__ == "ConstantArgument":
            flat.append(each.arg.value)
        else:
            flat.append(torch.from_numpy(next(rest)))
    return torch.utils._pytree.tree_unflatten(flat, program.call_spec.out_spec)  # noqa: SLF001
