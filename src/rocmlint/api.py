"""Linting from a program: the same findings as the command gives."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rocmlint.config.configuration import Configuration
from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from rocmlint.findings import Finding


def lint_paths(  # noqa: PLR0913 - each is a thing of its own, and all but the first have defaults
    paths: Sequence[str | os.PathLike[str]],
    *,
    options: Mapping[str, Any] | None = None,
    config: str | os.PathLike[str] | None = None,
    isolated: bool = False,
    jobs: int | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
) -> Sequence[Finding]:
    """Lint files and directories, and return the findings in the order of their places.

    ``options`` are laid over the configuration and have its keys, such as
    ``{"select": ["ROC1"], "preview": True}``; ``config`` is a file to use in place of the nearest
    one; with ``isolated`` none is used. ``jobs`` are processes, as many as there are processors if
    not given; results are kept in ``cache_dir`` if given.

    Raises RocmlintError for a wrong configuration (ConfigError) and for paths that cannot be read.
    """
    from rocmlint.lint.run import Options, run  # noqa: PLC0415 - lint_source needs none of it

    settings_for = _configuration(options, config, isolated=isolated).settings_for
    how = Options(jobs=jobs, cache_dir=None if cache_dir is None else os.fspath(cache_dir))
    outcome = run([os.fspath(path) for path in paths], settings_for, how)
    if outcome.problems:
        raise RocmlintError("\n".join(outcome.problems))
    return outcome.findings


def lint_source(
    source: str | bytes,
    path: str | os.PathLike[str] = "<string>",
    *,
    options: Mapping[str, Any] | None = None,
    config: str | os.PathLike[str] | None = None,
    isolated: bool = False,
) -> Sequence[Finding]:
    """Lint the source of one file, which need not exist, and return the findings in order.

    ``path`` is where it is or would be: it decides which configuration and which rules apply. The
    other arguments are those of ``lint_paths``. Raises RocmlintError.
    """
    from rocmlint.lint.linter import Linter  # noqa: PLC0415 - loads the rules
    from rocmlint.text.text import with_plain_ends  # noqa: PLC0415

    path = os.fspath(path)
    folder = os.path.dirname(os.path.abspath(path))
    settings = _configuration(options, config, isolated=isolated).settings_for(folder)
    linter = Linter(settings._replace(named=True))
    if isinstance(source, bytes):
        analysis = linter.lint(path, source)
    else:
        analysis = linter.lint_text(path, with_plain_ends(source))
    if analysis.problems:
        raise RocmlintError("\n".join(analysis.problems))
    return analysis.findings


def lint_table(
    table: pa.Table | pa.RecordBatch,
    *,
    options: Mapping[str, Any] | None = None,
    isolated: bool = True,
) -> pa.Table:
    """Lint the files in an Arrow table, and return a table of findings.

    The columns ``repository``, ``path`` and ``content`` (strings or binary) are read. Pins, lock
    files and modules that a file depends on are those of the same repository in the same table:
    nothing is read from disk, and local rules are never run. ``options`` are those of
    :func:`lint_paths`; unless ``isolated``, they are laid over the ``[tool.rocmlint]`` of each
    repository.

    The result has the columns of ``rocmlint.tables.schema.SCHEMA``, sorted by repository and
    place. What cannot be linted is a row with a ``problem``. The order of the rows of ``table``
    does not matter.

    Raises ConfigError for wrong options, and RocmlintError for a table without these columns or
    where pyarrow is not installed.
    """
    from rocmlint.tables.lint import lint  # noqa: PLC0415 - needs pyarrow

    return lint(table, options, isolated=isolated)


def lint_batches(
    batches: Iterable[pa.RecordBatch],
    *,
    options: Mapping[str, Any] | None = None,
    isolated: bool = True,
) -> Iterator[pa.RecordBatch]:
    """Lint record batches in which the rows of each repository follow one another.

    Yield batches of findings. A repository may go on in the next batches; no more than one is held
    at a time, and one batch. The arguments and errors are those of :func:`lint_table`.
    """
    from rocmlint.tables.lint import lint_each  # noqa: PLC0415 - needs pyarrow

    return lint_each(batches, options, isolated=isolated)


def _configuration(
    options: Mapping[str, Any] | None, config: str | os.PathLike[str] | None, *, isolated: bool
) -> Configuration:
    files = () if config is None else (os.fspath(config),)
    return Configuration(options, config=files, isolated=isolated)
