"""What linting one file gave, as it passes between processes and into the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from rocmlint.disk.state import State
    from rocmlint.findings import Claim, Excused
    from rocmlint.lint.decided import Decided
    from rocmlint.lint.rule_fault import RuleFault


class FileResult(NamedTuple):
    """What linting one file gave; plain data that passes between processes.

    ``content`` is the digest of what was linted, None where that must not be remembered.
    """

    path: str
    findings: Sequence[Any] = ()
    problems: Sequence[str] = ()
    consulted: Mapping[str, State] = {}
    content: str | None = None
    stat: os.stat_result | None = None
    text: str | None = None
    """What the places of the findings count in, None where there are none."""
    claims: Sequence[Claim] = ()
    unread: Sequence[str] = ()
    faults: Sequence[RuleFault] = ()
    excused: Sequence[Excused] = ()
    versions: Sequence[Decided] = ()
