"""Faults that are put into healthy models of bfloat16: what makes them slow, or fail.

Each changes a model in place. The line that is to be named has the comment ``# here``.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any, NamedTuple

import pytest

torch = pytest.importorskip("torch")
nn: Any = torch.nn
F: Any = nn.functional


class Fault(NamedTuple):
    """A fault, the model it is put into, and the module that it is in."""

    model: str
    put: Any
    module: str


def around(module: Any, change: Any) -> None:
    """Have a module return what a function makes of its result."""
    before = module.forward
    module.forward = lambda *args, **kwargs: change(before(*args, **kwargs))


# What leaves its dtype


def cast_in_mlp(model: Any) -> None:
    mlp = model.model.layers[0].mlp
    mlp.forward = lambda x: mlp.down_proj(
        mlp.act_fn(mlp.gate_proj(x)) * mlp.up_proj(x)
    ).float()  # here


def cast_by_a_hook(model: Any) -> None:
    def hook(_: Any, __: Any, output: Any) -> Any:
        return output.to(torch.float32)  # here

    model.model.layers[1].post_attention_layernorm.register_forward_hook(hook)


def doubled_before_the_norm(model: Any) -> None:
    def hook(_: Any, arguments: Any) -> Any:
        return (arguments[0].double(),)  # here

    model.model.norm.register_forward_pre_hook(hook)


def norm_weight(model: Any) -> None:
    model.model.layers[0].input_layernorm.float()


def one_weight(model: Any) -> None:
    model.model.layers[1].mlp.down_proj.float()


def half_in_the_stream(model: Any) -> None:
    other = torch.ones(32, dtype=torch.float16)
    around(model.model.layers[0].mlp, lambda output: output + other)  # here


def numpy_scale(model: Any) -> None:
    numpy = pytest.importorskip("numpy")
    scale = torch.from_numpy(numpy.ones(32))
    around(model.model.layers[0].mlp, lambda output: output * scale)  # here


def default_dtype_of_a_scale(model: Any) -> None:
    around(model.model.layers[0].mlp, lambda output: output * torch.ones(32))  # here


def autocast_region(model: Any) -> None:
    mlp = model.model.layers[0].mlp
    before = mlp.forward

    def forward(x: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.float16):
            return before(x)

    mlp.forward = forward


def weights_in_float8(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj
    proj.weight = nn.Parameter(proj.weight.to(torch.float8_e4m3fn), requires_grad=False)


def scores_in_float32(model: Any) -> None:
    attention = model.model.layers[0].self_attn
    before = attention.forward

    def forward(*args: Any, **kwargs: Any) -> Any:
        output, _ = before(*args, **kwargs)
        scores = output.float() @ output.float().transpose(1, 2)  # here
        return output, scores.softmax(-1)

    attention.forward = forward


class Kept:
    """An object that holds a tensor, which torch cannot flatten."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def __add__(self, other: Any) -> Any:
        return self.state.to(other.dtype) + other

    __radd__ = __add__


def inside_an_object(model: Any) -> None:
    around(model.model.layers[0].mlp, lambda output: Kept(output.float()))  # here


def position_embedding(model: Any) -> None:
    model.embeddings.position_embedding.float()


