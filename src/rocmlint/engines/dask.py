"""Linting a Dask DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from rocmlint.api import lint_table
from rocmlint.tables.lint import checked
from rocmlint.tables.rows import COLUMNS
from rocmlint.tables.schema import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dask.dataframe import DataFrame


def lint(
    frame: DataFrame, *, options: Mapping[str, Any] | None = None, isolated: bool = True
) -> DataFrame:
    """Return the findings in a DataFrame with the columns of :func:`rocmlint.lint_table`.

    All rows of a repository are collected in one partition first. Raises ConfigError for wrong
    options, before anything is run.
    """
    grouped = frame[list(COLUMNS)].shuffle("repository")
    return grouped.map_partitions(
        _lint_frame, checked(options), isolated=isolated, meta=_frame_of(SCHEMA.empty_table())
    )


def _lint_frame(frame: pd.DataFrame, options: Mapping[str, Any], *, isolated: bool) -> pd.DataFrame:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return _frame_of(lint_table(table, options=options, isolated=isolated))


def _frame_of(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas(types_mapper=pd.ArrowDtype)
