"""What a child of ``rocmlint verify export`` is asked: the reference, the program, or reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement import reference
from rocmlint.export.agreement.program import How, Subject, compared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rocmlint.export.agreement.cases import Scenario


def answered(
    model: Any,
    scenarios: Sequence[Scenario],
    request: Mapping[str, Any],
    told: Callable[[str], None],
) -> dict[str, Any]:
    """Return the facts of one question, which ``request["step"]`` names."""
    if request["step"] == "reference":
        return reference.write(model, scenarios, request["folder"], told)
    if request["step"] == "probe":
        from rocmlint.export.agreement import sites  # noqa: PLC0415 - only if asked

        return {"sites": sites.recorded(model, scenarios)}
    return _programs(model, scenarios, request, told)


def _programs(
    model: Any,
    scenarios: Sequence[Scenario],
    request: Mapping[str, Any],
    told: Callable[[str], None],
) -> dict[str, Any]:
    facts = []
    weights = reference.weights(model)
    for number, scenario in enumerate(scenarios):
        subject = Subject(model, scenario, reference.read(request["folder"], number))
        facts.append(
            {
                "name": scenario.name,
                "digests": [each.digest for each in scenario.cases],
                "asked": sum(map(len, scenario.asked.values())),
                "notes": scenario.notes,
                "modes": [
                    compared(subject, _how(request, strict=strict), told)
                    for strict in request["strict"]
                ],
            }
        )
    return {"scenarios": facts, "weights": weights}


def _how(request: Mapping[str, Any], *, strict: bool) -> How:
    onnx = bool(request["onnx"]) and strict == request["strict"][0]
    return How(strict=strict, plain=bool(request["plain"]), onnx=onnx)
