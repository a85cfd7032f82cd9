"""Linting a Spark DataFrame on two workers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

import rocmlint
from tests.support.fleet import OPTIONS, in_order, killing_one, write_shards
from tests.support.tools import program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow
pytest.importorskip("pyarrow", reason="rocmlint[arrow] is not installed")
sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
engine = pytest.importorskip("rocmlint.engines.spark")
_DAEMON = "pyspark.daemon"


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """Start Spark with two workers; a task is tried four times."""
    program("java")
    builder = sql.SparkSession.builder.master("local[2, 4]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "4")
    builder = builder.config("spark.pyspark.python", sys.executable)
    try:
        found = builder.config("spark.log.level", "ERROR").getOrCreate()
    except Exception as error:  # noqa: BLE001 - pyspark's own, of no Java
        pytest.skip(f"Spark does not start: {error}")
    yield found
    found.stop()


def test_two_workers_find_what_one_process_finds(session: Any, tmp_path: Path) -> None:
    expected = write_shards(tmp_path)
    found = engine.lint(session.read.parquet(str(tmp_path)), options=OPTIONS).toArrow()
    assert in_order(found) == in_order(expected)


def test_a_worker_that_is_killed_loses_nothing(session: Any, tmp_path: Path) -> None:
    expected = write_shards(tmp_path)
    files = session.read.parquet(str(tmp_path)).cache()
    files.count()
    with killing_one(lambda own, parent: _DAEMON in own and _DAEMON in parent) as killed:
        found = engine.lint(files, options=OPTIONS).toArrow()
    assert killed
    assert in_order(found) == in_order(expected)


def test_wrong_options_are_an_error_before_anything_is_run(session: Any, tmp_path: Path) -> None:
    write_shards(tmp_path)
    with pytest.raises(rocmlint.RocmlintError, match="selct"):
        engine.lint(session.read.parquet(str(tmp_path)), options={"selct": ["ROC1"]})
