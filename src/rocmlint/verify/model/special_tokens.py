"""Judging special tokens: each has the id that is expected, is one token, and has an embedding."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.text.words import few
from rocmlint.verify.model.subject import about
from rocmlint.verify.result import Evidence, Judgement, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.verify.model.subject import Asking

CHECK = "model special-tokens"
ROWS = "each special token of the tokenizer has an embedding"
_RESIZE = "model.resize_token_embeddings(len(tokenizer))"
_ONE_CHECKPOINT = "use the tokenizer and the configuration of one checkpoint"
_result = partial(Result, CHECK)


def check(asking: Asking, expected: Sequence[tuple[str, int]], names: str | None) -> list[Result]:
    """Compare what a tokenizer does with what is expected of it. Raises InterpreterError."""
    answer = asking.ask("special_tokens", expected=expected, names=names)
    return list(results_of(answer))


def results_of(answer: Mapping[str, Any]) -> Iterator[Result]:
    """Yield a result for each token, and for each id of the configuration without a token."""
    subject = answer["model"]
    if not answer["has_tokenizer"]:
        yield _result(
            "its special tokens have the ids that are expected",
            subject,
            "unproven",
            "live",
            "no tokenizer",
            about(answer),
            "there is no tokenizer or processor to ask",
            "return (model, processor) from the factory, or add the files of the tokenizer to "
            "the directory",
        )
        return
    for fact in answer["tokens"]:
        claim = f"{fact['token']} is one token with id {fact['expected']}"
        yield _judged_token(fact, answer).on(CHECK, claim, subject, _evidence(fact, answer))
    expected = {each["expected"] for each in answer["tokens"]}
    for name, named in answer["ids"].items():
        if named["id"] not in expected:
            claim = f"{name} ({named['id']}) is a special token with an embedding"
            # Nothing says which token it should be, so the result shows which one it is.
            yield _judged_named(named, answer).on(CHECK, claim, subject, about(answer))
    if answer["special"] and answer["rows"]:
        yield _judged_special(answer).on(CHECK, ROWS, subject, about(answer))
    if not answer["tokens"] and not answer["ids"]:
        yield _result(
            "its special tokens have the ids that are expected",
            subject,
            "unproven",
            "live",
            "nothing is expected",
            about(answer),
            "neither the model's configuration nor a flag says which ids are expected",
            "name them: --expect '<|image_pad|>=151655', or --names PKG.MOD:TABLE",
        )


def _judged_token(fact: Mapping[str, Any], answer: Mapping[str, Any]) -> Judgement:
    token, expected, number = fact["token"], fact["expected"], fact["id"]
    if fact["error"]:
        reason = f"the tokenizer failed: {fact['error']}"
        return Judgement("unproven", "executed", "not known", reason, "see the error")
    if number is None:
        return Judgement(
            "contradicted",
            "executed",
            "unknown to the tokenizer",
            f"{answer['tokenizer']} has no token {token}: in a text it becomes "
            f"{len(fact['alone'])} tokens {fact['alone']}",
            f"tokenizer.add_special_tokens({{'additional_special_tokens': [{token!r}]}}), or load "
            "the tokenizer of the checkpoint",
        )
    if number != expected:
        return Judgement(
            "contradicted",
            "executed",
            f"id {number}",
            f"{fact['source']} expects id {expected}, and the tokenizer gives id {number}",
            f"{_ONE_CHECKPOINT}, and read the id from "
            "tokenizer.convert_tokens_to_ids() instead of writing it down",
        )
    if fact["alone"] != [number] or fact["inside"].count(number) != 1:
        split = fact["alone"] if fact["alone"] != [number] else fact["inside"]
        return Judgement(
            "contradicted",
            "executed",
            f"in a text {len(split)} tokens",
            f"the token is in the vocabulary, but a text with it becomes {split}: it is not "
            "registered as a special token",
            f"tokenizer.add_special_tokens({{'additional_special_tokens': [{token!r}]}})",
        )
    return _judged_id(number, answer)


def _judged_named(named: Mapping[str, Any], answer: Mapping[str, Any]) -> Judgement:
    """Judge an id of the configuration: a word of the language is no special token."""
    number, token = named["id"], named["token"]
    judgement = _judged_id(number, answer, token)
    if judgement.verdict == "contradicted":
        return judgement
    if not token:
        return Judgement(
            "unproven",
            "executed",
            f"id {number} has no token",
            f"{answer['tokenizer']} has no token with id {number}, so no text becomes it",
            f"{_ONE_CHECKPOINT}, unless the code itself writes this id",
        )
    if answer["special"] is None:
        reason = f"{answer['tokenizer']} does not say which of its tokens are special"
        action = f"name the token: --expect '{token}={number}'"
        return Judgement("unproven", "executed", f"{token}, id {number}", reason, action)
    if number not in dict(answer["special"]):
        return Judgement(
            "contradicted",
            "executed",
            f"the ordinary token {token!r}",
            f"in the tokenizer id {number} is {token!r}, which is neither a special nor an added "
            "token",
            f"{_ONE_CHECKPOINT}, or register the token with tokenizer.add_special_tokens()",
        )
    return judgement


def _judged_special(answer: Mapping[str, Any]) -> Judgement:
    """Judge whether the embeddings have a row for all special and added tokens."""
    size = min(answer["rows"].values())
    beyond = [f"{token} ({number})" for number, token in answer["special"] if number >= size]
    if not beyond:
        last = answer["special"][-1][0]
        return Judgement("proven", "live", f"the last has id {last} of {size:,}")
    return Judgement(
        "contradicted",
        "live",
        f"{len(beyond)} without a row",
        f"the embeddings have {size:,} rows, so {few(beyond, 3)} "
        f"{'fails' if len(beyond) == 1 else 'fail'} with an index error",
        _RESIZE,
    )


def _judged_id(number: int, answer: Mapping[str, Any], token: str = "") -> Judgement:
    """Judge whether the embeddings have a row for an id; ``token`` is shown with it."""
    rows = answer["rows"]
    if not rows:
        return Judgement(
            "unproven",
            "executed",
            f"id {number}",
            "the factory returns no model whose embeddings can be looked at",
            "return (model, processor) from the factory",
        )
    short = {name: size for name, size in rows.items() if number >= size}
    if short:
        which = " and ".join(f"{name} embedding has {size:,} rows" for name, size in short.items())
        return Judgement(
            "contradicted",
            "executed",
            f"id {number} is out of range",
            f"the {which}, so id {number} fails with an index error",
            _RESIZE,
        )
    shown = f"{token}, id" if token else "id"
    return Judgement("proven", "executed", f"{shown} {number} of {min(rows.values()):,}")


def _evidence(fact: Mapping[str, Any], answer: Mapping[str, Any]) -> tuple[Evidence, ...]:
    return (Evidence("expected by", fact["source"]), *about(answer))
