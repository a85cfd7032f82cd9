"""From facts to verdicts: PASS, PARTIAL, WRONG, FAIL, UNKNOWN, and one result for each claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from rocmlint.text.words import few
from rocmlint.verify.export import claims
from rocmlint.verify.result import Evidence, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.verify.export.question import ExportFacts
    from rocmlint.verify.result import Result

Word = Literal["PASS", "UNKNOWN", "PARTIAL", "FAIL", "WRONG"]
WORDS: tuple[Word, ...] = get_args(Word)
"""From the best to the worst: a program that is silently wrong is worse than none."""

CHECK = "export"
LEAST = 3
"""Sizes that must have been compared, where a dimension is dynamic."""


@dataclass(frozen=True)
class Judged:
    """One scenario in one mode: a word, why in one line, and the results behind it."""

    scenario: str
    mode: str
    word: Word
    why: str
    results: tuple[Result, ...]


def verdicts_of(facts: ExportFacts, subject: str) -> list[Judged]:
    """Return the verdict on each scenario in each mode."""
    notes = tuple(Evidence("with", each) for each in facts.program["notes"])
    found = []
    for reference, program in zip(
        facts.reference["scenarios"], facts.program["scenarios"], strict=True
    ):
        obstacle = _obstacle(facts, reference, program)
        notes_here = (*notes, *(Evidence("with", each) for each in program["notes"]))
        for mode in program["modes"]:
            name = _name(subject, facts, program["name"], mode["mode"])
            run = _Run(name, reference, program, mode, notes_here)
            found.append(_verdict_of(run, obstacle))
    return found


def worst(words: Sequence[Word]) -> Word:
    """Return the worst of some words; UNKNOWN for none."""
    return max(words, key=WORDS.index, default="UNKNOWN")


def _name(subject: str, facts: ExportFacts, scenario: str, mode: str) -> str:
    model = facts.program["model"]
    inner = ", ".join(each for each in (model, scenario, mode) if each != "forward")
    return f"{subject} ({inner})"


def _obstacle(
    facts: ExportFacts, reference: Mapping[str, Any], program: Mapping[str, Any]
) -> claims.ExportObstacle | None:
    """Return why a comparison of the two processes says nothing; None where it does."""
    if facts.reference["weights"] != facts.program["weights"]:
        return claims.ExportObstacle(
            "other weights",
            "the factory builds other weights each time it is called",
            "call torch.manual_seed() in the factory, and do not read random numbers elsewhere",
        )
    digests = [each["digest"] for each in reference["cases"]]
    if digests != program["digests"]:
        return claims.ExportObstacle(
            "other inputs",
            "the factory makes other inputs each time it is called",
            "call torch.manual_seed() in the factory before it makes the inputs",
        )
    first = reference["cases"][0]
    if first["error"]:
        return claims.ExportObstacle(
            "the model fails",
            f"the model itself cannot be called with the inputs to trace: {first['error']}",
            "correct the inputs of the factory"
            + (f" ({first['place']})" if first["place"] else ""),
        )
    random = next((each for each in reference["cases"] if each["random"] and each["counts"]), None)
    if random is not None:
        training = " (it is in training mode)" if facts.reference["training"] else ""
        return claims.ExportObstacle(
            "random",
            f"two calls of the model with the same inputs differ{training}: {random['random']}",
            "call model.eval() in the factory, or seed what is random in the forward",
        )
    return None


@dataclass(frozen=True)
class _Run:
    """The facts of one scenario in one mode."""

    subject: str
    reference: Mapping[str, Any]
    program: Mapping[str, Any]
    mode: Mapping[str, Any]
    notes: tuple[Evidence, ...]


def _verdict_of(run: _Run, obstacle: claims.ExportObstacle | None) -> Judged:
    scenario, kind = run.program["name"], run.mode["mode"]
    if run.mode["failure"]:
        judgement = claims.failure(run.mode)
        evidence = (*claims.about_failure(run.mode), *run.notes)
        result = judgement.on(CHECK, claims.EXPORTS, run.subject, evidence)
        return Judged(scenario, kind, "FAIL", claims.why_failed(run.mode), (result,))
    if obstacle is not None:
        judgement = Judgement("unproven", "executed", obstacle.seen, obstacle.why, obstacle.action)
        result = judgement.on(CHECK, claims.AGREES, run.subject, run.notes)
        return Judged(scenario, kind, "UNKNOWN", obstacle.why, (result,))
    word, why = _word(run.reference, run.program, run.mode)
    return Judged(scenario, kind, word, why, tuple(_results(run, word, why)))


def _word(
    reference: Mapping[str, Any], program: Mapping[str, Any], mode: Mapping[str, Any]
) -> tuple[Word, str]:
    """Return the word for a program, and why."""
    cases = mode["cases"]
    by_name = {each["name"]: each for each in reference["cases"]}
    different = next((each for each in cases if each["outcome"] == "different"), None)
    if different is not None:
        return "WRONG", claims.why_different(different)
    effects = [it for each in cases for it in each.get("effects", ())]
    accepted = next((it for it in cases if _is_accepted(it, by_name[it["name"]])), None)
    if accepted is not None:
        return "WRONG", f"{accepted['name']}: only the model raises {accepted['what']}"
    wrong = next((each["what"] for each in effects if each["kind"] in {"writes", "state"}), "")
    if wrong:
        return "WRONG", wrong
    if cases[0]["outcome"] == "refused":
        return "FAIL", f"the program refuses the inputs it was traced with: {cases[0]['what']}"
    partial = claims.why_partial(mode, by_name)
    if partial:
        return "PARTIAL", partial
    compared = [
        each["name"]
        for each in cases
        if each["outcome"] == "equal"
        and by_name[each["name"]]["counts"]
        and not by_name[each["name"]]["says_nothing"]
    ]
    least = LEAST if program["asked"] else 1
    if len(compared) < least:
        return "UNKNOWN", _too_few(compared, by_name, cases)
    return "PASS", f"{len(compared)} sizes" if program["asked"] else "one size: nothing is dynamic"


def _is_accepted(case: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Return whether a program computes something where the model raises.

    Only for inputs of the factory: those that are made may be none that the model was made for.
    """
    return case["outcome"] == "accepts" and bool(given["was_given"])


def _too_few(
    compared: Sequence[str], by_name: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]
) -> str:
    empty = [name for name, each in by_name.items() if each["says_nothing"] and each["counts"]]
    if empty:
        return (
            f"with {few(empty, 3)} all results of the model are NaN or empty, which compares equal"
        )
    refused = [each for each in cases if each["outcome"] == "both refuse"]
    why = f"; the model itself refuses {few([it['name'] for it in refused], 3)}" if refused else ""
    return f"only {len(compared)} sizes could be compared{why}"


def _results(run: _Run, word: Word, why: str) -> Iterator[Result]:
    seconds = Judgement("proven", "executed", f"in {run.mode['seconds']:.1f} s")
    notes = (*run.notes, *claims.unused_patches(run.mode))
    yield seconds.on(CHECK, claims.EXPORTS, run.subject, notes)
    agreement = claims.agreement(word, why, run.mode)
    evidence = claims.about_cases(run.reference, run.mode)
    yield agreement.on(CHECK, claims.AGREES, run.subject, evidence)
    for claim, judgement, seen in claims.others(run.mode):
        yield judgement.on(CHECK, claim, run.subject, seen)
