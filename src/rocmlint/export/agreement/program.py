"""The exported program: made in a session, and compared with what the model itself returned."""

from __future__ import annotations

import contextlib
import io
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement import dimensions, predicates, sessions
from rocmlint.export.agreement.asked import groups
from rocmlint.export.agreement.child_torch import torch
from rocmlint.export.agreement.failures import described
from rocmlint.export.agreement.joined import joined, joins, lists
from rocmlint.export.agreement.leaves import tensors
from rocmlint.export.agreement.modules import first_differing
from rocmlint.export.agreement.outcome import judged
from rocmlint.export.agreement.reference import copied
from rocmlint.export.agreement.resize import Sizes, resized
from rocmlint.export.agreement.running import ran

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.export.agreement.cases import Case, Scenario
    from rocmlint.export.agreement.running import Ran


@dataclass(frozen=True)
class Subject:
    """A model, one way of calling it, and what it returned in a process of its own."""

    model: Any
    scenario: Scenario
    reference: list[Ran]


@dataclass(frozen=True)
class How:
    """In which way a model is exported."""

    strict: bool = False
    plain: bool = False
    """Without a session: what torch.export does by itself."""
    onnx: bool = False

    @property
    def name(self) -> str:
        """Return what it is called in a report."""
        return "strict" if self.strict else "non-strict"


def export_of(model: Any, case: Case, shapes: Any, *, strict: bool) -> tuple[Any, Any, Any]:
    """Export a model; give the program and the inputs it was traced with. Raises what torch does.

    Its name is looked for: frames above it are not of the model.
    """
    args, kwargs = case.fresh()
    if callable(shapes):
        shapes = shapes(model, args, kwargs)
    # A failed export prints its graph; the error says where it failed.
    with _quiet():
        program = torch.export.export(
            model, args, kwargs or None, dynamic_shapes=shapes, strict=strict
        )
    return program, args, kwargs


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def made_shapes(scenario: Scenario) -> Any:
    """Return what makes ``dynamic_shapes`` of the dimensions that are asked for.

    Each is a Dim.DYNAMIC, which may get a bound or a relation to another, but never becomes static
    without an error.
    """

    def make(model: Any, args: Any, kwargs: Any) -> Any:
        if not scenario.asked:
            return None
        collection = torch.export.ShapesCollection()
        for path, each in {**tensors(args), **tensors(kwargs)}.items():
            if path in scenario.asked:
                dims = dict.fromkeys(scenario.asked[path], torch.export.Dim.DYNAMIC)
                collection[each] = dims
        return collection.dynamic_shapes(model, args, kwargs)

    return make


def compared(subject: Subject, how: How, told: Callable[[str], None]) -> dict[str, Any]:
    """Export a scenario in one mode and compare the program in every case."""
    model, scenario = subject.model, subject.scenario
    started = time.monotonic()
    noted: list[dict[str, Any]] = []
    facts: dict[str, Any] = {
        "mode": how.name,
        "failure": None,
        "relaxed": "",
        "dimensions": [],
        "joined": [],
        "cases": [],
        "predicates": [],
        "proof": None,
        "limits": [],
        "guards": [],
        "onnx": None,
    }
    told(f"torch.export ({how.name}): {scenario.name}")
    own = copied(model)
    try:
        with sessions.opened(own, plain=how.plain) as session:
            program, args, kwargs = _exported(own, scenario, how, noted, facts)
            facts["seconds"] = time.monotonic() - started
            found = dimensions.of_program(program, args, kwargs, scenario.asked, noted)
            facts |= {"dimensions": found, "guards": dimensions.guards(program)}
            facts["proof"] = sessions.proof(session, program)
            if joins(facts["proof"]):
                facts["joined"] = lists(subject.reference)
                subject = replace(subject, reference=list(map(joined, subject.reference)))
            _compare(program, subject, facts, told)
            if how.onnx:
                facts["onnx"] = _onnx(program, subject, told)
    except Exception as error:  # noqa: BLE001 - whatever torch, a session and the model raise
        facts["failure"] = described(error)
        lost = dimensions.of_failure(noted, str(error), list(scenario.cases[0].named()))
        facts["dimensions"] = [{**each, "became": "static"} for each in lost]
        return {**facts, "seconds": time.monotonic() - started}
    facts["limits"] = _limits(model, scenario, facts["dimensions"])
    return facts


