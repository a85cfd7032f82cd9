"""``rocmlint rule --new``: write a rule, its fixtures, and the lines that configure it."""

from __future__ import annotations

import os
import shlex
from contextlib import ExitStack
from string import digits
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.change.rewrite import save
from rocmlint.change.toml_list import with_items
from rocmlint.cli.rule.template import fixture_texts, rule_text
from rocmlint.config.configuration import NAMES, Configuration
from rocmlint.config.file import parsed_toml
from rocmlint.disk.read import read_small
from rocmlint.errors import ConfigError, RewriteError
from rocmlint.lazy import compile_lazily
from rocmlint.lint.discovery.discover import is_excluded
from rocmlint.paths import shown
from rocmlint.rule.metadata import wrong_code, wrong_name
from rocmlint.rule.modules import CLAIMS
from rocmlint.rule.places import class_values
from rocmlint.rule.registry import load_rules
from rocmlint.rule.rule_files import fixtures_folder, python_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import SimpleNamespace

    from rocmlint.config.settings import Settings

_FOLDER = os.path.join("tools", "rules")
_TABLE = ("tool", "rocmlint")
_SPECIAL, _ESCAPE = compile_lazily(r"[\\*?\[\]]"), r"\\\g<0>"
"""Characters with a meaning in a gitignore pattern, and how they are escaped."""


class _Configured(NamedTuple):
    """A configuration file, and what it becomes; ``before`` is None where it is made."""

    path: str
    before: bytes | None
    after: bytes


def new(flags: SimpleNamespace) -> int:
    """Write a rule that works, and fixtures that show it, or write nothing. Raises ConfigError.

    The code of rules that are there is read, not run.
    """
    settings = Configuration().settings_for(os.getcwd())
    configuration = settings.sources[-1] if settings.sources else _new_place(os.getcwd())
    if not settings.local_rules:
        message = f"--new: {shown(configuration)} turns local rules off (local-rules = false)"
        raise ConfigError(message)
    folder = _folder(flags.folder, configuration, settings)
    code = _code(flags.code, flags.new, dict.fromkeys((*settings.rules, folder)))
    files = _files(folder, code, flags.new, flags.kind)
    for path in files:
        if os.path.lexists(path):
            message = f"--new: {shown(path)} exists already"
            raise ConfigError(message)
    configured = _configured(configuration, folder, settings)
    _write(files, configured)
    print(*(f"Wrote {shown(path)}" for path in files), sep="\n")
    if configured is not None:
        print(f"{'Wrote' if configured.before is None else 'Changed'} {shown(configured.path)}")
    print(f"Test it with: rocmlint rule --test {shlex.quote(shown(folder))}")
    return 0


def _new_place(folder: str) -> str:
    """Return the file to configure where none is: the project's pyproject.toml, if it has one."""
    above = folder
    while True:
        path = os.path.join(above, NAMES[-1])
        if os.path.isfile(path):
            return path
        if os.path.exists(os.path.join(above, ".git")) or os.path.dirname(above) == above:
            return os.path.join(folder, NAMES[-2])
        above = os.path.dirname(above)


def _folder(given: str | None, configuration: str, settings: Settings) -> str:
    if given is not None:
        folder = os.path.abspath(given)
        if configuration.startswith(os.path.join(folder, "")):
            message = f"--folder {given} has the whole project; choose a directory for rules only"
            raise ConfigError(message)
        return folder
    default = os.path.join(os.path.dirname(configuration), _FOLDER)
    return settings.rules[0] if settings.rules else default


def _code(given: str | None, name: str, folders: Iterable[str]) -> str:
    """Return the code of the new rule: that given, else the one after those that are there."""
    taken = {label: "a built-in rule" for each in load_rules() for label in (each.code, each.name)}
    own: list[str] = []
    for path in (path for folder in folders if os.path.isdir(folder) for path in _paths(folder)):
        codes = list(class_values(path, "code"))
        own += [each for each in codes if wrong_code(each) is None]
        taken |= dict.fromkeys((*codes, *class_values(path, "name")), shown(path))
    if given is None and not own:
        message = f"--new {name}: choose the code of your first rule, such as --code ACME101"
        raise ConfigError(message)
    code = _next(own) if given is None else given
    wrong = wrong_name(name) or wrong_code(code)
    if name.startswith(CLAIMS.replace("_", "-")):
        wrong = f"name must not begin with {name[: len(CLAIMS)]}: such files have claims"
    for label in (code, name):
        if wrong is None and label in taken:
            wrong = f"{label} is taken by {taken[label]}"
    if wrong is not None:
        message = f"--new {name}: {wrong}"
        raise ConfigError(message)
    return code


