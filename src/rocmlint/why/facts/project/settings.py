"""Facts about the project: ``setting('max_length')``, ``project_has('barrier')``, ``pinned('x')``.

All are read from the files below the directory that is the project. Where the frames of the log are
of files that it does not have, it may be another one: the answer is likely at most.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from rocmlint.project.project import Project
    from rocmlint.why.facts.context import Context

_NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?:\s*\*\s*\d[\d_]*)*"
_VALUE = rf"(?P<value>{_NUMBER}|[Tt]rue|[Ff]alse)(?![\w.*])"
_BETWEEN = (
    r"['\"]?(?:\s*:\s*[A-Za-z][\w\[\], .|]*?)?\s*(?:=|:|\s|,\s*(?:[\w]+=[\w.]+,\s*){0,3}default=)"
    r"\s*(?:(?:dataclasses\.)?field\(\s*default\s*=\s*)?['\"]?"
)
_MOST_SHOWN = 100


def setting(context: Context, *names: str) -> int | float | bool | UnreadFact:
    """Return the number (or true, false) that a setting has, in the log or in the project.

    ``names`` are spellings of one setting. Of several values that in a file of the frames counts;
    if that does not decide, none does. A default of a library is not read.
    """
    command = f"grep -rnE {'|'.join(names)!r} ."
    found = list(_values(context.log.lines, names))
    if not found:
        found = list(_in_files(context, names))
    values = {value for value, *_ in found}
    if len(values) > 1:
        near = [each for each in found if each[2]]
        values = {value for value, *_ in near}
        found = near
    if len(values) != 1:
        what = "not found in the project" if not values else "several values in the project"
        return UnreadFact(f"{names[0]} ({what})", command)
    value, place, _ = found[0]
    context.saw(names[0], _text_of(value), place)
    if place != "the log":
        doubt_the_project(context)
    return value


def _text_of(value: float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def _values(
    lines: Iterable[str], names: tuple[str, ...]
) -> Iterator[tuple[int | float | bool, str, bool]]:
    pattern = _pattern(names)
    for line in lines:
        if _names_one(line, names):
            for each in pattern.finditer(line):
                yield _number(each["value"]), "the log", False


def _in_files(
    context: Context, names: tuple[str, ...]
) -> Iterator[tuple[int | float | bool, str, bool]]:
    pattern = _pattern(names)
    near = _files_of_frames(context)
    words = [each for name in names for each in (name, name.replace("_", "-"))]
    for path, text in context.files.with_word(*words):
        for number, line in enumerate(text.split("\n"), 1):
            if line.lstrip().startswith(("#", "//")) or not _names_one(line, names):
                continue
            for each in pattern.finditer(line):
                yield _number(each["value"]), f"{path}:{number}", path in near


def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    spelled = "|".join(re.escape(each).replace("_", "[-_]") for each in names)
    return re.compile(rf"(?<!\w)(?<!\w-)(?:{spelled}){_BETWEEN}{_VALUE}")


def _names_one(line: str, names: tuple[str, ...]) -> bool:
    written = line.replace("-", "_")
    return any(each in written for each in names)


def _number(text: str) -> int | float | bool:
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    product: int | float = 1
    for factor in text.replace("_", "").split("*"):
        product *= float(factor) if re.search(r"[.eE]", factor) else int(factor)
    return product


def project_has(context: Context, *texts: str) -> bool:
    """Return whether one of some texts is in a file of the project, outside of comments."""
    doubt_the_project(context)
    return project_line(context, *texts) != ""


def project_line(context: Context, *texts: str) -> str:
    """Return where the project has one of some texts ("run.sh:3"), outside of comments."""
    for path, content in context.files.with_word(*texts):
        for number, line in enumerate(content.split("\n"), 1):
            code = line.partition("#")[0]
            if any(each in code for each in texts):
                context.saw(line.strip()[:_MOST_SHOWN], "in the project", f"{path}:{number}")
                return f"{path}:{number}"
    return ""


def rule_finds(context: Context, code: str) -> str:
    """Return where a rule of rocmlint reports something ("train.py:30"); empty if nowhere.

    The files of the frames are linted, and where they have no finding the whole project.
    """
    doubt_the_project(context)
    near = _files_of_frames(context)
    others = tuple(each for each in context.files.paths if each not in near)
    for paths in (tuple(sorted(near)), others):
        known = context.files.findings
        if (code, paths) not in known:
            known[code, paths] = _first_finding(context, code, paths) if paths else ""
        place = known[code, paths]
        if place:
            context.saw(code, "reported by rocmlint", place)
            return place
    return ""


def _first_finding(context: Context, code: str, paths: tuple[str, ...]) -> str:
    """Lint files in order up to the first finding, with this rule alone."""
    from rocmlint.config.configuration import Configuration  # noqa: PLC0415 - few symptoms need it
    from rocmlint.lint.cache.serialized import from_stored  # noqa: PLC0415
    from rocmlint.lint.discovery.discover import discover  # noqa: PLC0415
    from rocmlint.lint.workers import lint_files  # noqa: PLC0415

    settings_for = Configuration({}, isolated=True).settings_for
    root = context.project
    files = discover([os.path.join(root, each) for each in paths], settings_for).files
    for result in lint_files(files, 1, only=code):
        for stored in result.findings:
            first = from_stored(result.path, stored)
            return f"{os.path.relpath(first.path, root)}:{first.line}"
    return ""


def pinned(context: Context, package: str) -> Version | UnreadFact | None:
    """Return the version that the project requires; None if it does not name one.

    That is the version of a lock file or of ``==``, else the newest that its requirement allows.
    """
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - few symptoms need it

    found = [
        each
        for each in _declarations(context).versions(canonicalize_name(package))
        if each.declared
    ]
    if len({each.version for each in found}) > 1:
        return UnreadFact(f"the {package} that the project requires (it names several)")
    if not found:
        return None
    context.saw(f"{package} of the project", found[0].version, found[0].place or found[0].said)
    return found[0].version


def declared(context: Context, package: str) -> tuple[SpecifierSet, str] | None:
    """Return which versions of a package the project's files require, and where; None for any.

    None as well where files differ, or where the log is of other files than the project's.
    """
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - as above

    from rocmlint.text.written import requirement_of  # noqa: PLC0415

    kinds = {context.owner(each).kind for each in context.frames}
    if "other" in kinds and "project" not in kinds:
        return None
    project = _declarations(context)
    found = {}
    for each in project.requirements(canonicalize_name(package)):
        asked = requirement_of(each.declared.text) if not each.declared.group else None
        if asked is not None and asked.specifier:
            found[str(asked.specifier)] = (asked.specifier, project.place_of(each))
    return next(iter(found.values())) if len(found) == 1 else None


def _declarations(context: Context) -> Project:
    from rocmlint.config.settings import Settings  # noqa: PLC0415 - few symptoms need it
    from rocmlint.disk.disk import Disk  # noqa: PLC0415
    from rocmlint.project.project import Project  # noqa: PLC0415
    from rocmlint.source.decoding import text_of  # noqa: PLC0415

    folder = os.path.abspath(context.project)
    return Project(folder, Settings(root=folder), Disk(text_of))


def _files_of_frames(context: Context) -> frozenset[str]:
    chains = [each for chain in context.log.chains for each in chain.raised]
    written = {frame.file for each in chains for frame in each.frames}
    return frozenset(path for file in written if (path := context.files.of_frame(file)))


def doubt_the_project(context: Context) -> None:
    """Note a doubt where there are no files, or where the log is of other files than these."""
    if not context.files.paths:
        context.doubts[UnreadFact("the files of the project", "rocmlint why ... PATH")] = None
        return
    owners = [
        context.owner(frame).kind
        for chain in context.log.chains
        for each in chain.raised
        for frame in each.frames
    ]
    if any(each in {"project", "other"} for each in owners) and not _files_of_frames(context):
        context.doubts[UnreadFact("the project of the job", "rocmlint why ... PATH")] = None


FACTS = {
    "setting": setting,
    "project_has": project_has,
    "project_line": project_line,
    "rule_finds": rule_finds,
    "pinned": pinned,
}
