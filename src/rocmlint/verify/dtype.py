"""Judging where a model leaves its dtype: its tensors, its modules, and a healthy run of before."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.disk.read import read_small
from rocmlint.errors import ConfigError
from rocmlint.interpreter.inside import write_json
from rocmlint.text.words import few
from rocmlint.verify.result import Evidence, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.result import Strength

_LARGEST = 100_000_000
"""Bytes of a baseline."""
_VERSION = 1
"""Of a baseline; grows when a field changes its meaning or goes."""
_SHOWN = 12
"""How many tensors or modules are named as evidence."""
_result = partial(Result, "dtype")


@dataclass(frozen=True)
class Trial:
    """What is to be built and run."""

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
    answer: dict[str, Any] = interpreter.ask("dtype", asdict(trial))
    results = list(judged(answer) if healthy is None else compared(answer, healthy))
    if write_baseline:
        _write_baseline(write_baseline, answer)
    return results


def judged(answer: Mapping[str, Any]) -> Iterator[Result]:
    """Yield a result for the tensors of a model and one for its forward."""
    yield _tensors(answer)
    forward = answer["forward"]
    if forward is None:
        yield _not_run(answer)
    elif forward["left"]:
        yield _left(answer)
    elif forward["crash"]:
        yield _crashed(answer)
    else:
        seen = f"{forward['calls']} calls, {forward['operations']:,} operations"
        yield _result(_FORWARD, answer["model"], "proven", _strength(answer), seen, _about(answer))


_FORWARD = "no module returns a dtype that it was not given"


def _tensors(answer: Mapping[str, Any]) -> Result:
    """Judge parameters and buffers."""
    dominant, odd = answer["dominant"], answer["odd"]
    count = len(answer["tensors"])
    claim = "its parameters and buffers have one dtype"
    if not count:
        return _result(
            claim,
            answer["model"],
            "unproven",
            "live",
            "no tensor",
            (),
            "the model has no floating-point parameters or buffers",
            "name a factory that returns the model with its weights",
        )
    by_design = tuple(Evidence("by design", each) for each in answer["by_design"][:_SHOWN])
    if not odd:
        seen = f"{count - len(answer['by_design'])} of {count} are {dominant}"
        if answer["by_design"]:
            seen += f", {len(answer['by_design'])} differ by design"
        return _result(claim, answer["model"], "proven", "live", seen, by_design)
    evidence = [Evidence(_module(each["module"]), _group(each)) for each in odd[:_SHOWN]]
    if odd[_SHOWN:]:
        evidence.append(Evidence("more", f"{len(odd) - _SHOWN} modules"))
    first = odd[0]
    return _result(
        claim,
        answer["model"],
        "contradicted",
        "live",
        f"{_module(first['module'])} is {first['dtype']}, the model {dominant}",
        (*evidence, *by_design),
        f"tensors that are not {dominant}: {sum(len(each['names']) for each in odd)}; "
        "where they meet the others, the run fails with a dtype error or continues in the "
        "slower, larger dtype",
        f"cast them after building: model.get_submodule({first['module']!r}).to(torch."
        f"{dominant}); if the difference is intended, cast the module's inputs and outputs",
    )


def _group(group: Mapping[str, Any]) -> str:
    return f"{group['dtype']}, {group['elements']:,} elements: {few(group['names'], 3)}"


def _not_run(answer: Mapping[str, Any]) -> Result:
    return _result(
        _FORWARD,
        answer["model"],
        "unproven",
        "live",
        "not run",
        (),
        f"{answer['without']}, so no forward was run",
        "let the factory return (model, inputs), with inputs as keyword arguments or a tuple",
    )


def _left(answer: Mapping[str, Any]) -> Result:
    """Judge a forward in which a module left its dtype: the first one is the cause."""
    first, *more = answer["forward"]["left"]
    crash = answer["forward"]["crash"]
    place = f" at {first['cast']['place']}" if first["cast"] else ""
    given = _names(first["given"]) or "no floating-point tensor"
    reason = f"{_module(first['module'])} ({first['class']}) is given {given} and returns "
    reason += f"{_names(first['new'])}, created{place}" if place else _names(first["new"])
    if crash:
        reason += f"; the run then fails in {_module(crash['module'])}, which is not the cause"
    action = f"cast back at the end of that module, or remove the cast{place}"
    holder = _holder(first["module"], answer["forward"]["boundaries"])
    if holder is not None and not crash and holder not in {each["module"] for each in more}:
        reason += f"; {_module(holder)} casts back, so it costs time and memory only there"
        action += (
            "; if it is intended, save the run with --write-baseline and pass it as --baseline"
        )
    evidence = [*_cast(first), *_crash(crash)]
    evidence += [
        Evidence("then", f"{_module(each['module'])} returns {_names(each['new'])}")
        for each in more[:_SHOWN]
    ]
    return _result(
        _FORWARD,
        answer["model"],
        "contradicted",
        _strength(answer),
        f"{_module(first['module'])} returns {_names(first['new'])}",
        (*evidence, *_about(answer)),
        reason,
        action,
    )


def _holder(module: str, boundaries: Mapping[str, Any]) -> str | None:
    """Return the module that holds another and was called too."""
    while module:
        module = module.rpartition(".")[0]
        if module in boundaries:
            return module
    return None


def _crashed(answer: Mapping[str, Any]) -> Result:
    """Judge a forward that ended by an exception though no module had left its dtype."""
    crash = answer["forward"]["crash"]
    evidence = (*_crash(crash), *_about(answer))
    subject, module = answer["model"], _module(crash["module"])
    if not crash["about_dtypes"]:
        return _result(
            _FORWARD,
            subject,
            "unproven",
            _strength(answer),
            "the forward failed",
            evidence,
            f"the forward pass failed: {crash['error']}",
            "let the factory return inputs with which the model runs; if this device has "
            "no kernel for a dtype, use --fake",
        )
    reason, action = _cause(answer, crash, module)
    seen = f"the forward pass fails in {module}"
    return _result(
        _FORWARD, subject, "contradicted", _strength(answer), seen, evidence, reason, action
    )


def _cause(answer: Mapping[str, Any], crash: Mapping[str, Any], module: str) -> tuple[str, str]:
    """Return why a forward ended with a dtype error, and what to do."""
    dominant, given = answer["dominant"], answer["forward"]["given"]
    own, got = _names(crash.get("own", ())), _names(crash.get("given", ()))
    if crash.get("own") and dominant not in crash["own"]:
        reason = f"{module} has {own} weights in a model of {dominant}, and is given {got}"
        return reason, f"model.get_submodule({crash['module']!r}).to(torch.{dominant})"
    if set(given) & set(crash.get("new", ())):
        reason = f"the inputs of the model are {_names(given)}, its weights {dominant}"
        return reason, f"let the factory cast its inputs to torch.{dominant}"
    if crash["cast"]:
        reason = (
            f"{crash['cast']['dtype']} is created at {crash['cast']['place']}, by the code that "
        )
        reason += f"calls {module} ({own or 'no'} weights) with it"
        return reason, f"remove that cast, or cast back before {module} is called"
    reason = f"{module} mixes two dtypes: given {got or 'no float'}, weights {own or 'none'}"
    return reason, f"see {crash['place']}"


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
    if forward is None:
        yield _not_run(answer)
        return
    if forward["crash"]:
        yield _left(answer) if forward["left"] else _crashed(answer)
        return
    if not healthy["boundaries"]:
        yield _result(
            _FORWARD,
            subject,
            "unproven",
            _strength(answer),
            "no forward in the baseline",
            (),
            "the baseline was written without a forward pass",
            "write it again with a factory that returns (model, inputs)",
        )
        return
    # Modules end from the inside out, so the first that differs is the innermost.
    differing = _differences(healthy["boundaries"], forward["boundaries"])
    casts = {each["module"]: each for each in forward["left"]}
    evidence = [item for name in list(differing)[:1] for item in _cast(casts.get(name) or {})]
    yield _like_baseline(
        "its modules take and return the dtypes of the baseline",
        subject,
        _strength(answer),
        differing,
        f"{len(forward['boundaries'])} modules",
        tuple(evidence),
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
        return _result(claim, subject, "proven", strength, f"{seen}, no difference")
    name, (was, now) = next(iter(differing.items()))
    told = [
        Evidence(_module(each), f"was {before}, is {after}")
        for each, (before, after) in list(differing.items())[:_SHOWN]
    ]
    return _result(
        claim,
        subject,
        "contradicted",
        strength,
        f"{_module(name)}: {now}",
        (*told, *evidence),
        f"{len(differing)} differ, the first is {_module(name)}: was {was}, is {now}",
        f"check {_module(name)} first; if this is intended, save it with --write-baseline",
    )


def _differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return, by name, what was and what is; those that are there now first, in their order."""
    names = [*now, *(name for name in was if name not in now)]
    return {
        name: (_told(was.get(name)), _told(now.get(name)))
        for name in names
        if was.get(name) != now.get(name)
    }


