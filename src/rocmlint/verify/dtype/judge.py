"""Judging where a model leaves its dtype: its tensors, its modules, and a healthy run of before."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.disk.read import read_small
from rocmlint.errors import ConfigError
from rocmlint.interpreter.inside import write_json
from rocmlint.text.words import few
from rocmlint.verify.dtype.forward import (
    CLAIM,
    SHOWN,
    cast_of,
    forward_of,
    module_named,
    names,
    result_of,
    strength_of,
)
from rocmlint.verify.dtype.matmuls import matmuls_of
from rocmlint.verify.result import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.result import Result, Strength

_LARGEST = 100_000_000
"""Bytes of a baseline."""
_VERSION = 1
"""Of a baseline; grows when a field changes its meaning or goes."""


@dataclass(frozen=True)
class Trial:
    """The model to build and run."""

    factory: str
    """``package.module:callable``; it is called without arguments."""
    fake: bool = False
    """With tensors that have no data."""
    device: str | None = None
    """Where the model is put; None leaves it to the factory."""


def check(
    interpreter: Interpreter,
    trial: Trial,
    baseline: str | None = None,
    write_baseline: str | None = None,
) -> list[Result]:
    """Build the model of a factory in an interpreter, run it once and judge its dtypes.

    Raises ConfigError for a baseline that cannot be read or written, InterpreterError for a factory
    that fails.
    """
    healthy = _read_baseline(baseline) if baseline else None
    answer: dict[str, Any] = interpreter.ask("dtype.answer", asdict(trial))
    results = list(results_of(answer) if healthy is None else compared(answer, healthy))
    if write_baseline:
        _write_baseline(write_baseline, answer)
    return results


def results_of(answer: Mapping[str, Any]) -> Iterator[Result]:
    """Yield a result for the tensors of a model, its modules, and its matrix multiplications."""
    yield _tensors(answer)
    yield forward_of(answer)
    yield from matmuls_of(answer)


def _tensors(answer: Mapping[str, Any]) -> Result:
    """Judge parameters and buffers."""
    dominant, odd = answer["dominant"], answer["odd"]
    count = len(answer["tensors"])
    claim = "its parameters and buffers have one dtype"
    if not count:
        return result_of(
            claim,
            answer["model"],
            "unproven",
            "live",
            "no tensor",
            (),
            "the model has no floating-point parameters or buffers",
            "name a factory that returns the model with its weights",
        )
    by_design = tuple(Evidence("by design", each) for each in answer["by_design"][:SHOWN])
    if not odd:
        seen = f"{count - len(answer['by_design'])} of {count} are {dominant}"
        if answer["by_design"]:
            seen += f", {len(answer['by_design'])} differ by design"
        return result_of(claim, answer["model"], "proven", "live", seen, by_design)
    evidence = [Evidence(module_named(each["module"]), _group(each)) for each in odd[:SHOWN]]
    if odd[SHOWN:]:
        evidence.append(Evidence("more", f"{len(odd) - SHOWN} modules"))
    first = odd[0]
    return result_of(
        claim,
        answer["model"],
        "contradicted",
        "live",
        f"{module_named(first['module'])} is {first['dtype']}, the model {dominant}",
        (*evidence, *by_design),
        f"tensors that are not {dominant}: {sum(len(each['names']) for each in odd)}; "
        "where they meet the others, the run fails with a dtype error or continues in the "
        "slower, larger dtype",
        f"cast them after building: model.get_submodule({first['module']!r}).to(torch."
        f"{dominant}); if the difference is intended, cast the module's inputs and outputs",
    )


def _group(group: Mapping[str, Any]) -> str:
    return f"{group['dtype']}, {group['elements']:,} elements: {few(group['names'], 3)}"


def compared(answer: Mapping[str, Any], healthy: Mapping[str, Any]) -> Iterator[Result]:
    """Yield what is another dtype than in the healthy run, and nothing that was odd there too."""
    subject = answer["model"]
    differing = _differences(healthy["tensors"], answer["tensors"])
    yield _like_baseline(
        "its parameters and buffers have the dtypes of the baseline",
        subject,
        "live",
        differing,
        f"{len(answer['tensors'])} tensors",
    )
    forward = answer["forward"]
    if forward is None or forward["crash"]:
        yield forward_of(answer)
        return
    if not healthy["boundaries"]:
        yield result_of(
            CLAIM,
            subject,
            "unproven",
            strength_of(answer),
            "no forward in the baseline",
            (),
            "the baseline was written without a forward pass",
            "write it again with a factory that returns (model, inputs)",
        )
        return
    # Modules end from the inside out, so the first that differs is the innermost.
    differing = _differences(healthy["boundaries"], forward["boundaries"])
    casts = {each["module"]: each for each in forward["left"]}
    evidence = [item for name in list(differing)[:1] for item in cast_of(casts.get(name) or {})]
    yield _like_baseline(
        "its modules take and return the dtypes of the baseline",
        subject,
        strength_of(answer),
        differing,
        f"{len(forward['boundaries'])} modules",
        tuple(evidence),
    )
    if "matmuls" in healthy:
        dtypes = forward["matmuls"]["dtypes"]
        wide = {each["module"]: each for each in forward["matmuls"]["wide"]}
        differing = _differences(healthy["matmuls"], dtypes)
        first = [wide[name] for name in list(differing)[:1] if name in wide]
        yield _like_baseline(
            "its matmuls run in the dtypes of the baseline",
            subject,
            strength_of(answer),
            differing,
            f"{forward['matmuls']['count']} matmuls",
            tuple(Evidence("matmul", each["place"]) for each in first),
        )


def _like_baseline(  # noqa: PLR0913, PLR0917 - as many as a result has
    claim: str,
    subject: str,
    strength: Strength,
    differing: Mapping[str, tuple[str, str]],
    seen: str,
    evidence: tuple[Evidence, ...] = (),
) -> Result:
    if not differing:
        return result_of(claim, subject, "proven", strength, f"{seen}, no difference")
    name, (was, now) = next(iter(differing.items()))
    changes = [
        Evidence(module_named(each), f"was {before}, is {after}")
        for each, (before, after) in list(differing.items())[:SHOWN]
    ]
    return result_of(
        claim,
        subject,
        "contradicted",
        strength,
        f"{module_named(name)}: {now}",
        (*changes, *evidence),
        f"{len(differing)} differ, the first is {module_named(name)}: was {was}, is {now}",
        f"check {module_named(name)} first; if this is intended, save it with --write-baseline",
    )


def _differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return, by name, what was and what is; those that are there now first, in their order."""
    names = [*now, *(name for name in was if name not in now)]
    return {
        name: (_text_of(was.get(name)), _text_of(now.get(name)))
        for name in names
        if was.get(name) != now.get(name)
    }


