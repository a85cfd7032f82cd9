"""What is known of the variables of the ROCm stack: their reader, the values it takes, the traps.

What an installed file says goes before this table: it tells what a search cannot, namely which
names never existed, which variable another one needs, and how compiled code reads a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

SEARCHED = "2026-11-20"
"""The day on which the files that the table rests on were searched."""

Moment = Literal["", "import", "gpu"]
"""When a reader looks a variable up, once: with its import, or with the first use of a GPU."""


@dataclass(frozen=True)
class Variable:
    """What is known of one variable, and where from."""

    name: str
    reader: str
    """The library (``libMIOpen``) or the package that reads it; empty: none does."""
    source: str
    """Repository and path, or the files that were searched."""
    accepts: tuple[str, ...] = ()
    """The only values that compiled code understands; empty: any."""
    needs: str = ""
    """The variable that must be on for this one to have an effect."""
    instead: str = ""
    """The name to use in its place: this one is deprecated or was never read."""
    danger: str = ""
    """What it does to a run that has it set."""
    dangerous_with: str = ""
    """What the value has to hold for that; empty: anything."""
    moment: Moment = ""
    """When it is looked up, for good; empty where that is not known, or again and again."""

    @property
    def when(self) -> str:
        """When the reader looks it up; empty where that is not known."""
        if self.reader in _WHEN:
            return _WHEN[self.reader]
        return _LATER.get(self.moment, "").format(self.reader)

    @property
    def frozen(self) -> Moment:
        """From when on another value has no effect; empty where that is not known."""
        return "gpu" if self.reader in _WHEN else self.moment


_WHEN: Mapping[str, str] = {
    "libamdhip64": "once, with the first call of HIP: later changes have no effect",
    "libhsa-runtime64": "once, in hsa_init: later changes have no effect",
}
_LATER: Mapping[Moment, str] = {
    "import": "once, when {} is imported: later changes have no effect",
    "gpu": "once, when {} first uses a GPU: later changes have no effect",
}
ON = ("1", "TRUE", "true", "True", "ON", "on", "yes", "YES", "enable", "enabled", "y", "t")
OFF = (
    "0",
    "FALSE",
    "false",
    "False",
    "OFF",
    "off",
    "no",
    "NO",
    "disable",
    "disabled",
    "n",
    "f",
    "",
)
"""Words, those first that are proposed first."""
BOOLEAN = ("0", "1")
_UPPER = ("TRUE", "FALSE")
_OF_VLLM = ("1", "true", "True", "TRUE", "0", "false", "False", "FALSE")
_ROCR = "ROCm/ROCR-Runtime runtime/hsa-runtime/core/util/flag.h"
_CLR = "ROCm/clr rocclr/utils/flags.hpp"
_TORCH = "pytorch/pytorch c10/util/env.h (check_env) and aten/src/ATen/Context.h"
_VLLM = "vllm-project/vllm vllm/envs.py"
_FLASH = "Dao-AILab/flash-attention flash_attn/flash_attn_triton_amd/utils.py (2.8.3.post2)"
_ALLOCATOR = "pytorch/pytorch c10/core/AllocatorConfig"
_HUB = "huggingface_hub/constants.py (0.20 to 2.4)"
_DATASETS = "datasets/config.py (2.16)"
_NOBODY = "no file in torch 2.13, aiter, flash-attn 2.8.3 or HIP/HSA 5.2.3 contains the name"

_NO_SUCH = "neither torch 2.13 nor ROCm/clr and ROCR-Runtime contain the name"

_HSA_FLAGS = (
    "HSA_CHECK_FLAT_SCRATCH HSA_COOP_CU_COUNT HSA_CU_MASK_SKIP_INIT HSA_DISABLE_FRAGMENT_ALLOCATOR "
    "HSA_DISABLE_IMAGE HSA_ENABLE_DEBUG HSA_ENABLE_INTERRUPT HSA_ENABLE_IPC_MODE_LEGACY "
    "HSA_ENABLE_MWAITX HSA_ENABLE_PEER_SDMA HSA_ENABLE_QUEUE_FAULT_MESSAGE "
    "HSA_ENABLE_SCRATCH_ASYNC_RECLAIM HSA_ENABLE_SDMA HSA_ENABLE_SDMA_GANG "
    "HSA_ENABLE_SDMA_HDP_FLUSH HSA_ENABLE_SRAMECC HSA_ENABLE_VM_FAULT_MESSAGE "
    "HSA_FORCE_FINE_GRAIN_PCIE HSA_NO_SCRATCH_RECLAIM HSA_NO_SCRATCH_THREAD_LIMITER "
    "HSA_REV_COPY_DIR HSA_RUNNING_UNDER_VALGRIND HSA_SDMA_WAIT_IDLE HSA_XNACK"
)
_HSA_VALUES = (
    "HSA_CU_MASK HSA_FORCE_SDMA_SIZE HSA_MAX_QUEUES HSA_SCRATCH_MEM HSA_SCRATCH_SINGLE_LIMIT "
    "HSA_SVM_PROFILE HSA_TOOLS_LIB ROCR_VISIBLE_DEVICES"
)
_HIP_VALUES = (
    "AMD_DIRECT_DISPATCH AMD_LOG_LEVEL AMD_LOG_MASK AMD_OPT_FLUSH AMD_SERIALIZE_COPY "
    "AMD_SERIALIZE_KERNEL GPU_DEVICE_ORDINAL GPU_MAX_HEAP_SIZE GPU_MAX_HW_QUEUES "
    "GPU_SINGLE_ALLOC_PERCENT GPU_STAGING_BUFFER_SIZE HIP_FORCE_DEV_KERNARG "
    "HIP_FORCE_SPIRV_CODEOBJECT HIP_HOST_COHERENT HIP_LAUNCH_BLOCKING HIP_VISIBLE_DEVICES"
)
_MIOPEN_VALUES = (
    "MIOPEN_CUSTOM_CACHE_DIR MIOPEN_DEBUG_CONV_DIRECT MIOPEN_DEBUG_CONV_FFT "
    "MIOPEN_DEBUG_CONV_GEMM MIOPEN_DEBUG_CONV_IMPLICIT_GEMM MIOPEN_DEBUG_CONV_WINOGRAD "
    "MIOPEN_DISABLE_CACHE MIOPEN_ENABLE_LOGGING MIOPEN_FIND_ENFORCE MIOPEN_FIND_MODE "
    "MIOPEN_LOG_LEVEL MIOPEN_SYSTEM_DB_PATH MIOPEN_USER_DB_PATH"
)
_TORCH_FLAGS = (
    "PYTORCH_MIOPEN_SUGGEST_NHWC PYTORCH_MIOPEN_SUGGEST_NHWC_BATCHNORM "
    "TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL TORCH_ROCM_FA_PREFER_CK"
)
_TORCH_CONTEXT = (
    "TORCH_BLAS_PREFER_CUBLASLT TORCH_BLAS_PREFER_HIPBLASLT TORCH_LINALG_PREFER_HIPSOLVER"
)
_HUB_CONSTANTS = (
    "HF_ASSETS_CACHE HF_ENDPOINT HF_HOME HF_HUB_CACHE HF_HUB_DISABLE_EXPERIMENTAL_WARNING "
    "HF_HUB_DISABLE_IMPLICIT_TOKEN HF_HUB_DISABLE_PROGRESS_BARS HF_HUB_DISABLE_SYMLINKS_WARNING "
    "HF_HUB_DISABLE_TELEMETRY HF_HUB_DISABLE_XET HF_HUB_DOWNLOAD_TIMEOUT "
    "HF_HUB_ENABLE_HF_TRANSFER HF_HUB_ETAG_TIMEOUT HF_HUB_OFFLINE HUGGINGFACE_ASSETS_CACHE "
    "HUGGINGFACE_HUB_CACHE TRANSFORMERS_OFFLINE"
)
_OF_DATASETS = (
    "HF_DATASETS_CACHE HF_DATASETS_DISABLE_PROGRESS_BARS HF_DATASETS_IN_MEMORY_MAX_SIZE "
    "HF_DATASETS_OFFLINE HF_DATASETS_TRUST_REMOTE_CODE HF_METRICS_CACHE HF_MODULES_CACHE"
)
_AITER_PARTS = (
    "FP4_ASM_GEMM FP8BMM LINEAR MHA MLA MOE PAGED_ATTN RMSNORM TRITON_GEMM TRITON_ROPE "
    "UNIFIED_ATTENTION"
)
_TUNABLE = (
    "PYTORCH_TUNABLEOP_FILENAME PYTORCH_TUNABLEOP_HIPBLASLT_ENABLED "
    "PYTORCH_TUNABLEOP_MAX_TUNING_DURATION_MS PYTORCH_TUNABLEOP_MAX_TUNING_ITERATIONS "
    "PYTORCH_TUNABLEOP_RECORD_UNTUNED PYTORCH_TUNABLEOP_ROCBLAS_ENABLED PYTORCH_TUNABLEOP_TUNING"
)

_ROWS = (
    *(Variable(each, "libhsa-runtime64", _ROCR, BOOLEAN) for each in _HSA_FLAGS.split()),
    *(Variable(each, "libhsa-runtime64", _ROCR) for each in _HSA_VALUES.split()),
    Variable(
        "HSA_OVERRIDE_GFX_VERSION",
        "libhsa-runtime64",
        "ROCm/ROCR-Runtime libhsakmt/src/topology.c",
        danger="every GPU claims to be another one, so code for that one is loaded: "
        "invalid device function, HSA_STATUS_ERROR_INVALID_ISA, a crash or wrong "
        "numbers if the two differ",
    ),
    *(Variable(each, "libamdhip64", _CLR) for each in _HIP_VALUES.split()),
    Variable("CUDA_VISIBLE_DEVICES", "libamdhip64", _CLR),
    *(Variable(each, "libMIOpen", "ROCm/MIOpen docs") for each in _MIOPEN_VALUES.split()),
    *(Variable(each, "torch", _TORCH, BOOLEAN) for each in _TORCH_FLAGS.split()),
    *(Variable(each, "torch", _TORCH, BOOLEAN, moment="gpu") for each in _TORCH_CONTEXT.split()),
    Variable(
        "PYTORCH_TUNABLEOP_ENABLED",
        "torch",
        "pytorch/pytorch aten/src/ATen/cuda/tunable/README.md",
        BOOLEAN,
    ),
    *(
        Variable(
            each,
            "torch",
            "pytorch/pytorch aten/src/ATen/cuda/tunable/README.md",
            needs="PYTORCH_TUNABLEOP_ENABLED",
        )
        for each in _TUNABLE.split()
    ),
    Variable("PYTORCH_ROCM_ARCH", "torch", "torch 2.13 torch/utils/cpp_extension.py"),
    Variable(
        "PYTORCH_DEBUG_FLASH_ATTENTION_GCN_ARCH_OVERRIDE",
        "torch",
        "pytorch/pytorch aten/src/ATen/native/transformers/hip",
        danger="attention kernels are chosen for another GPU than the installed one",
    ),
    *(
        Variable(
            f"NCCL_{each}", "torch", "torch 2.13 libtorch_cpu.so", instead=f"TORCH_NCCL_{each}"
        )
        for each in ("BLOCKING_WAIT", "ASYNC_ERROR_HANDLING")
    ),
    *(
        Variable(
            f"PYTORCH_{each}_ALLOC_CONF",
            "torch",
            _ALLOCATOR,
            instead="PYTORCH_ALLOC_CONF",
            moment="gpu",
        )
        for each in ("CUDA", "HIP")
    ),
    Variable("PYTORCH_ALLOC_CONF", "torch", _ALLOCATOR, moment="gpu"),
    *(Variable(each, "huggingface_hub", _HUB, moment="import") for each in _HUB_CONSTANTS.split()),
    *(Variable(each, "datasets", _DATASETS, moment="import") for each in _OF_DATASETS.split()),
    Variable(
        "TRANSFORMERS_VERBOSITY",
        "transformers",
        "transformers/utils/logging.py (4.0 to 5.23)",
        moment="import",
    ),
    Variable(
        "TRANSFORMERS_CACHE",
        "transformers",
        "transformers/utils/hub.py (4.0 to 4.57)",
        instead="HF_HOME",
        moment="import",
    ),
    Variable("NCCL_DEBUG", "librccl", "NVIDIA/nccl src/debug.cc"),
    *(
        Variable(each, "librccl", "NVIDIA/nccl src/debug.cc", needs="NCCL_DEBUG")
        for each in ("NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS")
    ),
    Variable("FLASH_ATTENTION_TRITON_AMD_ENABLE", "flash_attn", _FLASH, _UPPER, moment="import"),
    *(
        Variable(
            f"FLASH_ATTENTION_TRITON_AMD_{each}",
            "flash_attn",
            _FLASH,
            needs="FLASH_ATTENTION_TRITON_AMD_ENABLE",
        )
        for each in ("AUTOTUNE", "DEBUG", "PERF", "REF")
    ),
    Variable("VLLM_ROCM_USE_AITER", "vllm", _VLLM, _OF_VLLM),
    *(
        Variable(
            f"VLLM_ROCM_USE_AITER_{each}", "vllm", _VLLM, _OF_VLLM, needs="VLLM_ROCM_USE_AITER"
        )
        for each in _AITER_PARTS.split()
    ),
    Variable(
        "BNB_ROCM_VERSION",
        "bitsandbytes",
        "bitsandbytes-foundation/bitsandbytes bitsandbytes/cextension.py",
    ),
    Variable(
        "GPU_ARCHS",
        "aiter",
        "ROCm/aiter aiter/jit/utils/chip_info.py",
        danger="for code generation, aiter uses the last of several entries for the GPU",
        dangerous_with=";",
    ),
    Variable("TORCH_ROCM_USE_HIPBLASLT", "", _NOBODY, instead="TORCH_BLAS_PREFER_HIPBLASLT"),
    Variable("HCC_AMDGPU_TARGET", "", _NOBODY, instead="PYTORCH_ROCM_ARCH"),
    Variable("GPU_MAX_ALLOC_PERCENT", "", _NOBODY),  # GPU_MAX_HEAP_SIZE is 100 as it is
    *(
        Variable(name, "", _NO_SUCH, instead=right)
        for name, right in (
            ("CUDA_VISIBLE_DEVICE", "CUDA_VISIBLE_DEVICES"),
            ("HIP_VISIBLE_DEVICE", "HIP_VISIBLE_DEVICES"),
            ("HSA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"),
            ("PYTORCH_ROCM_ALLOC_CONF", "PYTORCH_ALLOC_CONF"),
            ("PYTORCH_ROC_ALLOC_CONF", "PYTORCH_ALLOC_CONF"),
            ("ROCM_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"),
            ("ROCR_VISIBLE_DEVICE", "ROCR_VISIBLE_DEVICES"),
            ("TORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"),
        )
    ),
    Variable("HIP_CACHE_ENABLED", "", _NOBODY),
    Variable("ENABLE_HIP_GRAPHS", "", _NOBODY),
)
KNOWN: Mapping[str, Variable] = {row.name: row for row in _ROWS}

OWNERS: Mapping[str, str] = {
    "AITER_": "aiter",
    "AMD_": "libamdhip64",
    "BNB_ROCM": "bitsandbytes",
    "FLASH_ATTENTION_": "flash_attn",
    "GPU_": "libamdhip64",
    "HIPBLASLT_": "libhipblaslt",
    "HIP_": "libamdhip64",
    "HSA_": "libhsa-runtime64",
    "MIOPEN_": "libMIOpen",
    "NCCL_": "librccl",
    "PYTORCH_": "torch",
    "RCCL_": "librccl",
    "ROCBLAS_": "librocblas",
    "ROCM_": "libamdhip64",
    "ROCR_": "libhsa-runtime64",
    "TENSILE_": "libhipblaslt",
    "TORCH_": "torch",
    "TRITON_": "triton",
    "VLLM_ROCM_": "vllm",
}
"""Who reads the variables whose names begin so: a library (``lib...``) or a package."""

LOADED_BY: Mapping[str, frozenset[str]] = {
    "datasets": frozenset({"evaluate", "trl"}),
    "huggingface_hub": frozenset(
        {"accelerate", "datasets", "diffusers", "evaluate", "peft", "sentence_transformers"}
        | {"transformers", "trl", "unsloth", "vllm"}
    ),
    "transformers": frozenset({"peft", "sentence_transformers", "trl", "unsloth", "vllm"}),
}
"""The packages whose import loads a package that looks variables up when it is loaded."""
LOADED_UNTIL: Mapping[tuple[str, str], tuple[int, int]] = {
    ("accelerate", "huggingface_hub"): (1, 13),
}
"""The first version of a package that loads another one only where it needs it."""
READ_UNTIL: Mapping[str, tuple[str, tuple[int, int]]] = {
    "TRANSFORMERS_CACHE": ("transformers", (5, 0)),
}
"""The first version of a package that no longer reads a variable."""
LAZY = frozenset({"huggingface_hub", "trl", "vllm"})
"""The packages of which ``import`` alone loads next to nothing, and ``from … import`` the rest."""

LIBRARIES = (
    *sorted({each for each in OWNERS.values() if each.startswith("lib")}),
    "libamd_comgr",
    "libhiprtc",
    "libhsakmt",
    "libnccl",
    "librocprofiler",
)
"""The libraries that are also looked for among those of the system."""


def is_on(value: str) -> bool:
    """Return whether a person who writes this value means on (or names something)."""
    return value.strip().lower() not in {each.lower() for each in OFF}


def misunderstood(name: str, value: str) -> str:
    """Return the value to set in place of a word that the reader does not understand, else "".

    Compiled code that knows 0 and 1 takes all else as not set. Where other words are known, a word
    that is not among them is off.
    """
    row = KNOWN.get(name)
    if row is None or not row.accepts or value in row.accepts:
        return ""
    if value.strip().lower() not in {each.lower() for each in (*ON, *OFF[:-1])}:
        return ""
    if is_on(value):
        return next(each for each in row.accepts if is_on(each))
    return "0" if row.accepts == BOOLEAN else ""


def owner_of(name: str) -> str:
    """Return the library or package that would read a variable; empty where that is not known."""
    if name in KNOWN:
        return KNOWN[name].reader
    prefixes = [prefix for prefix in OWNERS if name.startswith(prefix)]
    return OWNERS[max(prefixes, key=len)] if prefixes else ""


def frozen_by(name: str) -> frozenset[str]:
    """Return the packages after whose import a variable has no effect any more."""
    row = KNOWN.get(name)
    if row is None or row.frozen != "import":
        return frozenset()
    return LOADED_BY.get(row.reader, frozenset()) | {row.reader}