def _paths(folder: str) -> list[str]:
    return [path for path, _ in python_files(folder)]


def _next(codes: Sequence[str]) -> str:
    """Return the code after the last one; it has as many digits."""
    parts = [(each.rstrip(digits), each[len(each.rstrip(digits)) :]) for each in codes]
    prefix, number = max(parts, key=lambda part: int(part[1]))
    return f"{prefix}{int(number) + 1:0{len(number)}}"


def _files(folder: str, code: str, name: str, kind: str) -> dict[str, str]:
    """Return the content of each file to write, by its path."""
    stem = name.replace("-", "_")
    fixtures = os.path.join(fixtures_folder(folder), stem)
    files = {os.path.join(folder, f"{stem}.py"): rule_text(code, name, kind)}
    return files | {
        os.path.join(fixtures, file): text for file, text in fixture_texts(code, kind).items()
    }


def _configured(path: str, folder: str, settings: Settings) -> _Configured | None:
    """Return what the configuration must become to load the rules and leave out their fixtures."""
    wanted: dict[str, list[str]] = {}
    before = read_small(path) if os.path.lexists(path) else None
    try:
        text = (before or b"").decode()
    except UnicodeDecodeError as error:
        message = f"--new: {shown(path)}: cannot be read: {error}"
        raise ConfigError(message) from error
    table = _TABLE if os.path.basename(path) == NAMES[-1] else ()
    root = os.path.dirname(path)
    if folder not in settings.rules:
        # What a file says itself replaces what the file that it extends says.
        known = () if _says_rules(text, table) else settings.rules
        wanted["rules"] = [_relative(each, root) for each in (*known, folder)]
    fixtures = fixtures_folder(folder)
    inside = _relative(fixtures, root)
    if not inside.startswith("..") and not is_excluded(os.path.join(fixtures, "x"), settings):
        wanted["exclude"] = [f"/{_SPECIAL.sub(_ESCAPE, inside)}/"]
    try:
        for key, items in wanted.items():
            text = with_items(text, table, key, items)
    except RewriteError as error:
        message = f"--new: {shown(path)}: {error}"
        raise ConfigError(message) from error
    return _Configured(path, before, text.encode()) if wanted else None


def _says_rules(text: str, table: tuple[str, ...]) -> bool:
    below = parsed_toml(text, "")
    for each in table:
        below = below.get(each, {})
    return "rules" in below


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")


def _write(files: Mapping[str, str], configured: _Configured | None) -> None:
    """Write new files and change the configuration, all or nothing. Raises ConfigError."""
    with ExitStack() as undone:
        try:
            for path, text in files.items():
                _make_folders(os.path.dirname(path), undone)
                _make(path, text.encode(), undone)
            if configured is not None and configured.before is None:
                _make(configured.path, configured.after, undone)
            elif configured is not None:
                save(configured.path, configured.before or b"", configured.after)
        except (OSError, RewriteError) as error:
            path = str(getattr(error, "filename", None) or (configured and configured.path))
            message = f"--new: {shown(path)}: {getattr(error, 'strerror', None) or error}"
            raise ConfigError(message) from error
        undone.pop_all()


def _make_folders(folder: str, undone: ExitStack) -> None:
    if not os.path.isdir(folder):
        _make_folders(os.path.dirname(folder), undone)
        os.mkdir(folder)
        undone.callback(os.rmdir, folder)


def _make(path: str, data: bytes, undone: ExitStack) -> None:
    with open(path, "xb") as file:
        undone.callback(os.unlink, path)
        file.write(data)
