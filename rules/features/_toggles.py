"""What switches a fast path on: calls, arguments, attributes and environment variables."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.python.names import last_name
from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ._commented_code import Code

WORDS = (
    "aiter", "AITER",
    "use_flash", "enable_flash", "with_flash", "set_flash", "to_flash", "flash_sdp",
    "flash_attention_2", "flash_attention_3", "flash_attention2", "flash-attn", '"flash', "'flash",
    "xformers", "XFORMERS", "efficient_attention", "efficient_sdp", "sage_att", "sageatt",
    "fused_attn", "FUSED_ATTN", "FLASH_ATT", "use_sdpa", "enable_sdpa", "to_sdpa",
    "# attn_impl", "#attn_impl", '["attn_impl', "['attn_impl",
    "set_attn_processor", "set_attention_backend",
    "allow_tf32", "float32_matmul_precision", "tf32=True",
    "liger", "use_fused", "enable_fused", "apply_fused", "fuse_qkv", "fused=True", "fused = True",
    "use_kernels", "bettertransformer", "tunable", "TUNABLEOP", "hipblaslt", "HIPBLASLT",
    "torch.compile(", "compile=True", "checkpointing_enable", "set_grad_checkpointing",
    "enable_gradient_checkpointing", "checkpointing=True",
    ".gradient_checkpointing = True", " gradient_checkpointing = True", "use_checkpoint=True",
    "cpu_offload(", "block_swap", "_slicing(", "_tiling(",
)  # fmt: skip
"""One of these stands on the first line of every toggle that is known here.