def _told(dtypes: Any) -> str:
    """Write a dtype, or what a module was given and gave in each kind of call."""
    if dtypes is None:
        return "not there"
    if isinstance(dtypes, str):
        return dtypes
    return "; ".join(
        f"{_names(given) or 'no float'} to {_names(gave) or 'no float'}" for given, gave in dtypes
    )


def _read_baseline(path: str) -> dict[str, Any]:
    """Read a baseline. Raises ConfigError for what is none."""
    try:
        document = json.loads(read_small(path, _LARGEST))
        version, tensors, boundaries = (
            document[name] for name in ("version", "tensors", "boundaries")
        )
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror}"
        raise ConfigError(message) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        message = f"{path}: not a baseline of verify dtype (create one with --write-baseline)"
        raise ConfigError(message) from error
    if version != _VERSION or not (isinstance(tensors, dict) and isinstance(boundaries, dict)):
        message = (
            f"{path}: a baseline of version {version!r}, but this version of rocmlint "
            f"reads version {_VERSION}"
        )
        raise ConfigError(message)
    return {"tensors": tensors, "boundaries": boundaries}


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
    }
    try:
        write_json(path, document)
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror}"
        raise ConfigError(message) from error


def _strength(answer: Mapping[str, Any]) -> Strength:
    """Return the strength of a forward: with fake tensors no kernel ran."""
    return "live" if answer["simulated"] else "executed"


def _about(answer: Mapping[str, Any]) -> tuple[Evidence, ...]:
    memory = f"at most {answer['peak_memory'] / 1e6:,.0f} MB"
    told = (Evidence("torch", answer["torch"]), Evidence("memory", memory))
    if answer["simulated"]:
        return (Evidence("simulated", "no kernel ran, so none rejected mixed dtypes"), *told)
    return told


def _cast(told: Mapping[str, Any]) -> tuple[Evidence, ...]:
    cast = told.get("cast")
    return (Evidence("cast", f"{cast['place']}: {cast['operation']}"),) if cast else ()


def _crash(crash: Mapping[str, Any] | None) -> tuple[Evidence, ...]:
    if not crash:
        return ()
    return (Evidence("error", crash["error"]), Evidence("raised at", crash["place"]))


def _names(dtypes: Any) -> str:
    return ", ".join(dtypes)


def _module(name: str | None) -> str:
    return name or "the model itself"
