"""From paths to the files that are linted: folders walked, excludes and .gitignore respected."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.files import ON_DISK
from rocmlint.errors import ConfigError
from rocmlint.formats import NOTEBOOK, PYTHON, Role, format_of, may_begin_as_format, of_first_line
from rocmlint.lazy import compile_lazily
from rocmlint.lint.discovery.git_ignored import git_patterns, is_ignored_by_git, repository
from rocmlint.lint.discovery.patterns import problem_with, spec
from rocmlint.paths import relative
from rocmlint.project.copies import OF_OTHERS, UNPACKED
from rocmlint.source.kinds import ARCHIVE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rocmlint.config.settings import Settings
    from rocmlint.disk.files import Entry, Files

    SettingsFor = Callable[[str], Settings]

NEVER_ENTERED = frozenset({"__pycache__", "node_modules"})
"""Besides these, virtual environments and folders whose name begins with a dot."""
ENTERED = frozenset({".github", ".circleci", ".devcontainer", ".ci"})
"""Except these, which hold workflows and images."""

NOT_LINTED = "not linted: neither Python nor another supported format"
DOCUMENT = "not linted: the configuration has `documents = false`"
_LEFT_OUT = "not linted: {}; name the directory to lint it"
_ARCHIVE = compile_lazily(rf"(?i:(?!_?legacy\Z){ARCHIVE})\Z")
"""What is called legacy may be in use: each rule asks for that where it matters."""
_OF_OTHERS = compile_lazily(rf"(?i:{OF_OTHERS})\Z")
_OF_OTHERS_AT_ROOT = frozenset({"vendor", "vendored"})
"""Further names of such folders at the root of a project; deeper they may be about a company."""
_OF_PACKAGES = frozenset({"setup.py", "pyproject.toml", "__init__.py"})
_BUILT = compile_lazily(r"lib(?:\..+)?\Z")
"""How setuptools calls the folder in `build` to which it copies the packages."""
_CODE = (*PYTHON, NOTEBOOK)
_LINE = 200
"""Bytes that are read to see what program runs a file."""
_PLAIN_NAME = compile_lazily(r"[A-Z0-9_-]+\Z|[0-9a-f]{16,}\Z")
"""Names without a suffix that no script has: LICENSE, CODEOWNERS, the blobs of a cache."""
_SHEBANG = compile_lazily(r"(?:\xef\xbb\xbf)?#![^\n]*\b(?:python|pypy)|#![^\n]*\buv run\b")


class FileToLint(NamedTuple):
    """A file to lint, and the settings that hold for it."""

    path: str
    settings: Settings


class LeftOut(NamedTuple):
    """A folder that is not looked into, and why."""

    path: str
    reason: str


class Discovery(NamedTuple):
    """The files, sorted and each once, and a line for each path that could not be read.

    ``remarks`` are lines about files that were named and are of no format that is linted, and about
    checkouts and copies of well-known packages, which are left out.
    """

    files: list[FileToLint]
    problems: list[str]
    remarks: list[str]
    left_out: list[LeftOut]
    """The checkouts and copies that are left out, and archives."""
    excluded: list[str]
    """The files and folders that ``exclude`` or a ``.gitignore`` names."""


def discover(
    paths: Sequence[str],
    settings_for: Callable[[str], Settings],
    files: Files = ON_DISK,
    *,
    force_exclude: bool = False,
) -> Discovery:
    """Find the files below the given paths, among the ``files``.

    A file that is named itself is linted whatever the excludes, unless ``force_exclude``, and a
    script of Python whatever its name. Links to folders are not followed, so that no loop can be
    entered; a link to a file beside it is that file.
    """
    found: dict[str, FileToLint] = {}
    told = Discovery([], [], [], [], [])
    below = rooted(paths, settings_for, files)
    named: dict[tuple[int, bool], Settings] = {}
    for path in paths:
        if files.is_folder(path):
            settings_of = _as_archive(below(path)) if _is_in_archive(path) else below(path)
            for absolute, each in _walk(path, settings_of, files, told):
                found.setdefault(absolute, each)
        elif files.is_file(path):
            try:
                settings = checked(settings_for(os.path.dirname(os.path.abspath(path))))
            except ConfigError as error:
                told.problems.append(f"{error}; {path} was not linted")
                continue
            if force_exclude and is_excluded(path, settings, files):
                continue
            refusal = why_not_linted(path, _beginning(path, files), settings)
            if refusal is None:
                archived = _is_in_archive(os.path.dirname(path))
                settings = named.setdefault(
                    (id(settings), archived), settings._replace(named=True, archived=archived)
                )
                found.setdefault(os.path.abspath(path), FileToLint(path, settings))
            elif not force_exclude:
                told.remarks.append(f"{path}: {refusal}")
        else:
            told.problems.append(f"{path or repr(path)}: {_refusal(path)}")
    told.remarks.extend(f"{each.path}: {_LEFT_OUT.format(each.reason)}" for each in told.left_out)
    return told._replace(files=[found[key] for key in sorted(found)])


def _is_in_archive(folder: str) -> bool:
    """Return whether the path of a directory that is named has an archive in it."""
    return any(map(_ARCHIVE.match, os.path.normpath(folder).split(os.sep)))


def _as_archive(settings_for: SettingsFor) -> SettingsFor:
    told: dict[int, tuple[Settings, Settings]] = {}  # with the first, so that its id stays its own

    def archived(folder: str) -> Settings:
        settings = settings_for(folder)
        both = told.setdefault(id(settings), (settings, settings._replace(archived=True)))
        return both[1]

    return archived


def _refusal(path: str) -> str:
    """Return why a path that is neither a folder nor a file cannot be linted."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return "no such file or directory"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "neither a file nor a directory; use - to lint standard input"


