"""Which id a tokenizer gives to each special token, and which ids a model has room for."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import CannotAnswerError
from ..factory import found
from . import parts as model_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .parts import ModelParts

_ENDING = "_token_id"


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return what is expected of each special token, and what the tokenizer does with it.

    ``expected`` is a list of [token, id]; ``names`` is None or ``package.module:name`` of a mapping
    or a class with one. Raises CannotAnswerError.
    """
    parts = model_parts.parts_of(request, weights=False)
    wanted = [(token, number, "--expect") for token, number in request["expected"]]
    if request["names"]:
        wanted += [(*each, request["names"]) for each in _declared(request["names"])]
    tokenizer = parts.tokenizer
    return {
        "model": parts.name,
        "notes": [*model_parts.versions(), *parts.notes],
        "has_tokenizer": tokenizer is not None,
        "tokenizer": type(tokenizer).__name__,
        "rows": _rows(parts.model),
        "special": _special(tokenizer),
        "tokens": [] if tokenizer is None else list(_tokens(parts, wanted)),
        "ids": {
            name: {"id": number, "token": _spelled(tokenizer, number)}
            for name, number in _ids_of_config(parts.model)
        },
    }


def _declared(names: str) -> Iterator[tuple[str, int]]:
    """Yield the tokens of a mapping, an enumeration or a class of constants, with their ids."""
    declared = found(names)
    with suppress(Exception):  # a dataclass is called for its defaults; what needs more is not
        declared = declared() if callable(declared) and not _is_table(declared) else declared
    table = dict(_entries(declared))
    if not table:
        message = f"{names} holds no token with its id: a mapping of tokens to ids is needed"
        raise CannotAnswerError(message)
    yield from table.items()


def _is_table(value: Any) -> bool:
    return hasattr(value, "items") or hasattr(value, "__members__")


def _entries(value: Any) -> Iterator[tuple[str, int]]:
    """Yield pairs of a token and an id, in either order, from any table of them."""
    if hasattr(value, "__members__"):  # an enumeration
        pairs = [(name, member.value) for name, member in value.__members__.items()]
    elif hasattr(value, "items"):
        pairs = list(value.items())
    else:
        pairs = [(name, getattr(value, name)) for name in dir(value) if not name.startswith("_")]
    for name, inner in pairs:
        both = inner if isinstance(inner, (tuple, list)) else (name, inner)
        texts = [each for each in both if isinstance(each, str)]
        numbers = [each for each in both if isinstance(each, int) and not isinstance(each, bool)]
        if len(both) == 2 and len(texts) == len(numbers) == 1:
            yield texts[0], numbers[0]


def _ids_of_config(model: Any) -> Iterator[tuple[str, int]]:
    """Yield what the configuration of a model says of ids, by name (``image_token_id``)."""
    config = getattr(model, "config", None)
    for part in (getattr(config, "text_config", None), config):
        for name, value in vars(part or object).items():
            is_id = isinstance(value, int) and not isinstance(value, bool)
            if name.endswith(_ENDING) and is_id and value >= 0:
                yield name, value


def _tokens(parts: ModelParts, wanted: list[tuple[str, int, str]]) -> Iterator[dict[str, Any]]:
    """Yield the facts on each token that is expected to have an id."""
    by_name = dict(_ids_of_config(parts.model))
    for name, number in by_name.items():
        token = _token_of(parts, name)
        if token is not None:
            wanted.append((token, number, f"{name} of the model's configuration"))
    seen = set()
    for token, number, source in wanted:
        if (token, number) not in seen:
            seen.add((token, number))
            yield {"token": token, "expected": number, "source": source, **_facts(parts, token)}


def _token_of(parts: ModelParts, name: str) -> str | None:
    """Return the token that a processor or a tokenizer has under the name of an id."""
    attribute = name[: -len("_id")]  # image_token_id, and image_token
    for holder in (parts.processor, parts.tokenizer):
        token = getattr(holder, attribute, None)
        if token is not None and isinstance(str(token), str) and str(token):
            return str(token)
    return None


def _facts(parts: ModelParts, token: str) -> dict[str, Any]:
    """Return how the tokenizer splits a token, alone and inside of text."""
    tokenizer = parts.tokenizer
    facts: dict[str, Any] = {"id": None, "alone": None, "inside": None, "error": None}
    try:
        number = tokenizer.convert_tokens_to_ids(token)
        unknown = getattr(tokenizer, "unk_token_id", None)
        is_unknown = number is None or (
            number == unknown and token != str(getattr(tokenizer, "unk_token", None))
        )
        facts["id"] = None if is_unknown else int(number)
        facts["alone"] = _encoded(tokenizer, token)
        facts["inside"] = _encoded(tokenizer, f"a{token}b")
    except Exception as error:  # noqa: BLE001 - a tokenizer of the user's own
        facts["error"] = f"{type(error).__name__}: {error}"
    return facts


def _spelled(tokenizer: Any, number: int) -> str:
    """Return the token of an id, "" where the tokenizer has none or does not say."""
    token = None
    with suppress(Exception):  # a tokenizer of the user's own
        token = tokenizer.convert_ids_to_tokens(number)
    return token if isinstance(token, str) else ""


def _special(tokenizer: Any) -> list[tuple[int, str]] | None:
    """Return the tokens that are no words: special or added; None where that is not known."""
    if not hasattr(tokenizer, "all_special_ids"):
        return None
    numbers = {int(each) for each in tokenizer.all_special_ids}
    with suppress(Exception):  # of transformers; other tokenizers have no such thing
        numbers |= {int(each) for each in tokenizer.get_added_vocab().values()}
    return [(number, _spelled(tokenizer, number)) for number in sorted(numbers)]


def _encoded(tokenizer: Any, text: str) -> list[int]:
    return [int(each) for each in tokenizer.encode(text, add_special_tokens=False)]


def _rows(model: Any) -> Mapping[str, int]:
    """Return how many ids each embedding of a model has room for."""
    rows = {}
    for name in ("input", "output"):
        with suppress(Exception):  # a model of the user's own, or one without
            layer = getattr(model, f"get_{name}_embeddings")()
            if layer is not None:
                rows[name] = int(layer.weight.shape[0])
    return rows
