"""Judging facts about an export, without torch."""

from __future__ import annotations

from typing import Any

import pytest

from rocmlint.verify.export import claims
from rocmlint.verify.export.judge import Judged, verdicts_of, worst
from rocmlint.verify.export.question import ExportFacts


def told(name: str, **changes: Any) -> dict[str, Any]:
    """Return what the reference noticed of a case."""
    usual = {"counts": True, "was_given": False, "sizes": "x 4x8", "digest": name, "error": ""}
    return {"name": name, **usual, "place": "", "random": "", "says_nothing": False, **changes}


def ran(name: str, outcome: str = "equal", **changes: Any) -> dict[str, Any]:
    """Return how the program did in a case."""
    usual = {"what": "", "largest": 0.0, "guard": "", "effects": []}
    return {"name": name, "outcome": outcome, **usual, **changes}


def mode(cases: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {"mode": "non-strict", "failure": None, "relaxed": "", "seconds": 1.0}
    empty: dict[str, Any] = {"dimensions": [], "predicates": [], "limits": [], "guards": []}
    empty["joined"] = []
    return {**usual, **empty, "proof": None, "onnx": None, "cases": cases, **changes}


NAMES = ("as traced", "batch 1", "odd sizes")
EQUAL = [ran(each) for each in NAMES]
TOLD = [told(each) for each in NAMES]


def facts(
    one: dict[str, Any], reference: list[dict[str, Any]] = TOLD, **changes: Any
) -> ExportFacts:
    by_itself = {"weights": "same", "training": False, **changes}
    by_itself["scenarios"] = [{"name": "forward", "cases": reference}]
    digests = [each["name"] for each in reference]
    program = {"name": "forward", "digests": digests, "asked": 1, "notes": [], "modes": [one]}
    whole = {"model": "Model", "notes": ["torch 2.13.0"], "weights": "same"}
    return ExportFacts(by_itself, {**whole, "scenarios": [program]})


def judge(one: dict[str, Any], reference: list[dict[str, Any]] = TOLD, **changes: Any) -> Judged:
    (found,) = verdicts_of(facts(one, reference, **changes), "models:model")
    return found


def test_features_that_were_joined_before_they_were_compared_are_told() -> None:
    path = "image_outputs.pooler_output"
    (agrees,) = (
        each
        for each in judge(mode(EQUAL, joined=[path])).results
        if each.claim == "the program agrees with the model"
    )
    assert agrees.seen.endswith("largest difference 0, features of images joined")
    assert any(each.name == "joined" and each.value.startswith(path) for each in agrees.evidence)


def verdicts(found: Judged) -> dict[str, str]:
    return {each.claim: each.verdict for each in found.results}


def failure(**changes: Any) -> dict[str, Any]:
    usual = {"kind": "data", "error": "GuardOnDataDependentSymNode", "message": "Could not guard"}
    where = {"place": "m.py:3", "statement": "if x.sum() > 0:", "function": "M.forward"}
    return {**usual, **where, "rule": "ROC801", **changes}


def test_three_equal_sizes_are_a_pass() -> None:
    found = judge(mode(EQUAL))
    assert (found.word, set(verdicts(found).values())) == ("PASS", {"proven"})


def test_two_sizes_are_not_enough_for_a_pass() -> None:
    found = judge(mode(EQUAL[:2]), TOLD[:2])
    assert (found.word, verdicts(found)[claims.AGREES]) == ("UNKNOWN", "unproven")


def test_one_size_is_enough_where_nothing_is_dynamic() -> None:
    given = facts(mode(EQUAL[:1]), TOLD[:1])
    given.program["scenarios"][0]["asked"] = 0
    assert verdicts_of(given, "models:model")[0].word == "PASS"


def test_a_size_whose_results_are_all_nan_does_not_count() -> None:
    reference = [*TOLD[:2], told("odd sizes", says_nothing=True)]
    found = judge(mode(EQUAL), reference)
    assert found.word == "UNKNOWN"
    assert "NaN" in found.why


def test_other_values_of_the_first_size_do_not_count_as_a_size() -> None:
    reference = [*TOLD[:2], told("odd sizes", counts=False)]
    assert judge(mode(EQUAL), reference).word == "UNKNOWN"


def test_a_difference_in_other_values_counts_as_wrong() -> None:
    cases = [*EQUAL, ran("zeros", "different", what="largest difference 1")]
    reference = [*TOLD, told("zeros", counts=False)]
    assert judge(mode(cases), reference).word == "WRONG"


def test_a_difference_is_worse_than_a_guard() -> None:
    cases = [
        EQUAL[0],
        ran("batch 1", "refused", what="AssertionError", guard="Guard failed: x <= 12"),
        ran("odd sizes", "different", what="largest difference 1"),
    ]
    assert judge(mode(cases)).word == "WRONG"


def test_an_input_that_only_the_program_refuses_names_the_guard() -> None:
    cases = [*EQUAL[:2], ran("odd sizes", "refused", what="...", guard="Guard failed: x <= 12")]
    found = judge(mode(cases))
    assert (found.word, found.why) == ("PARTIAL", "odd sizes: Guard failed: x <= 12")


def test_an_input_that_the_model_refuses_too_is_not_held_against_the_program() -> None:
    reference = [*TOLD, told("larger", error="IndexError: out of range")]
    cases = [*EQUAL, ran("larger", "both refuse", what="IndexError: out of range")]
    assert judge(mode(cases), reference).word == "PASS"


def test_an_input_of_the_factory_that_only_the_model_refuses_is_wrong() -> None:
    cases = [*EQUAL, ran("inputs 4", "accepts", what="ValueError: no")]
    reference = [*TOLD, told("inputs 4", error="ValueError: no", was_given=True)]
    assert judge(mode(cases), reference).word == "WRONG"


def test_a_made_input_that_only_the_model_refuses_says_nothing() -> None:
    cases = [*EQUAL, ran("larger", "accepts", what="IndexError: no")]
    reference = [*TOLD, told("larger", error="IndexError: no", was_given=False)]
    assert judge(mode(cases), reference).word == "PASS"


def test_a_program_that_refuses_what_it_was_traced_with_is_a_failure() -> None:
    cases = [ran("as traced", "refused", what="RuntimeError: boom"), *EQUAL[1:]]
    assert judge(mode(cases)).word == "FAIL"


def test_a_static_dimension_is_partial_even_if_all_sizes_were_equal() -> None:
    dimension = {"dimension": "x dimension 0", "became": "static", "size": 4, "place": "m.py:3"}
    found = judge(mode(EQUAL, dimensions=[dimension]))
    assert found.word == "PARTIAL"
    assert found.why == "dynamic dimension became static: x dimension 0 is 4 at m.py:3"
    assert verdicts(found)[claims.DYNAMIC] == "contradicted"


def test_a_dimension_without_an_input_in_the_program_is_unproven() -> None:
    dimension = {"dimension": "x dimension 0", "became": "unused", "size": None, "place": ""}
    assert verdicts(judge(mode(EQUAL, dimensions=[dimension])))[claims.DYNAMIC] == "unproven"


def test_shapes_that_only_hold_relaxed_are_partial() -> None:
    assert judge(mode(EQUAL, relaxed="Constraints violated\n  - x <= 12")).word == "PARTIAL"


def test_a_predicate_that_was_seen_on_one_side_is_unproven() -> None:
    found = judge(mode(EQUAL, predicates=[{"place": "m.py:9", "seen": [False]}]))
    assert found.word == "PASS"
    assert verdicts(found)[claims.PREDICATES] == "unproven"


def test_an_input_that_only_the_model_changes_makes_the_program_wrong() -> None:
    cases = [
        *EQUAL[:2],
        ran("odd sizes", effects=[{"kind": "writes", "what": "only the model writes into x"}]),
    ]
    assert judge(mode(cases)).word == "WRONG"


def test_a_buffer_that_is_not_saved_leaves_a_question_open() -> None:
    effect = {"kind": "kept", "what": "buffers afterwards"}
    found = judge(mode([*EQUAL[:2], ran("odd sizes", effects=[effect])]))
    assert (found.word, verdicts(found)[claims.KEPT]) == ("PASS", "unproven")


def test_a_failure_names_statement_and_rule() -> None:
    found = judge(mode([], failure=failure()))
    assert found.word == "FAIL"
    assert found.why.endswith("at m.py:3: if x.sum() > 0: (ROC801)")
    assert verdicts(found) == {claims.EXPORTS: "contradicted"}


def test_a_failure_needs_no_reference() -> None:
    assert judge(mode([], failure=failure()), weights="other").word == "FAIL"


@pytest.mark.parametrize(
    ("changes", "reference", "why"),
    [
        ({"weights": "other"}, TOLD, "other weights"),
        ({}, [told("as traced", error="TypeError: boom")], "cannot be called"),
        ({"training": True}, [told("as traced", random="1 of 2 differ")], "training mode"),
    ],
)
def test_what_makes_a_comparison_meaningless_is_unproven(
    changes: dict[str, Any], reference: list[dict[str, Any]], why: str
) -> None:
    found = judge(mode(EQUAL[: len(reference)]), reference, **changes)
    assert (found.word, verdicts(found)) == ("UNKNOWN", {claims.AGREES: "unproven"})
    assert why in found.why


def test_inputs_that_are_random_in_each_process_are_unproven() -> None:
    given = facts(mode(EQUAL))
    given.program["scenarios"][0]["digests"] = ["other"] * 3
    assert "other inputs" in verdicts_of(given, "models:model")[0].why


@pytest.mark.parametrize(
    ("onnx", "verdict"),
    [
        ({"missing": "not installed: onnx", "failure": "", "cases": []}, "unproven"),
        ({"missing": "", "failure": "ConversionError: no", "cases": []}, "contradicted"),
        ({"missing": "", "failure": "", "cases": [ran("as traced", "different")]}, "contradicted"),
        ({"missing": "", "failure": "", "cases": [ran("as traced", "refused")]}, "contradicted"),
        ({"missing": "", "failure": "", "cases": EQUAL}, "proven"),
    ],
)
def test_onnx_has_a_result_of_its_own(onnx: dict[str, Any], verdict: str) -> None:
    found = judge(mode(EQUAL, onnx=onnx))
    assert (found.word, verdicts(found)[claims.ONNX]) == ("PASS", verdict)


def test_a_patch_that_did_not_take_effect_is_told() -> None:
    patch = {
        "target": "m.f",
        "verdict": "contradicted",
        "nodes": 0,
        "contradictions": ["the original is still in n"],
    }
    found = judge(mode(EQUAL, proof={"patches": [patch]}))
    assert verdicts(found)[claims.PATCHES] == "contradicted"


def patch_of(verdict: str, **more: Any) -> dict[str, Any]:
    seen = {"nodes": 0, "traced_calls": 0, "contradictions": [], "doubts": []}
    return {"target": f"m.{verdict}", "verdict": verdict, **seen, **more}


def test_a_patch_in_doubt_is_not_told_as_one_that_was_used() -> None:
    doubted = patch_of("unproven", doubts=["it was never called"])
    found = judge(mode(EQUAL, proof={"patches": [patch_of("proven"), doubted]}))
    assert verdicts(found)[claims.PATCHES] == "unproven"


def test_an_unused_patch_is_told_and_proves_nothing() -> None:
    found = judge(mode(EQUAL, proof={"patches": [patch_of("unused")]}))
    assert claims.PATCHES not in verdicts(found)
    evidence = [(each.name, each.value) for it in found.results for each in it.evidence]
    assert ("unused patch", "m.unused") in evidence


def test_a_patch_that_leaves_no_nodes_is_told_with_its_calls() -> None:
    found = judge(mode(EQUAL, proof={"patches": [patch_of("proven", traced_calls=2)]}))
    evidence = [(each.name, each.value) for it in found.results for each in it.evidence]
    assert ("patch", "m.proven: 2 calls, no nodes") in evidence


def test_the_worst_word_is_that_of_the_model() -> None:
    assert worst(["PASS", "FAIL", "WRONG", "PARTIAL"]) == "WRONG"
    assert worst([]) == "UNKNOWN"
