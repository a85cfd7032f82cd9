"""How a program did in one case: equal, different, refused; and what it changed besides."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.compare import differing, largest

if TYPE_CHECKING:
    from rocmlint.export.agreement.cases import Case
    from rocmlint.export.agreement.running import Ran

_BEFORE, _SHOWN = 40, 150
"""How many characters of a structure are shown, and how many of them before a difference."""
_OTHER_WEIGHTS = 10.0
"""With large weights rounding grows too."""


def judged(case: Case, expected: Ran, found: Ran, factor: float = 1.0) -> dict[str, Any]:
    """Return how a program did in one case."""
    fact: dict[str, Any] = {"name": case.name, "outcome": "equal", "what": "", "largest": 0.0}
    if expected.error or found.error:
        outcomes = {
            (True, True): "both refuse",
            (True, False): "accepts",
            (False, True): "refused",
        }
        outcome = outcomes[bool(expected.error), bool(found.error)]
        return {
            **fact,
            "outcome": outcome,
            "what": found.error or expected.error,
            "guard": guard(found.error),
            "place": found.place,
        }
    factor *= 1.0 if case.weights == 1.0 else _OTHER_WEIGHTS
    difference = differing(expected.leaves, found.leaves, factor)
    if difference is None and expected.structure != found.structure:
        what = _where_apart(expected.structure, found.structure)
        difference = {"path": "", "kind": "structure", "what": what}
    fact["largest"] = largest(expected.leaves, found.leaves)
    if difference is not None:
        fact |= {"outcome": "different", "what": _told(difference), "kind": difference["kind"]}
    return {**fact, "effects": _effects(expected, found, factor)}


def _where_apart(expected: str, found: str) -> str:
    """Return where two structures begin to differ, with a little of what is equal before."""
    pairs = zip(expected, found, strict=False)
    equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    start = max(equal - _BEFORE, 0)
    dots = "..." if start else ""
    return f"{dots}{expected[start:][:_SHOWN]} became {dots}{found[start:][:_SHOWN]}"


def _told(difference: dict[str, Any]) -> str:
    path = difference["path"]
    return f"{path}: {difference['what']}" if path else str(difference["what"])


def _effects(expected: Ran, found: Ran, factor: float) -> list[dict[str, str]]:
    """Return what a program does to its inputs and its state otherwise than the model."""
    told = []
    for path in sorted({*expected.mutated} ^ {*found.mutated}):
        who = "the model" if path in expected.mutated else "the program"
        told.append({"kind": "writes", "what": f"only {who} writes into {path}"})
    outputs = {*expected.aliases} ^ {*found.aliases}
    for output, given in sorted(outputs):
        who = "of the model" if (output, given) in expected.aliases else "of the program"
        what = f"only the output {output or 'itself'} {who} shares memory with {given}"
        told.append({"kind": "memory", "what": what})
    for kind, one, other in (
        ("state", expected.state, found.state),
        ("kept", expected.kept, found.kept),
    ):
        difference = differing(one, other, factor)
        if difference is not None:
            what = f"parameters and buffers afterwards: {_told(difference)}"
            told.append({"kind": kind, "what": what})
    return told


def guard(error: str) -> str:
    """Return the guard that an error tells; nothing where it is another error."""
    if not error:
        return ""
    if "Guard failed" in error or "Expected input" in error:
        return error.partition(": ")[2].partition("\n")[0]
    lowered = error.lower()
    if "tree spec" in lowered or "treespec" in lowered or "in_spec" in lowered:
        return "the structure of the inputs is fixed: " + error.partition("\n")[0]
    if "Runtime assertion failed" in error or "untime assertion" in error:
        return error.partition("\n")[0]
    return ""
