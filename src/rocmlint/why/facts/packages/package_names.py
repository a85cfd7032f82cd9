"""Which names an installed package has, by its files and by the index of published names."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.disk.read import read_small
from rocmlint.published.ages import age
from rocmlint.published.names import names_of, packages
from rocmlint.python.scopes import FUNCTIONS
from rocmlint.text.written import minor_release, version_of
from rocmlint.why.facts.packages.installed import version
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.project.installed_names import InstalledNames
    from rocmlint.published.names import History
    from rocmlint.why.facts.context import Context

_FEW = 3
_LARGEST = 5_000_000
_VERSION = r"v?(?P<version>\d+(?:\.\d+)+[\w.+]*)"


@dataclass(frozen=True)
class Release:
    """A distribution that a module belongs to. ``version`` is None where it was not read.

    ``unread`` is the doubt about it: None where the version is that of the packages themselves.
    """

    name: str
    version: Version | None
    unread: UnreadFact | None = None
    is_missing: bool = False
    """Whether the packages were read and it is not among them."""

    def __str__(self) -> str:
        """Return it for people."""
        return f"{self.name} {self.version}" if self.version else self.name


def release_of(context: Context, module: str) -> Release:
    """Return the distribution that a module belongs to, in the version that is installed.

    Where the packages are not on this machine, a line of the log that lists it counts.
    """
    from rocmlint.why.facts.packages.providers import provider_of  # noqa: PLC0415 - it needs this module

    top = module.partition(".")[0]
    owner = context.packages.owner(top)
    name = canonicalize_name(owner.name if owner is not None else provider_of(top) or top)
    found = version(context, name)
    if isinstance(found, UnreadFact):
        listed = listed_version(context, name)
        if listed is not None:
            context.saw(name, listed, "the log")
        return Release(name, listed, found)
    return Release(name, found, None, is_missing=found is None)


def imported_release(context: Context, module: str) -> Release:
    """Return the distribution of a module that was imported; packages without it do not count."""
    found = release_of(context, module)
    if not found.is_missing:
        return found
    for each in [each for each in context.evidence if each.fact == found.name]:
        del context.evidence[each]
    unread = UnreadFact(f"the installed {found.name}", f"python -m pip show {found.name}")
    listed = listed_version(context, found.name)
    if listed is not None:
        context.saw(found.name, listed, "the log")
    return Release(found.name, listed, unread)


def listed_version(context: Context, name: str) -> Version | None:
    """Return the version of a package that a line of the log lists, as ``pip freeze`` does."""
    written = re.escape(name).replace(r"\-", "[-_.]")
    pattern = re.compile(
        rf"[-*\s`]*{written}`?(?:\s+version)?(?:\s*(?:==|[:=@])\s*|\s+){_VERSION}\s*\Z",
        re.IGNORECASE,
    )
    for line in context.log.lines:
        found = pattern.match(line)
        if found is not None:
            return version_of(found["version"])
    return None


@dataclass(frozen=True)
class NameChange:
    """When releases gained or lost a name, seen from one of them."""

    gone: Version | None = None
    """The first release without it, at or before the one that is asked about."""
    comes: Version | None = None
    """The first later release with it."""
    is_there: bool = False
    """Whether the index has it in the release."""
    is_by_then: bool = False
    """Whether it may have come before ``comes``, the first release that the index knows."""
    first: Version | None = None
    last: Version | None = None
    """The first and the last release that have it; None where none has."""

    @property
    def explains(self) -> bool:
        """Whether the index explains that the release lacks it."""
        return self.gone is not None or self.comes is not None


def change_of(history: History | None, release: Version | None) -> NameChange:
    """Return what a history says of a release; of an unread one, whether its end lacks it."""
    if history is None:
        return NameChange()
    there = [each for each in history.versions if history.at(each)]
    first, last = (there[0], there[-1]) if there else (None, None)
    if release is not None:
        oldest = history.versions[0]
        is_before = release < oldest
        if is_before and history.at(oldest):
            return NameChange(comes=oldest, is_by_then=True, first=first, last=last)
        asked = oldest if is_before else Version(release.base_version)  # a development version
        asked = min(asked, history.versions[-1])
        return NameChange(
            None if is_before else history.gone_since(asked),
            history.there_after(asked),
            bool(history.at(asked)),
            first=first,
            last=last,
        )
    newest, oldest = history.versions[-1], history.versions[0]
    gone = history.gone_since(newest)
    comes = None if gone else history.there_after(oldest)
    was_late = gone is not None and history.there_after(oldest) is not None
    return (
        NameChange(first=first, last=last)
        if was_late
        else NameChange(gone, comes, first=first, last=last)
    )


def is_absent(context: Context, package: str) -> bool:
    """Return whether the packages were read and one is not among them; nothing is noted."""
    is_read = bool(context.packages.folders) and not context.is_elsewhere
    return is_read and context.packages.get(package) is None


def history_of(dotted: str) -> History | None:
    """Return the history of a module or of a name of a module, of an indexed package."""
    known = names_of(dotted.partition(".")[0])
    return None if known is None else known.history(dotted)


def in_words(change: NameChange) -> str:
    """Return a change in words: "gone since 5.0", "comes with 4.43"; or nothing."""
    if change.gone is not None:
        again = f", again from {minor_release(change.comes)}" if change.comes else ""
        return f"gone since {minor_release(change.gone)}{again}"
    if change.comes is None:
        return ""
    came = minor_release(change.comes)
    return (
        f"{came} has it, older ones are not in the index"
        if change.is_by_then
        else f"comes with {came}"
    )


def requirement_for(name: str, change: NameChange) -> str:
    """Return the releases nearest to hand that have it: ``transformers<5.0``; or nothing."""
    if change.gone is not None:
        return f"{name}<{minor_release(change.gone)}"
    return f"{name}>={minor_release(change.comes)}" if change.comes is not None else ""


def saw_index(context: Context, dotted: str, change: NameChange) -> None:
    """Note what the index says of a name."""
    if change.first is None or change.last is None:
        return
    shown = f"there in {minor_release(change.first)}-{minor_release(change.last)}"
    context.saw(dotted, f"{shown}, {in_words(change)}".rstrip(", "), table())


def table() -> str:
    """Return the index with its date."""
    return f"names index of {age('names').date}"


def indexed() -> tuple[str, ...]:
    """Return the import names of the packages that the index knows."""
    return packages()


def files_have(context: Context, dotted: str) -> bool | None:
    """Return whether the installed files have a module or a name of one; None if unknown."""
    if context.is_elsewhere or not context.packages.folders:
        return None
    return _installed(context.packages.folders).has_name(dotted)


def files_take(context: Context, dotted: str, keyword: str) -> bool | None:
    """Return whether an installed function or class takes a keyword; None if unknown."""
    if context.is_elsewhere or not context.packages.folders:
        return None
    return _installed(context.packages.folders).takes_keyword(dotted, keyword)


@lru_cache(maxsize=4)
def _installed(folders: tuple[str, ...]) -> InstalledNames:
    from rocmlint.disk.disk import Disk, DiskView  # noqa: PLC0415 - most messages need no files
    from rocmlint.project.installed_names import InstalledNames  # noqa: PLC0415 - as above

    disk = Disk(lambda _, data: data.decode("utf-8", "replace"), noted=False)
    return InstalledNames(folders, DiskView(disk))


def alike(context: Context, dotted: str, release: Version | None) -> tuple[str, ...]:
    """Return names of an installed module that are written almost like this one."""
    module, _, name = dotted.rpartition(".")
    names = set(names_in(context, module)) | _indexed_names(module, release)
    same = [each for each in sorted(names) if each.lower() == name.lower() and each != name]
    return tuple(same or difflib.get_close_matches(name, sorted(names), _FEW, 0.8))[:_FEW]


def _indexed_names(module: str, release: Version | None) -> set[str]:
    """Return the names that a release of an indexed module has."""
    known = names_of(module.partition(".")[0])
    if known is None or release is None:
        return set()
    found = ((name, known.history(f"{module}.{name}")) for name in known.names(module))
    return {name for name, history in found if history is not None and history.at(release)}


def names_in(context: Context, module: str) -> Iterable[str]:
    """Return the names that an installed module writes at its top, and its submodules."""
    path = module_file(context, module)
    return names_of_file(path) if path else ()


def names_of_file(path: str) -> set[str]:
    """Return the names that a file binds at its top; for a package its submodules as well."""
    import ast  # noqa: PLC0415 - few messages need it

    found: set[str] = set()
    try:
        if os.path.basename(path) == "__init__.py":
            listed = os.listdir(os.path.dirname(path))
            found = {each.removesuffix(".py") for each in listed if not each.startswith("_")}
        tree = ast.parse(read_small(path, _LARGEST))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return found
    for node in tree.body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.Assign):
            found |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    return found


def module_file(context: Context, module: str) -> str:
    """Return the file of an installed module; empty without one."""
    for folder in context.packages.folders:
        path = os.path.join(folder, *module.split("."))
        for each in (os.path.join(path, "__init__.py"), f"{path}.py"):
            if os.path.isfile(each):
                return each
    return ""
