"""Poetry's version constraints and dependencies as PEP 508 says them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.text.written import requirement_of, version_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_PIECE = re.compile(r"(\^|~=|~|===?|!=|<=|>=|<|>|)\s*([^\s,|<>=!~^]+)")
_PLATFORM = re.compile(r"[a-z]\w*\Z")


def pep508(name: str, constraint: str, extras: str = "", marker: str = "") -> str | None:
    """Write a dependency as a requirement; None where PEP 508 cannot say it.

    ``constraint`` is Poetry's: ``^2.0``, ``~1.4``, ``>=1 <2``, ``*``; alternatives (``||``) are
    what PEP 508 cannot say.
    """
    specifier = specifiers(constraint)
    if specifier is None:
        return None
    text = f"{name}{extras}{specifier}" + (f" ; {marker}" if marker else "")
    return None if requirement_of(text) is None else text


def specifiers(constraint: str) -> str | None:
    """Translate a constraint to what PEP 440 has for it; "" is any version."""
    if "|" in constraint:
        return None
    found: list[str] = []
    for part in filter(None, (part.strip() for part in constraint.split(","))):
        pieces = _PIECE.findall(part)
        if "".join("".join(piece) for piece in pieces) != re.sub(r"\s+", "", part):
            return None
        for operator, version in pieces:
            translated = _translated(operator, version)
            if translated is None:
                return None
            found += translated
    return ",".join(found)


def marker_of(table: Mapping[str, object]) -> str | None:
    """Translate the conditions of a dependency's table; None where that is not possible."""
    found: list[str] = []
    markers, python, platform = (table.get(key) for key in ("markers", "python", "platform"))
    if isinstance(markers, str) and markers:
        found.append(f"({markers})")
    if isinstance(python, str) and python:
        wanted = specifiers(python)
        if wanted is None:
            return None
        for each in filter(None, wanted.split(",")):
            operator = re.match(r"[=<>!~]+", each)
            if operator is None:
                return None
            version = each[operator.end() :]
            name = "python_version" if version.count(".") < 2 else "python_full_version"
            found.append(f'{name} {operator[0]} "{version}"')
    if isinstance(platform, str) and platform:
        if not _PLATFORM.match(platform):
            return None
        found.append(f'sys_platform == "{platform}"')
    return " and ".join(found)


def _translated(operator: str, version: str) -> list[str] | None:
    if version == "*":
        return [] if operator in ("", "==", ">=") else None
    if operator in ("^", "~"):
        return _range(operator, version)
    if operator == "":
        operator = "=="
    if version.endswith(".*") and operator not in ("==", "!="):
        return None
    return [f"{operator}{version}"]


def _range(operator: str, version: str) -> list[str] | None:
    parsed = version_of(version)
    if parsed is None:
        return None
    release = list(parsed.release)
    if operator == "^":
        index = next((i for i, number in enumerate(release) if number), len(release) - 1)
    else:
        index = min(1, len(release) - 1)
    above = [*release[:index], release[index] + 1]
    below_length = len(release)
    above += [0] * (min(below_length, 3) - len(above))
    return [f">={version}", f"<{'.'.join(map(str, above))}"]
