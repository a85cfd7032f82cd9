"""Linting a Dask DataFrame on two workers."""

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
frames = pytest.importorskip("dask.dataframe", reason="dask[dataframe] is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")
engine = pytest.importorskip("rocmlint.engines.dask")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Start two workers, each a process of its own."""
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


def files(folder: Path) -> Any:
    return frames.read_parquet(folder, dtype_backend="pyarrow", split_row_groups=True)


def rows(frame: Any) -> list[dict[str, object]]:
    return in_order(pa.Table.from_pandas(frame, preserve_index=False))


def test_two_workers_find_what_one_process_finds(client: Any, tmp_path: Path) -> None:
    expected = write_shards(tmp_path)
    assert client.nthreads()
    assert rows(engine.lint(files(tmp_path), options=OPTIONS).compute()) == in_order(expected)


def test_a_worker_that_is_killed_loses_nothing(client: Any, tmp_path: Path) -> None:
    expected = write_shards(tmp_path)
    future = client.compute(engine.lint(files(tmp_path), options=OPTIONS))
    with killing_one(
        lambda own, _: "spawn_main" in own and any(client.processing().values())
    ) as killed:
        found = rows(future.result())
    assert killed
    assert found == in_order(expected)


def test_wrong_options_are_an_error_before_anything_is_run(tmp_path: Path) -> None:
    write_shards(tmp_path)
    with pytest.raises(rocmlint.RocmlintError, match="selct"):
        engine.lint(files(tmp_path), options={"selct": ["ROC1"]})
