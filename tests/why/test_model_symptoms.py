"""What goes wrong in models, training and export: real messages, in projects as they were."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.support.situations import Situation, said

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Report(NamedTuple):
    """A message, what was there, and what the answer must say."""

    log: str
    entry: str
    verdict: str
    words: tuple[str, ...] = ()
    where: str = ""
    packages: Mapping[str, str] = {}
    files: Mapping[str, str] = {}


TOKENS = "ValueError: Image features and image tokens do not match, tokens: 14650, features: 17152"
TIMEOUT = (
    "[rank1]:[E1126 10:01:02.123 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=46, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
    "Timeout(ms)=600000) ran for 600029 milliseconds before timing out."
)
CACHE = (
    "RuntimeError: Found <class 'transformers.cache_utils.DynamicCache'> in output, which is not "
    "a known type. If this type holds tensors, you need to register a pytree for it."
)
NUM_ITEMS = (
    "TypeError: CustomTrainer.compute_loss() got an unexpected keyword argument "
    "'num_items_in_batch'"
)
TRAINER = """\
from transformers import Trainer


class CustomTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        return model(**inputs).loss
"""
SAVING = """\
import torch.distributed as dist

def save(engine):
    if dist.get_rank() == 0:
        engine.save_checkpoint("out")
        dist.barrier()
"""
SUMMED = """\
import torch

def train(model, loader, optimizer):
    total = 0
    for batch in loader:
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss
    return total
"""
FULL = (
    "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 191.98 GiB of which 1.65 GiB is free."
)
BRANCH = """\
import torch
from torch import nn

class Block(nn.Module):
    def forward(self, hidden_states):
        if not torch.isfinite(hidden_states).all():
            hidden_states = torch.nan_to_num(hidden_states)
        return hidden_states
"""
CONTROL = (
    "torch._dynamo.exc.UserError: Dynamic control flow is not supported at the moment. Please use "
    "functorch.experimental.control_flow.cond to explicitly capture the control flow."
)
OPERATOR = (
    "torch.onnx.errors.UnsupportedOperatorError: Exporting the operator "
    "'aten::scaled_dot_product_attention' to ONNX opset version 13 is not supported. Support for "
    "this operator was added in version 14, try exporting with this version."
)
CONSTANT = (
    "torch._dynamo.exc.UserError: Constraints violated (batch)!\n  - Not all values of batch = "
    "L['x'].size()[0] in the specified range are valid because batch was inferred to be a "
    "constant (1)."
)
REMOTE = """\
Traceback (most recent call last):
  File "/home/u/.cache/huggingface/modules/transformers_modules/microsoft/Phi-3/modeling_phi3.py",\
 line 1291, in prepare_inputs_for_generation
    max_cache_length = past_key_values.get_max_length()
AttributeError: 'DynamicCache' object has no attribute 'get_max_length'
"""
ONNX = (
    "torch.onnx._internal.exporter._errors.TorchExportError: Failed to export the model with "
    "torch.export. This is step 1/3 of exporting the model to ONNX."
)
GUARD = """\
Traceback (most recent call last):
  File "SITE/torch/onnx/_internal/exporter/_capture_strategies.py", line 118, in __call__
    exported_program = self._capture(model, args, kwargs, dynamic_shapes)
  File "/content/piper/models.py", line 700, in infer
    attn = commons.generate_path(w_ceil, attn_mask)
torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode: Could not guard on \
data-dependent expression Eq(1, u6) | Eq(96*u6, 0) (unhinted: Eq(1, u6) | Eq(96*u6, 0)).

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/content/piper/export_onnx.py", line 86, in main
    torch.onnx.export(
torch.onnx._internal.exporter._errors.TorchExportError: Failed to export the model with \
torch.export. This is step 1/3 of exporting the model to ONNX.
"""
EMPTY = (
    "torch._dynamo.exc.Unsupported: call_function args: UserDefinedObjectVariable(BatchEncoding)"
)

REPORTS = {
    "trl#5927, with the limit": Report(
        TOKENS,
        "image-tokens-and-features",
        "known",
        ("a length limit cuts the text", "17152"),
        files={"train.yaml": "max_length: 16384\n"},
    ),
    "trl#5927, without": Report(TOKENS, "image-tokens-and-features", "likely", ("max_length",)),
    "Qwen2-VL-Finetune#125": Report(
        "ValueError: Image features and image tokens do not match: tokens: 300, features 298",
        "image-tokens-and-features",
        "likely",
        ("2 placeholder tokens more",),
    ),
    "transformers#36331": Report(
        NUM_ITEMS,
        "signature",
        "known",
        ("add num_items_in_batch=None",),
        "train.py:5 (this project): change this definition",
        {"transformers": "4.57.1"},
        {"train.py": TRAINER},
    ),
    "autocast#386": Report(
        TIMEOUT,
        "collective-timed-out",
        "likely",
        ("on every rank",),
        "save.py:5",
        files={"save.py": SAVING},
    ),
    "DeepSpeed#7533": Report(
        f"Saving model checkpoint to out\n{TIMEOUT}",
        "collective-timed-out",
        "likely",
        ("a longer timeout", "sharded"),
    ),
    "memory that grows each step": Report(
        FULL,
        "gpu-memory-runs-out",
        "likely",
        ("kept with its graph", "loss.item()"),
        "train.py:10",
        files={"train.py": SUMMED},
    ),
    "TheRock#2118": Report(
        f"{FULL} 1.05 GiB allowed; Of the allocated memory 0 bytes is allocated by PyTorch",
        "memory-fraction-set",
        "known",
        ("only 1.05 GiB",),
        files={"test_memory.py": "torch.cuda.set_per_process_memory_fraction(0.004)\n"},
    ),
    "HandsOnLLM#69": Report(
        REMOTE,
        "missing-attribute",
        "known",
        ("trust_remote_code=False",),
        packages={"transformers": "4.51.3"},
    ),
    "DynamicCache before it was registered": Report(
        CACHE,
        "export-type-is-no-pytree",
        "known",
        ("transformers before 4.50", "use_cache=False"),
        packages={"transformers": "4.45.2"},
    ),
    "TICO#417": Report(
        CACHE,
        "export-type-is-no-pytree",
        "known",
        ("no longer", "register_dynamic_cache_export_support"),
        packages={"transformers": "4.56.1"},
    ),
    "executorch#13195": Report(
        "AssertionError: Current active mode <torch.fx.experimental.proxy_tensor."
        "ProxyTorchDispatchMode object at 0x7f2c> not registered",
        "mask-made-with-vmap",
        "known",
        ("4.53 to 4.57",),
        packages={"transformers": "4.55.0"},
    ),
    "a branch that the rules find": Report(
        CONTROL,
        "branch-on-tensor",
        "likely",
        ("torch.where",),
        "block.py:6",
        {},
        {"block.py": BRANCH},
    ),
    "pytorch#176349": Report(
        CONSTANT, "dynamic-size-is-constant", "known", ("size 1 there", "size 2 or more")
    ),
    "DeepStream-Yolo#676": Report(
        ONNX,
        "onnx-export-uses-torch-export",
        "known",
        ("dynamo=False",),
        packages={"torch": "2.9.0+cpu"},
        files={"export.py": "torch.onnx.export(model, (x,), 'model.onnx', dynamic_axes=axes)\n"},
    ),
    "piper1-gpl#148": Report(
        GUARD,
        "guard-on-data",
        "likely",
        ("since torch 2.9", "dynamo=False"),
        "/content/piper/models.py:700",
        {"torch": "2.9.0+cu126"},
    ),
    "BitBLAS#115": Report(OPERATOR, "onnx-opset-too-low", "known", ("opset_version=14",)),
    "TabPFN#554": Report(
        "ModuleNotFoundError: No module named 'onnxscript'",
        "onnxscript-missing",
        "known",
        ("python -m pip install onnxscript",),
        packages={"torch": "2.9.0+cpu"},
    ),
    "pytorch#122340": Report(EMPTY, "export-input-object", "known", ("dict(inputs)",)),
}


def situation(report: Report, root: Path) -> Situation:
    found = Situation(root)
    found.install(report.packages)
    for name, text in report.files.items():
        (found.project / name).write_text(text)
    return found


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_gets_its_answer(name: str, tmp_path: Path) -> None:
    report = REPORTS[name]
    answer = situation(report, tmp_path).why(report.log)
    assert answer.explanation is not None
    assert (answer.explanation.entry, answer.verdict) == (report.entry, report.verdict)
    assert [each for each in report.words if each not in said(answer)] == []
    assert answer.explanation.where.endswith(report.where)


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: Number of prompts and completions do not match: 3, 4",
        "KeyError: 'input_ids'",
        "RuntimeError: Triton Error [HIP]:  Code: 1, Messsage: invalid argument",
        "torch._dynamo.exc.Unsupported: Unsupported context manager",
        "{'loss': 2.31, 'grad_norm': 0.5}",
    ],
)
def test_what_is_only_alike_stays_unknown(text: str, tmp_path: Path) -> None:
    answer = Situation(tmp_path).why(text)
    assert answer.verdict == "unknown"


def test_a_project_is_read_and_checked_within_a_second_or_so(tmp_path: Path) -> None:
    report = REPORTS["memory that grows each step"]
    found = situation(report, tmp_path)
    for index in range(200):
        (found.project / f"part_{index}.py").write_text("def part(x):\n    return x\n" * 50)
    started = time.process_time()
    found.why(report.log)
    assert time.process_time() - started < 3
