"""What installed packages hold: looked up on disk without importing, else known by heart."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from rocmlint.rule import Source

_KNOWN = {
    "accelerate": "commands data_loader.py test_utils utils",
    "aiter": "configs jit ops utility",
    "bitsandbytes": "autograd backends functional.py nn optim",
    "datasets": "features formatting io packaged_modules utils",
    "deepspeed": "comm compile inference launcher model_implementations module_inject moe ops pipe"
    " profiling runtime utils",
    "diffusers": "commands experimental guiders hooks loaders models pipelines quantizers"
    " schedulers utils configuration_utils.py image_processor.py training_utils.py",
    "evaluate": "commands evaluation_suite evaluator utils loading.py module.py",
    "flash_attn": "layers losses models modules ops utils bert_padding.py"
    " flash_attn_interface.py flash_attn_triton.py flash_attn_triton_amd",
    "lerobot": "configs datasets policies robots scripts utils",
    "llava": "eval model serve train constants.py conversation.py mm_utils.py utils.py",
    "open_clip": "model_configs factory.py model.py tokenizer.py transformer.py",
    "peft": "optimizers tuners utils config.py mapping.py peft_model.py",
    "sglang": "jit_kernel lang multimodal_gen srt launch_server.py",
    "timm": "data layers loss models optim scheduler utils",
    "torch": "_C _dynamo _export _functorch _higher_order_ops _inductor _prims amp ao autograd"
    " backends bin compiler csrc cuda distributed distributions export fft fx func include jit"
    " lib linalg masked mps multiprocessing nested nn onnx optim package profiler quantization"
    " share signal sparse special testing utils xpu _tensor.py functional.py hub.py library.py"
    " serialization.py storage.py version.py",
    "torchaudio": "datasets functional models pipelines transforms",
    "torchvision": "datasets io models ops transforms utils.py",
    "transformers": "cli commands data distributed generation integrations kernels loss models"
    " onnx pipelines quantizers sagemaker utils activations.py cache_utils.py"
    " configuration_utils.py image_processing_utils.py image_utils.py masking_utils.py"
    " modeling_attn_mask_utils.py modeling_flash_attention_utils.py modeling_outputs.py"
    " modeling_rope_utils.py modeling_utils.py processing_utils.py tokenization_utils.py"
    " tokenization_utils_base.py trainer.py trainer_utils.py training_args.py",
    "triton": "_C backends compiler experimental instrumentation language runtime tools",
    "trl": "data_utils.py experimental extras models rewards scripts trainer",
    "ultralytics": "assets cfg data engine hub models nn trackers utils",
    "vllm": "assets attention compilation config distributed engine entrypoints executor inputs"
    " kernels logging_utils lora model_executor multimodal platforms plugins profiler reasoning"
    " third_party transformers_utils utils v1 vllm_flash_attn worker _custom_ops.py envs.py"
    " version.py",
    "whisper": "assets normalizers audio.py decoding.py model.py tokenizer.py transcribe.py",
    "xformers": "benchmarks components ops sparse triton",
}
_MODULE = compile_lazily(
    r"(configuration|feature_extraction|image_processing|modeling|processing|tokenization)_"
)


@functools.lru_cache(maxsize=1)
def known_packages() -> frozenset[str]:
    """Give the packages whose entries are known by heart."""
    return frozenset(_KNOWN)


def is_installed(package: str) -> bool:
    """Say whether a package is installed beside this program."""
    return _is_folder(package, [])


def has_entry(package: str, name: str) -> bool:
    """Say whether a file or folder lies directly in a package (and not beside it)."""
    if name in _entries(package):
        return True
    return any(
        os.path.exists(os.path.join(folder, package, name))
        and not os.path.exists(os.path.join(folder, name))
        for folder in site_folders()
    )


def folders_above(module: str) -> int | None:
    """Give how many folders lie between the file of a module and the folder of its package.

    1 for a package, 2 for ``package.folder`` and for ``package.folder.module``; None where it
    cannot be told whether the last name is a folder or a file.
    """
    package, *rest = module.split(".")
    while rest and rest[-1][:1].isupper():
        rest.pop()
    if not rest:
        return 1 if module == package else None
    if _is_file(package, rest):
        return len(rest)
    return len(rest) + 1 if _is_folder(package, rest) and module.endswith(rest[-1]) else None


def is_first_party(package: str, source: Source) -> bool:
    """Say whether a package is that of the file, or lies in its project."""
    if source.package is not None and source.package[0] == package:
        return True
    folder = os.path.dirname(os.path.abspath(source.path))
    root = project_folder(source)
    while True:
        if any(source.exists(os.path.join(folder, base, package)) for base in ("", "src")):
            return True
        if folder == root or os.path.dirname(folder) == folder:
            return False
        folder = os.path.dirname(folder)


def project_folder(source: Source) -> str:
    """Give the folder that ``source.place`` is relative to."""
    path = os.path.abspath(source.path).replace(os.sep, "/")
    return path.removesuffix(source.place).rstrip("/") or "/"


def site_folder(path: str) -> str | None:
    """Give the folder above a file that packages are installed or unpacked into."""
    folder = os.path.dirname(os.path.abspath(path))
    while not _holds_distributions(folder):
        if os.path.dirname(folder) == folder:
            return None
        folder = os.path.dirname(folder)
    return folder


@functools.lru_cache(maxsize=1)
def site_folders() -> tuple[str, ...]:
    """Give the folders that packages are installed into beside this program."""
    names = {"dist-packages", "site-packages"}
    return tuple(folder for folder in sys.path if os.path.basename(folder) in names)


@functools.cache
def _entries(package: str) -> frozenset[str]:
    return frozenset(_KNOWN.get(package, "").split())


def _is_file(package: str, names: list[str]) -> bool:
    if len(names) == 1 and f"{names[0]}.py" in _entries(package):
        return True
    file = os.path.join(package, *names) + ".py"
    installed = any(os.path.isfile(os.path.join(folder, file)) for folder in site_folders())
    return installed or (package in _KNOWN and _MODULE.match(names[-1]) is not None)


def _is_folder(package: str, names: list[str]) -> bool:
    if len(names) == 1 and names[0] in _entries(package):
        return True
    folder_name = os.path.join(package, *names)
    return any(os.path.isdir(os.path.join(folder, folder_name)) for folder in site_folders())


@functools.cache
def _holds_distributions(folder: str) -> bool:
    try:
        return any(entry.endswith(".dist-info") for entry in os.listdir(folder))
    except OSError:
        return False
