"""What two lists of a project disagree on, which is said once a project."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rocmlint.paths import relative

if TYPE_CHECKING:
    import libcst as cst

    from rocmlint.rule import Finding, PythonRule, Source

    from .missing import MissingUse


def disputed(
    rule: PythonRule[Any], found: MissingUse, place: cst.CSTNode, source: Source
) -> Finding:
    """Return the note that nobody knows which list counts; one for all rules about names."""
    missing = found.missing
    package, one, other = missing.package, missing.candidates[0], missing.having
    if other is None:
        raise ValueError(found)
    message = f"`{found.name}` is not judged: {one.listed} and {other.listed} disagree on {package}"
    told = (
        f"{package} {one.version} ({one.listed}) does not have it, {other.version} "
        f"({other.listed}) may. Require the same in both, or judge by one environment: `--python`."
    )
    finding = rule.finding(place, source, message, help=told, severity="note")
    lists = " ".join(sorted((one.listed, other.listed)))
    root = relative(source.project.folders[-1], source.settings.root)
    return replace(finding, once=f"disputed {package} {lists} {root}")
