"""Check the patches of many files: one library for each folder of packages, one report."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rocmlint.cli.export.against import environment_place, place_against
from rocmlint.config.configuration import Configuration
from rocmlint.disk.disk import Disk, DiskView
from rocmlint.disk.write import write_atomically
from rocmlint.errors import ConfigError
from rocmlint.lint.discovery.discover import discover
from rocmlint.models.patches.check import patched_twice, with_problems
from rocmlint.models.patches.contracts import patches_of
from rocmlint.models.patches.library import Library
from rocmlint.models.patches.lock import taken, written
from rocmlint.models.patches.project import check_text, folders_of, lock_of, may_patch
from rocmlint.models.patches.sources import module_name
from rocmlint.source.decoding import text_of
from rocmlint.source.file import project_of
from rocmlint.text.python_ast import syntax_tree
from rocmlint.text.words import few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.cli.export.against import PackageFolders
    from rocmlint.models.patches.check import Checked
    from rocmlint.models.patches.problems import Problem
    from rocmlint.project.project import Project


@dataclass(frozen=True)
class ReadLibrary:
    """A library that was read: its version, its directory, and how that was found."""

    package: str
    version: str
    directory: str
    source: str


@dataclass(frozen=True)
class PatchReport:
    """The problems in the patches of some files."""

    libraries: tuple[ReadLibrary, ...] = ()
    files: int = 0
    replacements: int = 0
    problems: tuple[Problem, ...] = ()
    allowed: tuple[Problem, ...] = ()
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    """Errors for files that could not be checked, such as those that do not parse."""
    locked: str = ""
    """The lock file that was written."""

    @property
    def exit_code(self) -> int:
        """Whether there are problems (1), or something could not be checked (2)."""
        if self.errors:
            return 2
        return int(any(each.gravity != "note" for each in self.problems))


@dataclass
class _File:
    path: str
    text: str
    project: Project


@dataclass
class _Run:
    """The state of a run, while the files are checked one after the other."""

    place: PackageFolders
    against: PackageFolders | None = None
    view: DiskView = field(default_factory=lambda: DiskView(Disk(text_of, noted=False)))
    libraries: dict[tuple[str, ...], Library] = field(default_factory=dict)

    def library(self, file: _File) -> Library:
        """Return the library for a file: the given version, the project, what is installed."""
        first = self.against.folders if self.against is not None else ()
        own = folders_of(file.path, file.project, self.view)
        folders = tuple(dict.fromkeys((*first, *own, *self.place.folders)))
        if folders not in self.libraries:
            self.libraries[folders] = Library(folders, self.view)
        return self.libraries[folders]


def check_paths(
    paths: Sequence[str], *, python: str | None, against: str | None, lock: bool
) -> PatchReport:
    """Check the patches below some paths. Raises RocmlintError."""
    found = discover(paths, Configuration().settings_for)
    errors = list(found.problems)
    files = [_File(each.path, "", project_of(each.path, each.settings)) for each in found.files]
    files = [each for each in files if each.path.endswith(".py") and _read(each, errors)]
    settings = found.files[0].settings if found.files else None
    place = environment_place(python, settings.environment if settings else None)
    run = _Run(place)
    packages = _packages(files, run) if against is not None else []
    if against is not None and packages:
        run.against = place_against(against, place, packages, run.view)
    checked = [each for file in files for each in _checked(file, run, errors, ignore_lock=lock)]
    twice = list(patched_twice(checked))
    checked = [
        with_problems(each, [it for it in twice if it.place.path == each.module.path])
        for each in checked
    ]
    report = _report(checked, files, run, [*found.remarks])
    _refuse_if_nothing_was_read(report, checked)
    if lock and files:
        report = replace(report, locked=_lock(checked, files, run))
    return replace(report, errors=tuple(errors))


def _read(file: _File, errors: list[str]) -> bool:
    """Read a file that may have a patch; one that does not parse is an error."""
    try:
        with open(file.path, "rb") as stream:
            text = text_of(file.path, stream.read())
    except OSError as error:
        errors.append(f"{file.path}: cannot be read: {error.strerror}")
        return False
    except (SyntaxError, ValueError) as error:
        errors.append(f"{file.path}: cannot be decoded: {error}")
        return False
    if not may_patch(text):
        return False
    file.text = text
    if syntax_tree(text) is None:
        errors.append(f"{file.path}: not checked: {_why(text)}")
        return False
    return True


def _why(text: str) -> str:
    try:
        compile(text, "?", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"Python cannot parse it: {error}"
    return "Python cannot parse it"


def _packages(files: list[_File], run: _Run) -> list[str]:
    """Return the packages of other projects that the patches replace code of."""
    found: set[str] = set()
    for file in files:
        library = run.library(file)
        name, _ = module_name(file.path, run.view)
        module = library.sources.parsed(name, os.path.abspath(file.path), file.text)
        for patch in patches_of(module, library) if module is not None else ():
            targets = [each.target for each in patch.replacements] or [patch.target]
            found |= {each.partition(".")[0] for each in targets if "." in each}
    run.libraries.clear()
    return sorted(found)


def _checked(file: _File, run: _Run, errors: list[str], *, ignore_lock: bool) -> Iterator[Checked]:
    found = check_text(file.path, file.text, run.library(file), file.project)
    if found is None:
        errors.append(
            f"{file.path}: not checked: its code, or the patched one, is nested too deeply"
        )
    elif found.patches and ignore_lock:
        kept = tuple(each for each in found.problems if each.kind != "body-changed")
        yield replace(found, problems=kept)
    elif found.patches:
        yield found


def _report(checked: list[Checked], files: list[_File], run: _Run, notes: list[str]) -> PatchReport:
    shown = {os.path.abspath(each.path): each.path for each in files}

    def named(problem: Problem) -> Problem:
        path = shown.get(problem.place.path, problem.place.path)
        return replace(problem, place=replace(problem.place, path=path))

    replacements = [it for each in checked for patch in each.patches for it in patch.replacements]
    return PatchReport(
        tuple(_libraries(checked, files, run, notes)),
        len(checked),
        len(replacements),
        tuple(named(it) for each in checked for it in each.problems),
        tuple(named(it) for each in checked for it in each.allowed),
        tuple(sorted({it for each in checked for it in each.unread})),
        tuple(notes),
    )


def _libraries(
    checked: list[Checked], files: list[_File], run: _Run, notes: list[str]
) -> list[ReadLibrary]:
    """Return the versions that were read, and note where a project pins another one."""
    by_path = {os.path.abspath(each.path): each for each in files}
    found: dict[str, ReadLibrary] = {}
    for each in checked:
        file = by_path[each.module.path]
        library = run.library(file)
        targets = {it.target for patch in each.patches for it in patch.replacements}
        targets |= {patch.target for patch in each.patches}
        for package in {it.partition(".")[0] for it in targets} - {""} - {*found}:
            folder = library.sources.folder_of(package)
            if folder is None:
                continue
            version = library.version(package)
            given = run.against is not None and folder in run.against.folders
            where = run.against if given else run.place if folder in run.place.folders else None
            if where is None:
                continue  # the project itself
            found[package] = ReadLibrary(package, str(version or "unknown"), folder, where.source)
            if run.against is None and version is not None:
                notes += _pins(file.project, package, str(version))
    return [found[each] for each in sorted(found)]


def _pins(project: Project, package: str, version: str) -> list[str]:
    if project.settings.environment is not None:
        return []
    pinned = [each for each in project.versions(package) if each.said.startswith(("pin", "lock"))]
    if not pinned or any(str(each.version) == version for each in pinned):
        return []
    other = pinned[0]
    return [
        (
            f"{package} {other.version} is {other.said}, and {version} was read: "
            f"--against {package}=={other.version} checks that one"
        )
    ]


def _refuse_if_nothing_was_read(report: PatchReport, checked: list[Checked]) -> None:
    """Raise ConfigError where no target could be found: then nothing was checked."""
    targets = {it.target for each in checked for patch in each.patches for it in patch.replacements}
    if targets and targets <= set(report.unread) and not report.problems:
        message = (
            f"no Python source was found of {few(sorted(targets), 2)}: install the library, or "
        )
        raise ConfigError(
            f"{message}name its environment with --python or a version with --against"
        )


def _lock(checked: list[Checked], files: list[_File], run: _Run) -> str:
    """Write the lock file; targets of other files stay in it. Raises ConfigError."""
    by_path = {os.path.abspath(each.path): each for each in files}
    path, locked = lock_of(files[0].project)
    for each in checked:
        locked |= taken((each,), run.library(by_path[each.module.path]))
    try:
        write_atomically(path, written(locked).encode())
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror}"
        raise ConfigError(message) from error
    return path
