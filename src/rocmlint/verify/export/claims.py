"""The claims about an exported program, and the verdict on each of them by the facts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.text.words import counted, few
from rocmlint.verify.export.remedy import remedy
from rocmlint.verify.result import Evidence, Judgement, evidence_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

EXPORTS = "torch.export exports the model"
AGREES = "the program agrees with the model"
DYNAMIC = "what was to be dynamic stays symbolic"
PREDICATES = "each predicate was seen true and false"
EFFECTS = "the program shares memory as the model does"
KEPT = "a call does not depend on the calls before it"
PATCHES = "the patches took effect"
ONNX = "the ONNX model agrees with the model"
_SHOWN = 8
_no = partial(Judgement, "contradicted", "executed")
_unknown = partial(Judgement, "unproven", "executed")
_yes = partial(Judgement, "proven", "executed")


class ExportObstacle(NamedTuple):
    """Why nothing can be compared."""

    seen: str
    why: str
    action: str


_KINDS = {
    "static": "a dynamic dimension became static",
    "constraint": "the shapes that were asked for do not hold",
    "unregistered": "an input is of a class that is not registered",
    "data": "the control flow depends on the values of a tensor",
    "cond": "a torch.cond cannot be exported as it is written",
    "patch": "a patch cannot be applied",
}
_ACTIONS = {
    "static": "make the statement independent of the size, or declare the dimension static",
    "constraint": "give the dimension the bounds that the message suggests, or Dim.DYNAMIC",
    "unregistered": "register the class; rocmlint.export.session() does it for known caches",
    "data": "use rocmlint.export.cond(), or compute the value outside of the model",
    "cond": "return tensors that are new, of the same dtype, from both branches",
    "patch": "see the message",
}
_DOUBTED = "name the patch in session(patches=...) and see prove(), or leave it out"


def why_failed(mode: Mapping[str, Any]) -> str:
    """Return why a model is not exported, with the statement."""
    failure = mode["failure"]
    lost = mode["dimensions"]
    if failure["kind"] == "static" and lost:
        return "; ".join(
            f"dynamic dimension became static: {each['dimension']} is fixed to {each['size']}"
            + (f" at {each['place']}" if each["place"] else "")
            for each in lost[:3]
        )
    what = _KINDS.get(failure["kind"]) or _first_line(failure["message"]) or failure["error"]
    statement = f": {failure['statement']}" if failure.get("statement") else ""
    where = f" at {failure['place']}{statement}" if failure["place"] else ""
    rule = f" ({failure['rule']})" if failure["rule"] else ""
    detail = (
        f": {_first_line(failure['message'])}" if not where and failure["kind"] in _KINDS else ""
    )
    return f"{what}{where}{rule}{detail}"


def failure(mode: Mapping[str, Any]) -> Judgement:
    """Judge a model that is not exported."""
    found = mode["failure"]
    action = remedy(found) or _ACTIONS.get(found["kind"], "see the message")
    return _no(f"FAIL: {found['error']}", why_failed(mode), action)


def about_failure(mode: Mapping[str, Any]) -> Iterator[Evidence]:
    """Yield where and how an export failed."""
    found = mode["failure"]
    if found["place"]:
        yield Evidence("at", found["place"])
    if found.get("statement"):
        inside = f"   (in {found['function']})" if found.get("function") else ""
        yield Evidence("statement", found["statement"] + inside)
    if found["rule"]:
        yield Evidence("rule", f"{found['rule']}; see rocmlint rule {found['rule']}")
    yield Evidence("error", f"{found['error']}: {found['message']}")


def why_different(case: Mapping[str, Any]) -> str:
    """Return where a program differs from its model."""
    module = f", first in {case['module']}" if case.get("module") else ""
    return f"{case['name']}: {case['what']}{module}"


def why_partial(mode: Mapping[str, Any], reference: Mapping[str, Any]) -> str:
    """Return which guard keeps a program from inputs that the model takes; nothing without one."""
    static = [each for each in mode["dimensions"] if each["became"] == "static"]
    if static:
        return "; ".join(_static(each) for each in static[:3])
    for each in mode["cases"]:
        if each["outcome"] == "refused":
            return f"{each['name']}: {each['guard'] or _first_line(each['what'])}"
    if mode["limits"]:
        each = mode["limits"][0]
        return f"guard: {each['dimension']} is at most {each['most']}, and the model takes more"
    if mode["relaxed"]:
        return f"only with Dim.DYNAMIC: {_constraint(mode['relaxed'])}"
    others = [each for each in mode["cases"][1:] if reference[each["name"]]["counts"]]
    guarded = [each for each in others if each["outcome"] == "both refuse" and each["guard"]]
    if others and len(guarded) == len(others):
        return f"only the traced size is possible: {guarded[0]['guard']}"
    return ""


def _static(each: Mapping[str, Any]) -> str:
    where = f" at {each['place']}" if each["place"] else ""
    return f"dynamic dimension became static: {each['dimension']} is {each['size']}{where}"


def _constraint(message: str) -> str:
    lines = [each.strip(" -") for each in message.splitlines() if each.strip().startswith("-")]
    return lines[0] if lines else _first_line(message)


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0][:300]


_AGREEMENT_ACTIONS = {
    "WRONG": "do not use this program; compare the module that is named with its patched or "
    "rewritten form",
    "PARTIAL": "remove what fixes the size, or restrict the inputs to what the guard allows",
    "FAIL": "export again with inputs that the program takes",
    "UNKNOWN": "let the factory return a list of inputs of at least three sizes, with finite "
    "results",
}


def agreement(word: str, why: str, mode: Mapping[str, Any]) -> Judgement:
    """Judge whether a program agrees with its model."""
    if word == "PASS":
        most = max(each["largest"] for each in mode["cases"])
        but = ", features of images joined" if mode["joined"] else ""
        return _yes(f"PASS: {why}, largest difference {most:.2g}{but}")
    make = _unknown if word == "UNKNOWN" else _no
    return make(word, why, _AGREEMENT_ACTIONS[word])


def about_cases(reference: Mapping[str, Any], mode: Mapping[str, Any]) -> Iterator[Evidence]:
    """Yield what came out for each size, and for other values."""
    for given, each in zip(reference["cases"], mode["cases"], strict=True):
        size = f" ({given['sizes']})" if given["counts"] else ""
        outcome = each["outcome"]
        if outcome == "equal":
            nothing = ", but all of it is NaN or empty" if given["says_nothing"] else ""
            text = f"equal, largest difference {each['largest']:.2g}{nothing}"
        elif outcome == "both refuse":
            text = f"the model and the program refuse it: {_first_line(given['error'])}"
        elif outcome == "accepts":
            text = f"only the model refuses it: {_first_line(given['error'])}"
        else:
            text = f"{outcome}: {_first_line(each['what'])}"
        yield Evidence(f"{each['name']}{size}", text)
    for path in mode["joined"]:
        what = "one tensor of all images in the program, a list in the model: compared as one"
        yield Evidence("joined", f"{path}: {what}")


def others(mode: Mapping[str, Any]) -> Iterator[tuple[str, Judgement, tuple[Evidence, ...]]]:
    """Yield the claims other than the agreement that this program gives reason for."""
    if mode["dimensions"]:
        yield DYNAMIC, *_dynamic(mode)
    if mode["predicates"]:
        yield PREDICATES, *_predicates(mode)
    yield from _effects(mode)
    if mode["proof"] and mode["proof"]["patches"]:
        yield from _patches(mode["proof"])
    if mode["onnx"]:
        yield ONNX, *_onnx(mode["onnx"])


def _effects(
    mode: Mapping[str, Any],
) -> Iterator[tuple[str, Judgement, tuple[Evidence, ...]]]:
    effects = [it for each in mode["cases"] for it in each.get("effects", ())]
    shared = sorted({each["what"] for each in effects if each["kind"] == "memory"})
    if shared:
        why = f"{few(shared, 2)}: writing into one then changes the other"
        judgement = _no(
            f"{len(shared)} otherwise", why, "clone the output, in the model or after it"
        )
        yield EFFECTS, judgement, evidence_of("memory", shared, _SHOWN)
    kept = sorted({each["what"] for each in effects if each["kind"] == "kept"})
    if kept:
        why = (
            "the model keeps something in buffers that are not saved, and the program does not; "
            "each input was compared with a fresh model"
        )
        action = "compare calls that follow each other, or make the forward independent of them"
        yield KEPT, _unknown("not seen", why, action), evidence_of("kept", kept, _SHOWN)


def _dynamic(mode: Mapping[str, Any]) -> tuple[Judgement, tuple[Evidence, ...]]:
    static = [each for each in mode["dimensions"] if each["became"] == "static"]
    unused = [each for each in mode["dimensions"] if each["became"] == "unused"]
    if static:
        why = "; ".join(_static(each) for each in static[:3])
        evidence = evidence_of("static", [_static(each) for each in static], _SHOWN)
        return _no(f"{len(static)} static", why, _ACTIONS["static"]), evidence
    if unused:
        names = few([each["dimension"] for each in unused], 3)
        why = f"the program has no input for {names}"
        return _unknown("not found", why, "leave out the input, or its dynamic dimension"), ()
    bounds = [
        f"{each['dimension']} is at most {each['most']}"
        for each in mode["dimensions"]
        if each.get("most")
    ]
    evidence = (
        *evidence_of("bound", bounds, _SHOWN),
        *evidence_of("guard", mode["guards"], _SHOWN),
    )
    return _yes(counted(mode["dimensions"], "dimension")), evidence


def _predicates(mode: Mapping[str, Any]) -> tuple[Judgement, tuple[Evidence, ...]]:
    lines = [f"{each['place']}: {_sides(each['seen'])}" for each in mode["predicates"]]
    half = [each for each in mode["predicates"] if len(each["seen"]) < 2]
    evidence = evidence_of("predicate", lines, _SHOWN)
    if not half:
        return _yes(counted(lines, "predicate")), evidence
    first = half[0]
    missing = " or ".join(str(it).lower() for it in (True, False) if it not in first["seen"])
    why = f"the predicate at {first['place']} was never {missing}, so that branch was not compared"
    action = "return inputs from the factory for which it is"
    return _unknown(f"{len(half)} of {len(lines)} seen on one side", why, action), evidence


def _sides(seen: Sequence[bool]) -> str:
    return " and ".join(str(each).lower() for each in seen) or "never reached"


def _patches(proof: Mapping[str, Any]) -> Iterator[tuple[str, Judgement, tuple[Evidence, ...]]]:
    used = [each for each in proof["patches"] if each["verdict"] in {"proven", "applied"}]
    wrong = [each for each in proof["patches"] if each["verdict"] == "contradicted"]
    doubted = [each for each in proof["patches"] if each["verdict"] == "unproven"]
    if wrong:
        lines = [f"{each['target']}: {it}" for each in wrong for it in each["contradictions"]]
        judgement = _no(f"{len(wrong)} did not", lines[0], "see rocmlint.export.session().prove()")
        yield PATCHES, judgement, evidence_of("patch", lines, _SHOWN)
    elif doubted:
        lines = [f"{each['target']}: {it}" for each in doubted for it in each["doubts"]]
        judgement = _unknown(f"{len(doubted)} in doubt", lines[0], _DOUBTED)
        yield PATCHES, judgement, evidence_of("patch", lines, _SHOWN)
    elif used:
        names = [f"{each['target']}: {_use(each)}" for each in used]
        yield PATCHES, _yes(f"{len(used)} used"), evidence_of("patch", names, _SHOWN)


def unused_patches(mode: Mapping[str, Any]) -> tuple[Evidence, ...]:
    """Return the patches that the model was offered and this program does not need."""
    patches = mode["proof"]["patches"] if mode["proof"] else ()
    names = [each["target"] for each in patches if each["verdict"] == "unused"]
    return evidence_of("unused patch", names, _SHOWN)


def _use(patch: Mapping[str, Any]) -> str:
    nodes, calls = patch["nodes"], patch["traced_calls"]
    return counted(nodes, "node") if nodes else f"{counted(calls, 'call')}, no nodes"


def _onnx(facts: Mapping[str, Any]) -> tuple[Judgement, tuple[Evidence, ...]]:
    if facts["missing"]:
        return _unknown("not run", facts["missing"], "pip install 'rocmlint[onnx]'"), ()
    if facts["failure"]:
        why = _first_line(facts["failure"])
        return _no("FAIL", f"torch.onnx.export failed: {why}", "see the error"), (
            Evidence("error", facts["failure"]),
        )
    lines = [
        f"{each['name']}: {each['outcome']} {_first_line(each['what'])}".rstrip()
        for each in facts["cases"]
    ]
    evidence = evidence_of("case", lines, 20)
    wrong = [each for each in facts["cases"] if each["outcome"] == "different"]
    if wrong:
        return _no("WRONG", why_different(wrong[0]), _AGREEMENT_ACTIONS["WRONG"]), evidence
    refused = [each for each in facts["cases"] if each["outcome"] == "refused"]
    if refused:
        why = f"{refused[0]['name']}: {_first_line(refused[0]['what'])}"
        return _no("PARTIAL", why, _AGREEMENT_ACTIONS["PARTIAL"]), evidence
    equal = [each for each in facts["cases"] if each["outcome"] == "equal"]
    if not equal:
        return _unknown("nothing compared", "no input could be compared", "see the cases"), evidence
    most = max(each["largest"] for each in equal)
    return _yes(f"PASS: {len(equal)} inputs, largest difference {most:.2g}"), evidence
