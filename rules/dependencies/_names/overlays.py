"""What makes a package another than the one published, so that its names are not judged."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from rocmlint.rule import compile_lazily, once_per_file
from rocmlint.rule.closed_projects import is_test

from .uses import Uses, imports, places_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.disk.disk import Disk
    from rocmlint.rule import Source

_REWRITTEN = frozenset({"peft", "transformers", "trl"})
_REWRITES = compile_lazily(r"^[ \t]*(?:from|import)[ \t]+unsloth", re.MULTILINE)
"""unsloth gives these packages' classes and functions other parameters when it is imported."""
_IS_SET = compile_lazily(r"[ \t]*=(?!=)")
_GIVEN = compile_lazily(r"[ \t]*,[ \t]*[\"'](\w+)[\"']")
"""The second argument of setattr()."""


class Named(Protocol):
    """What is missing, or a use of it."""

    @property
    def dotted(self) -> str:
        """The full name: "transformers.AdamW"."""


def is_of_project(found: Named, source: Source) -> bool:
    """Packages that the file belongs to, or of which the project has a copy."""
    return _is_own(_package(found), source)


@once_per_file
def foreign_uses(source: Source) -> Uses:
    """Return what a file imports from packages that are not its own, and where it uses that.

    Of torch all imports count: few of its names are judged, and then with the other excuses.
    """
    text = source.text
    found = imports(text, lambda package: package == "torch" or not _is_own(package, source))
    return places_of(found, text)


def is_rewritten(found: Named, source: Source) -> bool:
    """Names of peft, transformers and trl where unsloth is imported, which rewrites these.

    That may be in another module of the same package.
    """
    return _package(found) in _REWRITTEN and _imports_rewriter(source)


def is_overlaid(found: Named, source: Source) -> bool:
    """Modules that a file of the project may replace, as its path ends like theirs.

    ``patches/models/gemma/modeling_gemma.py`` stands for
    ``transformers.models.gemma.modeling_gemma``: what that module has, the index cannot know.
    """
    return _has_overlay(found.dotted, source)


def is_put_in(found: Named, source: Source) -> bool:
    """Names that a file of the project, outside of its tests, sets in the package."""
    return _puts_in(found.dotted, source)  # it reads the whole project: the excuse to try last


def is_of_other_package(found: Named, source: Source) -> bool:
    """Packages of which the project has a copy or replaces modules, or that unsloth rewrites."""
    return any(each(found, source) for each in (is_of_project, is_rewritten, is_overlaid))


def _package(found: Named) -> str:
    return found.dotted.partition(".")[0]


@once_per_file
def _is_own(package: str, source: Source) -> bool:
    from rocmlint.project.environment import installed_as  # noqa: PLC0415 - few files need it

    own = installed_as(source.path, source)
    if own is not None:
        return own[0] == package
    if source.package is not None and source.package[0] == package:
        return True
    first_party: bool = source.is_first_party(package)
    return first_party


@once_per_file
def _imports_rewriter(source: Source) -> bool:
    if "unsloth" in source.text and _REWRITES.search(source.code):
        return True
    folder = os.path.dirname(os.path.abspath(source.path))
    if not source.exists(os.path.join(folder, "__init__.py")):
        return False
    return bool(source.modules_with(folder, (r"(?m)^(?:from|import)[ \t]+unsloth\b",)))


@once_per_file
def _has_overlay(dotted: str, source: Source) -> bool:
    parts = dotted.split(".")
    wanted = tuple(
        os.path.join(os.sep, parts[length - 2], f"{parts[length - 1]}.py")
        for length in range(3, len(parts) + 1)
    )
    modules = source.modules_below(source.project.folders[-1])
    return any(path.endswith(wanted) for path in modules)


@once_per_file
def _puts_in(dotted: str, source: Source) -> bool:
    root = source.project.folders[-1]
    find = _put_in if "test" in source.kinds else _put_in_by_program
    parts = dotted.split(".")
    modules = source.modules_with(root, (re.escape(parts[0]),))
    put_in = find(parts[0], modules, root, source.disk)
    return any(".".join(parts[:length]) in put_in for length in range(2, len(parts) + 1))


@lru_cache(maxsize=16)
def _put_in_by_program(
    package: str, modules: tuple[str, ...], root: str, disk: Disk
) -> frozenset[str]:
    """Return the names that the program puts into a package: tests stub what they like."""
    own = (each for each in modules if not is_test(each, root))
    return _put_in(package, tuple(own), root, disk)


@lru_cache(maxsize=16)
def _put_in(package: str, modules: tuple[str, ...], root: str, disk: Disk) -> frozenset[str]:
    """Return the names that modules with its name put into a package; the disk is of one run."""
    del root
    written = re.compile(
        rf"^[ \t]*(?:sys\.modules\[[\"'])?({re.escape(package)}(?:\.\w+)+)(?:[\"']\])?[ \t]*=(?!=)",
        re.MULTILINE,
    )
    # What begins with a fixed word is searched ten times faster than any other expression.
    may_put = re.compile(
        rf"{re.escape(package)}(?:\.[\w\x80-\xff]+)+(?:[\"']\])?[ \t]*=(?!=)".encode()
    ).search
    found: set[str] = set()
    for path in modules:
        data = disk.data_of(path) or b""
        text = data.decode("utf-8", "replace")
        found.update(written.findall(text) if may_put(data) else ())
        found.update(_put_in_by_alias(package, text))
    return frozenset(found)


def _put_in_by_alias(package: str, text: str) -> Iterator[str]:
    """Yield the names that a text sets in what it imports from a package: ``utils.Name = …``."""
    for place in places_of(imports(text, package.__eq__), text).places:
        start, end = place.match.span()
        before = text[text.rfind("\n", 0, start) + 1 : start].strip()
        if not before and "." in place.match[0] and _IS_SET.match(text, end):
            yield place.dotted
        elif before.endswith("setattr(") and (given := _GIVEN.match(text, end)):
            yield f"{place.dotted}.{given[1]}"