def position_buffer(model: Any) -> None:
    table = model.embeddings.position_embedding.weight.detach().float()
    del model.embeddings.position_embedding

    class Table(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("table", table, persistent=False)

        def forward(self, ids: Any) -> Any:
            return self.table[ids]

    model.embeddings.position_embedding = Table()


def embeddings_given_pixels(model: Any) -> None:
    around(model.embeddings, lambda output: output.float())  # here


def t5_norm(model: Any) -> None:
    model.encoder.block[0].layer[0].layer_norm.float()


def merger(model: Any) -> None:
    around(model.model.visual.merger, lambda output: output.float())  # here


# What multiplies in float32, and casts back


def whole_mlp(model: Any) -> None:
    mlp = model.model.layers[0].mlp

    def forward(x: Any) -> Any:
        wide = x.float()
        gate = F.linear(wide, mlp.gate_proj.weight.float())  # here
        up = F.linear(wide, mlp.up_proj.weight.float())
        return F.linear(F.silu(gate) * up, mlp.down_proj.weight.float()).to(x.dtype)

    mlp.forward = forward


class Wide(nn.Linear):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        return F.linear(x.float(), self.weight.float()).to(x.dtype)  # here


def each_q_proj(model: Any) -> None:
    for layer in model.model.layers:
        layer.self_attn.q_proj.__class__ = Wide


def _swap(dtype: Any, module: Any, arguments: Any) -> Any:
    module.weight.data = module.weight.data.to(dtype)  # here
    return (arguments[0].to(dtype),)


def weight_swapped_for_the_call(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj
    proj.register_forward_pre_hook(partial(_swap, torch.float32))
    proj.register_forward_hook(lambda module, _, output: _swap(torch.bfloat16, module, [output])[0])


def module_cast_for_the_call(model: Any) -> None:
    mlp = model.model.layers[0].mlp
    before = mlp.forward

    def forward(x: Any) -> Any:
        mlp.float()  # here
        output = before(x.float()).to(x.dtype)
        mlp.to(x.dtype)
        return output

    mlp.forward = forward


def functional_call(model: Any) -> None:
    mlp = model.model.layers[0].mlp
    call = importlib.import_module("torch.func").functional_call
    before = mlp.forward

    def forward(x: Any) -> Any:
        mlp.forward = before
        wide = {name: each.float() for name, each in mlp.named_parameters()}  # here
        output = call(mlp, wide, (x.float(),)).to(x.dtype)
        mlp.forward = forward
        return output

    mlp.forward = forward


def in_inference_mode(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj

    def forward(x: Any) -> Any:
        with torch.inference_mode():
            return F.linear(x.float(), proj.weight.float()).to(x.dtype)  # here

    proj.forward = forward


def by_einsum(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj

    def forward(x: Any) -> Any:
        return torch.einsum("bsi,oi->bso", x.float(), proj.weight.float()).to(x.dtype)  # here

    proj.forward = forward


def fused(model: Any) -> None:
    attention = model.model.layers[0].self_attn
    cat = torch.cat([attention.k_proj.weight, attention.v_proj.weight])
    attention.fused = nn.Parameter(cat)

    def half(end: slice) -> Any:
        def forward(x: Any) -> Any:
            wide = attention.fused.double()[end]  # here
            return (x.double() @ wide.t()).to(x.dtype)

        return forward

    rows = attention.k_proj.weight.shape[0]
    attention.k_proj.forward = half(slice(None, rows))
    attention.v_proj.forward = half(slice(rows, None))


def a_view_of_the_weight(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj
    view = proj.weight.detach().t()
    proj.forward = lambda x: torch.matmul(x.float(), view.float()).to(x.dtype)  # here


def unpacked_to_float32(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj
    packed = proj.weight.detach().to(torch.float8_e4m3fn)
    proj.weight = nn.Parameter(packed, requires_grad=False)
    proj.register_buffer("weight_scale", torch.ones(32, 1))

    def forward(x: Any) -> Any:
        unpacked = proj.weight.float() * proj.weight_scale  # here
        return (x.float() @ unpacked.t()).to(x.dtype)

    proj.forward = forward


def integers_to_float32(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj
    packed = proj.weight.detach().to(torch.int8)
    proj.weight = nn.Parameter(packed, requires_grad=False)
    proj.register_buffer("weight_scale", torch.ones(32, 1))

    def forward(x: Any) -> Any:
        unpacked = proj.weight * proj.weight_scale  # here
        return (x.float() @ unpacked.t()).to(x.dtype)

    proj.forward = forward


def a_weight_that_is_a_buffer(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj
    weight = proj.weight.detach()
    del proj.weight
    proj.register_buffer("weight", weight)
    proj.forward = lambda x: (x.float() @ proj.weight.float().t()).to(x.dtype)  # here


def convolution(model: Any) -> None:
    conv = model.embeddings.patch_embedding

    def forward(x: Any) -> Any:
        wide = conv.weight.float()  # here
        return F.conv2d(x.float(), wide, conv.bias.float(), stride=conv.stride).to(x.dtype)

    conv.forward = forward


def merged_adapter(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj
    proj.lora_a = nn.Parameter(torch.ones(32, 2, dtype=torch.bfloat16))
    proj.lora_b = nn.Parameter(torch.ones(2, 48, dtype=torch.bfloat16))

    def forward(x: Any) -> Any:
        merged = proj.weight.float() + (proj.lora_a @ proj.lora_b).float()  # here
        return F.linear(x.float(), merged).to(x.dtype)

    proj.forward = forward


def tower_cast_by_a_method_of_the_library(model: Any) -> None:
    tower = model.model.vision_tower
    before = tower.forward

    def forward(*args: Any, **kwargs: Any) -> Any:
        tower.float()
        output = before(*args, **kwargs)
        tower.to(torch.bfloat16)
        output.last_hidden_state = output.last_hidden_state.to(torch.bfloat16)
        output.hidden_states = [each.to(torch.bfloat16) for each in output.hidden_states or ()]
        return output

    tower.forward = forward


LAYER, MLP, DOWN = "model.layers.0", "model.layers.0.mlp", "model.layers.0.mlp.down_proj"
LEAVING = {
    "a cast in an MLP": Fault("llama", cast_in_mlp, MLP),
    "a hook that casts": Fault("llama", cast_by_a_hook, "model.layers.1.post_attention_layernorm"),
    "a hook that casts what a norm is given": Fault("llama", doubled_before_the_norm, "model.norm"),
    "the weight of a norm": Fault("llama", norm_weight, f"{LAYER}.input_layernorm"),
    "one weight": Fault("llama", one_weight, "model.layers.1.mlp.down_proj"),
    "float16 in the residual stream": Fault("llama", half_in_the_stream, MLP),
    "an array of NumPy": Fault("llama", numpy_scale, MLP),
    "a tensor of the default dtype": Fault("llama", default_dtype_of_a_scale, MLP),
    "an autocast region": Fault("llama", autocast_region, MLP),
    "a weight in float8 without a scale": Fault("llama", weights_in_float8, DOWN),
    "attention scores": Fault("llama", scores_in_float32, f"{LAYER}.self_attn"),
    "in an object": Fault("llama", inside_an_object, MLP),
    "a position embedding": Fault("siglip", position_embedding, "embeddings.position_embedding"),
    "a buffer of positions": Fault("siglip", position_buffer, "embeddings"),
    "embeddings that are given float32": Fault("siglip", embeddings_given_pixels, "embeddings"),
    "a norm of T5": Fault("t5", t5_norm, "encoder.block.0.layer.0.layer_norm"),
    "a merger": Fault("qwen2_vl", merger, "model.visual.merger"),
}
MULTIPLYING = {
    "a whole MLP": Fault("llama", whole_mlp, MLP),
    "each q_proj": Fault("llama", each_q_proj, f"{LAYER}.self_attn.q_proj"),
    "a weight exchanged for a call": Fault("llama", weight_swapped_for_the_call, DOWN),
    "a module cast for a call": Fault("llama", module_cast_for_the_call, f"{MLP}.gate_proj"),
    "weights given by functional_call": Fault("llama", functional_call, f"{MLP}.gate_proj"),
    "in inference mode": Fault("llama", in_inference_mode, DOWN),
    "by einsum": Fault("llama", by_einsum, DOWN),
    "fused weights in float64": Fault("llama", fused, f"{LAYER}.self_attn.k_proj"),
    "a view that was made before": Fault("llama", a_view_of_the_weight, DOWN),
    "float8 that is unpacked": Fault("llama", unpacked_to_float32, DOWN),
    "int8 that is unpacked": Fault("llama", integers_to_float32, DOWN),
    "a buffer": Fault("llama", a_weight_that_is_a_buffer, DOWN),
    "a convolution": Fault("siglip", convolution, "embeddings.patch_embedding"),
    "a tower cast by a method of transformers": Fault(
        "paligemma",
        tower_cast_by_a_method_of_the_library,
        "model.vision_tower.embeddings.patch_embedding",
    ),
    "a merged adapter": Fault("llama", merged_adapter, DOWN),
}
