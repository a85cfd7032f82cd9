"""Judges wrappers of the code of a source: objects that nothing in it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.text.words import counted, few
from rocmlint.verify.result import WRAPPERS, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_NAMED = 8
"""How many names of one wrapper are listed; the rest are counted."""


def judgement_on(facts: Mapping[str, Any], seen: str) -> Judgement:
    """Judge a module of which something is behind another object, and nothing else is wrong."""
    first = facts["behind"][0]
    calls = first.get("calls")
    decided = "only a call shows" if calls is None else _told_of(first)
    return Judgement(
        "unproven",
        "live" if calls is None else "executed",
        f"{seen}; {len(facts['behind']):,} behind another object",
        f"{first['name']} is behind {where(first)}, which nothing in {facts['origin']} asks for; "
        f"whether calls through it run the code of the source, {decided}",
        _action(facts["module"], first),
    )


def _action(module: str, first: Mapping[str, Any]) -> str:
    place = f"{first['file']}:{first['line']}" if first["file"] else f"that {first['kind']}"
    if first.get("calls") is None:
        return (
            f"run it: rocmlint verify live {module} --executed --call PKG.MOD:FUNC (name the "
            f"module that puts it there before {module}); or remove {place} from the job"
        )
    return f"choose a call that uses {first['name']}, or read {place}: does it call the original?"


def _told_of(entry: Mapping[str, Any]) -> str:
    """Say what a run showed of an entry that it did not decide."""
    calls, passed, runs = entry["calls"], entry["passed"], entry["runs"]
    if calls is not None and not entry["watched"]:
        return (
            "this run does not show: it was put there while the call ran, or is around a class, so "
            "its calls were not counted"
        )
    if not calls and not runs:
        return "this run does not show: it was not called"
    if calls and not runs:
        return f"this run does not show: it ran {_times(calls)} and the code of the source never"
    if calls and passed < calls:
        return f"this run does not show: the code ran in {passed:,} of its {counted(calls, 'call')}"
    return "this run does not show: the code ran, but it can also be called directly"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def decided(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts with what a run showed of each object that is around the source's code.

    Where the code ran in each call of the object it is proven: then ``ran_behind`` has the entry.
    """
    known = {each["name"]: each for each in facts.get("through", ())}
    entries = [{**_UNSEEN, **each, **known.get(each["name"], {})} for each in facts["behind"]]
    ran = [each for each in entries if _is_run(each)]
    behind = [each for each in entries if not _is_run(each)]
    return {**facts, "behind": behind, "ran_behind": ran}


_UNSEEN = {"watched": False, "calls": 0, "passed": 0, "runs": 0, "alone": False, "translated": 0}


def _is_run(entry: Mapping[str, Any]) -> bool:
    """Return whether all calls of an object ran the code that it holds.

    Where it is the only way to the code, each run of it came through the object; an object whose
    own code is not Python shows no calls.
    """
    calls, passed, runs = entry["calls"], entry["passed"], entry["runs"]
    if not entry["watched"] or not runs:
        return False
    return bool(0 < calls == passed or (entry["alone"] and runs >= calls))


def lines(facts: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield the evidence: by which object what is wrapped, what is behind one, and what ran."""
    yield WRAPPERS[0], list(_by_place(facts["wrapped"]))
    yield "behind", [f"{each['name']} is behind {where(each)}" for each in facts["behind"]]
    yield WRAPPERS[1], [_ran(each) for each in facts.get("ran_behind", ())]


def _ran(entry: Mapping[str, Any]) -> str:
    text = f"{entry['name']} behind {where(entry)}"
    return f"{text} (as translated by torch.compile)" if entry["translated"] else text


def _by_place(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the names of each wrapper and its place."""
    names: dict[str, list[str]] = {}
    for each in entries:
        names.setdefault(f"{each['file']}:{each['line']}", []).append(each["name"])
    for place, its in names.items():
        yield f"{few(its, _NAMED)} by {place}"


def where(entry: Mapping[str, Any]) -> str:
    """Return what an object is, and the place of its code."""
    if entry["file"] is None:
        return f"{entry['kind']} (not Python code)"
    return f"{entry['kind']} at {entry['file']}:{entry['line']}"
