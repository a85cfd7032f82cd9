"""Judging one compute_loss: a finite scalar with a graph, plain metrics, and finite gradients."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.text.words import few
from rocmlint.verify.model.subject import about
from rocmlint.verify.result import Evidence, Judgement, evidence_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.verify.model.subject import Asking
    from rocmlint.verify.result import Result

CHECK = "model loss-contract"
SIGNATURE = "compute_loss takes what Trainer passes"
SCALAR = "the loss is one scalar with a graph"
FINITE = "the loss is finite"
METRICS = "side metrics are plain floats"
GRADIENTS = "the gradients are finite"
_SHOWN = 6
_no = partial(Judgement, "contradicted", "executed")
_unknown = partial(Judgement, "unproven", "executed")


def check(asking: Asking) -> list[Result]:
    """Compute a loss once and judge it. Raises InterpreterError."""
    return list(results_of(asking.ask("loss_contract")))


def results_of(answer: Mapping[str, Any]) -> Iterator[Result]:
    """Yield a result for each part of the contract."""
    subject, evidence = answer["model"], (*_error(answer), *about(answer))
    if answer["signature"] is not None:
        yield _signature(answer["signature"]).on(CHECK, SIGNATURE, subject, about(answer))
    wrong = evidence_of("not finite", answer["gradients"]["wrong"][::-1], _SHOWN)
    parts = [
        (SCALAR, _scalar(answer), evidence),
        (FINITE, _finite(answer), (*_origins(answer), *evidence)),
        (METRICS, _metrics(answer), evidence),
        (GRADIENTS, _gradients(answer), (*wrong, *evidence)),
    ]
    for claim, judgement, its in parts:
        if claim != METRICS or answer["signature"] is not None:
            yield _on_something(judgement, answer).on(CHECK, claim, subject, its)


def _on_something(judgement: Judgement, answer: Mapping[str, Any]) -> Judgement:
    """Return that a loss of nothing proves nothing."""
    if judgement.verdict != "proven" or not answer["nothing"]:
        return judgement
    return _unknown(judgement.seen, f"{answer['nothing']}, so nothing was computed", _INPUTS)


def _signature(signature: Mapping[str, Any]) -> Judgement:
    names = ", ".join(signature["names"])
    if signature["takes"]:
        return Judgement("proven", "live", f"({names})")
    return Judgement(
        "contradicted",
        "live",
        f"({names})",
        f"transformers 4.46 and later pass num_items_in_batch, which compute_loss "
        f"({signature['place']}) does not take: training fails with a TypeError",
        "add num_items_in_batch=None, or **kwargs, to its parameters",
    )


_INPUTS = "let the factory return inputs with labels"


def _failed(answer: Mapping[str, Any]) -> Judgement:
    """Judge that there is no loss: a fault of what was given labels to compute it from."""
    if answer["error"]:
        reason = f"computing the loss failed: {answer['error']['text']}"
        return _unknown("no loss", reason, _INPUTS)
    who = "the model" if answer["signature"] is None else "compute_loss"
    if answer["has_labels"]:
        return _no(
            "no loss",
            f"{who} returns no loss for these labels",
            "compute the loss from the labels, and return it under the name loss",
        )
    return _unknown("no loss", f"{who} returns no loss, and the inputs have no labels", _INPUTS)


def _needed(answer: Mapping[str, Any]) -> Judgement:
    """Judge what can only be seen of a loss."""
    failed = _failed(answer)
    reason = failed.reason if failed.verdict == "unproven" else "there is no loss"
    return _unknown("no loss", reason, failed.action)


def _scalar(answer: Mapping[str, Any]) -> Judgement:
    loss = answer["loss"]
    if answer["error"] or not _is_there(answer):
        return _failed(answer)
    action = "return one tensor, such as losses.mean() or the weighted sum of all parts"
    if loss["type"] != "tensor":
        return _no(
            f"a {loss['type']}",
            f"compute_loss returns a {loss['type']}, which has no graph",
            action,
        )
    if loss["shape"] not in ([], [1]):
        seen = f"shape {loss['shape']}"
        return _no(seen, f"the loss has {seen}, and backward() needs one number", action)
    if not loss["graph"]:
        return _no(
            "no graph",
            "the loss does not depend on any parameter (requires_grad is False), so nothing is "
            "trained",
            "do not use .item(), .detach() or no_grad() on the way to the loss",
        )
    gradients = answer["gradients"]
    if gradients["tried"] and not gradients["error"] and not gradients["made"]:
        return _no(
            f"{loss['value']}, no gradient",
            "no parameter of the model gets a gradient from the loss, so nothing is trained"
            if gradients["trained"]
            else "no parameter of the model is trained (requires_grad is False)",
            "compute the loss from the outputs of the model, and set requires_grad_(True) on what "
            "is to be trained",
        )
    return Judgement("proven", "executed", loss["value"])


def _is_there(answer: Mapping[str, Any]) -> bool:
    """Return whether there is a loss: without labels, other tensors are outputs."""
    loss = answer["loss"]
    if loss is None or answer["has_labels"] or answer["signature"] is not None:
        return loss is not None  # what a trainer returns is its loss
    return bool(loss["is_named"] or loss["shape"] in ([], [1]))


def _finite(answer: Mapping[str, Any]) -> Judgement:
    loss = answer["loss"]
    if answer["error"] or not _is_there(answer):
        return _needed(answer)
    if loss["type"] != "tensor" or (loss["finite"] and not loss["value"]):
        return _unknown("not one number", "there is no loss of one number", "see the results above")
    if loss["finite"]:
        return Judgement("proven", "executed", loss["value"])
    seen = loss["value"] or "not finite"
    if answer["weights"]:
        return _no(
            seen,
            f"the weights of {few(answer['weights'], 3)} are not finite before the forward",
            "load the weights again, and check the step that wrote them",
        )
    origins = answer["origins"]
    # What is infinite first becomes NaN later, as inf - inf.
    first = origins.get("nan") or origins.get("inf")
    if first is not None and first["from"] and "inf" in origins:
        first = origins["inf"]
    if first is None:
        return _no(
            seen,
            "no operation was seen that makes it of finite numbers, so the inputs hold it",
            "check the inputs with torch.isfinite()",
        )
    where = f"in {first['module'] or 'the model itself'}"
    where = where if first["inside"] == "module" else "in compute_loss itself"
    return _no(
        f"{seen}, first {where}",
        f"{first['operation']} at {first['place']} makes it of finite numbers, {where}",
        "compute this operation in float32, clamp its input (an epsilon in log, sqrt and "
        "division), or mask rows without a label; torch.autograd.detect_anomaly() shows the "
        "backward pass",
    )


def _metrics(answer: Mapping[str, Any]) -> Judgement:
    """Judge what is logged, and the scalars among the outputs."""
    if answer["loss"] is None or answer["error"]:
        return _needed(answer)
    outputs = answer["outputs"]
    if outputs is None and answer["kind_of_outputs"] != "NoneType":
        kind = answer["kind_of_outputs"]
        return _no(
            f"outputs are a {kind}",
            f"compute_loss returns (loss, {kind}), and Trainer reads outputs as a dictionary",
            "return a dictionary or the output of the model",
        )
    # The loss of the model itself is a tensor among its outputs.
    held = [each for each in outputs or () if each["name"] != "loss"]
    if not held and not answer["logged"]:
        return _unknown(
            "no metric",
            "compute_loss returned no outputs besides the loss, and logged nothing",
            "return (loss, outputs) if return_outputs is true",
        )
    wrong = [f"{it['name']} is a {it['type']}" for it in held if it["kind"].startswith("scalar")]
    wrong += [
        f"{each['name']} is logged as a {each['type']}"
        for each in answer["logged"]
        if each["kind"] != "plain"
    ]
    plain = sum(each["kind"] == "plain" for each in (*held, *answer["logged"]))
    if not wrong:
        return Judgement("proven", "executed", f"{plain} plain values, no scalar tensor")
    return _no(
        f"{len(wrong)} not plain",
        f"{few(wrong, 3)}: it keeps its graph alive, and the logger cannot write it as JSON",
        "use .item() on a metric before it is stored or logged",
    )


def _gradients(answer: Mapping[str, Any]) -> Judgement:
    gradients = answer["gradients"]
    if gradients["error"]:
        reason = f"backward() failed: {gradients['error']['text']}"
        return _unknown("not computed", reason, "see the error")
    if not gradients["made"]:
        reason = "there was no loss to go backward from"
        if gradients["tried"]:
            reason = "no parameter of the model got a gradient"
        return _unknown("not computed", reason, "see the results above")
    wrong = gradients["wrong"]
    if not wrong:
        seen = f"{gradients['made']:,} of {gradients['trained']:,} trained parameters have one"
        return Judgement("proven", "executed", seen)
    return _no(
        f"{len(wrong)} parameters",
        f"the gradients of {len(wrong)} parameters are not finite; {wrong[-1]} is the last of "
        "them in the model, so the first in the backward pass",
        "run one batch in torch.autograd.detect_anomaly() to see the operation",
    )


def _error(answer: Mapping[str, Any]) -> Iterator[Evidence]:
    for error in (answer["error"], answer["gradients"]["error"]):
        if error:
            yield Evidence("error", error["text"])
            yield Evidence("raised at", error["place"])


def _origins(answer: Mapping[str, Any]) -> Iterator[Evidence]:
    if answer["loss"] is not None and not answer["loss"]["finite"]:
        for what, first in answer["origins"].items():
            module = first["module"] or first["inside"]
            yield Evidence(f"first {what}", f"{module}: {first['operation']} at {first['place']}")
