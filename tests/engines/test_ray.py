"""Linting a Ray Dataset on two workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import rocmlint
from tests.support.fleet import OPTIONS, in_order, killing_one, write_shards

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow
pa = pytest.importorskip("pyarrow", reason="rocmlint[arrow] is not installed")
ray = pytest.importorskip("ray", reason="ray is not installed")
data = pytest.importorskip("ray.data", reason="ray[data] is not installed")
engine = pytest.importorskip("rocmlint.engines.ray")
_MEMORY = 200_000_000


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Start Ray with two workers."""
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=_MEMORY, log_to_driver=False)
    data.DataContext.get_current().default_hash_shuffle_parallelism = 4
    yield
    ray.shutdown()


def rows(dataset: Any) -> list[dict[str, object]]:
    return in_order(pa.concat_tables(ray.get(dataset.to_arrow_refs())))


def test_two_workers_find_what_one_process_finds(tmp_path: Path) -> None:
    expected = write_shards(tmp_path)
    found = engine.lint(data.read_parquet(str(tmp_path)), options=OPTIONS)
    assert rows(found) == in_order(expected)


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    expected = write_shards(tmp_path)
    files = data.read_parquet(str(tmp_path)).materialize()
    with killing_one(lambda own, _: "lint_table" in own) as killed:
        found = rows(engine.lint(files, options=OPTIONS))
    assert killed
    assert found == in_order(expected)


def test_wrong_options_are_an_error_before_anything_is_run(tmp_path: Path) -> None:
    write_shards(tmp_path)
    with pytest.raises(rocmlint.RocmlintError, match="selct"):
        engine.lint(data.read_parquet(str(tmp_path)), options={"selct": ["ROC1"]})
