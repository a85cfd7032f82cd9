"""Well-known packages that other projects hold copies of: as a checkout, or the package alone."""

from __future__ import annotations

import re

from rocmlint.lazy import compile_lazily

_COPIED = {
    **dict.fromkeys(("accelerate", "bitsandbytes", "datasets", "deepspeed", "evaluate"), ""),
    **dict.fromkeys(("huggingface-hub", "peft", "sglang", "tokenizers", "torch", "trl"), ""),
    **dict.fromkeys(("torchaudio", "torchvision", "triton", "vllm", "xformers"), ""),
    "clip": "clip",
    "diffusers": "diffusers",
    "fairseq": "fairseq",
    "fschat": "fastchat",
    "groundingdino": "groundingdino",
    "latent-diffusion": "ldm",
    "open-clip-torch": "open_clip",
    "salesforce-lavis": "lavis",
    "sam-2": "sam2",
    "segment-anything": "segment_anything",
    "taming-transformers": "taming",
    "timm": "timm",
    "transformers": "transformers",
}
"""By distribution, how its package is called, if a folder of that name says that it is a copy."""
DISTRIBUTIONS = frozenset(_COPIED)
"""What a checkout of one calls itself, normalized."""
FOLDERS = frozenset(_COPIED.values()) - {""}
"""What the folder of a copied package is called."""
_ANYBODYS = frozenset({"datasets", "evaluate", "tokenizers"})
"""Packages whose names other projects give to folders of their own."""
PACKAGES = {
    package or distribution.replace("-", "_"): distribution
    for distribution, package in _COPIED.items()
    if distribution not in _ANYBODYS
}
"""The distribution of a package, by how its folder is called."""
OF_OTHERS = r"_?(?:third[-_]?party|3rd[-_]?party|extern(?:als?)?|external[-_]libs|submodules?)"
"""How folders are called, in any case, that hold the code of other projects."""
UNPACKED = compile_lazily(r"(\w[\w.-]*)-(?:main|master|[0-9a-f]{40})\Z")
"""How a folder is called that GitHub's archive of a branch or of a commit is unpacked into."""
SCRIPTS = compile_lazily(
    r"convert[-_](?:hf|lora|llama_ggml|image_encoder)[-_]to[-_]gguf(?:[-_]update)?\.py"
    r"|convert[-_]legacy[-_]llama\.py|zero_to_fp32\.py"
    r"|convert_(?:original_stable_diffusion|lora_safetensor)_to_diffusers\.py"
    r"|convert_diffusers_to_original_(?:stable_diffusion|sdxl)\.py|convert_llama_weights_to_hf\.py"
)
"""Scripts of other projects that many copy as they are."""
_SEPARATORS = compile_lazily(r"[-_.]+")
_NAMED = compile_lazily(
    r"^(?:name[ \t]*=|Name:)[ \t]*[\"']?([\w.-]+)|\bname[ \t]*=[ \t]*[\"']([\w.-]+)", re.MULTILINE
)


def normalized(name: str) -> str:
    """Return the normalized name of a distribution, as `packaging` does, without its import."""
    return _SEPARATORS.sub("-", name).lower()


def named_in(text: str) -> frozenset[str]:
    """Return what may be the name of the distribution in a project file or in metadata."""
    return frozenset(normalized(each[1] or each[2]) for each in _NAMED.finditer(text))
