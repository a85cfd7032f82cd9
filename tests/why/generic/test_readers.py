"""The generic readers on messages of public reports, each with the environment of its context.

A row is the message, the packages, and what the answer must say. ``SITE`` and ``PROJECT`` stand for
the folders of packages and of the project; nothing in them can run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from rocmlint.why.report import lines_of
from tests.support.fake_site import FakeSite, traceback
from tests.support.sentences import garbled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocmlint.why.answer import Answer

HUB = "/root/.cache/huggingface/modules/transformers_modules"


@dataclass(frozen=True)
class Row:
    """A message, what is installed, and what the answer must be."""

    name: str
    text: str
    packages: Mapping[str, str]
    verdict: str
    entry: str = ""
    says: tuple[str, ...] = ()
    """Texts that the answer contains."""
    never: tuple[str, ...] = ("weights_only=False", "--force ", "-U ")
    files: Mapping[str, str] = field(default_factory=dict)
    python: str = "3.11"


ROWS = (
    Row(
        "a name that is gone, imported by the project",
        traceback(
            "ImportError: cannot import name 'AutoModelForVision2Seq' from 'transformers'"
            " (SITE/transformers/__init__.py)",
            "PROJECT/app.py: from transformers import AutoModelForVision2Seq",
        ),
        {"transformers": "5.16.0"},
        "known",
        "missing-name",
        (
            *("transformers 5.16.0", "gone since 5.0", "app.py:7 (this project)"),
            *("use transformers.AutoModelForImageTextToText", "transformers<5.0"),
        ),
    ),
    Row(
        "an attribute of a module that is gone: the package's own code said what to use",
        traceback(
            "AttributeError: module 'transformers' has no attribute 'AdamW'",
            "PROJECT/app.py: opt = transformers.AdamW(model.parameters())",
        ),
        {"transformers": "5.16.0"},
        "known",
        "missing-attribute",
        ("use `torch.optim.AdamW`",),
    ),
    Row(
        "a keyword that changed its name: the call gets the new one",
        traceback(
            "TypeError: snapshot_download() got an unexpected keyword argument 'use_auth_token'",
            "PROJECT/app.py: path = snapshot_download(name, use_auth_token=True)",
        ),
        {"huggingface_hub": "1.0.1"},
        "known",
        "signature",
        ("write token= instead of use_auth_token=",),
        files={"PROJECT/app.py": "from huggingface_hub import snapshot_download\n"},
    ),
    Row(
        "a keyword that was gone before the index begins, and what took its place",
        traceback(
            "TypeError: __init__() got an unexpected keyword argument 'logging_dir'",
            "PROJECT/app.py: accelerator = Accelerator(",
        ),
        {"accelerate": "0.29.3"},
        "known",
        "signature",
        ("no longer takes logging_dir", "write project_dir= instead of logging_dir="),
        files={"PROJECT/app.py": "from accelerate import Accelerator\n"},
    ),
    Row(
        "a name that is gone, imported by a package: it is that one which changes",
        traceback(
            "ImportError: cannot import name 'cached_download' from 'huggingface_hub'"
            " (SITE/huggingface_hub/__init__.py)",
            "SITE/diffusers/utils/dynamic_modules_utils.py: from huggingface_hub import x",
        ),
        {"huggingface_hub": "0.26.1", "diffusers": "0.27.0"},
        "known",
        "missing-name",
        ("gone since 0.26", "diffusers 0.27.0 asks for it", "diffusers>=", "huggingface-hub<0.26"),
    ),
    Row(
        "a name that torch's own file imports: the build was made without it, whoever asks",
        traceback(
            "ImportError: cannot import name 'FileStore' from 'torch.distributed'"
            " (SITE/torch/distributed/__init__.py)",
            "PROJECT/app.py: import acme",
            "SITE/acme/parallel.py: from torch.distributed.tensor import DTensor",
            "SITE/torch/distributed/tensor/__init__.py: from torch.distributed import FileStore",
        ),
        {"torch": "2.9.1+rocm7.2.1", "acme": "1.0"},
        "known",
        "torch-without-distributed",
        (
            "built without torch.distributed",
            "acme uses it without a check",
            "install a release of acme that does not import torch.distributed",
        ),
        never=("import FileStore from",),
    ),
    Row(
        "a module that a package's own file imports, of a package that has several builds",
        traceback(
            "ModuleNotFoundError: No module named 'vllm.vllm_flash_attn.layers'",
            "SITE/vllm/model_executor/models/qwen.py: from vllm.vllm_flash_attn.layers import x",
        ),
        {"torch": "2.7.0", "vllm": "0.8.6.dev10+rocm"},
        "known",
        "missing-module",
        ("this build of vllm 0.8.6.dev10+rocm was made without", "a newer build of vllm"),
        never=("import what it has",),
        files={"SITE/vllm/__init__.py": ""},
    ),
    Row(
        "a module that a package's own file imports, of a package that has one build",
        traceback(
            "ModuleNotFoundError: No module named 'acme.parts.wheel'",
            "SITE/acme/parts/__init__.py: from acme.parts.wheel import Wheel",
        ),
        {"acme": "1.0"},
        "likely",
        "missing-module",
        ("its files are of two releases", "--force-reinstall --no-deps acme==1.0"),
        files={"SITE/acme/__init__.py": "", "SITE/acme/parts/__init__.py": ""},
    ),
    Row(
        "a keyword from a file that a newer release wrote",
        traceback(
            "TypeError: ClusterConfig.__init__() got an unexpected keyword argument 'debug'",
            "SITE/accelerate/commands/launch.py: args = _validate_launch_command(args)",
            "SITE/accelerate/commands/config/config_args.py: return cls(**config_dict)",
        ),
        {"torch": "2.0.1", "accelerate": "0.19.0"},
        "known",
        "signature",
        (
            "a newer release wrote it to accelerate's default_config.yaml",
            "'accelerate>=0.25,<0.26'",
            "or delete debug from accelerate's default_config.yaml",
        ),
    ),
    Row(
        "a keyword from a file that no release in the index takes",
        traceback(
            "TypeError: LoraConfig.__init__() got an unexpected keyword argument 'enable_lora'",
            "SITE/acme/model.py: model = PeftModel.from_pretrained(model, folder)",
            "SITE/peft/config.py: config = config_cls(**kwargs)",
        ),
        {"torch": "2.1.2", "peft": "0.7.1", "acme": "1.0"},
        "known",
        "signature",
        (
            *("adapter_config.json has enable_lora", "or another package, wrote it"),
            "delete enable_lora from adapter_config.json",
        ),
        never=("pip install",),
    ),
    Row(
        "an attribute of an object that another package of about the same day asks for",
        traceback(
            "AttributeError: 'CLIPTextModel' object has no attribute 'text_model'",
            "PROJECT/app.py: pipe = StableDiffusionPipeline.from_single_file(path)",
            "SITE/diffusers/loaders/single_file_utils.py: n = model.text_model.embeddings",
            "SITE/torch/nn/modules/module.py: raise AttributeError(",
        ),
        {"torch": "2.11.0", "transformers": "5.6.0", "diffusers": "0.38.0"},
        "likely",
        "missing-attribute",
        (
            "diffusers 0.38.0 asks CLIPTextModel of transformers 5.6.0 for text_model",
            *("diffusers>=0.39.0 is from after", "'transformers<5.5'"),
        ),
    ),
    Row(
        "a model that transformers lacks, loaded by an engine that needs code of its own for it",
        traceback(
            "ValueError: The checkpoint you are trying to load has model type `qwen2_5_vl` but"
            " Transformers does not recognize this architecture.",
            "SITE/vllm/transformers_utils/config.py: config = AutoConfig.from_pretrained(",
            "SITE/transformers/models/auto/configuration_auto.py: raise ValueError(",
        ),
        {"torch": "2.5.1", "transformers": "4.47.0", "vllm": "0.6.5"},
        "known",
        "unknown-model",
        ("comes with 4.49", "vllm 0.6.5 has code of its own", "vllm>=0.7.3 is from after"),
        never=("pip install 'transformers",),
    ),
    Row(
        "a name that a checkpoint's own file names, looked up by its loader",
        traceback(
            "AttributeError: module transformers has no attribute CLIPFeatureExtractor",
            "SITE/diffusers/pipelines/pipeline_loading_utils.py: c = getattr(library, class_name)",
            "SITE/transformers/utils/import_utils.py: raise AttributeError(f'...')",
        ),
        {"transformers": "5.0.0", "diffusers": "0.35.2"},
        "known",
        "missing-attribute",
        (
            "diffusers 0.35.2 asks for it, as model_index.json of the checkpoint names it",
            "in model_index.json of the checkpoint, use transformers.CLIPImageProcessor",
            "'transformers<5.0'",
        ),
        never=("upgrade diffusers", "transformers 5.0.0 asks"),
    ),
    Row(
        "a name that comes later, imported by a package",
        traceback(
            "ImportError: cannot import name 'EncoderDecoderCache' from 'transformers'"
            " (SITE/transformers/__init__.py)",
            "SITE/peft/peft_model.py: from transformers import EncoderDecoderCache",
        ),
        {"transformers": "4.37.2", "peft": "0.13.0"},
        "known",
        "missing-name",
        ("comes with 4.43", "peft==0.12.0", "'transformers>=4.45,<4.46'"),
    ),
    Row(
        "a private name of torch, imported by a package of which only the dates are known",
        traceback(
            "ImportError: cannot import name 'log' from"
            " 'torch.distributed.elastic.agent.server.api'"
            " (SITE/torch/distributed/elastic/agent/server/api.py)",
            "SITE/deepspeed/elasticity/elastic_agent.py: from torch.x import log",
        ),
        {"torch": "2.4.0", "deepspeed": "0.13.1"},
        "known",
        "missing-name",
        ("gone since 2.4", "deepspeed>=0.14.5 is from after", "install-command --torch 2.3"),
    ),
    Row(
        "the traceback outranks the table: a patch release lacks a name of its minor release",
        traceback(
            "ImportError: cannot import name 'is_torch_greater_or_equal_than_1_13' from"
            " 'transformers.pytorch_utils' (SITE/transformers/pytorch_utils.py)",
            f"{HUB}/deepseek-ai/V3/modeling_deepseek.py: from transformers.pytorch_utils import x",
        ),
        {"transformers": "4.48.1"},
        "likely",
        "missing-name",
        ("by this traceback", "transformers==4.48.3", "the traceback refutes it"),
    ),
    Row(
        "a name that all releases of this minor have: the files are not those of the release",
        traceback(
            "ImportError: cannot import name 'AutoModelForVision2Seq' from 'transformers'"
            " (SITE/transformers/__init__.py)",
            "PROJECT/a.py: from transformers import AutoModelForVision2Seq",
        ),
        {"transformers": "4.57.1"},
        "likely",
        "missing-name",
        (
            "a broken or mixed installation",
            "--force-reinstall --no-deps transformers==4.57.1",
            "which transformers is imported",
        ),
        never=("patch release", "transformers==4.57.6"),
        files={"SITE/transformers/__init__.py": "", "SITE/transformers/trainer.py": ""},
    ),
    Row(
        "a file that was changed after it was installed",
        traceback(
            "ImportError: cannot import name 'is_torch_greater_or_equal_than_1_13' from"
            " 'transformers.pytorch_utils' (SITE/transformers/pytorch_utils.py)",
            "PROJECT/a.py: from transformers.pytorch_utils import x",
        ),
        {"transformers": "4.48.1"},
        "likely",
        "missing-name",
        ("a broken or mixed installation", "differs from its RECORD", "transformers==4.48.1"),
        files={
            "SITE/transformers/__init__.py": "",
            "SITE/transformers/pytorch_utils.py": "other = 1\n",
            "SITE/transformers-4.48.1.dist-info/RECORD": "transformers/pytorch_utils.py,"
            "sha256=AAAA,10\n",
        },
    ),
    Row(
        "a wrapped message: the package that could not be imported says what it requires",
        "RuntimeError: Failed to import transformers.generation.utils because of the following"
        " error: cannot import name 'split_torch_state_dict_into_shards' from 'huggingface_hub'",
        {"transformers": "4.42.0", "huggingface_hub": "0.21.0"},
        "known",
        "missing-name",
        ("transformers 4.42.0 asks for it", "huggingface-hub>=0.23.2,<1.0"),
    ),
    Row(
        "the library passes more positional arguments than an override of another package takes",
        traceback(
            "TypeError: GRPOTrainer._get_train_sampler() takes 1 positional argument but 2 were"
            " given",
            'SITE/transformers/trainer.py: dataloader_params["sampler"] = sampler_fn(dataset)',
        ),
        {"transformers": "4.53.0"},
        "likely",
        "signature",
        ("transformers 4.53.0 passes more arguments", "the release of it that fits"),
    ),
    Row(
        "an override of another package takes less than the library passes, by its file",
        traceback(
            "TypeError: GRPOTrainer._get_train_sampler() takes 1 positional argument but 2 were"
            " given",
            'SITE/transformers/trainer.py: dataloader_params["sampler"] = sampler_fn(dataset)',
        ),
        {"transformers": "4.53.0", "trl": "0.15.2"},
        "known",
        "signature",
        ("of trl 0.15.2, which overrides it", "grpo_trainer.py:2", "trl>=0.19", "is from after"),
        files={
            "SITE/trl/__init__.py": "",
            "SITE/trl/trainer/__init__.py": "",
            "SITE/trl/trainer/grpo_trainer.py": "class GRPOTrainer(Trainer):\n"
            "    def _get_train_sampler(self): ...\n",
        },
    ),
    Row(
        "an override of the project takes less than the library passes",
        traceback(
            "TypeError: MyTrainer._get_train_sampler() takes 1 positional argument but 2 were"
            " given",
            "PROJECT/run.py: trainer.train()",
            'SITE/transformers/trainer.py: dataloader_params["sampler"] = sampler_fn(dataset)',
        ),
        {"transformers": "4.53.0"},
        "known",
        "signature",
        (
            "transformers 4.53.0 passes more arguments to MyTrainer._get_train_sampler",
            "add train_dataset to the parameters of _get_train_sampler in run.py:3",
        ),
        files={
            "PROJECT/run.py": "from transformers import Trainer\nclass MyTrainer(Trainer):\n"
            "    def _get_train_sampler(self): ...\n",
            "SITE/transformers/__init__.py": "",
            "SITE/transformers/trainer.py": "class Trainer:\n"
            "    def _get_train_sampler(self, train_dataset=None): ...\n",
        },
    ),
    Row(
        "the project passes more to a method of the library than the installed release takes",
        traceback(
            "TypeError: Trainer.training_step() takes 3 positional arguments but 4 were given",
            "PROJECT/run.py: return super().training_step(model, inputs, number)",
        ),
        {"transformers": "4.44.2"},
        "likely",
        "signature",
        ("the installed transformers 4.44.2 takes 3", "run.py calls it", "which releases"),
        files={
            "PROJECT/run.py": "from transformers import Trainer\nclass MyTrainer(Trainer):\n"
            "    def training_step(self, model, inputs, number): ...\n",
        },
    ),
    Row(
        "Python before 3.10 names the method alone: the line names the class",
        traceback(
            "TypeError: __init__() got an unexpected keyword argument 'approximate'",
            "SITE/transformers/modeling_utils.py: model = cls(config)",
            f'{HUB}/acme/bert/abc/layers.py: self.gelu = nn.GELU(approximate="none")',
        ),
        {"torch": "1.11.0", "transformers": "4.29.2"},
        "likely",
        "signature",
        ("GELU of the installed torch 1.11.0 does not take approximate", "a newer torch"),
        python="3.8",
    ),
    Row(
        "the same of a class that the project defines",
        traceback(
            "TypeError: __init__() got an unexpected keyword argument 'size'",
            "PROJECT/run.py: data = Pairs(rows, size=3)",
        ),
        {"torch": "1.11.0"},
        "known",
        "signature",
        ("Pairs.__init__ (data.py:2) does not take size", "leave size out of the call"),
        files={
            "PROJECT/run.py": "from data import Pairs\n",
            "PROJECT/data.py": "class Pairs:\n    def __init__(self, rows): ...\n",
        },
        python="3.8",
    ),
    Row(
        "a class of a package, built on one of transformers, requires what is not passed",
        traceback(
            "TypeError: __init__() missing 1 required positional argument: 'input_len'",
            "SITE/camphr/tokenizer.py: return TransformersInput(**encoded)",
        ),
        {"transformers": "4.36.0", "camphr": "0.5.15"},
        "likely",
        "signature",
        ("TransformersInput of camphr 0.5.15, built on BatchEncoding", "which transformers camphr"),
        files={
            "SITE/camphr/tokenizer.py": "from transformers import BatchEncoding\n"
            "class TransformersInput(BatchEncoding):\n    def __init__(self, input_len): ...\n"
        },
        python="3.7",
    ),
    Row(
        "the library asks a class of another package for an attribute",
        traceback(
            "AttributeError: 'Enformer' object has no attribute 'all_tied_weights_keys'",
            "SITE/enformer_pytorch/modeling_enformer.py: super().from_pretrained(name)",
            "SITE/transformers/modeling_utils.py: model._finalize_model_loading(",
        ),
        {"transformers": "5.9.0", "enformer_pytorch": "0.8.11"},
        "likely",
        "missing-attribute",
        ("transformers 5.9.0 asks Enformer", "0.8.11 was written for another", "post_init()"),
    ),
    Row(
        "a method that the base of the project's own class no longer has",
        traceback(
            "AttributeError: 'Chat' object has no attribute '_extract_past_from_model_output'",
            "PROJECT/run.py: out = model.generate(**inputs)",
            "SITE/torch/nn/modules/module.py: raise AttributeError(",
        ),
        {"transformers": "4.51.3", "torch": "2.5.1"},
        "known",
        "missing-attribute",
        ("built on LlamaForCausalLM of transformers 4.51.3", "gone since 4.49", "run.py:2"),
        files={
            "PROJECT/run.py": "from transformers import LlamaForCausalLM\n"
            "class Chat(LlamaForCausalLM): ...\n"
        },
    ),
    Row(
        "a model of remote code that no longer generates",
        traceback(
            "AttributeError: 'QWenLMHeadModel' object has no attribute 'generate'",
            "PROJECT/cli.py: model.chat(tokenizer, text)",
            f"{HUB}/Qwen/Qwen-7B/abc/modeling_qwen.py: return self.generate(",
            "SITE/torch/nn/modules/module.py: raise AttributeError(",
        ),
        {"transformers": "4.57.1", "torch": "2.5.1"},
        "likely",
        "missing-attribute",
        ("PreTrainedModel of transformers 4.57.1 does not have generate", "GenerationMixin"),
    ),
    Row(
        "an attribute that each configuration had, which no index shows",
        traceback(
            "AttributeError: 'BertConfig' object has no attribute 'pad_token_id'",
            f"{HUB}/zhihan1996/DNABERT/abc/bert_layers.py: padding_idx=config.pad_token_id)",
            "SITE/transformers/configuration_utils.py: return super().__getattribute__(key)",
        ),
        {"transformers": "5.2.0"},
        "likely",
        "missing-attribute",
        ("each had before 5.0", "bert_layers.py:7", "config.json of the model sets"),
        never=("comes with", "yet"),
    ),
    Row(
        "an attribute that transformers sets in post_init, by both files",
        traceback(
            "AttributeError: 'Enformer' object has no attribute 'all_tied_weights_keys'",
            "SITE/enformer_pytorch/modeling_enformer.py: super().from_pretrained(name)",
            "SITE/transformers/modeling_utils.py: model._finalize_model_loading(",
        ),
        {"transformers": "5.9.0", "enformer_pytorch": "0.8.11"},
        "known",
        "missing-attribute",
        ("sets all_tied_weights_keys in post_init", "enformer_pytorch 0.8.11", "post_init()"),
        files={
            "SITE/transformers/modeling_utils.py": "class PreTrainedModel:\n"
            "    def post_init(self):\n        self.all_tied_weights_keys = {}\n",
            "SITE/enformer_pytorch/modeling_enformer.py": "from transformers import PreTrainedModel"
            "\nclass Enformer(PreTrainedModel):\n    def __init__(self): ...\n",
        },
    ),
    Row(
        "packages that are not on this machine: the direction is known, the version is not",
        "ImportError: cannot import name 'AutoModelForVision2Seq' from 'transformers'",
        {},
        "likely",
        "missing-name",
        ("gone since 5.0", "not read"),
    ),
    Row(
        "a package that no table knows, by its files",
        traceback(
            "ImportError: cannot import name 'ugettext_lazy' from 'django.utils.translation'"
            " (SITE/django/utils/translation.py)",
            "PROJECT/views.py: from django.utils.translation import ugettext_lazy",
        ),
        {"django": "4.0"},
        "known",
        "missing-name",
        ("installed django 4.0 has no ugettext_lazy", "it has gettext_lazy"),
        files={
            "SITE/django/__init__.py": "",
            "SITE/django/utils/__init__.py": "",
            "SITE/django/utils/translation.py": "def gettext_lazy(): ...\n",
        },
    ),
    Row(
        "a name that the files have: another version was imported, so nothing is said",
        "ImportError: cannot import name 'shape' from 'shapes' (SITE/shapes/__init__.py)",
        {"shapes": "1.0"},
        "unknown",
        files={"SITE/shapes/__init__.py": "shape = 1\n"},
    ),
    Row(
        "a module of the project",
        traceback(
            "ImportError: cannot import name 'load' from 'helpers' (PROJECT/helpers.py)",
            "PROJECT/main.py: from helpers import load",
        ),
        {"torch": "2.4.0"},
        "known",
        "missing-name",
        ("helpers.py", "does not define load", "it has loads"),
        files={"PROJECT/helpers.py": "def loads(): ...\n"},
    ),
    Row(
        "a script named like the package that it imports",
        "ImportError: cannot import name 'AutoProcessor' from partially initialized module"
        " 'transformers' (most likely due to a circular import) (/w/examples/transformers.py)",
        {"transformers": "4.40.0"},
        "known",
        "shadowed-module",
        ("/w/examples/transformers.py", "rename"),
    ),
    Row(
        "a script named like a package, without its path",
        "AttributeError: partially initialized module 'torch' has no attribute 'nn' (most likely"
        " due to a circular import)",
        {"torch": "2.4.0"},
        "likely",
        "shadowed-module",
        ("torch.py", "not read"),
    ),
    Row(
        "a file of the project named like a module of Python",
        traceback(
            "ImportError: cannot import name 'nn' from partially initialized module 'torch' (most"
            " likely due to a circular import) (SITE/torch/__init__.py)",
            "PROJECT/main.py: import torch",
            "SITE/torch/__init__.py: import code",
            "PROJECT/code.py: from torch import nn",
        ),
        {"torch": "2.4.0"},
        "known",
        "shadowed-module",
        ("code.py has the name of Python's own module code",),
    ),
    Row(
        "Python 3.13 names the file itself",
        "AttributeError: module 'random' has no attribute 'randint' (consider renaming"
        " '/w/random.py' since it has the same name as the standard library module named 'random'"
        " and prevents importing that standard library module)",
        {},
        "known",
        "shadowed-module",
        ("/w/random.py has the name of Python's own module random",),
    ),
    Row(
        "a true circle of modules of the project",
        traceback(
            "ImportError: cannot import name 'A' from partially initialized module 'app.a' (most"
            " likely due to a circular import) (PROJECT/app/a.py)",
            "PROJECT/main.py: from app import a",
            "PROJECT/app/a.py: from app.b import B",
            "PROJECT/app/b.py: from app.a import A",
        ),
        {"torch": "2.4.0"},
        "known",
        "circular-import",
        ("a.py -> b.py", "b.py"),
    ),
    Row(
        "a folder without code in front of the package",
        "ImportError: cannot import name 'cdiv' from 'triton' (unknown location)",
        {"triton": "3.0.0"},
        "known",
        "folder-without-code",
        ("site-packages/triton", "no __init__.py"),
        files={"SITE/triton/backends/notes.txt": ""},
    ),
    Row(
        "an attribute that a newer torch has",
        traceback(
            "AttributeError: module 'torch.library' has no attribute 'wrap_triton'",
            "SITE/torchvision/ops/roi.py: torch.library.wrap_triton(f)",
        ),
        {"torch": "2.5.1", "torchvision": "0.20.1"},
        "known",
        "missing-attribute",
        ("comes with 2.6", "install-command --torch 2.6 --torchvision"),
    ),
    Row(
        "a submodule that nobody imported",
        "AttributeError: module 'scipy' has no attribute 'signal'",
        {"scipy": "1.11.0"},
        "known",
        "module-not-imported",
        ("write import scipy.signal",),
        files={"SITE/scipy/__init__.py": "", "SITE/scipy/signal/__init__.py": ""},
    ),
    Row(
        "remote code older than the library, which has the model itself",
        traceback(
            "AttributeError: 'DynamicCache' object has no attribute 'get_max_length'",
            f"{HUB}/microsoft/Phi-3-mini/abc/modeling_phi3.py: past_key_values.get_max_length()",
        ),
        {"transformers": "4.51.3"},
        "known",
        "missing-attribute",
        ("gone since 4.49", "trust_remote_code=False", "not this project's code"),
    ),
    Row(
        "a class whose package the traceback does not show",
        "AttributeError: 'Trainer' object has no attribute 'tokenizer'",
        {"transformers": "5.4.0"},
        "likely",
        "missing-attribute",
        ("gone since 5.0", "which package Trainer is from"),
    ),
    Row(
        "a module that a newer release has",
        "ModuleNotFoundError: No module named 'transformers.models.qwen3'",
        {"transformers": "4.48.0"},
        "known",
        "missing-module",
        ("comes with 4.51", "transformers>=4.51"),
    ),
    Row(
        "a module whose package has another name",
        "ModuleNotFoundError: No module named 'cv2'",
        {"torch": "2.4.0"},
        "known",
        "missing-module",
        ("opencv-python-headless provides it",),
    ),
    Row(
        "a module that the requirements of the project declare",
        "ModuleNotFoundError: No module named 'acme_tools'",
        {"torch": "2.4.0"},
        "known",
        "missing-module",
        ("acme_tools is not installed", "pip install -r requirements.txt"),
        files={"PROJECT/requirements.txt": "acme-tools==1.0\n"},
    ),
    Row(
        "a module that Python no longer has",
        traceback(
            "ModuleNotFoundError: No module named 'distutils'",
            "SITE/old/build.py: import distutils",
        ),
        {"old": "1.0"},
        "known",
        "missing-module",
        ("since 3.12", "setuptools"),
        python="3.12",
    ),
    Row(
        "a wheel that is built without the packages of the environment",
        "  \u00d7 Getting requirements to build wheel did not run successfully.\n"
        "      ModuleNotFoundError: No module named 'torch'\n",
        {"torch": "2.4.0"},
        "known",
        "isolated-build",
        ("--no-build-isolation",),
    ),
    Row(
        "a package that another interpreter lacks",
        "/usr/bin/python3: No module named torch.distributed.run",
        {"torch": "2.4.0"},
        "likely",
        "other-interpreter",
        ("/usr/bin/python3 ran",),
    ),
    Row(
        "a name of Python's own that an old package imports",
        traceback(
            "ImportError: cannot import name 'Mapping' from 'collections'"
            " (/usr/lib/python3.11/collections/__init__.py)",
            "SITE/attrdict/mapping.py: from collections import Mapping",
        ),
        {"attrdict": "2.0"},
        "known",
        "name-of-python",
        ("removed in 3.10", "upgrade attrdict"),
    ),
    Row(
        "a name of Python's own that comes later",
        "ImportError: cannot import name 'Self' from 'typing' (/usr/lib/python3.10/typing.py)",
        {"torch": "2.4.0"},
        "known",
        "name-of-python",
        ("came with 3.11", "typing_extensions.Self"),
    ),
    Row(
        "a release from before the index begins",
        "ImportError: cannot import name 'MistralForCausalLM' from 'transformers'",
        {"transformers": "4.31.0"},
        "likely",
        "missing-name",
        ("4.36 has it", "transformers>=4.36"),
    ),
    Row(
        "remote code that lacks what a newer library asks for",
        traceback(
            "AttributeError: 'ChatModel' object has no attribute 'all_tied_weights_keys'",
            f"{HUB}/acme/chat/modeling_chat.py: self.post_init()",
            "SITE/transformers/modeling_utils.py: self.all_tied_weights_keys",
        ),
        {"transformers": "5.0.0"},
        "likely",
        "missing-attribute",
        ("remote code of acme/chat is older", "config.json"),
    ),
    Row(
        "a launcher of another Python",
        "ModuleNotFoundError: No module named 'forge'\n\nE torch.distributed.elastic failed"
        " (exitcode: 1) local_rank: 0 (pid: 1) of binary: /n/sw/Miniforge3/bin/python3.12\n",
        {"torch": "2.4.0"},
        "known",
        "other-interpreter",
        ("/n/sw/Miniforge3/bin/python3.12", "-m torch.distributed.run"),
        files={"PROJECT/forge/__init__.py": "", "PROJECT/pyproject.toml": "[project]\n"},
    ),
    Row(
        "an override that lacks what the library passes",
        traceback(
            "TypeError: CustomTrainer.compute_loss() got an unexpected keyword argument"
            " 'num_items_in_batch'",
            "SITE/transformers/trainer.py: loss = self.compute_loss(model, inputs, n=n)",
        ),
        {"transformers": "4.46.1"},
        "known",
        "signature",
        ("train.py:2", "transformers 4.46.1 passes num_items_in_batch", "**kwargs"),
        files={
            "PROJECT/train.py": "class CustomTrainer(Trainer):\n"
            "    def compute_loss(self, model, inputs, return_outputs=False): ...\n"
        },
    ),
    Row(
        "a patched forward, called through torch",
        traceback(
            "TypeError: LlamaAttention.forward() got an unexpected keyword argument"
            " 'position_embeddings'",
            "SITE/transformers/models/llama/modeling_llama.py: self.self_attn(x)",
            "SITE/torch/nn/modules/module.py: return forward_call(*args, **kwargs)",
        ),
        {"transformers": "4.48.0", "torch": "2.4.0"},
        "known",
        "signature",
        ("npu.py:2", "transformers 4.48.0 passes position_embeddings"),
        files={
            "PROJECT/npu.py": "class LlamaAttention(Module):\n    def forward(self, hidden): ...\n"
        },
    ),
    Row(
        "two packages of which one took a keyword out",
        traceback(
            "TypeError: Accelerator.__init__() got an unexpected keyword argument"
            " 'dispatch_batches'",
            "SITE/transformers/trainer.py: self.accelerator = Accelerator(",
        ),
        {"transformers": "4.39.3", "accelerate": "1.0.1"},
        "known",
        "signature",
        ("gone since 1.0", "transformers>=4.46.0", "accelerate<1.0"),
    ),
    Row(
        "a function of a package that no table knows",
        traceback(
            "TypeError: draw() got an unexpected keyword argument 'color'",
            "PROJECT/plot.py: draw(color=1)",
        ),
        {"plots": "0.3.0"},
        "likely",
        "signature",
        ("draw of the installed plots 0.3.0 does not take color",),
        files={"PROJECT/plot.py": "from plots import draw\ndraw(color=1)\n"},
    ),
    Row(
        "a companion that is too old: the hint of the message would make it worse",
        "ImportError: huggingface-hub>=0.15.1,<1.0 is required for a normal functioning of this"
        " module, but found huggingface-hub==0.12.1.\nTry: pip install transformers -U",
        {"transformers": "4.33.0", "huggingface_hub": "0.12.1"},
        "known",
        "unmet-requirement",
        ("huggingface-hub 0.12.1 is too old", "'huggingface-hub>=0.15.1,<1.0'"),
    ),
    Row(
        "pip check",
        "transformers 4.49.0 requires tokenizers<0.22,>=0.21, but you have tokenizers 0.20.3 which"
        " is incompatible.",
        {"transformers": "4.49.0"},
        "known",
        "unmet-requirement",
        ("tokenizers 0.20.3 is too old for transformers 4.49.0",),
    ),
    Row(
        "pins that contradict each other",
        "ERROR: Cannot install tokenizers==0.19.1 because these package versions have conflicting"
        " dependencies.\n\nThe conflict is caused by:\n    The user requested tokenizers==0.19.1\n"
        "    transformers 4.45.2 depends on tokenizers<0.21 and >=0.20\n",
        {},
        "known",
        "conflicting-requirements",
        ("tokenizers==0.20.3", "no release of tokenizers meets both"),
    ),
    Row(
        "the same from uv",
        "  \u00d7 No solution found when resolving dependencies:\n  ╰─▶ Because"
        " transformers==4.45.2 depends on tokenizers>=0.20,<0.21 and you require\n "
        "     tokenizers==0.19.1, we can conclude that your requirements are unsatisfiable.",
        {},
        "known",
        "conflicting-requirements",
        ("tokenizers==0.20.3",),
    ),
    Row(
        "another Python",
        "ERROR: Package 'numpy' requires a different Python: 3.8.10 not in '>=3.9'",
        {},
        "known",
        "other-python",
        ("numpy requires Python >=3.9",),
    ),
    Row(
        "metadata of a package that is not installed",
        "importlib.metadata.PackageNotFoundError: No package metadata was found for bitsandbytes",
        {"torch": "2.4.0"},
        "known",
        "unmet-requirement",
        ("bitsandbytes is not installed",),
    ),
    Row(
        "a binary of another torch",
        traceback(
            "ImportError: SITE/flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so: undefined symbol:"
            " _ZN3c104cuda9SetDeviceEi",
            "SITE/flash_attn/flash_attn_interface.py: import flash_attn_2_cuda",
        ),
        {"torch": "2.3.1+cu121", "flash_attn": "2.5.8"},
        "known",
        "binary-of-another-torch",
        ("flash-attn 2.5.8", "torch 2.3.1+cu121", "c10::cuda::SetDevice", "--no-build-isolation"),
    ),
    Row(
        "a CUDA extension beside torch for ROCm",
        traceback(
            "OSError: libtorch_cuda.so: cannot open shared object file: No such file or directory",
            "SITE/torchaudio/_extension/utils.py: torch.ops.load_library(path)",
            "SITE/torch/_ops.py: ctypes.CDLL(path)",
        ),
        {"torch": "2.5.0+rocm6.2", "torchaudio": "2.5.0"},
        "known",
        "missing-library",
        ("torchaudio 2.5.0 was built for torch for CUDA", "install-command --torchaudio"),
    ),
    Row(
        "a binary of an older ROCm",
        traceback(
            "ImportError: libamdhip64.so.6: cannot open shared object file: No such file",
            "SITE/vllm/_custom_ops.py: import vllm._C",
        ),
        {"torch": "2.8.0+rocm7.0", "vllm": "0.10.0"},
        "known",
        "missing-library",
        ("vllm 0.10.0 was built for ROCm 6", "ROCm 7.0"),
    ),
    Row(
        "a wheel that needs a newer libstdc++",
        "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.31' not found"
        " (required by SITE/aiter/jit/module_aiter_enum.so)",
        {"aiter": "0.1.12"},
        "known",
        "library-too-old",
        ("aiter 0.1.12 needs GLIBCXX 3.4.31", "Ubuntu 24.04"),
    ),
    Row(
        "an index without this torch",
        "Looking in indexes: https://download.pytorch.org/whl/rocm6.0\nERROR: Could not find a"
        " version that satisfies the requirement torch==2.6.0 (from versions: none)",
        {"pip": "25.0"},
        "known",
        "no-distribution",
        ("the index for ROCm 6.0 has torch 2.3 to 2.4", "--torch 2.6 --rocm 6.2.4"),
    ),
    Row(
        "a folder that AMD's server does not have",
        "Looking in indexes: https://rocm.nightlies.amd.com/v2-staging/gfx120X-dgpu/\nERROR: Could"
        " not find a version that satisfies the requirement rocm[libraries] (from versions: none)",
        {"pip": "25.0"},
        "known",
        "no-distribution",
        ("it is named gfx120X-all",),
    ),
    Row(
        "an index without a wheel for this Python: the tables know one that all builds are for",
        "Looking in indexes: https://rocm.nightlies.amd.com/v2/gfx120X-all/\nERROR: Could not"
        " find a version that satisfies the requirement torch (from versions: none)",
        {"pip": "25.0"},
        "likely",
        "no-distribution",
        ("no torch for Python 3.14", "make an environment with Python 3.12", "what the index has"),
        python="3.14",
    ),
    Row(
        "the same with a Python that all builds are for: it is not that",
        "Looking in indexes: https://rocm.nightlies.amd.com/v2/gfx120X-all/\nERROR: Could not"
        " find a version that satisfies the requirement torch (from versions: none)",
        {"pip": "25.0"},
        "likely",
        "no-distribution",
        ("no torch for Python 3.12", "what the index has"),
        never=("make an environment",),
        python="3.12",
    ),
    Row(
        "a compiled extension of a package: its inputs are the project's",
        traceback(
            "RuntimeError: expected scalar type Float but found BFloat16",
            "PROJECT/render.py: image = rasterizer(",
            "SITE/diff_gaussian/__init__.py: out = _C.rasterize_gaussians(*args)",
        ),
        {"torch": "2.0.1", "diff_gaussian": "0.0.0"},
        "likely",
        "compiled-call",
        ("compiled code of diff_gaussian 0.0.0 takes Float", "render.py:7", "x.float()"),
        files={"PROJECT/render.py": ""},
    ),
    Row(
        "a range that none of the nightly builds is in",
        "ERROR: Could not find a version that satisfies the requirement torch<2.4,>=2.3.0.dev1"
        " (from versions: 2.4.0.dev20240407+rocm6.0, 2.4.0.dev20240408+rocm6.0)",
        {"pip": "25.0"},
        "known",
        "no-distribution",
        ("asks for none of them",),
    ),
    Row(
        "a build for ROCm, looked for on an index without any",
        "ERROR: Could not find a version that satisfies the requirement torch==2.5.1+rocm6.2"
        " (from versions: 2.5.1, 2.6.0)",
        {"pip": "25.0"},
        "known",
        "no-distribution",
        ("has no builds for ROCm", "--torch 2.5 --rocm 6.2"),
    ),
    Row(
        "a build for CUDA, looked for on the index that has those for other devices",
        "Looking in indexes: https://download.pytorch.org/whl/\nERROR: Could not find a version"
        " that satisfies the requirement torch==2.3.1+cu121 (from versions: 1.13.0, 2.2.0+rocm6.0,"
        " 2.9.1, 2.9.1+xpu)",
        {"pip": "25.0"},
        "known",
        "no-distribution",
        ("no torch built as +cu121", "https://download.pytorch.org/whl/cu121"),
        never=("torch==2.9.1", "ROCm 6"),
    ),
    Row(
        "a Python without wheels of this torch",
        "  \u00d7 No solution found when resolving dependencies:\n  ╰─▶ Because torch==2.5.1 has no"
        " wheels with a matching Python ABI tag (e.g., `cp314`) and you require torch==2.5.1, we"
        " can conclude that your requirements are unsatisfiable.",
        {},
        "known",
        "no-distribution",
        ("Python 3.14 is too new", "Python 3.13"),
    ),
    Row(
        "a release that requires another Python",
        "ERROR: Ignored the following versions that require a different python version: 2.1.1"
        " Requires-Python >=3.10\nERROR: Could not find a version that satisfies the requirement"
        " numpy==2.1.1 (from versions: 1.26.4, 2.0.2)",
        {"pip": "24.0"},
        "known",
        "no-distribution",
        ("numpy==2.1.1 requires Python >=3.10",),
        python="3.9",
    ),
    Row(
        "a model that comes later",
        "ValueError: The checkpoint you are trying to load has model type `qwen3_vl` but"
        " Transformers does not recognize this architecture.",
        {"transformers": "4.51.0"},
        "known",
        "unknown-model",
        ("comes with 4.57",),
    ),
)

NEAR_MISSES = (
    "AttributeError: 'NoneType' object has no attribute 'shape'",
    "AttributeError: 'DataFrame' object has no attribute 'append'",
    "AttributeError: 'Model' object has no attribute 'generate'",
    "TypeError: foo() got an unexpected keyword argument 'bar'",
    "TypeError: Cannot read properties of undefined (reading 'map')",
    "TypeError: forward() missing 1 required positional argument: 'x'",
    "TypeError: <lambda>() takes 1 positional argument but 2 were given",
    "KeyError: 'qwen2_vl'",
    "KeyError: 'loss'",
    "ImportError: attempted relative import with no known parent package",
    "ImportError: cannot import name",
    "RuntimeError: the model requires 80 GB, but you have 64 GB",
    "ValueError: version 2 is required but 1 was given",
    "OSError: libfoo_of_ours.so: cannot open shared object file: No such file or directory",
    "OSError: [Errno 2] No such file or directory: 'libcudart.so.12'",
    "ImportError: libfoo.so: undefined symbol: my_own_function",
    "ERROR: Could not find a version that satisfies the requirement leftpad (from versions: none)",
    "ERROR: Could not find a version that satisfies the requirement torch (from versions: 2.4.0)",
    "error: no matching function for call to 'foo()'",
    "django.core.exceptions.ImproperlyConfigured: Requested setting INSTALLED_APPS",
    "sqlalchemy.exc.OperationalError: no such table: users",
    "npm ERR! 404 Not Found - GET https://registry.example/left",
)


HOSTILE = (
    Row(
        "an attribute of a wrapper, asked of an object that was not wrapped",
        traceback(
            "AttributeError: 'CLIPTextModel' object has no attribute 'disable_adapter'",
            "SITE/diffusers/loaders/single_file_utils.py: with model.disable_adapter():",
        ),
        {"torch": "2.11.0", "transformers": "5.6.0", "diffusers": "0.38.0"},
        "unknown",
    ),
    Row(
        "a class of the project with the name of one of transformers, called by the project",
        traceback(
            "TypeError: Trainer.step() takes 1 positional argument but 2 were given",
            "PROJECT/run.py: trainer.step(batch)",
        ),
        {"transformers": "4.44.2", "torch": "2.5.1"},
        "unknown",
        files={"PROJECT/run.py": "from engine import Trainer\n"},
    ),
    Row(
        "a constructor that takes what is passed, so that another one is meant",
        traceback(
            "TypeError: __init__() got an unexpected keyword argument 'size'",
            "PROJECT/run.py: data = Pairs(rows, size=3)",
        ),
        {"torch": "1.11.0"},
        "unknown",
        files={
            "PROJECT/run.py": "from data import Pairs\n",
            "PROJECT/data.py": "class Pairs:\n    def __init__(self, rows, size=1): ...\n",
        },
        python="3.8",
    ),
    Row(
        "a forward of the project's own, called through torch",
        traceback(
            "TypeError: forward() takes 2 positional arguments but 3 were given",
            "PROJECT/run.py: y = model(x, mask)",
            "SITE/torch/nn/modules/module.py: return forward_call(*input, **kwargs)",
        ),
        {"torch": "1.11.0", "transformers": "4.29.2"},
        "unknown",
        python="3.8",
    ),
    Row(
        "a constructor whose class the line does not show",
        traceback(
            "TypeError: __init__() got an unexpected keyword argument 'approximate'",
            "PROJECT/run.py: return cls(**values)",
        ),
        {"torch": "1.11.0"},
        "unknown",
    ),
    Row(
        "a constructor of the project's own class, on a line with another one",
        traceback(
            "TypeError: __init__() missing 1 required positional argument: 'size'",
            "PROJECT/run.py: return Batch(Image(data))",
        ),
        {"torch": "1.11.0", "transformers": "4.29.2"},
        "unknown",
    ),
    Row(
        "a key that a model's own code misses in the user's batch",
        traceback(
            "KeyError: 'spans'",
            "PROJECT/train.py: model(**batch)",
            f"{HUB}/acme/chat/abc/modeling_chat.py: images = batch['spans']",
        ),
        {"transformers": "4.53.0"},
        "unknown",
    ),
    Row(
        "a class of the project that is built on torch alone never generated",
        traceback(
            "AttributeError: 'Chat' object has no attribute 'generate'",
            "PROJECT/run.py: model.generate(x)",
            "SITE/transformers/trainer.py: model(**inputs)",
            "SITE/torch/nn/modules/module.py: raise AttributeError(",
        ),
        {"transformers": "4.57.1", "torch": "2.5.1"},
        "unknown",
        files={"PROJECT/run.py": "from torch import nn\nclass Chat(nn.Module): ...\n"},
    ),
    Row(
        "a class whose base has the name of one of transformers, from another module",
        traceback(
            "AttributeError: 'Chat' object has no attribute '_extract_past_from_model_output'",
            "PROJECT/run.py: self._extract_past_from_model_output(x)",
            "SITE/torch/nn/modules/module.py: raise AttributeError(",
        ),
        {"transformers": "4.51.3", "torch": "2.5.1"},
        "unknown",
        files={
            "PROJECT/run.py": "from .base import LlamaForCausalLM\n"
            "class Chat(LlamaForCausalLM): ...\n"
        },
    ),
    Row(
        "a wrapper of a model never had the methods of models",
        traceback(
            "AttributeError: 'DistributedDataParallel' object has no attribute 'generate'",
            "PROJECT/run.py: trainer.evaluate()",
            "SITE/transformers/trainer_seq2seq.py: self.model.generate(**inputs)",
            "SITE/torch/nn/modules/module.py: raise AttributeError(",
        ),
        {"transformers": "4.57.1", "torch": "2.5.1"},
        "unknown",
    ),
    Row(
        "an attribute that no configuration ever had on its own",
        traceback(
            "AttributeError: 'ChatConfig' object has no attribute 'rotary_base'",
            "PROJECT/modeling_chat.py: config.rotary_base",
            "SITE/transformers/configuration_utils.py: return super().__getattribute__(key)",
        ),
        {"transformers": "5.2.0"},
        "unknown",
    ),
    Row(
        "a configuration that the installed module names the attribute of",
        traceback(
            "AttributeError: 'ChatConfig' object has no attribute 'pad_token_id'",
            "PROJECT/modeling_chat.py: config.pad_token_id",
            "SITE/transformers/configuration_utils.py: return super().__getattribute__(key)",
        ),
        {"transformers": "5.4.0"},
        "unknown",
        files={
            "SITE/transformers/configuration_utils.py": "class PreTrainedConfig:\n"
            "    pad_token_id: int = 0\n"
        },
    ),
)


def _of_reader(answer: Answer, entry: str) -> Answer:
    """Return the answer with what a reader says, whatever entry explains the message as well."""
    explained = (*filter(None, [answer.explanation]), *answer.alternatives)
    found = next((each for each in explained if each.entry == entry), None)
    if found is None:
        return answer
    return replace(answer, verdict=found.verdict, explanation=found, alternatives=())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_message_with_its_environment_gets_its_cause(row: Row, tmp_path: Path) -> None:
    site = FakeSite(tmp_path, row.packages, row.python)
    for path, text in row.files.items():
        site.write(path, text)
    answer = _of_reader(site.why(row.text), row.entry)
    lines = lines_of(answer)
    shown = "\n".join(lines)
    assert answer.verdict == row.verdict, shown
    assert (answer.explanation.entry if answer.explanation else "") == row.entry, shown
    for each in row.says:
        assert each in shown
    for each in row.never:
        assert each not in shown.partition("\n")[2]
    assert len(lines) <= 12
    explained = (*filter(None, [answer.explanation]), *answer.alternatives)
    assert all(each.missing for each in explained if each.verdict == "likely")
    assert [each.cause for each in explained if garbled(each.cause)] == []


@pytest.mark.parametrize("row", HOSTILE, ids=lambda row: row.name)
def test_a_near_miss_stays_unknown(row: Row, tmp_path: Path) -> None:
    site = FakeSite(tmp_path, row.packages, row.python)
    for path, text in row.files.items():
        site.write(path, text)
    answer = site.why(row.text)
    assert answer.verdict == row.verdict, "\n".join(lines_of(answer))


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_what_a_reader_cannot_know_stays_unknown(text: str, tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"torch": "2.4.0", "transformers": "4.49.0", "pandas": "2.1.0"})
    answer = site.why(text)
    assert answer.verdict == "unknown", "\n".join(lines_of(answer))


def test_of_a_call_in_a_package_the_entry_says_why_and_the_reader_what_to_install(
    tmp_path: Path,
) -> None:
    site = FakeSite(tmp_path, {"trl": "0.13.0", "instructlab": "0.22.1"})
    text = traceback(
        "TypeError: SFTTrainer.__init__() got an unexpected keyword argument 'max_seq_length'",
        "SITE/instructlab/train/linux_train.py: trainer = SFTTrainer(",
        "SITE/transformers/utils/deprecation.py: return func(*args, **kwargs)",
    )
    explained = site.why(text).explanation
    assert explained is not None
    assert explained.entry == "sft-arguments-moved"
    assert "instructlab 0.22.1" in explained.where
    assert [each.text.partition(" -m ")[2] or each.text for each in explained.actions] == [
        "upgrade instructlab to a release for trl 0.13.0",
        "pip install 'trl<0.13'",
    ]


def test_text_of_the_log_reaches_a_command_only_in_quotes(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"torch": "2.4.0"})
    hostile = "ImportError: x>=1;$(reboot) is required for a normal functioning of this module, but"
    answer = site.why(f"{hostile} found x==0.1")
    assert answer.verdict == "unknown"
    name = "PROJECT/a b$(reboot).py"
    text = traceback(
        "ImportError: cannot import name 'TFBertModel' from 'transformers'"
        " (SITE/transformers/__init__.py)",
        f"{name}: from transformers import TFBertModel",
    )
    site.install("transformers", "5.16.0")
    answer = site.why(text)
    assert answer.verdict == "known"
    assert answer.explanation is not None
    commands = [each.text for each in answer.explanation.actions if each.is_command]
    assert any(re.search(r"'[^']*a b\$\(reboot\)\.py'", each) for each in commands)
    assert not any("$(reboot)" in re.sub(r"'[^']*'", "", each) for each in commands)


def test_the_installed_package_that_holds_a_companion_back_is_named(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"transformers": "4.49.0", "huggingface_hub": "0.21.0"})
    site.install("uno", "1.0", requires="huggingface-hub<0.22")
    answer = site.why(
        "ImportError: huggingface-hub>=0.24.0,<1.0 is required for a normal functioning of this"
        " module, but found huggingface-hub==0.21.0"
    )
    assert "uno 1.0 requires huggingface-hub<0.22" in "\n".join(lines_of(answer))
