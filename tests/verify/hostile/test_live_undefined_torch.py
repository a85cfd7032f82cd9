"""``verify live`` on a real model: what packages for speed replace, and what users may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.live_cases import Case, run_cases

if TYPE_CHECKING:
    from tests.support.live_cases import Seen
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]

MODULE = "transformers.models.gemma.modeling_gemma"
PRELOADED = ("torch", MODULE)
FILES = {
    "accelx/__init__.py": """\
import torch
def attention(module, query, key, value, mask=None, **options):
    return torch.zeros_like(query).transpose(1, 2), None
def call(self, x, *arguments, **options): return torch.zeros_like(x)
def zeros(xs, *arguments, **options):
    return torch.stack(tuple(xs), -1).flatten(-2) * 0
def no_mask(*arguments, **options): return None
def around(function):
    return lambda *arguments, **options: function(*arguments, **options) and None
def plain_call(self, *arguments, **options): return self.forward(*arguments, **options) * 0
class Act(torch.nn.Module):
    def forward(self, x): return x * 0
""",
    "probe.py": """\
import torch
from transformers.models.gemma import GemmaConfig, modeling_gemma
def model(**options):
    torch.manual_seed(0)
    config = GemmaConfig(vocab_size=32, hidden_size=16, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=1, head_dim=8, attn_implementation="sdpa")
    return modeling_gemma.GemmaForCausalLM(config).eval()
def logits():
    with torch.no_grad():
        found = model()(torch.arange(6)[None]).logits
    return round(float(found.abs().sum()), 3), round(float(found[0, 0].abs().sum()), 3)
""",
}
CALL = "__import__('probe').logits()"


def case(name: str, change: str, **options: str) -> Case:
    return Case(name, change, CALL, module=MODULE, **options)  # type: ignore[arg-type]


HOSTILE = [
    case("a call operator", "import accelx; m.GemmaMLP.__call__ = accelx.call"),
    case(
        "a mask of another package",
        "import accelx; m.create_causal_mask = accelx.no_mask; m.GemmaModel.__init__"
        ".__defaults__ = None",
        truth="broken",
    ),
    case(
        "a mask of another package in both modules",
        "import accelx, transformers.masking_utils as u\n"
        "u.create_causal_mask = m.create_causal_mask = accelx.no_mask",
        truth="broken",
    ),
    case(
        "a mask around that of transformers",
        "import accelx; m.create_causal_mask = accelx.around(m.create_causal_mask)",
        truth="broken",
    ),
    case(
        "the mask of another attention",
        "import transformers.masking_utils as u\n"
        "m.create_causal_mask = u.create_bidirectional_mask",
        truth="broken",
    ),
    case(
        "an entry of the attention functions",
        "import accelx; m.ALL_ATTENTION_FUNCTIONS['sdpa'] = accelx.attention",
    ),
    case(
        "an entry of all attention functions",
        "import accelx; from transformers import AttentionInterface\n"
        "AttentionInterface.register('sdpa', accelx.attention)",
    ),
    case(
        "the attention of another entry",
        "m.ALL_ATTENTION_FUNCTIONS['sdpa'] = m.ALL_ATTENTION_FUNCTIONS['flash_attention_2']",
        truth="broken",
    ),
    case(
        "an activation",
        "import accelx; from transformers.activations import ACT2FN\n"
        "ACT2FN['gelu_pytorch_tanh'] = accelx.Act; ACT2FN['gelu'] = accelx.Act",
        truth="broken",
    ),
    case("an epsilon", "m.GemmaRMSNorm.__init__.__defaults__ = (100.0,)", truth="broken"),
    case(
        "the call of all modules",
        "import accelx, torch; torch.nn.Module.__call__ = accelx.plain_call",
    ),
    case(
        "what the call of all modules does",
        "import accelx, torch; torch.nn.Module._call_impl = accelx.plain_call",
        truth="broken",
    ),
    case(
        "a function of torch",
        "import accelx, torch; torch.cat = accelx.zeros",
    ),
    case(
        "the forward of a layer of torch",
        "import accelx, torch; torch.nn.Linear.forward = accelx.plain_call\n"
        "accelx.plain_call.__code__ = (lambda self, x: x[..., :1].expand(*x.shape[:-1], "
        "self.out_features) * 0).__code__",
    ),
]
HEALTHY = [
    case("nothing", "pass"),
    case(
        "a model that is cast, saved, copied and trained",
        "import copy, io, probe, torch\nmodel = probe.model()\nmodel.half().to(torch.bfloat16)\n"
        "torch.save(model.state_dict(), io.BytesIO()); copy.deepcopy(model)\n"
        "model.train()(torch.arange(4)[None]).logits.sum().backward()",
    ),
    case(
        "hooks of an instance and of all modules",
        "import probe, torch\nmodel = probe.model()\n"
        "model.register_forward_hook(lambda *a: None)\n"
        "torch.nn.modules.module.register_module_forward_hook(lambda *a: None)",
    ),
    case(
        "an attention function under a new name",
        "import accelx, transformers\n"
        "transformers.AttentionInterface.register('accelx', accelx.attention)",
    ),
    case(
        "generation and gradient checkpointing",
        "import probe, torch\nmodel = probe.model()\nmodel.generate(torch.arange(4)[None], "
        "max_new_tokens=2, do_sample=False)\nmodel.gradient_checkpointing_enable()",
    ),
    case(
        "settings of torch",
        "import torch, warnings\ntorch.set_grad_enabled(True)\ntorch.use_deterministic_algorithms("
        "True)\nwarnings.simplefilter('ignore')\ntorch.backends.cuda.enable_flash_sdp(False)",
    ),
    case(
        "the import of what changes optimizers and tensors",
        "import torch._dynamo, torch.distributed, torch.optim, torch.fx, torch.utils.checkpoint",
    ),
    case(
        "a model traced by torch.fx",
        "import torch\ntorch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 2)))",
    ),
    case(
        "all models by their names",
        "from transformers import AutoConfig, AutoModel, GemmaForCausalLM, LlamaModel\n"
        "import transformers.trainer, transformers.generation",
    ),
]
CASES = [*HOSTILE, *HEALTHY]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    pytest.importorskip("transformers")
    return run_cases(CASES, tmp_path_factory.mktemp("model"), FILES, *PRELOADED)


@pytest.mark.parametrize("name", [each.name for each in CASES])
def test_a_model_is_proven_only_if_nothing_of_it_was_replaced(
    name: str, seen: dict[str, Seen], judged: Judged
) -> None:
    judged("live", seen[name].truth, seen[name].result.verdict)
