"""What packages hold: looked up where they are installed, else from a built-in table.

Nothing is imported, and what is next to rocmlint itself says nothing about a project.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    from rocmlint.project.project import Project

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
    "torchvision": "datasets io models ops transforms utils.py _meta_registrations.py",
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
    """Return the packages whose entries are in the built-in table."""
    return frozenset(_KNOWN)


def is_installed(package: str, project: Project) -> bool:
    """Check whether a package is installed where the files of a project find theirs.

    That is known where an environment is set, and of files among installed packages.
    """
    return _lies_installed(package, project)


def has_entry(package: str, name: str, project: Project) -> bool:
    """Check whether a file or directory is directly in a package (and not next to it)."""
    if name in _entries(package):
        return True
    return any(
        project.exists(os.path.join(folder, package, name))
        and not project.exists(os.path.join(folder, name))
        for folder in project.site_folders
    )


def folders_above(module: str, project: Project) -> int | None:
    """Return how many directories are between a module's file and its package's directory.

    1 for a package, 2 for ``package.folder`` and for ``package.folder.module``; None where it
    cannot be told whether the last name is a directory or a file.
    """
    package, *rest = module.split(".")
    while rest and rest[-1][:1].isupper():
        rest.pop()
    if not rest:
        return 1 if module == package else None
    if _is_file(package, rest, project):
        return len(rest)
    is_folder = rest[0] in _entries(package) if len(rest) == 1 else False
    is_folder = is_folder or _lies_installed(os.path.join(package, *rest), project)
    return len(rest) + 1 if is_folder and module.endswith(rest[-1]) else None


@functools.cache
def _entries(package: str) -> frozenset[str]:
    return frozenset(_KNOWN.get(package, "").split())


def _is_file(package: str, names: list[str], project: Project) -> bool:
    if len(names) == 1 and f"{names[0]}.py" in _entries(package):
        return True
    if _lies_installed(os.path.join(package, *names) + ".py", project):
        return True
    return package in _KNOWN and _MODULE.match(names[-1]) is not None


def _lies_installed(path: str, project: Project) -> bool:
    """Check whether a path lies in one of the folders that packages are installed into."""
    return any(project.exists(os.path.join(folder, path)) for folder in project.site_folders)
