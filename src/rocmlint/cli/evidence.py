"""Evidence of a run in words: for the last line, for ``--verbose``, and as JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.paths import relative
from rocmlint.text.visible import visible
from rocmlint.text.words import counted, few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.lint.decided import Decided
    from rocmlint.lint.evidence import Evidence, Root

_SHOWN = 3
"""How many versions of a package the last line names."""
_NAMED = "torch"
"""The package whose version is named even where nothing declares it."""


def in_short(evidence: Evidence) -> str:
    """Return what was looked at, in one line."""
    root = evidence.roots[0]
    first = f" in {_short_path(root.path)}, the first of {evidence.root_count:,} projects"
    parts = [counted(evidence.rules.used, "rule"), *_versions(root.versions), _rocm(root)]
    parts[-1] += first if evidence.root_count > 1 else ""
    unread = {line.partition(":")[0] for line in evidence.unread}
    parts += [f"{counted(unread, 'file')} not fully read"] if unread else []
    return visible("; ".join(parts))


def _versions(versions: Sequence[Decided]) -> Iterator[str]:
    """Yield each package with what its version may be, and where that is said first."""
    for package in dict.fromkeys(each.package for each in versions):
        of_it = [each for each in versions if each.package == package]
        if not all(each.declared for each in of_it):
            if package == _NAMED:
                yield f"{package} not declared"
            continue
        known = list(dict.fromkeys(each.version for each in of_it))
        what = few(known, _SHOWN) if all(known) else "of unknown version"
        first = next((each for each in of_it if each.place), None)
        if first is None:
            yield f"{package} {what}"
        else:
            newest = "the newest for " if first.said.startswith("the newest") else ""
            yield f"{package} {what} ({newest}{first.place})"


def _rocm(root: Root) -> str:
    """Say whether a project is for ROCm."""
    if root.is_rocm is None:
        return "not known to be for ROCm (set rocm = true)"
    sign = root.place or root.sign.removeprefix("the configuration has ")
    return f"{'for ROCm' if root.is_rocm else 'not for ROCm alone'} ({sign})"


def in_full(evidence: Evidence) -> Iterator[str]:
    """Yield lines with all that was looked at."""
    off = ", ".join(f"{number:,} {why}" for why, number in sorted(evidence.rules.off.items()))
    yield f"rules: {evidence.rules.used:,} used{f'; not used: {off}' if off else ''}"
    for root in evidence.roots:
        known = {True: "yes", False: "no", None: "unknown"}[root.is_rocm]
        yield f"project: {_short_path(root.path)}"
        yield f"  for ROCm only: {known}, {root.sign}"
        yield from (f"  {_line(each)}" for each in root.versions)
    for each in evidence.versions:
        if not any(each in root.versions for root in evidence.roots):
            yield f"judged by: {_line(each)}"
    for folder in evidence.left_out:
        yield f"left out: {folder.path} ({folder.reason})"
    if evidence.excluded:
        yield f"excluded: {counted(evidence.excluded, 'path')}, {evidence.excluded[0]} first"
    yield from (f"not read: {line}" for line in evidence.unread)


def _line(version: Decided) -> str:
    if not version.version:
        return f"{version.package}: {version.said}"
    place = f" ({version.place})" if version.place else ""
    return f"{version.package} {version.version}: {version.said}{place}"


def document(evidence: Evidence) -> dict[str, object]:
    """Return it as a JSON object."""
    return {
        "rules": {"used": evidence.rules.used, "not_used": dict(evidence.rules.off)},
        "projects": [
            {
                "path": _short_path(each.path),
                "rocm": each.is_rocm,
                "sign": each.sign,
                "place": each.place,
                "versions": [_version(own) for own in each.versions],
            }
            for each in evidence.roots
        ],
        "versions": [_version(each) for each in evidence.versions],
        "left_out": [each._asdict() for each in evidence.left_out],
        "excluded": list(evidence.excluded),
        "unread": list(evidence.unread),
    }


def _version(version: Decided) -> dict[str, object]:
    return {**version._asdict(), "version": version.version or None}


def _short_path(path: str) -> str:
    """Name a project from the working folder where it lies in it."""
    shown = relative(path, os.getcwd())
    return path if shown.startswith(os.pardir) else shown
