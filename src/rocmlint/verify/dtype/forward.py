"""Judging one forward of a model: which module leaves its dtype, and why a run failed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.interpreter.inside.dtype.trace import holder_of
from rocmlint.verify.result import Evidence, Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.verify.result import Strength

CLAIM = "no module returns a dtype that it was not given"
SHOWN = 12
"""How many tensors or modules are named as evidence."""
result_of = partial(Result, "dtype")


def forward_of(answer: Mapping[str, Any]) -> Result:
    """Judge what the modules of a model returned."""
    forward = answer["forward"]
    if forward is None:
        return _not_run(answer)
    if forward["left"]:
        return _left(answer)
    if forward["crash"]:
        return _crashed(answer)
    is_seen = forward["calls"] and (forward["operations"] or not answer["tensors"])
    if forward["later"] or not is_seen:
        return _not_seen(answer)
    designed = forward["designed"]
    seen = f"{forward['calls']} calls, {forward['operations']:,} operations"
    if designed:
        seen += f", {len(designed)} by design"
    evidence = [Evidence("by design", _designed(each)) for each in designed[:SHOWN]]
    evidence += _more(designed)
    return result_of(
        CLAIM, answer["model"], "proven", strength_of(answer), seen, (*evidence, *about(answer))
    )


def _designed(module: Mapping[str, Any]) -> str:
    cast = module["cast"]
    place = f" at {cast['place']}" if cast else ""
    return (
        f"{module_named(module['module'])} returns {names(module['new'])}{place}: {module['why']}"
    )


def _more(modules: list[Any]) -> list[Evidence]:
    return [Evidence("more", f"{len(modules) - SHOWN} modules")] if modules[SHOWN:] else []


def _not_run(answer: Mapping[str, Any]) -> Result:
    """Return that nothing was run, and why."""
    return result_of(
        CLAIM,
        answer["model"],
        "unproven",
        "live",
        "not run",
        (),
        f"{answer['without']}, so no forward was run",
        "let the factory return (model, inputs), with inputs as keyword arguments or a tuple",
    )


def _not_seen(answer: Mapping[str, Any]) -> Result:
    """Return that the forward did its work where nobody looked."""
    later = answer["forward"]["later"]
    reason = "the forward pass ran no operation of PyTorch"
    if not answer["forward"]["calls"]:
        reason = "the model is a TorchScript module, which is only seen from outside"
    elif later:
        reason = f"the model returns a {later}, which does its work after the forward pass"
    return result_of(
        CLAIM,
        answer["model"],
        "unproven",
        strength_of(answer),
        "not seen",
        about(answer),
        reason,
        "let the factory return a model whose forward pass does the work and returns its result",
    )


def _left(answer: Mapping[str, Any]) -> Result:
    """Judge a forward in which a module left its dtype: the first one is the cause."""
    first, *more = answer["forward"]["left"]
    crash = answer["forward"]["crash"]
    cast = first["cast"]
    place = f" at {cast['place']}" if cast else ""
    given = names(first["given"]) or "no floating-point tensor"
    reason = f"{module_named(first['module'])} ({first['class']}) is given {given} and returns "
    reason += names(first["new"])
    action = f"cast back at the end of that module, or remove the cast{place}"
    if cast and cast["weight"]:
        reason += f", the dtype of {cast['weight']}, which is used{place}"
        holder = cast["weight"].rpartition(".")[0]
        action = f"model.get_submodule({holder!r}).to(torch.{answer['dominant']}), "
        action += f"or cast back at the end of {module_named(first['module'])}"
    elif cast:
        reason += f", created{place}"
    if crash:
        reason += f"; the run then fails in {module_named(crash['module'])}, which is not the cause"
    holder = holder_of(first["module"], answer["forward"]["boundaries"])
    if holder is not None and not crash and holder not in {each["module"] for each in more}:
        reason += f"; {module_named(holder)} casts back, so it costs time and memory only there"
        action += (
            "; if it is intended, save the run with --write-baseline and pass it as --baseline"
        )
    evidence = [*cast_of(first), *_crash(crash)]
    evidence += [Evidence("then", _then(each)) for each in more[:SHOWN]]
    return result_of(
        CLAIM,
        answer["model"],
        "contradicted",
        strength_of(answer),
        f"{module_named(first['module'])} returns {names(first['new'])}",
        (*evidence, *_more(more), *about(answer)),
        reason,
        action,
    )


def _then(module: Mapping[str, Any]) -> str:
    cast = module["cast"]
    created = f", created at {cast['place']}" if cast else ""
    return f"{module_named(module['module'])} returns {names(module['new'])}{created}"


def _crashed(answer: Mapping[str, Any]) -> Result:
    """Judge a forward that ended by an exception though no module had left its dtype."""
    crash = answer["forward"]["crash"]
    evidence = (*_crash(crash), *about(answer))
    subject, module = answer["model"], module_named(crash["module"])
    if not crash["about_dtypes"]:
        return result_of(
            CLAIM,
            subject,
            "unproven",
            strength_of(answer),
            "the forward failed",
            evidence,
            f"the forward pass failed: {crash['error']}",
            "let the factory return inputs with which the model runs; if this device has "
            "no kernel for a dtype, use --fake",
        )
    reason, action = _cause(answer, crash, module)
    seen = f"the forward pass fails in {module}"
    return result_of(
        CLAIM, subject, "contradicted", strength_of(answer), seen, evidence, reason, action
    )


def _cause(answer: Mapping[str, Any], crash: Mapping[str, Any], module: str) -> tuple[str, str]:
    """Return why a forward ended with a dtype error, and what to do."""
    dominant, given = answer["dominant"], answer["forward"]["given"]
    own, got = names(crash.get("own", ())), names(crash.get("given", ()))
    if crash.get("own") and dominant not in crash["own"]:
        reason = f"{module} has {own} weights in a model of {dominant}, and is given {got}"
        return reason, f"model.get_submodule({crash['module']!r}).to(torch.{dominant})"
    is_cast = crash["cast"] and crash["cast"]["is_given"]
    if set(given) & set(crash.get("new", ())) and not is_cast:
        reason = f"the inputs of the model are {names(given)}, its weights {dominant}"
        return reason, f"let the factory cast its inputs to torch.{dominant}"
    if crash["cast"]:
        reason = (
            f"{crash['cast']['dtype']} is created at {crash['cast']['place']}, by the code that "
        )
        reason += f"calls {module} ({own or 'no'} weights) with it"
        return reason, f"remove that cast, or cast back before {module} is called"
    reason = f"{module} mixes two dtypes: given {got or 'no float'}, weights {own or 'none'}"
    return reason, f"see {crash['place']}"


def strength_of(answer: Mapping[str, Any]) -> Strength:
    """Return the strength of a forward: with fake tensors no kernel ran."""
    return "live" if answer["simulated"] else "executed"


def about(answer: Mapping[str, Any]) -> tuple[Evidence, ...]:
    """Return with what a forward was run, as evidence."""
    peak = answer["peak_memory"]
    memory = "unknown" if peak is None else f"at most {peak / 1e6:,.0f} MB"
    evidence = (Evidence("torch", answer["torch"]), Evidence("memory", memory))
    if answer["simulated"]:
        return (Evidence("simulated", "no kernel ran, so none rejected mixed dtypes"), *evidence)
    return evidence


def cast_of(module: Mapping[str, Any]) -> tuple[Evidence, ...]:
    """Return the operation that gave a dtype, as evidence."""
    cast = module.get("cast")
    return (Evidence("cast", f"{cast['place']}: {cast['operation']}"),) if cast else ()


def _crash(crash: Mapping[str, Any] | None) -> tuple[Evidence, ...]:
    if not crash:
        return ()
    return (Evidence("error", crash["error"]), Evidence("raised at", crash["place"]))


def names(dtypes: Any) -> str:
    """Write dtypes in a row."""
    return ", ".join(dtypes)


def module_named(name: str | None) -> str:
    """Write the name of a module, which the model itself has none of."""
    return name or "the model itself"
