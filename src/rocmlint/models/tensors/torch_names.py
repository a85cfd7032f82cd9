"""What the functions, methods and attributes of torch give."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


HOST_METHODS = frozenset({"item", "tolist", "numpy", "__bool__", "__int__", "__float__"})
"""Methods of a tensor that give its content to Python."""
JUDGING = frozenset({"equal", "allclose", "is_nonzero"})
"""Functions and methods that give a Python bool which the content of tensors decides."""
SHAPE_METHODS = frozenset(
    {"size", "dim", "ndimension", "numel", "nelement", "stride", "storage_offset", "element_size"}
)
SHAPE_ATTRIBUTES = frozenset({"shape", "ndim", "nbytes", "itemsize"})
PYTHON_METHODS = words(
    """
    backward const_data_ptr data_ptr dense_dim dim_order get_device has_names is_coalesced
    is_complex is_conj is_contiguous is_distributed is_floating_point is_inference is_neg is_pinned
    is_same_size is_set_to is_shared is_signed qscheme record_stream register_hook
    register_post_accumulate_grad_hook retain_grad sparse_dim storage storage_type type
    untyped_storage
    """
)
PYTHON_ATTRIBUTES = words(
    """
    device dtype grad_fn is_cpu is_cuda is_leaf is_meta is_mkldnn is_mps is_nested is_quantized
    is_sparse is_sparse_csr is_xla is_xpu layout name names output_nr requires_grad retains_grad
    """
)
TENSOR_ATTRIBUTES = frozenset({"T", "H", "mT", "mH", "data", "grad", "real", "imag"})
SEVERAL = words(
    """
    broadcast_tensors chunk dsplit hsplit meshgrid split split_with_sizes tensor_split unbind
    unsafe_chunk unsafe_split vsplit align_tensors slogdet std_mean var_mean svd qr eigh eig
    lstm gru frexp geqrf lu_unpack max_pool2d_with_indices max_pool1d_with_indices
    """
)
"""Functions and methods that give several tensors."""
PAIRS_BY_DIM = frozenset({"max", "min", "median", "mode", "nanmedian"})
"""Functions and methods that give a pair if they are given a dimension."""
PAIRS = frozenset({"topk", "sort", "kthvalue", "cummax", "cummin", "aminmax"})
FACTORIES = frozenset({"tensor", "linspace", "logspace", "arange", "zeros", "ones", "as_tensor"})
"""Functions of torch that make a tensor of numbers."""
KEEP_ROWS = frozenset({"to", "float", "long", "int", "half", "detach", "clone", "cuda", "cpu"})
"""Methods that give a tensor of the same shape."""
REDUCTIONS = words(
    """
    all amax amin any argmax argmin count_nonzero max mean median min nanmean nansum norm prod std
    sum var vector_norm
    """
)
"""Functions and methods that give one number of a whole tensor."""
RAGGED_RESULTS = frozenset(
    {"nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "repeat_interleave"}
)
"""Functions and methods that give a tensor whose shape depends on content."""
PYTHON_FUNCTIONS = words(
    """
    are_deterministic_algorithms_enabled autocast can_cast compile compiled_with_cxx11_abi
    cudnn_is_acceptable enable_grad finfo get_autocast_cpu_dtype get_autocast_dtype
    get_autocast_gpu_dtype get_default_device get_default_dtype get_device_module
    get_float32_matmul_precision get_num_interop_threads get_num_threads get_rng_state iinfo
    inference_mode initial_seed is_anomaly_enabled is_autocast_cache_enabled
    is_autocast_cpu_enabled is_autocast_enabled is_autocast_xla_enabled is_complex is_distributed
    is_floating_point is_grad_enabled is_inference is_inference_mode_enabled is_same_size
    is_signed is_storage is_tensor is_vulkan_available is_warn_always_enabled manual_seed no_grad
    promote_types result_type save seed set_autocast_cache_enabled set_autocast_dtype
    set_autocast_enabled set_default_device set_default_dtype set_default_tensor_type
    set_float32_matmul_precision set_grad_enabled set_num_interop_threads set_num_threads
    set_printoptions set_rng_state typename use_deterministic_algorithms vmap wait
    """
)
SHAPE_FUNCTIONS = frozenset(
    {"numel", "broadcast_shapes", "sym_max", "sym_min", "sym_int", "sym_float", "sym_not"}
)
UNKNOWN_FUNCTIONS = frozenset({"load", "cond", "while_loop", "fork", "import_ir_module"})
TENSOR_MODULES = ("torch.special", "torch.linalg", "torch.fft", "torch.nn.functional", "torch.ops")
"""Modules, besides torch itself, whose functions give tensors."""
TENSOR_TYPES = words(
    """
    Tensor FloatTensor DoubleTensor HalfTensor BFloat16Tensor ByteTensor CharTensor ShortTensor
    IntTensor LongTensor BoolTensor Parameter Buffer FloatTensorType
    """
)
"""The last names of types that are tensors."""
MODULES_WITH_SEVERAL = frozenset({"LSTM", "GRU", "RNN", "MultiheadAttention", "AdaptiveMaxPool2d"})
"""Modules of ``torch.nn`` that give more than one tensor."""
MODULE_LISTS = frozenset({"ModuleList", "ModuleDict"})
MAKES_PYTHON_OF_NAMES = frozenset({"einops.parse_shape"})
REARRANGING = frozenset(
    {"einops.rearrange", "einops.repeat", "einops.reduce", "einops.einsum", "einops.pack"}
)
ONLY_OF_TENSORS = words(
    """
    argwhere bmm contiguous detach expand expand_as index_select log_softmax logical_and
    logical_not logical_or masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select
    new_empty new_full new_ones new_tensor new_zeros permute scatter_ scatter_add_ softmax
    type_as unfold unsqueeze
    """
)
"""Methods that hardly anything but a tensor has."""

_ATTRIBUTES = """
abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr adjoint all allclose amax amin
aminmax angle any apply_ arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort
argwhere as_strided as_strided_scatter as_subclass asin asinh atan atan2 atanh baddbmm bernoulli
bfloat16 bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
bitwise_xor bmm bool broadcast_to byte cauchy_ ccol_indices cdouble ceil cfloat chalf char cholesky
cholesky_inverse cholesky_solve chunk clamp clamp_max clamp_min clip clone coalesce col_indices conj
conj_physical contiguous copy_ copysign corrcoef cos cosh count_nonzero cov cpu cross crow_indices
cuda cummax cummin cumprod cumsum deg2rad dequantize det detach diag diag_embed diagflat diagonal
diagonal_scatter diff digamma dist div divide dot double eq equal erf erfc erfinv exp exp2 expand
expand_as expm1 exponential_ fill_ fill_diagonal_ fix flatten flip fliplr flipud float float_power
floor floor_divide fmax fmin fmod frac frexp gather gcd ge geometric_ geqrf ger greater
greater_equal gt half hardshrink heaviside histc histogram hypot i0 igamma igammac index index_add
index_copy index_fill index_put index_reduce index_select indices inner int int_repr inverse
is_nonzero isclose isfinite isinf isnan isneginf isposinf isreal istft item kron kthvalue lcm ldexp
le lerp less less_equal lgamma log log10 log1p log2 log_normal_ log_softmax logaddexp logaddexp2
logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logsumexp long lstsq lt lu
lu_solve map_ masked_fill masked_scatter masked_select matmul matrix_exp matrix_power max maximum
mean median min minimum mm mode module_load moveaxis movedim msort mul multinomial multiply mv
mvlgamma nan_to_num nanmean nanmedian nanquantile nansum narrow narrow_copy ne neg negative new
new_empty new_empty_strided new_full new_ones new_tensor new_zeros nextafter nonzero nonzero_static
norm normal_ not_equal numpy orgqr ormqr outer permute pin_memory pinverse polygamma positive pow
prelu prod put qr quantile rad2deg random_ ravel reciprocal relu remainder renorm repeat
repeat_interleave requires_grad_ reshape reshape_as resize resize_as resolve_conj resolve_neg roll
rot90 round row_indices rsqrt scatter scatter_add scatter_reduce select select_scatter set_ sgn
share_memory_ short sigmoid sign signbit sin sinc sinh slice_scatter slogdet smm softmax sort split
split_with_sizes sqrt square squeeze sspaddmm std stft sub subtract sum sum_to_size svd swapaxes
swapdims t take take_along_dim tan tanh tensor_split tile to to_dense to_mkldnn to_padded_tensor
to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr tolist topk trace
transpose triangular_solve tril triu true_divide trunc unbind unflatten unfold uniform_ unique
unique_consecutive unsafe_chunk unsafe_split unsqueeze values var vdot view view_as vsplit where
xlogy zero_ hsplit dsplit resize_as_sparse_ sparse_mask xpu mtia
"""
METHODS = (
    words(_ATTRIBUTES) | HOST_METHODS | JUDGING | SHAPE_METHODS | PYTHON_METHODS | SEVERAL | PAIRS
)
"""The methods of torch.Tensor, without the variants in place."""
ATTRIBUTES = METHODS | SHAPE_ATTRIBUTES | PYTHON_ATTRIBUTES | TENSOR_ATTRIBUTES


def is_tensor_attribute(name: str) -> bool:
    """Check whether torch.Tensor has a public attribute of this name, as of torch 2.13."""
    return name in ATTRIBUTES or (name.endswith("_") and name[:-1] in METHODS) or name[:1] == "_"