def _text_of(dtypes: Any) -> str:
    """Write a dtype, or what a module was given and gave in each kind of call."""
    if dtypes is None:
        return "not there"
    if isinstance(dtypes, str):
        return dtypes
    return "; ".join(
        f"{names(given) or 'no float'} to {names(gave) or 'no float'}" for given, gave in dtypes
    )


def _read_baseline(path: str) -> dict[str, Any]:
    """Read a baseline. Raises ConfigError for what is none."""
    try:
        document = json.loads(read_small(path, _LARGEST))
        version, tensors, boundaries = (
            document[name] for name in ("version", "tensors", "boundaries")
        )
        matmuls = document.get("matmuls")  # which baselines of before do not have
        for each in (tensors, boundaries, matmuls or {}):
            list(map(_text_of, each.values()))
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror}"
        raise ConfigError(message) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        message = f"{path}: not a baseline of verify dtype (create one with --write-baseline)"
        raise ConfigError(message) from error
    if version != _VERSION:
        message = (
            f"{path}: a baseline of version {version!r}, but this version of rocmlint "
            f"reads version {_VERSION}"
        )
        raise ConfigError(message)
    known = {"tensors": tensors, "boundaries": boundaries}
    return known if matmuls is None else {**known, "matmuls": matmuls}


def _write_baseline(path: str, answer: Mapping[str, Any]) -> None:
    """Save the dtypes of a run that came to its end."""
    forward = answer["forward"] or {"crash": None, "boundaries": {}}
    if forward["crash"]:
        message = f"{path}: not written, the forward pass failed: {forward['crash']['error']}"
        raise ConfigError(message)
    document = {
        "version": _VERSION,
        "model": answer["model"],
        "tensors": answer["tensors"],
        "boundaries": forward["boundaries"],
        **({"matmuls": forward["matmuls"]["dtypes"]} if "matmuls" in forward else {}),
    }
    try:
        write_json(path, document)
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror}"
        raise ConfigError(message) from error