They are long enough to be rare, since each file that holds one is looked at.
"""
VARIABLES = ("AITER", "TUNABLEOP", "HIPBLASLT", "FLASH_ATT")
"""Parts of the names of variables that switch something on, as scripts set them."""


@dataclass(frozen=True)
class Feature:
    """Something that makes a run faster or smaller.

    ``names`` find it in the name of a call, an argument or a variable; ``live`` finds what does
    the same under another name, and ``half`` what is only of use together with it. Whether a
    ``doubtful`` one is faster depends on the model and the memory.
    """

    title: str
    names: re.Pattern[str]
    live: str = ""
    half: str = ""
    doubtful: bool = False


@dataclass(frozen=True)
class Toggle:
    """A statement or argument that switches a feature on.

    ``key`` is the name that a live one would have too; ``line`` counts from 1 in the code.
    """

    feature: Feature
    key: str
    node: Code
    line: int

    @property
    def value(self) -> str:
        """What an argument or variable is set to, where it is a string."""
        assigned = getattr(self.node, "value", None)
        text = assigned.value if isinstance(assigned, ast.Constant) else ""
        return text if isinstance(text, str) else ""


def _feature(
    title: str, pattern: str, live: str = "", half: str = "", *, doubtful: bool = False
) -> Feature:
    return Feature(title, compile_lazily(pattern, re.IGNORECASE), live, half, doubtful)


ATTENTION = _feature(
    "the fast attention",
    r"flash_?att(?:n|ention)?|use_flash|flash_sdp|sage_?att|xformers|efficient_(?:attention|sdp)"
    r"|sdpa|fused_attn",
    "flash|attn_impl|xformers|sdpa|sage_?att",
)
COMPILE = _feature(
    *("torch.compile", r"^(?:torch_|use_)?compile$", "compil", "set_float32_matmul_precision"),
    doubtful=True,
)
TUNED = _feature(
    "the tuned matrix multiplication", r"tunable|hipblaslt", half=r"(?i:tunable_?op)_(?!enabled)"
)
_KERNELS = (
    r"adam\w*|att(?:n|ention)|cross_entropy|kernels?|lamb|(?:layer_?|rms_?)?norm|linear|lion|loss"
    r"|mlp|moe|optim\w*|qkv|rope|sgd|swiglu"
)
"""What a fused kernel computes: layers, features and images are fused as well."""
AITER = _feature("AITER", "aiter", "aiter|AITER")
FEATURES = (
    AITER,
    ATTENTION,
    _feature("TF32", r"tf32|float32_matmul_precision"),
    _feature("the Liger kernel", "liger"),
    _feature(
        "the fused kernel",
        rf"^fused$|fuse_qkv|fused_(?:{_KERNELS})(?:_|$)|use_kernels|bettertransformer",
    ),
    TUNED,
    _feature(
        "gradient checkpointing",
        r"checkpoint(?:ing)?$|checkpointing_enable",
        "checkpointing",
        "enable_input_require_grads",
        doubtful=True,
    ),
    COMPILE,
    _feature("offloading", r"offload$|block_swap", "offload|block_swap", doubtful=True),
    _feature("slicing or tiling", r"slicing$|tiling$", "slic|til(?:e|ing)", doubtful=True),
)
"""What is known here; the user may name more."""
_SWITCHES_ON = compile_lazily(
    r"_*(?:activate|allow|apply|convert|enable|fuse|inject|optimi[sz]e|patch|preferred|replace|set"
    r"|switch|to|turn_on|use)(?:_|$)|gradient_checkpointing_enable$"
)
_NAMES_NOTHING = compile_lazily(r"enable$|preferred_")
_IS_FLAG = compile_lazily(
    r"_*(?:(?:activate|allow|apply|enable|use|with)_\w+|fused(?:_attn)?|tf32|xformers|flash_attn"
    r"|(?:torch_)?compile|(?:gradient_|activation_)?checkpointing|cpu_offload)"
)
_IS_CHOICE = compile_lazily(r"att(?:ntio)?n_(?:impl|mode|backend|type|processor)", re.IGNORECASE)
_IS_FAST = compile_lazily(r"flash|xformers|sage|aiter|efficient|fused|fa[234]\b|2_0", re.IGNORECASE)
_SWITCHES_OFF = compile_lazily(r"disable|unset|(?:^|_)not?_|without", re.IGNORECASE)
_OFF = (False, None, 0, "0", "", "false", "False", "off", "eager", "highest")
_TALKS = compile_lazily(r"print|log|info|warn|debug", re.IGNORECASE)


def find_toggle(code: Sequence[Code], more: Collection[str] = ()) -> Toggle | None:
    """Find what a passage of code switches on, where it does nothing else.

    ``more`` are further names of calls, arguments and variables that count as toggles.
    """
    return next((found for each in code if (found := _toggle(each, more))), None)


def _toggle(node: Code, more: Collection[str]) -> Toggle | None:
    if isinstance(node, ast.keyword):
        return _flag(node.arg, node.value, node, more)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return _call(node.value, node, more)
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        by_call = _call(node.value, node, more) if isinstance(node.value, ast.Call) else None
        return by_call or _flag(_last_name(node.targets[0]), node.value, node, more)
    if isinstance(node, ast.If) and not node.orelse:
        found = [_toggle(each, more) for each in node.body if not _talks(each)]
        return found[0] if found and all(found) else None
    return None


def _call(call: ast.Call, node: Code, more: Collection[str]) -> Toggle | None:
    name = _last_name(call.func) or ""
    line = call.func.end_lineno or call.lineno
    first = call.args[0] if call.args else None
    if name in {"setdefault", "putenv"} and len(call.args) == 2:
        return _flag(_last_name(ast.Subscript(call.func, call.args[0])), call.args[1], node, more)
    if _switches_off(name, first) or any(map(_is_off_argument, call.keywords)):
        return None
    if ast.unparse(call.func) == "torch.compile":
        return Toggle(COMPILE, "compile", node, line)
    subject = ast.unparse(call) if _NAMES_NOTHING.match(name) else name
    if _IS_CHOICE.search(name):
        fast = first is not None and _IS_FAST.search(ast.unparse(first))
        return Toggle(ATTENTION, name, node, line) if fast else None
    feature = _feature_of(name, subject, more)
    known = name in more or _SWITCHES_ON.match(name)
    return Toggle(feature, name, node, line) if feature and known else None


def _flag(name: str | None, value: ast.expr, node: Code, more: Collection[str]) -> Toggle | None:
    if name is None or _switches_off(name, value):
        return None
    key, passed_on = name.lstrip("_"), isinstance(value, ast.Attribute)
    if _IS_CHOICE.search(name):
        choices = list(_strings(value))
        if not (any(map(_IS_FAST.search, choices)) or passed_on or "sdpa" in choices):
            return None
        return Toggle(ATTENTION, key, node, node.lineno)
    feature = _feature_of(name, name, more)
    known = name in more or name.isupper() or _IS_FLAG.fullmatch(name)
    decides = passed_on or isinstance(
        value, (ast.Constant, ast.Call, ast.BoolOp, ast.Compare, ast.IfExp, ast.UnaryOp)
    )
    if feature is None or not known or not decides:
        return None
    return Toggle(feature, key, node, node.lineno)


def _feature_of(name: str, subject: str, more: Collection[str]) -> Feature | None:
    if name in more:
        return Feature(f"`{name}`", re.compile(re.escape(name)))
    return next((each for each in FEATURES if each.names.search(subject)), None)


def _switches_off(name: str, value: ast.expr | None) -> bool:
    off = isinstance(value, ast.Constant) and value.value in _OFF
    return off or _SWITCHES_OFF.search(name) is not None


def _is_off_argument(keyword: ast.keyword) -> bool:
    value = keyword.value.value if isinstance(keyword.value, ast.Constant) else ""
    return (keyword.arg in {"enable", "enabled"} and value is False) or (
        keyword.arg in {"disable", "disabled"} and value is True
    )


def _last_name(node: ast.expr) -> str | None:
    """Return the last name of ``a.b.c``, and the key of ``options["key"]``."""
    if isinstance(node, ast.Subscript):
        key = node.slice
        return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
    return last_name(node) or None


def _strings(value: ast.expr) -> Iterator[str]:
    """Yield the strings that an expression may be."""
    for each in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def _talks(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and bool(_TALKS.search(_last_name(call.func) or ""))
