"""Which operations of torch give new memory, which keep that of an operand, and which write."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.tensors.torch_names import words

if TYPE_CHECKING:
    from collections.abc import Iterator

NEW_MEMORY = words(
    """
    abs acos acosh add addbmm addcdiv addcmul addmm addmv addr all amax amin any arange argmax
    argmin argsort argwhere asin asinh atan atan2 atanh baddbmm bernoulli bincount bitwise_and
    bitwise_not bitwise_or bitwise_xor bmm bucketize cat cdist ceil celu clamp clamp_max clamp_min
    clip clone conv1d conv2d conv3d conv_transpose1d conv_transpose2d copysign cos cosh
    cosine_similarity count_nonzero cross cross_entropy cummax cummin cumprod cumsum deg2rad diff
    div divide dot elu embedding empty empty_like eq equal erf erfc erfinv exp exp2 expm1 eye flip
    fliplr flipud floor floor_divide fmax fmin fmod frac full full_like gather ge gelu glu greater
    greater_equal group_norm gt hardsigmoid hardswish hardtanh heaviside histc hstack hypot
    index_add index_copy index_fill index_put index_select inner isclose isfinite isin isinf isnan
    isneginf isposinf kron kthvalue layer_norm le leaky_relu lerp less less_equal lgamma linear
    linspace log log10 log1p log2 log_softmax logaddexp logcumsumexp logical_and logical_not
    logical_or logical_xor logit logsigmoid logspace logsumexp lt masked_fill masked_scatter
    masked_select matmul matrix_norm max maximum mean median min minimum mish mm mse_loss mul
    multinomial multiply mv nan_to_num nanmean nansum ne neg negative new_empty new_full new_ones
    new_tensor new_zeros nonzero norm normal not_equal one_hot ones ones_like outer pow prod
    quantile rad2deg rand rand_like randint randint_like randn randn_like randperm reciprocal relu
    relu6 remainder repeat repeat_interleave rms_norm roll round rsqrt scaled_dot_product_attention
    scatter scatter_add scatter_reduce searchsorted selu sigmoid sign silu sin sinc sinh softmax
    softmin softplus softsign sort sqrt square stack std std_mean sub subtract sum take
    take_along_dim tan tanh tensor tile topk trace tril triu true_divide trunc unique var var_mean
    vdot vector_norm vstack where xlogy zeros zeros_like
    """
)
"""Functions and methods whose results never share memory with what they get, in any case.

Not among them: ``contiguous``, ``to``, ``float``, ``reshape``, ``dropout``, ``einsum`` and others
that give the tensor itself, or a view of it, where nothing is to be done.
"""
_IN_PLACE_AT = {
    **dict.fromkeys(("relu", "relu6", "selu", "silu", "mish", "hardswish", "hardsigmoid"), 1),
    **dict.fromkeys(("elu", "celu", "leaky_relu"), 2),
    **dict.fromkeys(("threshold", "hardtanh", "dropout", "alpha_dropout", "dropout1d"), 3),
    **dict.fromkeys(("dropout2d", "dropout3d", "feature_alpha_dropout"), 3),
    "rrelu": 4,
}
"""At which place functions of ``torch.nn.functional`` take ``inplace``."""
_WRITING = frozenset({"batch_norm", "instance_norm"})
"""Functions that write running statistics."""
CALLS_BACK = words("cond while_loop vmap compile load fork import_ir_module map scan checkpoint")
"""Functions that run what they get, or give what nothing in the text shows."""

_MODULES = words(
    """
    Linear Bilinear Embedding EmbeddingBag LayerNorm GroupNorm RMSNorm LocalResponseNorm Conv1d
    Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d ReLU ReLU6 LeakyReLU PReLU ELU
    CELU SELU GELU SiLU Mish Sigmoid Tanh Softmax LogSoftmax Softmin Softplus Softsign Hardtanh
    Hardswish Hardsigmoid Hardshrink Softshrink Tanhshrink LogSigmoid GLU MaxPool1d MaxPool2d
    MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool2d
    CrossEntropyLoss MSELoss L1Loss BCELoss BCEWithLogitsLoss NLLLoss SmoothL1Loss KLDivLoss
    CosineSimilarity PairwiseDistance
    """
)
_KEEPING_MODULES = words(
    """
    Identity Dropout Dropout1d Dropout2d Dropout3d AlphaDropout Flatten Unflatten ZeroPad2d
    ConstantPad1d ConstantPad2d Upsample PixelShuffle PixelUnshuffle Unfold Fold Threshold LSTM GRU
    RNN MultiheadAttention
    """
)
_MODULE_IN_PLACE_AT = {
    **dict.fromkeys(words("ReLU ReLU6 SELU SiLU Mish Hardswish Hardsigmoid"), 0),
    **dict.fromkeys(words("ELU CELU LeakyReLU Dropout Dropout1d Dropout2d Dropout3d"), 1),
    **dict.fromkeys(words("AlphaDropout"), 1),
    **dict.fromkeys(words("Hardtanh Threshold"), 2),
    **dict.fromkeys(words("Embedding EmbeddingBag"), 3),
}
"""At which place modules take ``inplace``, or what else makes them write to what they get."""
_NORMS = words("BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm InstanceNorm1d InstanceNorm2d")


def writes_by_place(name: str, node: ast.Call) -> bool:
    """Check whether a function of torch writes to what it gets, by its name and arguments."""
    if name in _WRITING or (name.endswith("_") and not name.endswith("__")):
        return True
    place = _IN_PLACE_AT.get(name)
    if place is None or len(node.args) <= place:
        return False
    return not is_false(node.args[place])


def is_false(node: ast.expr) -> bool:
    """Check whether an expression is a constant that switches something off."""
    return isinstance(node, ast.Constant) and not node.value


def in_place_keywords(node: ast.Call) -> Iterator[ast.keyword]:
    """Yield the keywords by which a call of torch may write to a tensor."""
    for each in node.keywords:
        if each.arg is None or (
            each.arg in {"out", "inplace", "max_norm"} and not is_false(each.value)
        ):
            yield each


def gives_new_memory(made: ast.Call, name: str) -> bool | None:
    """Return whether a module of ``torch.nn`` gives new memory; None if it may write.

    ``made`` is the call that made the module.
    """
    if is_in_place(made, name):
        return None
    if name in _MODULES or name in _NORMS:
        return True
    return False if name in _KEEPING_MODULES else None


def is_in_place(made: ast.Call, name: str) -> bool:
    """Check whether a module of ``torch.nn`` was made so that it writes to what it gets."""
    place = _MODULE_IN_PLACE_AT.get(name)
    by_place = place is not None and len(made.args) > place and not is_false(made.args[place])
    return by_place or any(True for _ in in_place_keywords(made))


def writes_statistics(name: str) -> bool:
    """Check whether a module of ``torch.nn`` writes its own buffers when it is called."""
    return name in _NORMS
