"""Which environment variables choose devices, kernels or communication."""

from __future__ import annotations

import os

PREFIXES = (
    "AITER_",
    "AMD_",
    "BNB_ROCM",
    "CK_",
    "FLASH_ATTENTION_",
    "GPU_",
    "HCC_",
    "HIP_",
    "HIPBLASLT_",
    "HSA_",
    "MIOPEN_",
    "NCCL_",
    "PYTORCH_",
    "RCCL_",
    "ROCBLAS_",
    "ROCM_",
    "ROCR_",
    "TENSILE_",
    "TORCH_",
    "TRITON_",
    "VLLM_ROCM_",
)
NAMES = ("CUDA_VISIBLE_DEVICES", "ENABLE_HIP_GRAPHS")


def relevant(name: str) -> bool:
    """Say whether a variable belongs to the ROCm stack or to what runs on it."""
    return name.startswith(PREFIXES) or name in NAMES


def relevant_environment() -> dict[str, str]:
    """Give the variables of this process that choose devices, kernels or communication."""
    return {name: value for name, value in sorted(os.environ.items()) if relevant(name)}
