"""One requirement as a file writes it: PEP 508, a URL, a path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

from rocmlint.formats.model import Declared, Problem
from rocmlint.text.written import fault_of, requirement_of

if TYPE_CHECKING:
    from rocmlint.formats.readers.excerpt import Excerpt

_LOCATION = re.compile(r"(?:[a-z][a-z0-9+.-]*://|file:|(?:git|hg|bzr|svn)\+)", re.IGNORECASE)
_PATH = re.compile(r"[.~]?[./\\]|~|[A-Za-z]:[\\/]|\.\Z|\.\[")
_ARCHIVE = re.compile(r"\.(?:whl|zip|tar\.(?:gz|bz2|xz)|tgz)(?:\[[^\]]*\])?\Z", re.IGNORECASE)
_EGG = re.compile(r"#(?:.*&)?egg=([A-Za-z0-9][A-Za-z0-9._-]*)")
_ENVIRONMENT = re.compile(r"\$\{[A-Z0-9_]+\}")
"""What pip replaces by a variable's value."""

_BOUND_BY_BUILD = re.compile(r"((?<![=!~<>])[<>]=?\s*[\w.!]+)\+[\w.]+")
"""A bound with a local version (``>=2.1+rocm5.6``), which pip before 24.1 still takes."""


class Declaration(NamedTuple):
    """Where a requirement is declared."""

    group: str = ""
    constraint: bool = False


def declare(excerpt: Excerpt, where: Declaration) -> Declared | Problem | None:
    """Read a requirement; None where nothing can be said of what it installs.

    That is a path, a URL without a name, or a text with a variable in it.
    """
    text = excerpt.text
    if excerpt.unknown or not text:
        return None
    if is_location(text):
        egg = _EGG.search(text)
        if egg is None or not _LOCATION.match(text):
            return None
        return _declared(f"{egg[1]} @ {text}", egg[1], excerpt, where)
    requirement = requirement_of(text)
    if requirement is None:
        return None if _ENVIRONMENT.search(text) else _refused(excerpt)
    return _declared(text, requirement.name, excerpt, where)


def is_location(text: str) -> bool:
    """Return whether pip takes a text for a URL or a path, not for a name."""
    if _LOCATION.match(text) or _PATH.match(text):
        return True
    before = re.split(r"[;@\s]", text, maxsplit=1)[0]
    return bool(_ARCHIVE.search(before)) or "/" in before or "\\" in before


def _refused(excerpt: Excerpt) -> Problem:
    """Return that a requirement is none."""
    span = excerpt.span()
    reason = fault_of(excerpt.text).rstrip(":")
    shown = excerpt.text if len(excerpt.text) < 60 else excerpt.text[:57] + "..."
    told = f"{shown!r} is not a valid requirement: {reason}"
    without_builds = _BOUND_BY_BUILD.sub(r"\1", excerpt.text)
    since = without_builds != excerpt.text and not fault_of(without_builds)
    who = "pip 24.1 and later stop here" if since else "pip stops here"
    help = f"{who}: fix the line. The other lines were checked."
    return Problem(told, span.line, span.column, refused=excerpt.text, help=help)


def _declared(text: str, name: str, excerpt: Excerpt, where: Declaration) -> Declared:
    return Declared(text, canonicalize_name(name), excerpt.span(), where.group, where.constraint)
