"""Functions of torch that are deprecated, and whose replacement works differently."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from rocmlint.published.deprecated import deprecated_names
from rocmlint.rule import compile_lazily

from .._names.uses import imports, places_below
from .old_calls import Group, OldUse, suspects
from .successors import SUCCESSORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

_LONGEST = 95
_OF_OTHER_RULES = {"torch.set_default_tensor_type"}  # what it does is what ROC401 looks at
_IN_MOST_FILES = {"broadcast", "eig", "ger", "main", "profile", "range", "solve"}
"""Last names that stand in too many words: "eig" is in "weight"."""
_TORCH_AS = compile_lazily(r"\bimport[ \t]+torch[ \t]+as[ \t]+(\w+)")
_NAMED = re.compile(r"[`:]~?((?:torch|functorch)(?:\.\w+)+)")


def suspected_to_rewrite(source: Source) -> Iterator[re.Match[str]]:
    """Find imports of deprecated functions, and their names below those of torch's modules."""
    text = source.text
    yield from suspects((_functorch(),), source)
    roots = {local: {"torch"} for local in ("torch", *_TORCH_AS.findall(text))}
    for each in imports(text, "torch".__eq__):
        if each.dotted in names_to_rewrite():
            yield each.match
        elif each.dotted in _modules():
            roots.setdefault(each.local, set()).add(each.dotted)
    yield from (
        each.match for each in places_below(roots, text) if each.dotted in names_to_rewrite()
    )


def words_to_rewrite() -> Iterator[str]:
    """Yield the words of which one stands in each file that calls or imports such a function."""
    for name in sorted({each.rpartition(".")[2] for each in names_to_rewrite()}):
        yield from (f".{name}(", f"import {name}") if name in _IN_MOST_FILES else (name,)


@cache
def _functorch() -> Group:
    """Return the names of the package that became part of torch."""
    packages = (each.split(".") for each in names_to_rewrite())
    return Group(
        ("functorch",), tuple(last for first, *_, last in packages if first == "functorch")
    )


@cache
def _modules() -> frozenset[str]:
    """Return what of torch holds a deprecated function, or a module with one."""
    parts = (each.split(".")[:-1] for each in names_to_rewrite())
    return frozenset(".".join(each[: end + 1]) for each in parts for end in range(len(each)))


@cache
def names_to_rewrite() -> frozenset[str]:
    """Return the functions."""
    return frozenset({*deprecated_names()} - SUCCESSORS.keys() - _OF_OTHER_RULES)


def message_to_rewrite(found: OldUse) -> str:
    """Say since when a function is deprecated, and who says so."""
    deprecation = found.deprecation
    goes = f" and will be removed in {deprecation.goes}" if deprecation.goes else ""
    said = "" if deprecation.warns else ", its documentation says"
    end = f"is deprecated {deprecation.when}{goes}{said}"
    name = found.dotted if len(found.dotted) + len(end) < _LONGEST else found.name
    return f"`{name}` {end}"


def help_to_rewrite(found: OldUse) -> str:
    """Return what torch recommends."""
    named = (each for each in _NAMED.findall(found.deprecation.message) if each != found.dotted)
    new = next((each for each in named if not each.endswith(found.dotted)), "")
    return (
        f"Torch recommends `{new}`, which may take different arguments."
        if new
        else "No other function does exactly the same: read its documentation."
    )
