"""The environment variables that the processes of a job really have, at their start and later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.interpreter.inside.variables import relevant
from rocmlint.verify.result import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.verify.job.watch import Watch
    from rocmlint.verify.job.witness_report import WitnessReport
    from rocmlint.verify.result import Result

ABSENT = "not set"

_OWN = {
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HIP_VISIBLE_DEVICES",
    "MIOPEN_CUSTOM_CACHE_DIR",
    "MIOPEN_USER_DB_PATH",
    "ROCR_VISIBLE_DEVICES",
    "TORCH_EXTENSIONS_DIR",
    "TRITON_CACHE_DIR",
}
"""Variables that launchers set for each rank, to give it a GPU or a cache of its own."""

_PLACES = ("_CACHE", "_DIR", "_HOME", "_PREFIX")
"""How the variables of Python and of the libraries end that only name a place to write to."""


def of_variables(check: str, witness: WitnessReport, watch: Watch) -> Iterator[Result]:
    """Yield whether a process that runs what is watched has the variables that it must have."""
    if witness.start != "program" or (watch.modules and not witness.modules):
        return  # a child of multiprocessing, which has its parent's, or a launcher
    for name, wanted in watch.variables.items():
        start, now = _at_start(witness.facts).get(name), _now(witness.facts).get(name)
        claim = f"{name} is {wanted!r}"
        yield _judgement_on(name, wanted, start, now).on(check, claim, witness.subject)


def _judgement_on(name: str, wanted: str, start: str | None, now: str | None) -> Judgement:
    if start == now == wanted:
        return Judgement("proven", "live", repr(now))
    if start == now:
        return Judgement(
            "contradicted",
            "live",
            _value_text(now),
            f"the process has {name} {_value_text(now)} from its start on",
            f"set {name}={wanted} where the job is started, and let the launcher pass it on",
        )
    if now == wanted:
        return Judgement(
            "unproven",
            "live",
            f"{_value_text(now)}, at its start {_value_text(start)}",
            f"the program set {name} after it was started: what was read before that (when a "
            "library was loaded, for example) had the old value",
            f"set {name}={wanted} where the job is started",
        )
    return Judgement(
        "contradicted",
        "live",
        f"{_value_text(now)}, at its start {_value_text(start)}",
        f"the program changed {name} from {_value_text(start)} to {_value_text(now)}",
        f"find what sets {name} in the program (os.environ), and remove it",
    )


def _value_text(value: str | None) -> str:
    return ABSENT if value is None else repr(value)


def for_kernels(facts: Mapping[str, Any], *, at_start: bool) -> Mapping[str, str]:
    """Return the variables that choose kernels or communication, but for a rank's own."""
    values = _values(facts, at_start=at_start)
    return {name: value for name, value in values.items() if relevant(name) and name not in _OWN}


def for_python(facts: Mapping[str, Any], *, at_start: bool) -> Mapping[str, str]:
    """Return the variables of Python, of the loader and of the libraries, but for places."""
    values = _values(facts, at_start=at_start)
    return {
        name: value
        for name, value in values.items()
        if not relevant(name) and not name.endswith(_PLACES)
    }


def _values(facts: Mapping[str, Any], *, at_start: bool) -> Mapping[str, str]:
    """Return the values, each with the one at the start if the program changed it."""
    first, last = _at_start(facts), _now(facts)
    if at_start:
        return first
    return {
        name: last.get(name, ABSENT)
        if last.get(name) == first.get(name)
        else f"{last.get(name, ABSENT)} (at its start: {first.get(name, ABSENT)})"
        for name in sorted({*first, *last})
    }


def _now(facts: Mapping[str, Any]) -> Mapping[str, str]:
    found = facts.get("environment", {})
    return {str(name): str(value) for name, value in found.items()}


def _at_start(facts: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the variables that a process was started with; those of a fork are its parent's."""
    found = facts.get("environment_at_start")
    if not isinstance(found, dict):
        return _now(facts)
    return {str(name): str(value) for name, value in found.items()}
