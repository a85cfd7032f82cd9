"""A call that does not fit its callee, as Python's TypeError says it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.why.generic.parts import innermost
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from rocmlint.why.facts.context import Context

_KEYWORD = re.compile(
    r"(?P<callee>[\w.<>]+)\(\) (?:got an unexpected keyword argument|"
    r"got (?P<twice>multiple values) for (?:keyword )?argument) ['\"](?P<name>\w+)['\"]"
)
_MISSING = re.compile(
    r"(?P<callee>[\w.<>]+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: "
    r"(?P<names>['\"]\w+['\"](?:(?:,| and|, and) ['\"]\w+['\"])*)"
)
_COUNT = re.compile(
    r"(?P<callee>[\w.<>]+)\(\) takes (?:from \d+ to |exactly |at most )?(?P<takes>\d+) positional "
    r"arguments? but (?P<given>\d+) (?:was|were) given"
)


_CLASS = r"(?<![\w.])((?:[a-z_]\w*\.)*[A-Z]\w*)"


@dataclass(frozen=True)
class FailedCall:
    """The call that a message describes: ``given`` was passed, or ``lacking`` was not."""

    callee: str
    given: str = ""
    lacking: tuple[str, ...] = ()
    counts: tuple[int, int] | None = None
    """How many positional arguments it takes, and how many there were."""
    is_double: bool = False
    message: str = ""

    @property
    def problem(self) -> str:
        """The error in the call, with the callee as the subject."""
        if self.given:
            return f"takes {self.given} twice" if self.is_double else f"does not take {self.given}"
        if self.counts is not None:
            return f"takes {self.counts[0]} positional arguments, not {self.counts[1]}"
        return f"requires {', '.join(self.lacking)}"


def call_in(text: str) -> FailedCall | None:
    """Return the call that a text is about; None where it is about none."""
    found = _KEYWORD.search(near(text, "keyword argument") or near(text, "multiple values"))
    if found is not None:
        is_double = bool(found["twice"])
        return FailedCall(found["callee"], found["name"], is_double=is_double, message=found[0])
    found = _MISSING.search(near(text, "() missing "))
    if found is not None:
        names = tuple(re.findall(r"['\"](\w+)['\"]", found["names"]))
        return FailedCall(found["callee"], lacking=names, message=found[0])
    found = _COUNT.search(near(text, "() takes "))
    if found is not None:
        counts = (int(found["takes"]), int(found["given"]))
        return FailedCall(found["callee"], counts=counts, message=found[0])
    return None


def class_on_line(context: Context, keyword: str = "") -> str:
    """Return the class that the line of the innermost frame calls, as it is written: "nn.GELU".

    Python before 3.10 names only the method: "__init__() got an unexpected keyword argument".
    """
    place = innermost(context)
    line = place.frame.code if place is not None else ""
    if keyword:
        inside = r"\((?:[^()]|\([^()]*\))*\b"
        found = re.search(rf"{_CLASS}{inside}{re.escape(keyword)}\s*=", line)
        found = found or re.search(rf"{_CLASS}\(\s*\Z", line)
        return found[1] if found is not None else ""
    written = re.findall(rf"{_CLASS}\(", line)
    return str(written[0]) if len(written) == 1 else ""
