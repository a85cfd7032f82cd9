"""What other files of a project import, which advice for one of them must not exclude."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily, whole_word

from .published_names import has_rewrite, history, lacking
from .uses import imports

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from rocmlint.disk.disk import Disk
    from rocmlint.published.names import History
    from rocmlint.rule import Source

_CONDITION = compile_lazily(r"[ \t]*(?:try|if|else|elif|except)\b")


def excludes_imported(bound: str, judged: Version, source: Source) -> bool:
    """Return whether no release in a requirement has something that another file imports.

    What has a rewrite in the judged release, or is imported under a condition, does not count.
    """
    from packaging.requirements import Requirement  # noqa: PLC0415 - few files need it

    required, own = Requirement(bound), os.path.abspath(source.path)
    modules = source.modules_with(_declaring(required.name, source), (whole_word(required.name),))
    others = (_asked(required.name, each, source.disk) for each in modules if each != own)
    asked = {each for dotted in frozenset().union(*others) for each in lacking(dotted)}
    known = [history(each) for each in asked if not has_rewrite(each, judged)]
    return any(each is not None and not _is_left(each, required.specifier) for each in known)


def _is_left(known: History, specifier: SpecifierSet) -> bool:
    return any(
        known.at(each) is not False
        for each in known.versions
        if specifier.contains(each, prereleases=True)
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


@lru_cache(maxsize=4096)
def _asked(package: str, path: str, disk: Disk) -> frozenset[str]:
    """Return what a module imports from a package; once a run."""
    text = (disk.data_of(path) or b"").decode("utf-8", "replace")
    found = imports(text, package.__eq__)
    return frozenset(
        each.asked for each in found if not _is_under_condition(text, each.match.start())
    )


def _is_under_condition(text: str, start: int) -> bool:
    """Return whether one of the blocks around a place may not be run, or may fail."""
    *above, line = text[:start].split("\n")
    depth = len(line)
    for each in reversed(above if depth else []):
        indentation = len(each) - len(each.lstrip())
        if each.strip() and indentation < depth:
            if _CONDITION.match(each):
                return True
            depth = indentation
    return False
