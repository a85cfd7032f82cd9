"""Rewriting the files that the command names, and writing what became of them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.change.change import Change, write
from rocmlint.change.rewrite import encode_like
from rocmlint.cli.export.against import environment_place
from rocmlint.cli.export.dump import dump
from rocmlint.config.configuration import Configuration
from rocmlint.config.option import did_you_mean
from rocmlint.disk.read import MAXIMUM_READ, read_small
from rocmlint.errors import ConfigError, RocmlintError
from rocmlint.lint.discovery.discover import discover
from rocmlint.models.control_flow.functions import function_names
from rocmlint.models.control_flow.rewrite import Options, rewrite
from rocmlint.source.decoding import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import SimpleNamespace

    from rocmlint.models.control_flow.rewrite import Statement

_NAMED = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*(?:\.\w+)*)\Z")
_WORD = re.compile(rb"\btorch\b")
"""A file without it has no tensors."""


@dataclass(frozen=True)
class FileRewrite:
    """A file, what became of its statements, and its bytes before and after."""

    change: Change
    statements: tuple[Statement, ...]
    functions: tuple[str, ...]
    is_written: bool = False

    @property
    def path(self) -> str:
        """Where the file is."""
        return self.change.path

    @property
    def is_changed(self) -> bool:
        """Whether its bytes change."""
        return self.change.before != self.change.after


@dataclass(frozen=True)
class _Target:
    path: str
    only: str = ""
    """The class or function that is named."""


def rewrite_paths(flags: SimpleNamespace) -> tuple[list[FileRewrite], list[str]]:
    """Rewrite the files that the flags name; return them, and what went wrong, line by line.

    Raises ConfigError for a class that cannot be found, and where the dump cannot be written.
    """
    files: list[FileRewrite] = []
    targets, problems = _targets(flags)
    for target in targets:
        try:
            found = _rewritten(target, flags)
        except RocmlintError as error:
            problems.append(f"{target.path}: {error}")
            continue
        if found is None:
            continue
        if flags.write and found.is_changed:
            done = write(found.change)
            if done.problem is not None:
                problems.append(done.problem)
            found = FileRewrite(
                found.change, found.statements, found.functions, is_written=done.problem is None
            )
        files.append(found)
    return files, problems


def _targets(flags: SimpleNamespace) -> tuple[list[_Target], list[str]]:
    targets: list[_Target] = []
    paths: list[str] = []
    for each in flags.paths or ["."]:
        named = _NAMED.match(each)
        if named is not None and not os.path.exists(each):
            targets.append(_Target(_module(named["module"], flags.python), named["name"]))
        else:
            paths.append(each)
    configuration = Configuration()
    discovery = discover(paths, configuration.settings_for)
    found = [_Target(each.path) for each in discovery.files if each.path.endswith((".py", ".pyw"))]
    return [*targets, *found], [*discovery.problems]


def _module(dotted: str, python: str | None) -> str:
    """Return the file of a module, which is looked for but not imported. Raises ConfigError."""
    folders = [os.getcwd(), *environment_place(python, None).folders]
    for folder in folders:
        base = os.path.join(folder, *dotted.split("."))
        for path in (f"{base}.py", os.path.join(base, "__init__.py")):
            if os.path.isfile(path):
                return os.path.relpath(path) if folder == os.getcwd() else path
    message = f"{dotted}: no such module here or in {', '.join(folders[1:]) or 'the environment'}"
    raise ConfigError(message)


def _rewritten(target: _Target, flags: SimpleNamespace) -> FileRewrite | None:
    """Rewrite a file; None for one without tensors. Raises RocmlintError."""
    try:
        data = read_small(target.path, MAXIMUM_READ)
        if not target.only and not _WORD.search(data):
            return None
        text = text_of(target.path, data)
    except OSError as error:
        raise RocmlintError(f"cannot be read: {error.strerror}") from error
    except (SyntaxError, ValueError) as error:
        raise RocmlintError(f"cannot be decoded: {error}") from error
    only = _only(target, text) if target.only else None
    rewritten = rewrite(
        text, Options(only=only, plain_torch=flags.plain_torch, unreached=flags.unreached)
    )
    after = data if rewritten.text == text else encode_like(target.path, data, rewritten.text)
    if flags.dump is not None:
        dump(flags.dump, target.path, rewritten)
    change = Change(target.path, data, after, (), (), ())
    return FileRewrite(change, rewritten.statements, rewritten.functions)


def _only(target: _Target, text: str) -> Sequence[str]:
    """Return the functions of the class or function that is named. Raises ConfigError."""
    known = function_names(text)
    found = [each for each in known if f"{each}.".startswith(f"{target.only}.")]
    if not found:
        message = f"defines no {target.only}{did_you_mean(target.only, [*_names(known)])}"
        raise ConfigError(message)
    return found


def _names(functions: Sequence[str]) -> Iterator[str]:
    for each in functions:
        yield each
        yield each.rpartition(".")[0]
