"""Inputs of models that read text: ids and masks, and caches that the models themselves fill."""

from __future__ import annotations

import inspect
from typing import Any

from rocmlint.export.agreement.child_torch import Tensor, torch
from rocmlint.export.agreement.given import longest, window

SIZES = ((2, 7), (1, 5), (3, 9))
"""Batches and tokens; the first is traced."""
_PAST = 6
_BEYOND = 5
"""Tokens more than a sliding window holds."""
_SEED = 0
_CACHES = ("cache", "past_key_values")
"""What the argument and the result with a cache are called since transformers 5.24, and before."""

Inputs = list[dict[str, Any]]


def ids(model: Any, batch: int, tokens: int, seed: int = _SEED) -> Tensor:
    """Return random ids that are none of the special ones of the configuration."""
    config = model.config.get_text_config(decoder=True)
    size = getattr(config, "vocab_size", None) or model.get_input_embeddings().weight.shape[0]
    special = special_ids(model)
    usual = torch.tensor([each for each in range(min(size, 4096)) if each not in special])
    random = torch.Generator().manual_seed(_SEED + 1000 * seed + 31 * batch + tokens)
    return usual[torch.randint(len(usual), (batch, tokens), generator=random)]


def special_ids(model: Any) -> set[int]:
    """Return the ids that stand for something else than text."""
    found: set[int] = set()
    for config in (model.config, model.config.get_text_config(decoder=True)):
        for name, value in vars(config).items():
            held = value if isinstance(value, list) else [value]
            if name.endswith(("token_id", "token_index", "token_ids")):
                found.update(each for each in held if isinstance(each, int))
    return found


def sizes(model: Any) -> list[tuple[int, int]]:
    """Return batches and tokens that the model has positions for."""
    most = longest(model) or 1_000_000
    return [(batch, min(tokens, max(most - 2, 1))) for batch, tokens in SIZES]


def mask(batch: int, tokens: int, *, left: bool, padded: bool) -> Tensor:
    """Return an attention mask, with one padded row if that is wanted."""
    ones = torch.ones(batch, tokens, dtype=torch.long)
    if padded and batch > 1 and tokens > 2:
        ones[0, 0 if left else -1] = 0
    return ones


def encoder(model: Any, names: set[str]) -> Inputs:
    """Return ids and masks for a model that reads text at once."""
    made = []
    for at, (batch, tokens) in enumerate(sizes(model)):
        inputs = {"input_ids": ids(model, batch, tokens)}
        if "attention_mask" in names:
            inputs["attention_mask"] = mask(batch, tokens, left=False, padded=at == 2)
        made.append(inputs)
    return made


def decoder(model: Any) -> dict[str, Inputs]:
    """Return the inputs of a model that generates text: the prompt, then tokens after a past."""
    prompts = [
        {
            "input_ids": ids(model, batch, tokens),
            "attention_mask": mask(batch, tokens, left=True, padded=at == 2),
        }
        for at, (batch, tokens) in enumerate(sizes(model))
    ]
    if "attention_mask" not in _names(model):
        prompts = [{"input_ids": each["input_ids"]} for each in prompts]
    return {"prefill": prompts, **_decode(model)}


def _names(model: Any) -> set[str]:
    return set(inspect.signature(model.forward).parameters)


def cache_name(names: set[str]) -> str | None:
    """Return which of a model's arguments is the cache of what it has read; None for none."""
    return next((each for each in _CACHES if each in names), None)


def _plans(model: Any) -> list[tuple[int, int, int]]:
    """Return batch, past and new tokens of each decoding case."""
    most, limit = longest(model) or 1_000_000, window(model)
    past = _PAST if limit is None else max(min(_PAST, limit - 2), 1)
    plans = [(2, past, 3), (1, past + 3, 1), (3, past + 5, 2)]
    if limit is not None and limit + _BEYOND + 3 < min(most, 20_000):
        plans.append((2, limit + _BEYOND, 3))
    return [each for each in plans if each[1] + each[2] <= most]


def _decode(model: Any) -> dict[str, Inputs]:
    """Return tokens after a past that the model itself has computed; nothing without a cache."""
    made: Inputs = []
    name = cache_name(_names(model))
    if name is None:
        return {}
    for batch, past, new in _plans(model):
        with torch.no_grad():
            result = model(input_ids=ids(model, batch, past), use_cache=True)
        cache = getattr(result, name, None)
        if cache is None or isinstance(cache, (tuple, list)):
            return {}
        inputs = {"input_ids": ids(model, batch, new, 1), name: cache}
        if "attention_mask" in _names(model):
            inputs["attention_mask"] = mask(batch, past + new, left=True, padded=False)
        made.append(inputs)
    return {"decode": made}


def encoder_decoder(model: Any, encoded: Inputs) -> dict[str, Inputs]:
    """Return the inputs of a model that writes what it reads: at once, and token by token."""
    reads = encoded or [
        {
            "input_ids": ids(model, batch, tokens),
            "attention_mask": mask(batch, tokens, left=False, padded=at == 2),
        }
        for at, (batch, tokens) in enumerate(sizes(model))
    ]
    written = [4, 3, 6]
    first = [
        {**each, "decoder_input_ids": ids(model, _batch(each), new, 2)}
        for each, new in zip(reads, written, strict=True)
    ]
    return {"prefill": first, **_decode_after(model, reads)}


def _batch(inputs: dict[str, Any]) -> int:
    return int(next(iter(inputs.values())).shape[0])


def _decode_after(model: Any, reads: Inputs) -> dict[str, Inputs]:
    made: Inputs = []
    name = cache_name(_names(model))
    if name is None:
        return {}
    for each, (past, new) in zip(reads, ((4, 2), (3, 1), (6, 3)), strict=True):
        batch = _batch(each)
        with torch.no_grad():
            result = model(**each, decoder_input_ids=ids(model, batch, past, 3), use_cache=True)
        cache = getattr(result, name, None)
        hidden = getattr(result, "encoder_last_hidden_state", None)
        if cache is None or hidden is None or isinstance(cache, (tuple, list)):
            return {}
        inputs = {
            "encoder_outputs": (hidden,),
            "decoder_input_ids": ids(model, batch, new, 4),
            name: cache,
        }
        if "attention_mask" in each and each["attention_mask"].shape[1] == hidden.shape[1]:
            inputs["attention_mask"] = each["attention_mask"]
        made.append(inputs)
    return {"decode": made}
