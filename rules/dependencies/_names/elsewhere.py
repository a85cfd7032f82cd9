"""What other files of a project import, which a requirement for one of them must leave there."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.disk.state import data_of

from .published_names import has_rewrite, history, lacking
from .uses import imports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from rocmlint.disk.disk import Disk
    from rocmlint.published.names import History
    from rocmlint.rule import Source

_CONDITIONS = re.compile(r"[ \t]*(?:try|if|else|elif|except)\b")


def takes_away(bound: str, judged: Version, source: Source) -> bool:
    """Return whether no release in a requirement has something that a file of the project imports.

    What has a rewrite in the judged release, or is imported under a condition, does not count.
    """
    from packaging.requirements import Requirement  # noqa: PLC0415 - few files need it

    required = Requirement(bound)
    modules = source.modules_with(_declaring(required.name, source), (rf"\b{required.name}\b",))
    return any(
        not any(
            known.at(each) is not False
            for each in known.versions
            if required.specifier.contains(each, prereleases=True)
        )
        for known in _imported(required.name, judged, modules, source.disk)
    )


def _declaring(package: str, source: Source) -> str:
    """Return the nearest folder around a file whose requirements name a package, else the root."""
    name = package.replace("_", "-")
    declaring = (
        folder
        for folder in source.project.folders
        if any(each.declared.name == name for each in source.project.declared_in(folder))
    )
    root: str = source.project.folders[-1]
    return next(declaring, root)


@lru_cache(maxsize=64)
def _imported(
    package: str, judged: Version, modules: tuple[str, ...], disk: Disk
) -> tuple[History, ...]:
    """Return the histories of what modules import from a package; once a run."""
    del disk
    texts = ((data_of(path) or b"").decode("utf-8", "replace") for path in modules)
    asked = {each for text in texts for each in _asked(package, text)}
    names = {each for dotted in asked for each in lacking(dotted) if not has_rewrite(each, judged)}
    return tuple(known for each in sorted(names) if (known := history(each)) is not None)


def _asked(package: str, text: str) -> Iterator[str]:
    for each in imports(text, package.__eq__):
        if not _is_under_condition(text, each.match.start()):
            yield each.asked


def _is_under_condition(text: str, start: int) -> bool:
    """Return whether one of the blocks around a place may not be run, or may fail."""
    *above, line = text[:start].split("\n")
    depth = len(line)
    for each in reversed(above):
        indentation = len(each) - len(each.lstrip())
        if each.strip() and indentation < depth:
            if _CONDITIONS.match(each):
                return True
            depth = indentation
    return False