def rooted(
    paths: Sequence[str], settings_for: SettingsFor, files: Files = ON_DISK
) -> Callable[[str], SettingsFor]:
    """Return the settings below each folder that is named, which say it where no repository does.

    Of two folders of which one holds the other the outer one counts.
    """
    named = {os.path.join(os.path.abspath(each), "") for each in paths if files.is_folder(each)}
    told: dict[tuple[int, str], Settings] = {}

    def below(folder: str) -> SettingsFor:
        linted = os.path.abspath(folder)
        if repository(linted, files):
            return settings_for
        inside = os.path.join(linted, "")
        around = (each for each in named if inside.startswith(each))
        outer = min(around, key=len, default=inside)  # a folder may be gone, or not be saved yet

        def settings_of(inner: str) -> Settings:
            settings = settings_for(inner)
            key = (id(settings), outer)
            if key not in told:
                told[key] = settings._replace(linted=os.path.normpath(outer))
            return told[key]

        return settings_of

    return below


def _walk(
    folder: str,
    settings_for: Callable[[str], Settings],
    files: Files,
    told: Discovery,
) -> Iterator[tuple[str, FileToLint]]:
    """Yield the files below a folder, each with its absolute path; what is not there is told."""
    root = os.path.abspath(folder)
    stack = [folder]
    while stack:
        current = stack.pop()
        try:
            entries = list(files.entries(current))
        except OSError as error:
            told.problems.append(f"{current}: cannot be read: {error.strerror}")
            continue
        # Once a folder: for each file it would take longer than all else.
        absolute = os.path.abspath(current)
        above = os.path.join(absolute, "")
        names = {entry.name for entry in entries}
        if "pyvenv.cfg" in names and current != folder:
            continue  # an environment
        reason = None if current == folder else why_left_out(absolute, names, root, files)
        if reason is not None:
            told.left_out.append(LeftOut(_shown(current), reason))
            continue
        try:
            settings = checked(settings_for(absolute))
        except ConfigError as error:  # what lies elsewhere is linted all the same
            told.problems.append(f"{error}; nothing in {_shown(current)} was linted")
            continue
        may_exclude = bool(settings.exclude) or (
            settings.respect_gitignore and bool(git_patterns(absolute, files))
        )
        for entry in entries:
            path = above + entry.name
            if entry.is_dir(follow_symlinks=False):
                if not is_entered(entry.name):
                    continue
                if _is_excluded(path, settings, files, folder=True):
                    told.excluded.append(os.path.join(_shown(entry.path), ""))
                else:
                    stack.append(entry.path)
            elif (is_code := path.endswith(_CODE)) or may_be_linted(path):
                if not _is_file(entry):
                    continue
                if may_exclude and _is_excluded(path, settings, files):
                    told.excluded.append(_shown(entry.path))
                    continue
                if entry.is_symlink() and _is_linted_itself(path, settings, files):
                    continue
                if is_code or is_linted(path, settings) or _begins_as_format(entry, files):
                    yield path, FileToLint(_shown(entry.path), settings)


