"""Words in a file for which the rules on installs look at its commands, lists and indexes."""

from __future__ import annotations


def _written(*tools: str) -> tuple[str, ...]:
    """Return how tools stand in commands: as a word of a shell, or as a string of a list.

    Their names alone stand in most files: "pip" begins "pipeline".
    """
    return tuple(f"{tool}{end}" for tool in tools for end in (" ", "\t", '"', "'"))


PIP_AND_UV = (*_written("pip", "pip3", "uv"), "pip.", "pip3.", "import nox", "from nox")
TOOLS = (*PIP_AND_UV, *_written("conda", "mamba", "poetry", "pdm"))
"""One of these stands in every file with a command that installs packages."""
SERVERS = ("pytorch.org/whl", "amd.com/")
"""What stands in the URLs of PyTorch's and AMD's indexes."""
VARIABLES = ("TORCH_COMMAND", "TORCH_INDEX_URL")
"""Of the web UIs: a command, and the index that their own command takes torch from."""
CUDA_OF_CONDA = ("pytorch-cuda",)
"""What chooses the build of PyTorch for CUDA; no other package needs it."""
PACKAGES = (
    *("torch", "vision", "audio", "vllm", "xformers", "sglang", "sgl-kernel", "lmdeploy"),
    *("transformer-engine", "tensorrt-llm", "flashinfer", "unsloth", "bitsandbytes", "triton"),
    *("accelerate", "auto-gptq", "autoawq", "axolotl", "basicsr", "chatterbox", "coqui", "timm"),
    *("deepspeed", "diffusers", "easyocr", "fairseq", "flash-attn", "flash-linear", "gptqmodel"),
    *("kokoro", "lightning", "liger-kernel", "llamafactory", "llmcompressor", "lm-eval", "lmms"),
    *("mamba-ssm", "megatron", "nemo", "openrlhf", "outlines", "peft", "pyannote", "realesrgan"),
    *("sentence-transformers", "speechbrain", "trl", "ultralytics", "verl", "whisper", "xgrammar"),
)
"""Words of the packages that pin torch or have code for CUDA, directly or by what they bring."""
