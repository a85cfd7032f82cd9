"""conda's environment.yml: the requirements of pip, and conda's own where PEP 508 can say them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.model import Declared, Parts, Problem
from rocmlint.formats.packaging import requirements
from rocmlint.formats.packaging.specifiers import Declaration, declare
from rocmlint.formats.readers import yaml
from rocmlint.formats.readers.excerpt import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPECIFICATION = re.compile(
    r"(?:[\w./-]+::)?(?P<name>[A-Za-z0-9][\w.-]*?)\s*(?P<version>(?:[=<>!~][^\s]*)?)\Z"
)
_NAMES = {"pytorch": "torch", "pytorch-gpu": "torch", "pytorch-cpu": "torch"}
"""Packages that PyPI has under another name."""
_NOT_OF_PYPI = frozenset({"python", "pip", "cudatoolkit", "nodejs", "gcc", "gxx", "make"})


def parse(text: str) -> Parts:
    """Read an environment file, lines ended by ``\\n``."""
    documents = yaml.read(Excerpt.of(text))
    if isinstance(documents, Problem):
        return Parts(problems=(documents,))
    found = Parts()
    for document in documents:
        listed = document.get("dependencies") if isinstance(document, yaml.Mapping) else None
        for each in listed.values if isinstance(listed, yaml.Sequence) else ():
            found = _joined(found, _dependency(each))
    return found


def _dependency(value: yaml.Value) -> Parts:
    if isinstance(value, yaml.Scalar):
        return Parts(declared=tuple(_declared(value.text)))
    found = Parts()
    below = value.get("pip") if isinstance(value, yaml.Mapping) else None
    for each in below.values if isinstance(below, yaml.Sequence) else ():
        if isinstance(each, yaml.Scalar):
            found = _joined(found, requirements.read(each.text))
    return found


def _joined(first: Parts, second: Parts) -> Parts:
    return Parts(
        declared=first.declared + second.declared,
        indexes=first.indexes + second.indexes,
        inclusions=first.inclusions + second.inclusions,
        problems=first.problems + second.problems,
    )


def _declared(written: Excerpt) -> Iterator[Declared]:
    """Yield conda's specification as a requirement where it says the same."""
    match = _SPECIFICATION.match(written.text.strip())
    if match is not None:
        found = requirement(match["name"], match["version"], written)
        yield from () if found is None else (found,)


def requirement(name: str, version: str, written: Excerpt, group: str = "") -> Declared | None:
    """Return a package of conda's with its version as a requirement, None if it is not on PyPI.

    That is as well where PEP 508 cannot say the same.
    """
    specifiers = _specifiers(version)
    if specifiers is None or name.lower() in _NOT_OF_PYPI:
        return None
    start = written.starts[0] if written.starts else 0
    known = f"{_NAMES.get(name.lower(), name)}{specifiers}"
    text = Excerpt.standing_for(written.file, known, start, start)
    result = declare(text, Declaration())
    if not isinstance(result, Declared):
        return None
    return Declared(result.text, result.name, written.span(), group, by_conda=True)


def _specifiers(version: str) -> str | None:
    """Translate ``=2.3`` (any 2.3), ``==2.3.1`` and ``>=2,<3``; a build says no more than conda."""
    if "|" in version:
        return None
    if version.startswith("=") and not version.startswith("=="):
        number, _, build = version[1:].partition("=")
        if build or "," in number:
            return None
        return f"=={number}" if number.endswith(".*") else f"=={number}.*"
    found = []
    for each in filter(None, version.split(",")):
        if "=" in each.lstrip("=<>!~"):
            return None
        exact = each.startswith("==") or not each.endswith(".*")
        found.append(each if exact or each.startswith("!=") else each.removesuffix(".*"))
    return ",".join(found)
