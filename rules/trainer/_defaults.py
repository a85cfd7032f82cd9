"""Literal defaults of hyper-parameters: where code takes one that the configuration leaves out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

KEYS = (
    *("adam_beta1", "adam_beta2", "adam_epsilon", "grad_accum", "grad_accum_steps", "grad_clip"),
    *("gradient_accumulation_steps", "gradient_clip_val", "gradient_clipping", "kl_coef"),
    *("learning_rate", "lora_alpha", "lora_dropout", "lora_r", "lora_rank", "lr"),
    *("lr_warmup_ratio", "lr_warmup_steps", "max_grad_norm", "max_seq_length", "max_steps"),
    *("num_epochs", "num_train_epochs", "per_device_train_batch_size", "train_batch_size"),
    *("warmup_ratio", "warmup_steps", "weight_decay"),
)
"""Hyper-parameters of training, by the names that Trainer, peft and most scripts give them."""
QUOTED = tuple(f"{quote}{key}" for quote in "\"'" for key in KEYS)
"""How each begins where it is read."""
_GAP = r"[\s\\]*"
_KEY = rf"(?P<quote>[\"'])(?P<key>{'|'.join(KEYS)})(?P=quote)"
_VALUE = r"(?P<value>[\"']?\d[\w.+-]*[\"']?)"
_NAME = rf"\b\w+(?:{_GAP}\.{_GAP}\w+)*?"
_READ = compile_lazily(
    rf"(?:(?P<owner>{_NAME}){_GAP}\.{_GAP}(?:get|pop){_GAP}\({_GAP}"
    rf"|\bgetattr{_GAP}\({_GAP}(?P<object>{_NAME}){_GAP},{_GAP})"
    rf"{_KEY}{_GAP},{_GAP}(?:default{_GAP}={_GAP})?{_VALUE}{_GAP}\)"
)
_QUOTED = compile_lazily(_KEY)
_NEAR = 300
"""Characters around a key within which a configuration is named, and the default stands."""
_CONFIGURATION = compile_lazily(
    r"(?:\w+_)?(?:args|arguments|cfg|conf|config|configuration|hparams|hyperparameters|hyperparams"
    r"|hp|kwargs|opts?|options|params|settings|train|training|optim|optimizer|lora|peft|sft)\Z"
)
"""How a configuration is called, or a section of it."""


class Default(NamedTuple):
    """One place where a hyper-parameter is read with a literal default."""

    match: re.Match[str]
    key: str
    owner: str
    value: str

    @property
    def number(self) -> float | None:
        """The default as a number; None where it is none, or stands for "not set"."""
        try:
            found = float(self.value.strip("\"'"))
        except ValueError:
            return None
        return found or None


@once_per_file
def defaults(source: Source) -> tuple[Default, ...]:
    """Return the hyper-parameters that a file reads from a configuration with a literal default."""
    return tuple(_defaults(source))


def _read_around_keys(text: str) -> Iterator[re.Match[str]]:
    """Find what reads a key near it: to try every name of a file takes a hundred times as long."""
    end = 0
    for key in _QUOTED.finditer(text):
        start = max(end, key.start() - _NEAR)
        for match in _READ.finditer(text, start, key.end() + _NEAR):
            if match.start("key") == key.start("key"):
                end = match.end()
                yield match


def _defaults(source: Source) -> Iterator[Default]:
    for match in _read_around_keys(source.text):
        owner = re.sub(r"[\s\\]", "", match["owner"] or match["object"])
        if _CONFIGURATION.match(owner.rpartition(".")[2]):
            yield Default(match, match["key"], owner, match["value"])