def _onnx(program: Any, subject: Subject, told: Callable[[str], None]) -> dict[str, Any]:
    from rocmlint.export.agreement import onnx_program  # noqa: PLC0415 - only if asked

    told(f"ONNX: {subject.scenario.name}")
    return onnx_program.compared(program, subject.scenario, subject.reference)


def _exported(
    model: Any, scenario: Scenario, how: How, noted: list[dict[str, Any]], facts: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """Export as the factory asks; where its named shapes are refused, see which sizes work."""
    case, shapes = scenario.cases[0], scenario.shapes
    with dimensions.watched(noted):
        if shapes is None:
            return export_of(model, case, made_shapes(scenario), strict=how.strict)
        try:
            return export_of(model, case, shapes, strict=how.strict)
        except Exception as error:
            if described(error)["kind"] != "constraint":
                raise
            facts["relaxed"] = str(error).strip()
            noted.clear()
            return export_of(copied(model), case, made_shapes(scenario), strict=how.strict)


def _compare(
    program: Any, subject: Subject, facts: dict[str, Any], told: Callable[[str], None]
) -> None:
    module, scenario = program.module(), subject.scenario
    places = predicates.conds(module)
    seen: dict[str, set[bool]] = {place: set() for place in places}
    for case, expected in zip(scenario.cases, subject.reference, strict=True):
        told(f"the program: {scenario.name}, {case.name}")
        found = ran(module, module, case)
        fact = judged(case, expected, found)
        if places and not found.error:
            _watch(program, module, case, seen)
        if fact["outcome"] == "different":
            fact["module"] = _located(program, module, subject.model, case)
        facts["cases"].append(fact)
    facts["predicates"] = [
        {"place": place, "seen": sorted(values)} for place, values in seen.items()
    ]


def _watch(program: Any, module: Any, case: Case, seen: dict[str, set[bool]]) -> None:
    args, kwargs = case.fresh()
    try:
        flat = dimensions.flat_inputs(program, args, kwargs)
    except Exception:  # noqa: BLE001 - inputs that the program does not take
        return
    state = {name: each.detach().clone() for name, each in module.state_dict().items()}
    with torch.no_grad():
        if case.weights != 1.0:
            for each in module.parameters():
                if each.is_floating_point():
                    each.mul_(case.weights)
        predicates.seen_in(module, flat, seen)
        for name, each in module.state_dict().items():
            each.copy_(state[name])


def _located(program: Any, module: Any, model: Any, case: Case) -> str:
    if case.weights != 1.0:
        return ""
    args, kwargs = case.fresh()
    try:
        values = predicates.values_in(module, dimensions.flat_inputs(program, args, kwargs))
    except Exception:  # noqa: BLE001 - the difference is told; where it begins is not found
        return ""
    return first_differing(copied(model), case, values)


def _limits(model: Any, scenario: Scenario, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the bounds that the program has and the model has not: it runs beyond them."""
    if scenario.shapes is not None:
        return []
    first = scenario.cases[0]
    sizes = groups(scenario.asked, first.named())
    limits = []
    for each in found:
        if each.get("most") is None or each["name"] not in sizes:
            continue
        beyond = Sizes(f"{each['name']}={each['most'] + 1}", {each["name"]: each["most"] + 1})
        own = copied(model)
        case = resized(first, scenario.asked, beyond)
        if not ran(own, own, case).error:
            limits.append({"dimension": each["dimension"], "most": each["most"]})
    return limits
