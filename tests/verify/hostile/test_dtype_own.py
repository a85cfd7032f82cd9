"""``verify dtype``: models that people write themselves, healthy ones and others."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.dtype.judge import compared
from rocmlint.verify.dtype.judge import results_of as judgements
from tests.support.dtype_measured import measured
from tests.support.dtype_models import HALF, Cast, Wrapped, ask, floats, linear, nn, tokens, torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("dtype")]
F: Any = nn.functional
Built = tuple[Any, Any]


@dataclasses.dataclass
class Output:
    """A result that torch cannot flatten."""

    state: Any
    cache: Any = None


class Wide(nn.Linear):  # type: ignore[misc]
    """Multiplies in float32, whatever its weight is."""

    def forward(self, x: Any) -> Any:
        return F.linear(x.float(), self.weight.float(), self.bias.float()).to(x.dtype)


def results_of(build: Callable[[], Built], **how: Any) -> list[Any]:
    return list(judgements(ask(build, **how)))


def lm(forward: Any) -> Built:
    parts = {"embed": nn.Embedding(8, 8, dtype=HALF), "head": linear()}
    return Wrapped(forward, **parts), {"ids": tokens()}


def tower() -> Any:
    return nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 8))


def in_float32() -> Built:
    return tower(), (floats(torch.float32),)


def logits_in_float32() -> Built:
    return lm(lambda self, ids: {"logits": self.head(self.embed(ids)).float()})


def a_scale_in_float32() -> Built:
    """Keep what the class says in float32, and use it there."""

    def forward(self: Any, x: Any) -> Any:
        return self.out((self.router(x.float()).softmax(-1).to(x.dtype)) * x)

    model = Wrapped(forward, router=nn.Linear(8, 8), out=linear())
    model._keep_in_fp32_modules_strict = ["router"]
    return model, (floats(),)


def adapters() -> Built:
    def forward(self: Any, x: Any) -> Any:
        low = self.lora_B(self.lora_A(x.to(self.lora_A.weight.dtype)))
        return self.base(x) + low.to(x.dtype)

    parts = {"lora_A": nn.Linear(8, 2), "lora_B": nn.Linear(2, 8), "base": linear()}
    return Wrapped(forward, **parts), (floats(),)


def leaking_adapters() -> Built:
    """Give the dtype of the adapters on: that is by design where the adapters are."""

    def forward(self: Any, x: Any) -> Any:
        return self.base(x) + self.lora_B(self.lora_A(x.to(self.lora_A.weight.dtype)))

    parts = {"lora_A": nn.Linear(8, 2), "lora_B": nn.Linear(2, 8), "base": linear()}
    return Wrapped(forward, **parts), (floats(),)


def stored_in_float8() -> Built:
    """Store weights in float8 and compute in bfloat16, as diffusers' layerwise casting does."""
    model = nn.Sequential(linear(), nn.LayerNorm(8, dtype=HALF))
    store, packed = model[0], torch.float8_e4m3fn
    store.to(packed)
    store.register_forward_pre_hook(lambda module, _: module.to(HALF) and None)
    store.register_forward_hook(lambda module, _, __: module.to(packed) and None)
    return model, (floats(),)


def packed_as_integers() -> Built:
    def forward(self: Any, x: Any) -> Any:
        return x @ (self.packed.to(x.dtype) * self.weight_scale.to(x.dtype)).t()

    model = Wrapped(forward, out=linear())
    model.packed = nn.Parameter(torch.ones(8, 8, dtype=torch.int8), requires_grad=False)
    model.register_buffer("weight_scale", torch.ones(8, 1))
    return model, (floats(),)


def rotary() -> Built:
    """Multiply frequencies with positions in float32, although ``model.to`` has cast them."""

    def forward(self: Any, x: Any) -> Any:
        positions = torch.arange(2)[None].float()
        with torch.autocast("cpu", enabled=False):
            angles = self.inv_freq[:, None].float() @ positions
        return self.out(x * angles.t().cos().to(x.dtype))

    model = Wrapped(forward, out=linear())
    model.register_buffer("inv_freq", torch.ones(8), persistent=False)
    return model.to(HALF), (floats(),)


def passed_on() -> Built:
    return (
        Wrapped(lambda self, x, mask: (self.out(x), mask), out=linear()),
        (floats(), floats(torch.float32)),
    )


