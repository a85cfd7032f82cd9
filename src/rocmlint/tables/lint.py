"""Linting the files in an Arrow table: nothing is read from the disk of the machine."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from rocmlint.config.configuration import Configuration
from rocmlint.disk.memory import InMemory
from rocmlint.disk.read import MAXIMUM_READ
from rocmlint.errors import ConfigError
from rocmlint.lint.cache.serialized import from_stored
from rocmlint.lint.discovery.discover import discover
from rocmlint.lint.fold import folded
from rocmlint.lint.rule_fault import internal_error
from rocmlint.lint.selection import enabled_rules
from rocmlint.lint.workers import lint_files
from rocmlint.report import Report
from rocmlint.report.fingerprint import posix
from rocmlint.report.formats.json_document import objects
from rocmlint.source.decoding import text_of
from rocmlint.tables.rows import RowProblem, in_whole_repositories, repositories
from rocmlint.tables.schema import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rocmlint.config.settings import Settings
    from rocmlint.findings import Finding
    from rocmlint.tables.rows import TableRepository

    Row = Mapping[str, object]

_HOME = os.path.abspath(os.path.join(os.sep, "rocmlint-table"))
"""Where the repositories are in memory: no path begins so by accident."""
_NOT_IN_NAMES = re.compile(r"[^\w.-]")
_OF_DISKS = frozenset({"environment", "extend", "rules"})
"""Options that name what is on disk."""
_TEXTS = ("message", "help")


def lint(
    table: pa.Table | pa.RecordBatch, options: Mapping[str, Any] | None, *, isolated: bool
) -> pa.Table:
    """Do what :func:`rocmlint.lint_table` says."""
    given = checked(options)
    rows = (
        row
        for repository in repositories(table)
        for row in _rows_of(repository, given, isolated=isolated)
    )
    return pa.Table.from_pylist([*rows], schema=SCHEMA)


def lint_each(
    batches: Iterable[pa.RecordBatch], options: Mapping[str, Any] | None, *, isolated: bool
) -> Iterator[pa.RecordBatch]:
    """Do what :func:`rocmlint.lint_batches` says."""
    for table in in_whole_repositories(batches):
        yield from lint(table, options, isolated=isolated).to_batches()


def checked(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the options, without local rules. Raises ConfigError where they are wrong."""
    given = {**(options or {}), "local-rules": False}
    for name in sorted(_OF_DISKS & given.keys()):
        message = f"{name}: a table is linted without what is on disk"
        raise ConfigError(message)
    enabled_rules(Configuration(given, isolated=True, folder=_HOME).settings_for(_HOME))
    return given


def _rows_of(
    repository: TableRepository, options: Mapping[str, Any], *, isolated: bool
) -> Iterator[Row]:
    """Yield the findings in a repository, then its problems."""
    name, problems = repository.name, list(repository.problems)
    findings: list[Row] = []
    if name is not None and repository.contents:
        try:
            findings = _findings(repository, options, problems, isolated=isolated)
        except ConfigError as error:
            problems.append(RowProblem(None, str(error)))
        except Exception as error:  # noqa: BLE001 - one repository must not end the job
            problems.append(RowProblem(None, internal_error(name, error)))
    for row in findings:
        yield {**row, "repository": name, "path": repository.given[str(row["path"])]}
    for path, text in sorted(problems, key=lambda each: (each.path or "", each.text)):
        given = repository.given.get(path or "", path)
        yield {"repository": name, "path": given, "problem": text}


def _findings(
    repository: TableRepository,
    options: Mapping[str, Any],
    problems: list[RowProblem],
    *,
    isolated: bool,
) -> list[Row]:
    """Return what the JSON report says of a repository; collect the problems."""
    root = _root(repository.name or "")
    at = {os.path.join(root, *path.split("/")): each for path, each in repository.contents.items()}
    git = os.path.join(root, ".git")  # what is named a repository is one
    files = InMemory(at, () if git in at else (git,))
    try:
        configuration = Configuration(options, isolated=isolated, files=files, folder=root)
        discovery = discover([root], _without_environment(configuration), files)
        problems += [RowProblem(None, _inside(each, root)) for each in discovery.problems]
        found: list[Finding] = []
        texts: dict[str, str] = {}
        for result in lint_files(discovery.files, 1, files):
            path = _inside(result.path, root)
            problems += [
                RowProblem(path, _inside(each, root).removeprefix(f"{path}: "))
                for each in result.problems
            ]
            found += [from_stored(path, each) for each in result.findings]
            if result.findings:
                texts[path] = _text(result.path, files) if result.text is None else result.text
    finally:
        files.forget()
    found = sorted(folded(found), key=lambda each: each.sort_key)
    rows = objects(Report(found, len(discovery.files), texts=texts), posix)
    return [{**each, **{key: _inside(str(each[key]), root) for key in _TEXTS}} for each in rows]


def _root(name: str) -> str:
    """Return where a repository is in memory: in a folder of its name, as after ``git clone``."""
    folder = _NOT_IN_NAMES.sub("-", name.rpartition("/")[2]).strip(".")
    return os.path.join(_HOME, folder or "repository")


def _without_environment(configuration: Configuration) -> Callable[[str], Settings]:
    """Return the settings of each folder; an environment that they name is one on disk."""
    made: dict[int, tuple[Settings, Settings]] = {}

    def settings_for(folder: str) -> Settings:
        settings = configuration.settings_for(folder)
        if settings.environment is None:
            return settings
        known = made.setdefault(id(settings), (settings, settings._replace(environment=None)))
        return known[1]

    return settings_for


def _inside(text: str, root: str) -> str:
    """Write the paths in a text as they are in the repository."""
    plain = text.replace(os.path.join(root, ""), "")
    return plain.replace(os.sep, "/") if os.sep != "/" and plain != text else plain


def _text(path: str, files: InMemory) -> str:
    """Return the text of a file of which nothing was kept; "" where there is none."""
    try:
        return text_of(path, files.read(path, MAXIMUM_READ))
    except (OSError, SyntaxError, ValueError):
        return ""
