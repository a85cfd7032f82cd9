"""Where to report what nothing explains: the tracker of whose code or library failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.disk.read import read_small

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.facts.context import Context

_PACKAGES = {
    "accelerate": "huggingface/accelerate",
    "aiter": "ROCm/aiter",
    "amd-aiter": "ROCm/aiter",
    "bitsandbytes": "bitsandbytes-foundation/bitsandbytes",
    "datasets": "huggingface/datasets",
    "deepspeed": "deepspeedai/DeepSpeed",
    "diffusers": "huggingface/diffusers",
    "flash-attn": "Dao-AILab/flash-attention",
    "huggingface-hub": "huggingface/huggingface_hub",
    "onnxruntime-rocm": "microsoft/onnxruntime",
    "peft": "huggingface/peft",
    "pytorch-triton-rocm": "pytorch/pytorch",
    "sglang": "sgl-project/sglang",
    "torch": "pytorch/pytorch",
    "torchaudio": "pytorch/audio",
    "torchvision": "pytorch/vision",
    "transformers": "huggingface/transformers",
    "triton": "triton-lang/triton",
    "triton-rocm": "pytorch/pytorch",
    "trl": "huggingface/trl",
    "vllm": "vllm-project/vllm",
    "xformers": "facebookresearch/xformers",
}
_WORDS: tuple[tuple[str, str], ...] = (
    ("MIOpen( miopenStatus rocBLAS rocblas hipBLASLt hipblaslt", "ROCm/rocm-libraries"),
    ("NCCL RCCL librccl", "ROCm/rocm-systems"),
    ("HSA_STATUS_ERROR rocdevice.cpp HIP GPU hipError rocminfo amdgpu /dev/kfd", "ROCm/ROCm"),
    ("ollama", "ollama/ollama"),
    ("llama.cpp ggml_cuda ggml-", "ggml-org/llama.cpp"),
    ("lemonade", "lemonade-sdk/lemonade"),
)
"""Words in a log by which a library failed, and no Python package."""
_URL = re.compile(r"^(?:Project-URL: *([^,\n]+), *|(Home-page): *)(https://\S+)$", re.MULTILINE)
_WANTED = ("tracker", "issues", "bug", "source", "repository", "github", "code", "home")
_LARGEST = 5_000_000


def tracker_of(context: Context) -> str:
    """Return the URL of the tracker for what failed; empty if unknown."""
    for frame in reversed(context.frames):
        owner = context.owner(frame)
        if owner.kind == "package":
            found = _of_package(context, owner.name)
            if found:
                return found
    text = "\n".join(context.log.lines)
    for words, repository in _WORDS:
        if any(each in text for each in words.split()):
            return _issues(repository)
    return ""


def _of_package(context: Context, name: str) -> str:
    repository = _PACKAGES.get(canonicalize_name(name))
    if repository is not None:
        return _issues(repository)
    installed = context.packages.owner(name)
    return min(_published(installed.record), default=(0, ""))[1] if installed else ""


def _published(record: str) -> Iterator[tuple[int, str]]:
    """Yield the URLs of a package's metadata, with how well each is suited."""
    try:
        text = read_small(f"{record}/METADATA", _LARGEST).decode("utf-8", "replace")
    except OSError:
        return
    for label, home, url in _URL.findall(text.partition("\n\n")[0]):
        said = (label or home).lower()
        rank = next((index for index, each in enumerate(_WANTED) if each in said), None)
        if rank is not None:
            yield rank, url


def _issues(repository: str) -> str:
    return f"https://github.com/{repository}/issues"
