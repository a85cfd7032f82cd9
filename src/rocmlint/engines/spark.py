"""Linting a Spark DataFrame."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql.pandas.types import from_arrow_schema

from rocmlint.api import lint_batches
from rocmlint.tables.lint import checked
from rocmlint.tables.rows import COLUMNS
from rocmlint.tables.schema import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame


def lint(
    frame: DataFrame, *, options: Mapping[str, Any] | None = None, isolated: bool = True
) -> DataFrame:
    """Return the findings in a DataFrame with the columns of :func:`rocmlint.lint_table`.

    All rows of a repository are collected in one partition first. Raises ConfigError for wrong
    options, before anything is run.
    """
    function = partial(lint_batches, options=checked(options), isolated=isolated)
    grouped = frame.select(*COLUMNS).repartition("repository").sortWithinPartitions("repository")
    return grouped.mapInArrow(function, from_arrow_schema(SCHEMA))
