"""The statements of real models that benchmarks/export_statements.py runs, with their inputs.

Paths are relative to ``models/`` of transformers 5.23.0 ("new") and 4.57.6 ("old"), and to
``models/transformers/`` of diffusers 0.42.1 ("diffusers").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Case:
    """A statement, and what it needs to run: attributes of ``self``, and inputs for each path."""

    package: str
    path: str
    line: int
    inputs: tuple[Mapping[str, Any], ...] = ()
    gives: tuple[str, ...] = ()
    """Names whose values are compared afterwards."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, Any] = field(default_factory=dict)
    """What the file has as globals besides torch."""
    exports_as_it_is: bool = False
    """It is right to leave it alone."""
    reason: str = ""
    """The kind of the reason why it is refused."""

    @property
    def name(self) -> str:
        """The case as one word."""
        return f"{self.package}:{self.path.rpartition('/')[2]}:{self.line}"


def _half(*, finite: bool) -> dict[str, Any]:
    values = torch.linspace(-3, 3, 12, dtype=torch.float16).reshape(1, 3, 4)
    if not finite:
        values[0, 1, 2] = float("inf")
    return {"hidden_states": values}


def _clamp(package: str, path: str, line: int) -> Case:
    return Case(
        package,
        path,
        line,
        (_half(finite=True), _half(finite=False)),
        ("hidden_states",),
    )


class _Attention(nn.Module):  # type: ignore[misc]
    """What a processor of attention needs of the attention that it serves."""

    def __init__(self) -> None:
        super().__init__()
        self.to_q, self.to_k, self.to_v = (nn.Linear(8, 8) for _ in range(3))
        self.norm_q, self.norm_k = nn.LayerNorm(8), nn.LayerNorm(8)
        self.heads, self.rope_type = 2, "split"


def _attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, **_: object) -> Any:
    first, second, third = (each.transpose(1, 2) for each in (query, key, value))
    return nn.functional.scaled_dot_product_attention(first, second, third).transpose(1, 2)


def _perturbed(*, all_of_it: bool) -> dict[str, Any]:
    states = torch.linspace(-1, 1, 40).reshape(1, 5, 8)
    return {
        "hidden_states": states,
        "encoder_hidden_states": states.flip(1),
        "value": states * 2,
        "all_perturbed": torch.tensor(all_of_it),
        "perturbation_mask": torch.ones(1, 5, 1),
    }


def _text_to_video(value: float) -> dict[str, Any]:
    return {
        "encoder_hidden_states_3": torch.ones(2, 3, 4),
        "encoder_attention_mask": torch.ones(2, 3, dtype=torch.bool),
        "is_t2v": torch.all(torch.full((2, 2), value) == 0),
    }


def _spline(value: float) -> dict[str, Any]:
    return {"inputs": torch.tensor([0.0, value])}


_GATE = {
    "attention_mask": torch.ones(1, 3),
    "input_states": torch.linspace(0, 1, 12).reshape(1, 3, 4),
}
_PADDED = {**_GATE, "attention_mask": torch.tensor([[1.0, 1.0, 0.0]])}

RUN = (
    _clamp("new", "bart/modeling_bart.py", 304),
    _clamp("new", "plbart/modeling_plbart.py", 306),
    _clamp("new", "marian/modeling_marian.py", 298),
    _clamp("new", "mvp/modeling_mvp.py", 291),
    _clamp("new", "blenderbot_small/modeling_blenderbot_small.py", 278),
    _clamp("new", "time_series_transformer/modeling_time_series_transformer.py", 465),
    _clamp("new", "nllb_moe/modeling_nllb_moe.py", 554),
    Case(
        "diffusers",
        "transformer_omnigen.py",
        155,
        tuple({"hidden_states": torch.ones(1), "seq_len": torch.tensor(n)} for n in (3, 30)),
        ("ext_factors",),
        {
            "original_max_position_embeddings": 16,
            "long_factor": [1.0, 2.0],
            "short_factor": [3.0, 4.0],
        },
    ),
    Case(
        "diffusers",
        "transformer_cosmos3.py",
        217,
        ({"domain_id": torch.tensor([1, 2])}, {"domain_id": torch.tensor([1, 9])}),
        attributes={"num_domains": 5},
    ),
    Case(
        "diffusers",
        "transformer_ltx2.py",
        275,
        (_perturbed(all_of_it=True), _perturbed(all_of_it=False)),
        ("hidden_states",),
        {"attn": _Attention(), "_attention_backend": None, "_parallel_config": None},
        {
            "dispatch_attention_fn": _attend,
            "query_rotary_emb": None,
            "key_rotary_emb": None,
            "attention_mask": None,
        },
    ),
    Case(
        "new",
        "encodec/modeling_encodec.py",
        648,
        ({"sum_weight": torch.ones(2)}, {"sum_weight": torch.tensor([1.0, 0.0])}),
    ),
    Case(
        "new",
        "flaubert/modeling_flaubert.py",
        65,
        ({"lengths": torch.tensor([3, 4])}, {"lengths": torch.tensor([3, 9])}),
        names={"slen": 5},
        exports_as_it_is=True,
    ),
    Case(
        "diffusers",
        "transformer_hunyuan_video15.py",
        702,
        (_text_to_video(0), _text_to_video(1)),
        ("encoder_hidden_states_3", "encoder_attention_mask_3"),
        names={"batch_size": 2},
    ),
    Case(
        "old",
        "vits/modeling_vits.py",
        214,
        (_spline(0.5), _spline(9.0), _spline(-9.0)),
        names={"lower_bound": -1.0, "upper_bound": 1.0},
    ),
    Case(
        "old",
        "vits/modeling_vits.py",
        286,
        ({"discriminant": torch.ones(2)}, {"discriminant": torch.tensor([1.0, -1.0])}),
    ),
    Case(
        "old",
        "zamba2/modeling_zamba2.py",
        729,
        (_GATE, _PADDED),
        ("input_states",),
        names={"dtype": torch.float32},
    ),
    _clamp("old", "bart/modeling_bart.py", 334),
    _clamp("old", "plbart/modeling_plbart.py", 519),
    _clamp("old", "marian/modeling_marian.py", 333),
)
"""They are run as they are, rewritten, and exported."""

NOT_EXPORTABLE = (
    Case("new", "llava_next/modeling_llava_next.py", 135, reason="number-from-tensor"),
    Case("new", "reformer/modeling_reformer.py", 750, reason="not-a-tensor"),
)
"""Rewriting them is possible, but ``torch.cond`` refuses the result."""

REFUSED = (
    Case("new", "evolla/modeling_evolla.py", 972, reason="mixed-and-or"),
    Case("new", "ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py", 446, reason="side-effect"),
    Case("new", "blt/modeling_blt.py", 822, reason="unsupported-statement"),
    Case("new", "fsmt/modeling_fsmt.py", 266, reason="not-a-tensor"),
    Case("new", "phi4_multimodal/modeling_phi4_multimodal.py", 1355, reason="not-a-tensor"),
    Case("new", "phi4_multimodal/modeling_phi4_multimodal.py", 1363, reason="not-a-tensor"),
    Case("old", "idefics2/modeling_idefics2.py", 495, reason="not-a-tensor"),
    Case("old", "mamba2/modeling_mamba2.py", 476, reason="side-effect"),
    Case("old", "chameleon/modeling_chameleon.py", 119, reason="side-effect"),
    Case("old", "bart/modeling_bart.py", 571, reason="unsupported-statement"),
)


def namespace(case: Case) -> dict[str, Any]:
    """Return the globals that a statement uses."""
    return {"torch": torch, "nn": nn, **case.names}