def _is_linted_itself(link: str, settings: Settings, files: Files) -> bool:
    """Return whether a link leads to a file of the same folder, which is linted by its own name."""
    folder, target = os.path.dirname(link), os.path.realpath(link)
    own = os.path.join(folder, os.path.basename(target))
    beside = os.path.dirname(target) == os.path.realpath(folder)
    return beside and is_linted(own, settings) and not _is_excluded(own, settings, files)


def why_left_out(folder: str, names: set[str], root: str, files: Files = ON_DISK) -> str | None:
    """Return why nobody would act on findings in a folder; None for all others."""
    above, called = os.path.split(folder)
    is_at_root = called in _OF_OTHERS_AT_ROOT and above == root
    if is_at_root or _OF_OTHERS.match(called):
        return "code of other projects"
    if _BUILT.match(called) and os.path.basename(above) == "build":
        return "what setuptools built"
    if _ARCHIVE.match(called) and "__init__.py" not in names:
        return "an archive"
    if names.isdisjoint(_OF_PACKAGES) and not UNPACKED.match(called):
        return None  # as of most folders, which must not cost an import
    from rocmlint.lint.discovery.vendored import vendored  # noqa: PLC0415

    return vendored(folder, names, root, files)


def checked(settings: Settings) -> Settings:
    """Raise ConfigError where an exclude is not a pattern."""
    wrong = next(filter(None, map(problem_with, settings.exclude)), None)
    if wrong is None:
        return settings
    from rocmlint.config.file import place_of  # noqa: PLC0415 - only mistakes pay for it

    raise place_of("exclude", settings.sources).error(f"exclude: {wrong}", "exclude")


def _shown(path: str) -> str:
    return path.removeprefix("." + os.sep)


def is_linted(path: str, settings: Settings | None = None) -> bool:
    """Return whether a file is linted that lies below a given folder, by its name."""
    if path.endswith(_CODE):
        return True
    found = format_of(path)
    is_unwanted = settings is not None and settings.documents is False
    return found is not None and not (Role.DOCUMENT in found.roles and is_unwanted)


def why_not_linted(path: str, data: bytes, settings: Settings) -> str | None:
    """Return why a file that is named itself is not linted, None for one that is."""
    if is_linted(path, settings) or is_script(data):
        return None
    return NOT_LINTED if format_of(path) is None else DOCUMENT


def may_be_linted(path: str) -> bool:
    """Return whether a file may be linted, by its name: its first line or the settings decide."""
    if path.endswith(_CODE) or format_of(path) is not None:
        return True
    name = path[path.rfind(os.sep) + 1 :]
    return may_begin_as_format(name) and not _PLAIN_NAME.match(name)


def _begins_as_format(entry: Entry, files: Files) -> bool:
    if not may_begin_as_format(entry.name):  # a document that nobody asked for
        return False
    try:
        return of_first_line(files.start_of(entry.path, _LINE)) is not None
    except OSError:
        return False


def is_script(data: bytes) -> bool:
    """Return whether the first line of a file says that it is of a format, or Python."""
    return _SHEBANG.match(data[:_LINE].decode("latin-1")) is not None or bool(of_first_line(data))


def _beginning(path: str, files: Files) -> bytes:
    """Return the first bytes of a file; a Python script's for one that cannot be read.

    Whoever lints it tells why.
    """
    try:
        return files.start_of(path, _LINE)
    except OSError:
        return b"#!python"


def is_entered(name: str) -> bool:
    """Return whether a folder below another is looked into, by its name."""
    return name not in NEVER_ENTERED and (not name.startswith(".") or name in ENTERED)


def _is_file(entry: Entry) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads to itself
        return False


def is_excluded(path: str, settings: Settings, files: Files = ON_DISK) -> bool:
    """Return whether a file, or a folder that it lies in, is excluded."""
    path = os.path.abspath(path)
    if _is_excluded(path, settings, files):
        return True
    folder = os.path.dirname(path)
    while len(folder) > len(settings.root) and folder != os.path.dirname(folder):
        if _is_excluded(folder, settings, files, folder=True):
            return True
        folder = os.path.dirname(folder)
    return False


def _is_excluded(path: str, settings: Settings, files: Files, *, folder: bool = False) -> bool:
    """Return whether an absolute path is excluded, whatever the folders that it lies in."""
    if settings.exclude:
        place = relative(path, settings.root) + (os.sep if folder else "")
        if spec(settings.exclude).match_file(place):
            return True
    return settings.respect_gitignore and is_ignored_by_git(path, files, folder=folder)