def to_the_dtype_given() -> Built:
    def forward(self: Any, x: Any) -> Any:
        return self.out(x.to(HALF)).to(x.dtype)

    return Wrapped(forward, out=linear()), (floats(torch.float32),)


def autocast_of_float32() -> Built:
    def forward(self: Any, x: Any) -> Any:
        with torch.autocast("cpu", dtype=HALF):
            return self.out(x).float()

    return Wrapped(forward, out=tower()), (floats(torch.float32),)


def in_inference_mode() -> Built:
    def forward(self: Any, x: Any) -> Any:
        with torch.inference_mode():
            return self.out(torch.einsum("bi,oi->bo", x, self.out.weight))

    return Wrapped(forward, out=linear()), (floats(),)


def attention_in_torch() -> Built:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dtype=HALF).eval()
    return layer, (torch.ones(1, 3, 8, dtype=HALF),)


HEALTHY: dict[str, Callable[[], Built]] = {
    "all in float32": in_float32,
    "logits in float32": logits_in_float32,
    "a router that the class keeps in float32": a_scale_in_float32,
    "adapters in float32": adapters,
    "adapters whose result stays float32": leaking_adapters,
    "stored in float8": stored_in_float8,
    "packed as integers": packed_as_integers,
    "rotary positions": rotary,
    "what was given is passed on": passed_on,
    "back to the dtype that was given": to_the_dtype_given,
    "autocast": autocast_of_float32,
    "in inference mode": in_inference_mode,
    "attention of torch": attention_in_torch,
    "a recurrent layer": lambda: (nn.LSTM(8, 8, dtype=HALF), (floats()[None],)),
    "a tuple": lambda: lm(lambda self, ids: (self.head(self.embed(ids)), None, 3)),
    "a dictionary": lambda: lm(lambda self, ids: {"x": [self.head(self.embed(ids))]}),
    "a dataclass": lambda: lm(lambda self, ids: Output(self.head(self.embed(ids)))),
    "nothing": lambda: lm(lambda self, ids: self.head(self.embed(ids)) is None or None),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_model_is_proven(name: str, judged: Judged) -> None:
    assert measured(*HEALTHY[name]()).crash is None
    results = results_of(HEALTHY[name])
    assert len(results) == 3
    for each in results:
        judged("dtype", "holds", each.verdict)


def test_a_tower_in_float32_by_choice_is_told_once(judged: Judged) -> None:
    def forward(self: Any, pixels: Any, x: Any) -> Any:
        return self.text(self.vision(pixels.float()).to(x.dtype) + x)

    text = nn.Sequential(nn.Linear(8, 64, dtype=HALF), nn.Linear(64, 8, dtype=HALF))
    for given in (floats(), floats(torch.float32)):
        model = Wrapped(forward, vision=tower().to(HALF), text=text)
        model.vision.float()
        seen = measured(model, (given, floats()))
        assert seen.gave["vision"] == {torch.float32}
        tensors, *rest = results_of(lambda: (model, (given, floats())))  # noqa: B023
        judged("dtype", "broken", tensors.verdict)
        assert tensors.seen == "vision is float32, the model bfloat16"
        for each in rest:
            judged("dtype", "holds", each.verdict)
        assert rest[1].seen.endswith("2 in float32 as their weights are")


def _makes_it_itself(_: Any, x: Any, mask: Any) -> Any:
    return x.float() * 2 if mask is not None else x


def _other_line_later(self: Any, x: Any, mask: Any) -> Any:
    self.count = getattr(self, "count", 0) + 1
    return x * mask if self.count == 1 else x.float()


def two_calls() -> Built:
    def forward(self: Any, x: Any, mask: Any) -> Any:
        return self.out((self.part(x, mask) + self.part(x, mask)).to(x.dtype))

    return (
        Wrapped(forward, part=Wrapped(_other_line_later), out=linear()),
        (floats(), floats(torch.float32)),
    )


def masked() -> Built:
    def forward(self: Any, x: Any, mask: Any) -> Any:
        return self.out(self.part(x, mask).to(x.dtype))

    parts = {"part": Wrapped(_makes_it_itself), "out": linear()}
    return Wrapped(forward, **parts), (floats(), floats(torch.float32))


def weights_of_a_tower_cast_up() -> Built:
    def forward(self: Any, x: Any) -> Any:
        return self.large(self.small(x.to(HALF)).float())

    small, large = Wide(8, 8, dtype=HALF), nn.Sequential(nn.Linear(8, 64), nn.Linear(64, 8))
    return Wrapped(forward, small=small, large=large), (floats(torch.float32),)


class Lazy(nn.Module):  # type: ignore[misc]
    """Returns its results one by one."""

    def __init__(self) -> None:
        super().__init__()
        self.part = linear()

    def forward(self, x: Any) -> Any:
        yield self.part(x).float()


BROKEN: dict[str, tuple[Callable[[], Built], int]] = {
    "float32 made beside a mask in float32": (masked, 1),
    "float32 made in a later call, on another line": (two_calls, 1),
    "weights of a small tower in a model of float32": (weights_of_a_tower_cast_up, 2),
    "float32 in a slot of a result": (lambda: lm(lambda s, ids: Output(s.embed(ids).float())), 1),
    "logits that are mixed with float32": (
        lambda: lm(lambda self, ids: {"logits": self.head(self.embed(ids)) * torch.ones(8)}),
        1,
    ),
    "float32 that is no logits": (lambda: lm(lambda s, ids: {"hidden": s.embed(ids).float()}), 1),
    "a module without weights": (lambda: (nn.Sequential(linear(), Cast()), (floats(),)), 1),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_contradicted(name: str, judged: Judged) -> None:
    build, at = BROKEN[name]
    assert measured(*build()).crash is None
    verdict = results_of(build)[at].verdict
    judged("dtype", "broken", verdict)
    assert verdict == "contradicted"


def _float_ids(self: Any, ids: Any) -> Any:
    return self.head(self.embed(ids.float()))


def _in_a_thread(self: Any, x: Any) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(self.out, x).result()


def _on_a_gpu(self: Any, x: Any) -> Any:
    return self.out(x.cuda())


OPEN: dict[str, Callable[[], Built]] = {
    "a generator": lambda: (Lazy(), (floats(),)),
    "indices that are floats": lambda: lm(_float_ids),
    "a device that is not there": lambda: (Wrapped(_on_a_gpu, out=linear()), (floats(),)),
    "a scripted model": lambda: (
        torch.jit.script(nn.Sequential(linear())),
        (floats(),),
    ),
    "another thread": lambda: (Wrapped(_in_a_thread, out=linear()), (floats(),)),
    "no operation": lambda: (Wrapped(lambda *_: None, out=linear()), (floats(),)),
}


@pytest.mark.parametrize("name", OPEN)
def test_what_was_not_seen_is_unproven(name: str, judged: Judged) -> None:
    if torch.cuda.is_available() and "device" in name:
        pytest.skip("the device is there")
    _, forward, *rest = results_of(OPEN[name])
    judged("dtype", "open", forward.verdict)
    assert all(each.verdict == "unproven" for each in rest) or "scripted" in name


def test_a_cast_weight_is_found_with_fake_tensors(judged: Judged) -> None:
    _, forward, matmuls = results_of(
        lambda: (nn.Sequential(Wide(8, 8, dtype=HALF)), (floats(),)), fake=True
    )
    assert (forward.verdict, matmuls.strength) == ("proven", "live")
    judged("dtype", "broken", matmuls.verdict)
    assert matmuls.verdict == "contradicted"


def test_a_baseline_shows_matmuls_that_differ(judged: Judged) -> None:
    before = ask(lambda: (nn.Sequential(linear(), linear()), (floats(),)))
    now = ask(lambda: (nn.Sequential(linear(), Wide(8, 8, dtype=HALF)), (floats(),)))
    healthy = {
        "tensors": before["tensors"],
        "boundaries": before["forward"]["boundaries"],
        "matmuls": before["forward"]["matmuls"]["dtypes"],
    }
    assert [each.verdict for each in compared(before, healthy)] == ["proven"] * 3
    tensors, forward, matmuls = compared(now, healthy)
    assert (tensors.verdict, forward.verdict) == ("proven", "proven")
    judged("dtype", "broken", matmuls.verdict)
    assert matmuls.seen == "1: float32"
    assert matmuls.reason.endswith("was bfloat16, is float32")
