"""Judges what a process has otherwise than the source of a module gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.text.words import counted
from rocmlint.verify.result import Judgement

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = {
    "added": "is not in {origin}: the process got it from {where}",
    "asked": "is not in {origin}, and its code asks for that name: the process got it from {where}",
    "import": "is not what {origin} imports under that name: it is now {where}",
    "gone": "is set in {origin}, and is not in the process: something deleted it",
    "around": "is what {origin} imports under that name, behind {where}, which nothing in it asks "
    "for; whether calls through it run the code of the source, only a call shows",
    "branch": "is not what the branch of {origin} gives it that ran at the import, as it seems: it "
    "is now what another one gives",
    "undecided": "has several assignments in {origin}, and which of them ran is unknown",
    "value": "is not what {origin} assigns to it: it is now {where}",
    "result": "is not what {origin} assigns to it, as it seems: it is now {where}",
    "entry": "is not the entry that {origin} puts there: it is now {where}",
    "registered": "has code from {where} under a key that its source names",
    "moved": "is not what {origin} puts there: it is now {where}",
    "unregistered": "is registered in {origin}, and is not there now: something removed it",
    "kernel": "is an operator that {module} defines or calls, and {where} registered code for it",
    "unread": "is an operator that {module} defines or calls, and torch does not say what it runs",
    "default": "has another default in the process than in {origin}",
    "bare": "is the bare function in the process, without what its decorator at {where} gives",
    "twice": "is wrapped more often than {origin} decorates it, by {where}",
    "hides": "is not in {origin}, and hides the value that its base class has",
    "member": "has another value than {origin} gives it",
    "dispatch": "is no longer what {origin} registers: another function took its place",
    "globals": "runs with the global names of something else than {module}",
    "closure": "keeps another value in its closure than {origin} gives it",
    "base": "has other base classes than in {origin}: {where}",
    "metaclass": "has another metaclass than in {origin}: {where}",
    "module": "is an object of a class from {where}, so looking up its names runs that",
    "parent": "is another object as the attribute of its package: {where}, which `import a.b as c` "
    "and `from a import b` give",
    "copy": "is loaded from the same file, and is not what that says: {where}; whether the job "
    "uses it or {module} is unknown",
    "inherited": "is a method that classes of {module} inherit, and it was replaced by {where}",
    "used": "is used by {module}, and it was replaced by {where}",
    "builtin": "is used by {module}, and it is no longer Python's: it was replaced by {where}",
}
"""Sentences about a name, by the kind of the alteration."""


def judgement_on(facts: Mapping[str, Any]) -> Judgement | None:
    """Judge the alterations of a comparison; None without any.

    If the import ran another state of the file, that is the reason to report.
    """
    altered = sorted(facts["altered"], key=lambda each: not each["certain"])
    if not altered or facts["loads_other"]:
        return None
    first = altered[0]
    text = _KINDS[first["kind"]].format(
        origin=facts["origin"], module=facts["module"], where=where(first)
    )
    is_changed = facts["changed"] is not False
    if is_changed:
        text += "; or the file was changed after the program was started, or when is unknown"
    return Judgement(
        "contradicted" if first["certain"] and not is_changed else "unproven",
        "live",
        f"{counted(altered, 'name')} not as in the source",
        f"{first['name']} {text}",
        f"remove the code at {where(first)} from the job, or make that change in the file; then "
        "restart the job"
        if first["line"] is not None
        else f"find what sets {first['name']} (setattr or an assignment) and remove it from the "
        "job; if it is meant, make that change in the file",
    )


def line_of(entry: Mapping[str, Any]) -> str:
    """Return an alteration as a line of evidence."""
    return f"{entry['name']} ({entry['kind']}) {where(entry)}"


def where(place: Mapping[str, Any]) -> str:
    """Return where code is, as FILE:LINE."""
    if place["file"] is None:
        return "what is not Python code"
    return f"{place['file']}:{place['line']}" if place["line"] else str(place["file"])
