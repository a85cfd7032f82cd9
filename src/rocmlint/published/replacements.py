"""What took the place of names and keywords that are gone, as the packages' own code says it.

The sources are the deprecation warnings and definitions in the last releases that had the old
name (transformers 4.57.6 unless something else is said). A test compares each line with the index.
"""

from __future__ import annotations

from typing import NamedTuple


class Replacement(NamedTuple):
    """What to use now.

    ``new`` is a full dotted name; ``same`` says that it means the same. ``advice`` is a sentence
    without its full stop, for what no single name replaces.
    """

    new: str = ""
    same: bool = False
    advice: str = ""


_IMAGE_PROCESSORS = (
    *("Beit", "ChineseCLIP", "CLIP", "ConditionalDetr", "ConvNext", "DeformableDetr", "DeiT"),
    *("Detr", "Donut", "DPT", "Flava", "GLPN", "ImageGPT", "LayoutLMv2", "LayoutLMv3", "Levit"),
    *("MaskFormer", "MobileNetV1", "MobileNetV2", "MobileViT", "OwlViT", "Perceiver"),
    *("PoolFormer", "Segformer", "VideoMAE", "Vilt", "ViT", "Yolos"),
)
"""Models whose feature extractor was a subclass of the image processor that only warned."""

NAMES: dict[str, Replacement] = {
    **{
        f"transformers.{model}FeatureExtractor": Replacement(
            f"transformers.{model}ImageProcessor", same=True
        )
        for model in _IMAGE_PROCESSORS
    },
    # peft 0.9: "Use prepare_model_for_kbit_training instead."
    "peft.prepare_model_for_int8_training": Replacement(
        "peft.prepare_model_for_kbit_training", same=True
    ),
    # diffusers 0.26: "Renamed `PositionNet` to `GLIGENTextBoundingboxProjection`."
    "diffusers.models.embeddings.PositionNet": Replacement(
        "diffusers.models.embeddings.GLIGENTextBoundingboxProjection", same=True
    ),
    # transformers 4.48: "`LogitsWarper` is deprecated ... use `LogitsProcessor` instead."
    "transformers.LogitsWarper": Replacement("transformers.LogitsProcessor"),
    "transformers.AutoModelForVision2Seq": Replacement(
        "transformers.AutoModelForImageTextToText", same=True
    ),
    "transformers.deepspeed": Replacement("transformers.integrations.deepspeed", same=True),
    "transformers.image_utils.VideoInput": Replacement(
        "transformers.video_utils.VideoInput", same=True
    ),
    "transformers.trainer.ALL_LAYERNORM_LAYERS": Replacement(
        "transformers.pytorch_utils.ALL_LAYERNORM_LAYERS", same=True
    ),
    **{
        f"transformers.modeling_utils.{name}": Replacement(
            f"transformers.pytorch_utils.{name}", same=True
        )
        for name in ("apply_chunking_to_forward", "prune_linear_layer")
    },
    # The new one may not be entered twice, and takes no argument.
    "transformers.modeling_utils.no_init_weights": Replacement(
        "transformers.initialization.no_init_weights"
    ),
    "transformers.utils.LossKwargs": Replacement("transformers.utils.TransformersKwargs"),
    "transformers.utils.TRANSFORMERS_CACHE": Replacement("huggingface_hub.constants.HF_HUB_CACHE"),
    "transformers.utils.is_offline_mode": Replacement("huggingface_hub.is_offline_mode"),
}

_STATIC_CACHE = "Use `StaticCache`, which makes each layer of the right type"
_NO_FRAMEWORK = "Leave out what asks for other frameworks: transformers 5 has only PyTorch"
_EVERY_TORCH = "Leave the check out: every torch that it runs with has {}"
ADVICE: dict[str, str] = {
    "huggingface_hub.HfFolder": "Use `huggingface_hub.get_token`, `login` and `logout`",
    "huggingface_hub.ModelFilter": "Pass the filters to `list_models` as keywords",
    "huggingface_hub.Repository": "Use `snapshot_download`, and `upload_folder` of `HfApi`",
    "torch._six": "Use `torch.inf`, `str` and `collections.abc` instead",
    "transformers.AdamW": "Use `torch.optim.AdamW`, with `weight_decay=0.0` if none was given",
    "transformers.HybridCache": _STATIC_CACHE,
    "transformers.HybridChunkedCache": _STATIC_CACHE,
    "transformers.SlidingWindowCache": _STATIC_CACHE,
    "transformers.SpecialTokensMixin": "Use `PreTrainedTokenizerBase`, which has its methods",
    "transformers.is_flax_available": _NO_FRAMEWORK,
    "transformers.is_tf_available": _NO_FRAMEWORK,
    "transformers.is_torch_compile_available": _EVERY_TORCH.format("torch.compile"),
    "transformers.is_torch_fx_available": _EVERY_TORCH.format("torch.fx"),
    "transformers.send_example_telemetry": "Leave the call out: it only counted runs of examples",
    "transformers.shard_checkpoint": "Use `huggingface_hub.split_torch_state_dict_into_shards`",
    "transformers.top_k_top_p_filtering": "Use `TopKLogitsWarper` and `TopPLogitsWarper`",
    "trl.DataCollatorForCompletionOnlyLM": "Pass `completion_only_loss=True` to `trl.SFTConfig`",
    "trl.setup_chat_format": "Use `trl.clone_chat_template`, which copies one from another model",
}
"""By package and name, whatever the module."""

KEYWORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "evaluation_strategy": (("TrainingArguments", "eval_strategy"),),
    # accelerate 0.20: "`logging_dir` is deprecated ... use `project_dir` instead."
    "logging_dir": (("Accelerator", "project_dir"),),
    "no_cuda": (("TrainingArguments", "use_cpu"),),
    "per_gpu_train_batch_size": (("TrainingArguments", "per_device_train_batch_size"),),
    "per_gpu_eval_batch_size": (("TrainingArguments", "per_device_eval_batch_size"),),
    "push_to_hub_token": (("TrainingArguments", "hub_token"),),
    "tokenizer": (("Trainer", "processing_class"),),
    "input_embeds": (("_mask", "inputs_embeds"),),
    # huggingface_hub 0.36: "`use_auth_token` is deprecated ... use `token` instead."
    "use_auth_token": (("hf_hub_download", "token"), ("snapshot_download", "token")),
}
"""Keywords that only changed their name: by the end of the callable's name, the new one."""


class KeywordAdvice(NamedTuple):
    """What to do about a keyword, and the first release in which that works, if not in all."""

    text: str
    since: str = ""
    new: str = ""
    """The keyword to write for it, which the call may have already."""


KEYWORD_ADVICE: dict[tuple[str, str], KeywordAdvice] = {
    ("hf_hub_download", "url"): KeywordAdvice("pass `repo_id` and `filename` instead of `url`"),
    ("SFTTrainer", "max_seq_length"): KeywordAdvice("pass `max_length` to `trl.SFTConfig`", "0.16"),
    ("SFTConfig", "max_seq_length"): KeywordAdvice(
        "write `max_length` instead of `max_seq_length`", "0.16", "max_length"
    ),
    # transformers 5.0: "Please set `TENSORBOARD_LOGGING_DIR` instead."
    ("TrainingArguments", "logging_dir"): KeywordAdvice(
        "set `TENSORBOARD_LOGGING_DIR` in the environment instead of `logging_dir`"
    ),
    ("TrainingArguments", "group_by_length"): KeywordAdvice(
        'write `train_sampling_strategy="group_by_length"` instead of `group_by_length=True`',
        "5.2",
        "train_sampling_strategy",
    ),
    ("TrainingArguments", "overwrite_output_dir"): KeywordAdvice(
        "leave out `overwrite_output_dir`"
    ),
    # A share was an error, or taken for no steps at all, before.
    ("TrainingArguments", "warmup_ratio"): KeywordAdvice(
        "write `warmup_steps`, which takes a share, for `warmup_ratio`",
        "5.0",
        "warmup_steps",
    ),
}
"""By the end of the callable's name and the keyword, what to do where no other keyword does it."""


def replacement_of(dotted: str) -> Replacement | None:
    """Return what took a name's place; one that is known by another module counts too."""
    if dotted in NAMES:
        return NAMES[dotted]
    package, (module, _, name) = dotted.partition(".")[0], dotted.rpartition(".")
    if f"{package}.{name}" in ADVICE:
        return Replacement(advice=ADVICE[f"{package}.{name}"])
    for known, replacement in NAMES.items():
        old_module, _, old_name = known.rpartition(".")
        new_module, _, new_name = replacement.new.rpartition(".")
        if old_name == name and old_module == new_module and known.startswith(f"{package}."):
            return replacement._replace(new=f"{module}.{new_name}")
    return None


def keyword_advice(dotted: str, keyword: str) -> KeywordAdvice | None:
    """Return what to do about a keyword that has no other, None where nothing is known."""
    name = dotted.rpartition(".")[2]
    told = (
        advice
        for (end, each), advice in KEYWORD_ADVICE.items()
        if each == keyword and name.endswith(end)
    )
    return next(told, None)


def keyword_replacement(dotted: str, keyword: str) -> str | None:
    """Return the keyword that took another one's place in a callable."""
    name = dotted.rpartition(".")[2]
    for ending, new in KEYWORDS.get(keyword, ()):
        if name.endswith(ending):
            return new
    return None
