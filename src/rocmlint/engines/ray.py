"""Linting a Ray Dataset."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.api import lint_table
from rocmlint.tables.lint import checked
from rocmlint.tables.rows import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ray.data import Dataset


def lint(
    dataset: Dataset, *, options: Mapping[str, Any] | None = None, isolated: bool = True
) -> Dataset:
    """Return the findings in a Dataset with the columns of :func:`rocmlint.lint_table`.

    All rows of a repository are collected in one task first. Raises ConfigError for wrong options,
    before anything is run.
    """
    function = partial(lint_table, options=checked(options), isolated=isolated)
    grouped = dataset.select_columns(list(COLUMNS)).groupby("repository")
    return grouped.map_groups(function, batch_format="pyarrow")
