"""Judging parameter groups: each parameter is in exactly one, and none is frozen by mistake."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.text.words import counted, few
from rocmlint.verify.model.subject import SHOWN, about
from rocmlint.verify.result import Evidence, Judgement, Result, evidence_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.verify.model.subject import Asking

CHECK = "model parameter-groups"
_result = partial(Result, CHECK)


@dataclass(frozen=True)
class ParameterGroup:
    """A group that is configured."""

    name: str
    patterns: tuple[str, ...]
    """Names of modules and parameters, with or without wildcards."""
    names: frozenset[str] = frozenset()
    """Names of parameters, for a group that an optimizer has."""

    def includes(self, parameter: str) -> bool:
        """Return whether a parameter belongs to this group."""
        return parameter in self.names or any(
            fnmatchcase(parameter, each) or parameter == each or parameter.startswith(f"{each}.")
            for each in self.patterns
        )


def check(asking: Asking, groups: Sequence[ParameterGroup], frozen: Sequence[str]) -> list[Result]:
    """Compare the parameters of a model with the groups. Raises InterpreterError."""
    return list(results_of(asking.ask("parameter_groups"), groups, frozen))


def results_of(
    answer: Mapping[str, Any], groups: Sequence[ParameterGroup], frozen: Sequence[str]
) -> Iterator[Result]:
    """Yield a result for all parameters, for each group and for the optimizer."""
    if answer["optimizer_error"]:
        yield _no_optimizer(answer)
    if not groups and answer["optimizer"]:
        names = [each["name"] for each in answer["groups"]]
        groups = [
            ParameterGroup(name, (), frozenset(filter(None, each["parameters"])))
            for name, each in zip(_distinct(names), answer["groups"], strict=True)
        ]
    if groups:
        yield _each_in_one(answer, groups)
        yield from (_group(each, answer, frozen) for each in groups)
    else:
        yield _without_groups(answer)
    if answer["optimizer"]:
        yield _optimizer(answer)


def _distinct(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return distinct


def _no_optimizer(answer: Mapping[str, Any]) -> Result:
    return _result(
        "its optimizer holds each trained parameter once",
        answer["model"],
        "unproven",
        "live",
        "no optimizer",
        about(answer),
        f"the trainer made none: {answer['optimizer_error']}",
        "return the optimizer from the factory, as {'model': ..., 'optimizer': ...}",
    )


_IN_ONE = "each parameter is in exactly one group"


def _without_groups(answer: Mapping[str, Any]) -> Result:
    """Report which groups there could be."""
    sizes: Counter[str] = Counter()
    for each in answer["parameters"]:
        sizes[".".join(each["name"].split(".")[:2])] += each["elements"]
    evidence = [Evidence("parameters", f"{it}: {size:,}") for it, size in sizes.most_common(SHOWN)]
    return _result(
        _IN_ONE,
        answer["model"],
        "unproven",
        "live",
        "no group is configured",
        (*evidence, *about(answer)),
        "neither a flag nor an optimizer says which groups there are",
        "name them: --group 'vision=model.visual' --group 'text=model.language_model,lm_head'",
    )


def _nothing(claim: str, answer: Mapping[str, Any], reason: str) -> Result:
    """Return that a claim on no parameter proves nothing."""
    action = "return the model that is trained from the factory"
    judgement = Judgement("unproven", "live", "no parameter", reason, action)
    return judgement.on(CHECK, claim, answer["model"], about(answer))


def _each_in_one(answer: Mapping[str, Any], groups: Sequence[ParameterGroup]) -> Result:
    names = [each["name"] for each in answer["parameters"]]
    if not names:
        return _nothing(_IN_ONE, answer, "the model has no parameters")
    holders = {name: [each.name for each in groups if each.includes(name)] for name in names}
    rogue = [name for name, found in holders.items() if not found]
    several = [f"{name}: {', '.join(found)}" for name, found in holders.items() if len(found) > 1]
    evidence = (
        *evidence_of("in no group", rogue, SHOWN),
        *evidence_of("in several groups", several, SHOWN),
        *about(answer),
    )
    if not rogue and not several:
        seen = f"{counted(names, 'parameter')} in {counted(groups, 'group')}"
        return _result(_IN_ONE, answer["model"], "proven", "live", seen, evidence)
    parts = [f"{len(rogue):,} in no group ({few(rogue, 2)})"] if rogue else []
    parts += [f"{len(several):,} in several ({few(several, 1)})"] if several else []
    return _result(
        _IN_ONE,
        answer["model"],
        "contradicted",
        "live",
        f"{len(rogue):,} in no group, {len(several):,} in several",
        evidence,
        f"of {counted(names, 'parameter')}, {' and '.join(parts)}: a parameter without a group is "
        "not trained or gets the default learning rate, and one in two groups is updated twice",
        "add a pattern for the first kind, and make the patterns of the second kind exclusive",
    )


def _group(group: ParameterGroup, answer: Mapping[str, Any], frozen: Sequence[str]) -> Result:
    """Judge whether a group is trained, at one learning rate, or frozen on purpose."""
    held = [each for each in answer["parameters"] if group.includes(each["name"])]
    rates = {
        name: each["rate"]
        for each in answer["groups"]
        for name in each["parameters"]
        if name is not None
    }
    found = sorted({rates[each["name"]] or 0.0 for each in held if each["name"] in rates})
    size = sum(each["bytes"] for each in held)
    seen = f"{counted(held, 'parameter')}, {size / 1e6:,.1f} MB, "
    seen += f"learning rate {', '.join(f'{each:g}' for each in found) or 'unknown'}"
    on_purpose = group.name in frozen
    claim = f"group {group.name} is {'frozen' if on_purpose else 'trained'}"
    still = [each["name"] for each in held if not each["trained"] or rates.get(each["name"]) == 0]
    evidence = (*evidence_of("frozen", still, 3), *about(answer))
    judged = _state(group, held, still, found, on_purpose=on_purpose)
    return judged._replace(seen=seen).on(CHECK, claim, answer["model"], evidence)


def _state(
    group: ParameterGroup,
    held: Sequence[Mapping[str, Any]],
    still: Sequence[str],
    rates: Sequence[float],
    *,
    on_purpose: bool,
) -> Judgement:
    if not held and not group.patterns:
        reason = "the group has no parameters of the model"
        return Judgement("unproven", "live", "", reason, "see the other results")
    if not held:
        return Judgement(
            "contradicted",
            "live",
            "",
            f"no parameter has a name like {', '.join(group.patterns)}",
            "compare the patterns with the names of model.named_parameters(), which change "
            "between versions of transformers",
        )
    if on_purpose and len(still) < len(held):
        return Judgement(
            "contradicted",
            "live",
            "",
            f"{len(held) - len(still):,} of {counted(held, 'parameter')} are trained",
            "set requires_grad_(False) on them before the optimizer is created",
        )
    if not on_purpose and still:
        return Judgement(
            "contradicted",
            "live",
            "",
            f"{len(still):,} of {counted(held, 'parameter')} are frozen (requires_grad is False, "
            "or the learning rate is 0)",
            f"call requires_grad_(True) on them, or pass --frozen {group.name} if it is intended",
        )
    if not on_purpose and len(rates) > 1:
        return Judgement(
            "contradicted",
            "live",
            "",
            f"its parameters have {len(rates)} learning rates",
            "configure a group for each learning rate",
        )
    return Judgement("proven", "live", "")


def _optimizer(answer: Mapping[str, Any]) -> Result:
    """Judge whether the optimizer has all that is trained, once, and nothing else."""
    claim = "its optimizer holds each trained parameter once"
    held = Counter(name for each in answer["groups"] for name in each["parameters"])
    foreign = held.pop(None, 0)
    trained = [each["name"] for each in answer["parameters"] if each["trained"]]
    missing = [name for name in trained if name not in held]
    twice = [name for name, times in held.items() if times > 1]
    evidence = (
        Evidence("optimizer", answer["optimizer"]),
        *evidence_of("not in the optimizer", missing, SHOWN),
        *evidence_of("twice in the optimizer", twice, SHOWN),
        *about(answer),
    )
    parts = [f"{len(missing):,} trained parameters are not in it"] if missing else []
    parts += [f"{len(twice):,} are in it twice"] if twice else []
    parts += [f"{foreign:,} of its tensors are not parameters of the model"] if foreign else []
    if not parts and not trained:
        return _nothing(claim, answer, "no parameter is trained (requires_grad is False)")
    if not parts:
        seen = f"{counted(trained, 'parameter')} in {answer['optimizer']}"
        return _result(claim, answer["model"], "proven", "live", seen, evidence)
    return _result(
        claim,
        answer["model"],
        "contradicted",
        "live",
        "; ".join(parts),
        evidence,
        f"of {counted(trained, 'trained parameter')}: {'; '.join(parts)}",
        "create the optimizer after the model is complete, moved and wrapped, from "
        "model.named_parameters()",
    )
