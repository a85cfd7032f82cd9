"""Judging in which dtypes a forward of a model multiplied matrices."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rocmlint.text.words import few
from rocmlint.verify.dtype.forward import SHOWN, about, module_named, result_of, strength_of
from rocmlint.verify.result import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.verify.result import Result

_CLAIM = "no matmul runs in a larger dtype than its weights"


def matmuls_of(answer: Mapping[str, Any]) -> Iterator[Result]:
    """Yield a result if the forward came to its end and the model has matrices to multiply."""
    forward = answer["forward"]
    matmuls = forward and forward["matmuls"]
    if not matmuls or forward["crash"] or not (matmuls["count"] or matmuls["matrices"]):
        return
    slow = [each for each in matmuls["wide"] if each["kind"] == "cast" and not each["why"]]
    hidden = [each for each in matmuls["wide"] if each["kind"] in {"foreign", "opaque"}]
    if slow:
        yield _slow(answer, slow)
    elif hidden or matmuls["unseen"] or not matmuls["count"]:
        yield _unproven(answer, hidden)
    else:
        seen = f"{matmuls['count']} matmuls{_wide(matmuls['wide'])}"
        yield result_of(
            _CLAIM,
            answer["model"],
            "proven",
            strength_of(answer),
            seen,
            (*_evidence_of(matmuls["wide"]), *about(answer)),
        )


def _slow(answer: Mapping[str, Any], slow: list[Mapping[str, Any]]) -> Result:
    """Report weights that are cast up to be multiplied."""
    first, matmuls = slow[0], answer["forward"]["matmuls"]
    cast = f" at {first['cast']}" if first["cast"] else ""
    count = sum(each["count"] for each in slow)
    reason = f"{first['weight']} is {first['was']} and is cast to {first['dtype']}{cast} for the "
    reason += f"matmul at {first['place']}; {count} of {matmuls['count']} matmuls run in a larger "
    reason += "dtype than their weights, which is slow"
    return result_of(
        _CLAIM,
        answer["model"],
        "contradicted",
        strength_of(answer),
        f"{module_named(first['module'])} multiplies in {first['dtype']}",
        (
            *_evidence_of(slow),
            *_evidence_of([each for each in matmuls["wide"] if each not in slow]),
        ),
        reason,
        f"remove the cast{cast}; if it is intended, save the run with --write-baseline and pass "
        "it as --baseline",
    )


def _unproven(answer: Mapping[str, Any], hidden: list[Mapping[str, Any]]) -> Result:
    """Report what was computed where it could not be observed, or with something unknown."""
    unseen = [module_named(each) for each in answer["forward"]["matmuls"]["unseen"]]
    if hidden:
        first = hidden[0]
        with_what = first["weight"] or "a tensor that is neither a parameter nor a buffer"
        reason = f"{module_named(first['module'])} multiplies in {first['dtype']} with {with_what} "
        reason += f"at {first['place']}"
        if first["kind"] == "opaque":
            reason += ", in an operator of its own, which may or may not be a matmul"
        action = "register the tensor as a parameter or buffer of the model"
        if first["kind"] == "opaque":
            action = f"remove the cast at {first['cast']}, or save the run with --write-baseline"
    elif unseen:
        reason = f"what {few(unseen, 3)} computes is not made by operators of PyTorch"
        action = "use operators of PyTorch there (NumPy and kernels called directly are not seen)"
    else:
        reason = "the forward pass ran no matmul of PyTorch, and the model has weights for some"
        action = "let the factory return inputs for which the model uses its weights"
    return result_of(
        _CLAIM,
        answer["model"],
        "unproven",
        strength_of(answer),
        "not seen" if not hidden else f"{module_named(hidden[0]['module'])} may",
        (*_evidence_of(answer["forward"]["matmuls"]["wide"]), *about(answer)),
        reason,
        action,
    )


def _evidence_of(wide: list[Mapping[str, Any]]) -> list[Evidence]:
    """Name each place, and with what it multiplies."""
    evidence = [Evidence(module_named(each["module"]), _sentence_on(each)) for each in wide[:SHOWN]]
    if wide[SHOWN:]:
        evidence.append(Evidence("more", f"{len(wide) - SHOWN} places"))
    return evidence


def _wide(wide: list[Mapping[str, Any]]) -> str:
    """Say how many run in which larger dtype, and why that is right."""
    why = {"cast": "by design", "own": "as their weights are", "activations": "without weights"}
    counts: Counter[str] = Counter()
    for each in wide:
        counts[f"{each['dtype']} {why[each['kind']]}"] += each["count"]
    return "".join(f", {count} in {how}" for how, count in sorted(counts.items()))


def _sentence_on(wide: Mapping[str, Any]) -> str:
    what = {
        "cast": f"{wide['weight']} ({wide['was']}) is cast up",
        "opaque": f"{wide['weight']} ({wide['was']}) is cast up for an operator that is not known",
        "own": f"{wide['weight']} is {wide['was']}",
        "foreign": "with a tensor that is neither a parameter nor a buffer",
        "activations": "no weights",
    }[wide["kind"]]
    text = f"{wide['count']} in {wide['dtype']} at {wide['place']}: {what}"
    if wide["cast"] and wide["cast"] != wide["place"]:
        text += f", from the cast at {wide['cast']}"
    return f"{text} ({wide['why']})" if wide["why"] else text
