"""``verify live`` on torch and transformers: their own decorators, and what others put around."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.interpreter.ask import Interpreter
from rocmlint.verify.live import wrappers
from rocmlint.verify.live.imported import executed
from rocmlint.verify.live.judge import result_of
from tests.support.wrapped_victim import ACCEL, Case, asked, cases

if TYPE_CHECKING:
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]

GEMMA = "transformers.models.gemma.modeling_gemma"
HEALTHY = [
    *("torch._dynamo", "torch.nn.functional", "torch.nn.modules.module", "torch.optim.adam"),
    *("torch.optim.optimizer", "torch.utils.checkpoint", "torch.autograd.grad_mode"),
    *("torch.cuda.amp.autocast_mode", "torch.distributed.fsdp", "torch.jit._script"),
    *(GEMMA, "transformers.models.llama.modeling_llama", "transformers.modeling_layers"),
    *("transformers.models.qwen2_vl.modeling_qwen2_vl", "transformers.modeling_utils"),
    *("transformers.models.siglip.modeling_siglip", "transformers.generation.utils"),
    *("transformers.integrations.sdpa_attention", "transformers.utils.generic"),
]
DECORATED = """\
import torch
import torch.utils.checkpoint
@torch.no_grad()
def plain(x): return x + 1
@torch.inference_mode
def faster(x): return x + 2
@torch.jit.script_if_tracing
def scripted(x): return x + 3
@torch.jit.ignore
def ignored(x): return x + 4
@torch.compile(backend="eager")
def compiled(x): return x + 5
@torch.compiler.disable
def disabled(x): return x + 6
@torch.autocast("cpu")
def cast(x): return x + 7
@torch.autograd.function.once_differentiable
def once(ctx, x): return x + 8
@torch.library.custom_op("victim::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor: return x * 2
@torch.profiler.record_function("victim")
def recorded(x): return x + 9
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * x
    @staticmethod
    def backward(ctx, grad): return grad
class Block(torch.nn.Module):
    @torch.no_grad()
    def forward(self, x): return x + 10
"""
WRAPPED = """
# compiled
m.GemmaMLP.forward = torch.compile(m.GemmaMLP.forward, backend="eager")

# scripted
m.rotate_half = torch.jit.script(m.rotate_half)

# no gradients by others
m.rotate_half = torch.no_grad()(m.rotate_half)

# compiled around a decorated forward
m.GemmaModel.forward = torch.compile(m.GemmaModel.forward, backend="eager")

# not compiled around a decorated forward
m.GemmaModel.forward = torch.compiler.disable(m.GemmaModel.forward)

# profiled
m.GemmaAttention.forward = torch.profiler.record_function("x")(m.GemmaAttention.forward)

# timing around a decorated forward
m.GemmaForCausalLM.forward = accel.timed(m.GemmaForCausalLM.forward)

# partial of a rotation
m.apply_rotary_pos_emb = functools.partial(m.apply_rotary_pos_emb, unsqueeze_dim=2)

# checkpointed
import torch.utils.checkpoint as c
m.GemmaMLP.forward = functools.partialmethod(
    lambda self, kept, x: c.checkpoint(kept, self, x), m.GemmaMLP.forward
)
"""
REPLACED = """
# decorated forward of another class
m.GemmaModel.forward = m.GemmaForCausalLM.forward

# another function with the decorator of the forward
from transformers.utils import can_return_tuple
m.GemmaModel.forward = can_return_tuple(lambda self, *a, **k: 0)

# wraps over a decorated forward
m.GemmaModel.forward = accel.fast(m.GemmaModel.forward)

# object over a decorated forward
m.GemmaModel.forward = accel.Fast(m.GemmaModel.forward)

# autograd function
class Fast(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
m.rotate_half = Fast.apply
"""
RUN = """
# compiled and called
m.rotate_half = torch.compile(m.rotate_half, backend="eager")
run:
m.rotate_half(torch.ones(2, 4))
m.rotate_half(torch.ones(2, 4))

# without gradients and called
m.rotate_half = torch.no_grad()(m.rotate_half)
run:
m.rotate_half(torch.ones(2, 4))

# checkpointed and called
from torch.utils.checkpoint import checkpoint
kept = m.rotate_half
def less(x):
    return checkpoint(kept, x, use_reentrant=False)
m.rotate_half = less
run:
m.rotate_half(torch.ones(2, 4, requires_grad=True)).sum().backward()
"""
NOT_RUN = """
# compiled and not called
m.rotate_half = torch.compile(m.rotate_half, backend="eager")
run:
m.repeat_kv(torch.ones(1, 1, 1, 1), 2)

# scripted and called
m.rotate_half = torch.jit.script(m.rotate_half)
run:
m.rotate_half(torch.ones(2, 4))
m.repeat_kv(torch.ones(1, 1, 1, 1), 2)
"""
CASES = [
    *cases("open", WRAPPED),
    *cases("broken", REPLACED),
    *cases("holds", RUN),
    *cases("broken", NOT_RUN),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    pytest.importorskip("transformers")
    site = tmp_path_factory.mktemp("torch") / "site-packages"
    site.mkdir()
    (site / "accel.py").write_text(f"{ACCEL}import torch\nimport torch._dynamo\n")
    named = [Case(it.name, f"import torch\n{it.text}", it.truth, it.run) for it in CASES]
    return asked(site, named, GEMMA, {})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_stands_around_a_model_is_judged(
    case: Case, answers: dict[str, dict[str, Any]], judged: Judged
) -> None:
    answer = answers[case.name]
    assert "error" not in answer, answer
    facts = answer["facts"]["comparisons"][0]
    assert answer["facts"].get("call_failed") is None
    if case.run:
        facts = wrappers.decided(facts)
        result = executed(result_of(facts), facts, "job:run")
    else:
        result = result_of(facts)
    judged("live", case.truth, result.verdict)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    pytest.importorskip("transformers")
    site = tmp_path_factory.mktemp("healthy")
    (site / "decorated.py").write_text(DECORATED)
    interpreter = Interpreter(sys.executable, environment={"PYTHONPATH": str(site)})
    names = [*HEALTHY, "decorated"]
    answer = interpreter.ask("job.loaded", {"modules": names, "files": [], "call": None})
    assert answer["failed"] == {}
    return {each["module"]: each for each in answer["comparisons"]}


UNDECIDED = frozenset({"torch.jit._script", "transformers.utils.generic"})
"""Classes and flags that branches define, with conditions that nothing but a new import decides."""


@pytest.mark.parametrize("module", [*HEALTHY, "decorated"])
def test_modules_with_decorators_of_their_own_are_proven(
    module: str, healthy: dict[str, dict[str, Any]], judged: Judged
) -> None:
    verdict = result_of(healthy[module]).verdict
    judged("live", "holds", verdict, needless=module in UNDECIDED)
