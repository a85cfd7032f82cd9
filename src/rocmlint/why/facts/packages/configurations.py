"""Attributes that configurations of transformers had, and the release in which each ended.

PretrainedConfig set these attributes of each instance, which no index of names shows. Read from
configuration_utils.py of transformers 4.57.6 and 5.2.0, the latter of which has none of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.why.facts.packages.package_names import module_file

if TYPE_CHECKING:
    from rocmlint.why.facts.context import Context

ENDED_WITH = "5.0"
"""The release of transformers whose configurations no longer set them."""
_OF_MODELS = frozenset(
    {
        *("add_cross_attention", "bos_token_id", "cross_attention_hidden_size"),
        *("decoder_start_token_id", "eos_token_id", "finetuning_task", "is_decoder"),
        *("pad_token_id", "prefix", "pruned_heads", "sep_token_id", "task_specific_params"),
        *("tie_encoder_decoder", "tie_word_embeddings", "tokenizer_class", "torchscript"),
        *("use_bfloat16", "tf_legacy_loss"),
    }
)
_OF_GENERATION = frozenset(
    {
        *("max_length", "min_length", "do_sample", "early_stopping", "num_beams", "temperature"),
        *("top_k", "top_p", "typical_p", "repetition_penalty", "length_penalty"),
        *("no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "bad_words_ids"),
        *("num_return_sequences", "output_scores", "return_dict_in_generate"),
        *("forced_bos_token_id", "forced_eos_token_id", "remove_invalid_values"),
        *("exponential_decay_length_penalty", "suppress_tokens", "begin_suppress_tokens"),
        *("num_beam_groups", "diversity_penalty"),
    }
)
_MODULE = "transformers.configuration_utils"
_LARGEST = 1_000_000


def was_of_all(attribute: str) -> bool:
    """Return whether each configuration had an attribute before transformers 5."""
    return attribute in _OF_MODELS or attribute in _OF_GENERATION


def is_of_generation(attribute: str) -> bool:
    """Return whether it is one of those that GenerationConfig has."""
    return attribute in _OF_GENERATION


def names_it(context: Context, attribute: str) -> bool | None:
    """Return whether the installed module of configurations names it; None: was not read."""
    path = module_file(context, _MODULE)
    if not path or context.is_elsewhere:
        return None
    try:
        text = read_small(path, _LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
    has = re.search(rf"\b{re.escape(attribute)}\b", text) is not None
    context.saw(path, f"{'names' if has else 'does not name'} {attribute}", "the installed files")
    return has
