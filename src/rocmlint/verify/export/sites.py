"""Judging the lines at which a forward was seen to read a value from a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.verify.result import Evidence, Judgement, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHECK = "export"
CLAIM = "no value is read from a tensor"
_ACTIONS = {
    "ROC801": "use rocmlint.export.cond(), or torch.where() where both sides are cheap",
    "ROC802": "keep it a tensor, or compute the value before the model is called",
    "ROC803": "use operations on the whole tensor, or rocmlint.export.map_rows()",
    "ROC804": "use torch._check() or rocmlint.export.check()",
}
_DEFAULT = "keep it a tensor, or compute the value before the model is called"


def results(answer: Mapping[str, Any]) -> list[Result]:
    """Return a result for each line, or one for a forward that reads nothing."""
    return list(_results(answer))


def _results(answer: Mapping[str, Any]) -> Iterator[Result]:
    notes = tuple(Evidence("with", each) for each in answer["notes"])
    failed = [each for each in answer["sites"] if "error" in each]
    found = [each for each in answer["sites"] if "error" not in each]
    for each in found:
        function = f" (in {each['function']})" if each.get("function") else ""
        evidence = (Evidence("statement", f"{each['statement']}{function}"), *notes)
        rule = f" ({each['rule']})" if each["rule"] else ""
        judged = Judgement(
            "contradicted",
            "executed",
            f"{each['read']}, {each['calls']} times",
            f"torch.export knows no values where this statement runs{rule}",
            _ACTIONS.get(each["rule"], _DEFAULT),
        )
        yield judged.on(CHECK, CLAIM, each["place"], evidence)
    for each in failed:
        judged = Judgement(
            "unproven",
            "executed",
            "the model fails",
            f"{each['case']}: {each['error']}",
            "correct the inputs of the factory",
        )
        yield judged.on(CHECK, CLAIM, answer["model"], notes)
    if not found and not failed:
        yield Judgement("proven", "executed", "no reads").on(CHECK, CLAIM, answer["model"], notes)
