"""What does exactly the same as a deprecated function of torch, and how a call of it is rewritten.

Each line is what the function's own code does or its own warning says (torch 2.13.0); a test
compares both ends with the index of names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import libcst as cst

    Argument = tuple[str, str]
    """Keyword ("" for one by position) and text of the value."""
    Rewrite = Callable[[Sequence[Argument]], list[Argument] | None]


class Successor(NamedTuple):
    """The new name, and what becomes of the arguments; None where that is not certain."""

    new: str
    rewrite: Rewrite
    shown: str
    """How the help text writes the call."""
    bare: str = ""
    """The argument that a decorator without brackets gets, if it gets one."""


def arguments(call: cst.Call, text_of: Callable[[cst.CSTNode], str]) -> list[Argument] | None:
    """Return the arguments as text; None where a star hides some."""
    if any(each.star for each in call.args):
        return None
    return [(each.keyword.value if each.keyword else "", text_of(each.value)) for each in call.args]


def _same(given: Sequence[Argument]) -> list[Argument]:
    return list(given)


def _on_device(device: str, *positional: str) -> Rewrite:
    """Put the device first; what was given by position gets its name, as the order differs."""

    def rewrite(given: Sequence[Argument]) -> list[Argument] | None:
        if len([each for each in given if not each[0]]) > len(positional):
            return None
        named = [(key or positional[at], text) for at, (key, text) in enumerate(given)]
        return [("", f'"{device}"'), *named]

    return rewrite


def _for_device(device: str) -> Rewrite:
    return lambda given: [*given, ("device_type", f'"{device}"')]


def _bilinear(given: Sequence[Argument]) -> list[Argument]:
    return [*given, ("mode", '"bilinear"'), ("align_corners", "True")]


def _cholesky(given: Sequence[Argument]) -> list[Argument] | None:
    if not given or len(given) > 2 or given[0][0]:
        return None
    upper = [text for key, text in given[1:] if key in {"", "upper"}]
    if len(upper) != len(given) - 1:
        return None
    return [given[0], *(("upper", text) for text in upper if text != "False")]


def _qr(given: Sequence[Argument]) -> list[Argument] | None:
    if not given or len(given) > 2 or given[0][0]:
        return None
    if len(given) == 1:
        return list(given)
    key, some = given[1]
    if key not in {"", "some"} or some not in {"True", "False"}:
        return None
    return [given[0], *([("mode", '"complete"')] if some == "False" else [])]


def _multi_dot(given: Sequence[Argument]) -> list[Argument] | None:
    matrices = [text for key, text in given if not key]
    rest = [each for each in given if each[0]]
    if len(matrices) < 2 or any(key != "out" for key, _ in rest):
        return None
    return [("", f"[{', '.join(matrices)}]"), *rest]


_AUTOCAST = ("enabled", "dtype", "cache_enabled")
_SCALER = ("init_scale", "growth_factor", "backoff_factor", "growth_interval", "enabled")
SUCCESSORS: dict[str, Successor] = {
    **{
        f"torch.{device}.amp{module}.autocast": Successor(
            "torch.amp.autocast",
            _on_device(device, *_AUTOCAST),
            f'torch.amp.autocast("{device}", ...)',
        )
        for device in ("cuda", "cpu")
        for module in ("", ".autocast_mode")
    },
    **{
        f"torch.{device}.amp{module}.GradScaler": Successor(
            "torch.amp.GradScaler",
            _on_device(device, *_SCALER),
            f'torch.amp.GradScaler("{device}", ...)',
        )
        for device in ("cuda", "cpu")
        for module in ("", ".grad_scaler")
    },
    **{
        f"torch.cuda.amp{module}.{name}": Successor(
            f"torch.amp.{name}",
            _for_device("cuda"),
            f'torch.amp.{name}(device_type="cuda")',
            'device_type="cuda"',
        )
        for module in ("", ".autocast_mode")
        for name in ("custom_fwd", "custom_bwd")
    },
    **{
        f"functorch.{name}": Successor(f"torch.func.{name}", _same, f"torch.func.{name}")
        for name in ("vmap", "grad", "grad_and_value", "vjp", "jvp", "jacrev", "jacfwd", "hessian")
    },
    "functorch.functionalize": Successor(
        "torch.func.functionalize", _same, "torch.func.functionalize"
    ),
    "torch.chain_matmul": Successor(
        "torch.linalg.multi_dot", _multi_dot, "torch.linalg.multi_dot([...])"
    ),
    "torch.cholesky": Successor("torch.linalg.cholesky", _cholesky, "torch.linalg.cholesky"),
    "torch.qr": Successor("torch.linalg.qr", _qr, "torch.linalg.qr"),
    "torch.nn.NLLLoss2d": Successor("torch.nn.NLLLoss", _same, "torch.nn.NLLLoss"),
    "torch.nn.functional.upsample": Successor(
        "torch.nn.functional.interpolate", _same, "torch.nn.functional.interpolate"
    ),
    "torch.nn.functional.upsample_nearest": Successor(
        "torch.nn.functional.interpolate", _same, "torch.nn.functional.interpolate"
    ),
    "torch.nn.functional.upsample_bilinear": Successor(
        "torch.nn.functional.interpolate",
        _bilinear,
        'torch.nn.functional.interpolate(..., mode="bilinear", align_corners=True)',
    ),
    **{
        f"torch.cuda{module}.{old}": Successor(f"torch.cuda.{new}", _same, f"torch.cuda.{new}")
        for module in ("", ".memory")
        for old, new in (
            ("memory_cached", "memory_reserved"),
            ("max_memory_cached", "max_memory_reserved"),
        )
    },
    "torch.nn.utils.clip_grad_norm": Successor(
        "torch.nn.utils.clip_grad_norm_", _same, "torch.nn.utils.clip_grad_norm_"
    ),
}
"""By the old name, what does the same."""
