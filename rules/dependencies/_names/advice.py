"""What to do about names that are missing, in one clause for those with the same answer."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from .cures import bound_for, common_bound, is_excluded, to_require
from .missing import enumerated
from .published_names import has, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packaging.version import Version

    from rocmlint.rule import Source

    from .missing import Missing, MissingUse


def advice(uses: Sequence[MissingUse], within: Sequence[str], source: Source) -> str:
    """Return which version counts, and what to do about the names that it lacks.

    ``within`` is what is asked of the names that are modules: ``.Name`` of ``module.Name``.
    """
    first = uses[0].missing
    bounds = [each.missing.requirement for each in uses]
    bound = bound_for(bounds, first, source)
    cures = bool(bound) or not common_bound(bounds)
    clauses: dict[str, list[MissingUse]] = {}
    is_bound_alone = bool(bound) and not any(clause_of(each.missing, within) for each in uses)
    for each, own in zip(uses, bounds, strict=True):
        clause = clause_of(each.missing, within)
        if not clause and ">=" in own and cures:
            clause = "" if bound else f"require {to_require(own, each.missing, source)} for {{}}"
        elif not clause and not is_bound_alone:
            clause = f"do without {{}}: {each.missing.last_with}"
        clauses.setdefault(clause, []).append(each)
    texts = [_said(clause, some, alone=len(uses) == 1) for clause, some in clauses.items()]
    if bound and not any(texts):
        texts.append(f"require {to_require(bound, first, source)}")
    elif bound and not is_excluded(bound, first, source):
        texts.append(f"or require {to_require(bound, first, source)}")
    text = "; ".join(filter(None, texts)) if len(uses) > 1 else ", ".join(filter(None, texts))
    return f"{first.runs_with} {text[0].upper()}{text[1:]}."


def _said(clause: str, uses: Sequence[MissingUse], *, alone: bool) -> str:
    """Put the names into a clause; those that only the requirement brings back need none."""
    listed = enumerated([each.name for each in uses], "and")
    if "{}" in clause:
        return clause.replace("{}", listed)
    return clause if alone or not clause else f"for {listed} {clause}"


def clause_of(missing: Missing, within: Sequence[str]) -> str:
    """Return what to do about a name, with ``{}`` for all treated alike; "" for nothing."""
    new = missing.successor
    if new is not None:
        module, _, name = new.new.rpartition(".")
        index = names(new.new)
        is_module = index is not None and index.is_module(new.new)
        moved = new.same and name == missing.name and not is_module
        return f"import {{}} from `{module}`" if moved else f"use `{new.new}`"
    known = missing.replacement
    if known is not None and known.advice:
        return f"{known.advice[0].lower()}{known.advice[1:]}"
    holder = _moved(missing.dotted, within, missing.version)
    if holder is not None:
        return f"use `{holder}`"
    alike = _module_now(missing.dotted, missing.version)
    if alike is not None:
        return f"take {{}} from `{alike}` if it does the same"
    return ""


def _moved(dotted: str, within: Sequence[str], version: Version) -> str | None:
    """Return the module of the same name that now has all that is asked of this one."""
    known, name = names(dotted), dotted.rpartition(".")[2]
    found = [
        each
        for each in (known.modules() if known is not None and within else ())
        if each.endswith(f".{name}") and all(has(f"{each}{rest}", version) for rest in within)
    ]
    return max(found, key=lambda each: _shared(each, dotted), default=None)


def _module_now(dotted: str, version: Version) -> str | None:
    """Return a module that has a name like this in a version; not that of another model."""
    module, _, name = dotted.rpartition(".")
    known = names(dotted)
    if known is None or name.startswith("_"):
        return None
    found = []
    for each in known.elsewhere(name, version):
        model = re.match(r"\w+\.models\.\w+", each)
        if model is None or f"{module}.".startswith(f"{model[0]}."):
            found.append(each)
    homes = {home for each in found if (home := _home(f"{each}.{name}", version))}
    return max(homes or found, key=lambda each: (_shared(each, module), each), default=None)


def _home(dotted: str, version: Version) -> str:
    """Return the module that defines what another one only passes on, "" where it is gone."""
    known = names(dotted)
    defined = known.defined_as(dotted, version) if known is not None else None
    home, _, name = (defined or "").rpartition(".")
    is_same = name == dotted.rpartition(".")[2] and "dummy" not in home
    return home if is_same and defined and has(defined, version) is not False else ""


def _shared(one: str, other: str) -> int:
    """Count the names that two modules begin with both."""
    pairs = zip(one.split("."), other.split("."), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
