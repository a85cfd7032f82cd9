"""A table of several repositories for the engines, and the death of a worker that lints it."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rocmlint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pa = pytest.importorskip("pyarrow", reason="rocmlint[arrow] is not installed")
pq = pytest.importorskip("pyarrow.parquet")
FIXTURES = Path(__file__).parents[2] / "fixtures"
OPTIONS = {"preview": True}
_COPIES = 6
_SHARDS = 4
_PATIENCE = 120


def write_shards(folder: Path) -> Any:
    """Write repositories to shards, no two rows of one beside each other; return the findings.

    They are those of one process, which knows of no engine.
    """
    rows: list[dict[str, object]] = [
        {
            "repository": f"somebody/{family}-{copy}",
            "path": str(path.relative_to(FIXTURES / family)),
            "content": path.read_bytes(),
            "stars": 7,
        }
        for family in ("vision", "lint")
        for path in sorted((FIXTURES / family).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
        for copy in range(_COPIES)
    ]
    rows += [{"repository": "somebody/odd", "path": each} for each in ("/etc/a.py", "b.py", None)]
    for shard in range(_SHARDS):
        pq.write_table(pa.Table.from_pylist(rows[shard::_SHARDS]), folder / f"{shard}.parquet")
    return rocmlint.lint_table(pa.Table.from_pylist(rows), options=OPTIONS)


def in_order(table: Any) -> list[dict[str, object]]:
    """Return the rows in an order of their own: engines keep none."""
    rows: list[dict[str, object]] = table.to_pylist()
    return sorted(rows, key=str)


@contextmanager
def killing_one(is_wanted: Callable[[str, str], bool]) -> Iterator[list[int]]:
    """Kill, with SIGKILL, the first process below this one that is wanted; give its number.

    ``is_wanted`` is asked with the command lines of a process and of its parent.
    """
    killed: list[int] = []
    over = threading.Event()

    def hunt() -> None:
        until = time.monotonic() + _PATIENCE
        while not (killed or over.is_set()) and time.monotonic() < until:
            for pid, parent in _below(os.getpid()):
                if is_wanted(_command(pid), _command(parent)):
                    time.sleep(0.2)  # in the midst of its work
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                    break
            time.sleep(0.02)

    hunter = threading.Thread(target=hunt, daemon=True)
    hunter.start()
    try:
        yield killed
    finally:
        over.set()
        hunter.join()


def _below(top: int) -> list[tuple[int, int]]:
    parents = {int(each): _parent(int(each)) for each in os.listdir("/proc") if each.isdecimal()}
    found, known = [], {top}
    while new := [(pid, up) for pid, up in parents.items() if up in known and pid not in known]:
        found += new
        known |= {pid for pid, _ in new}
    return found


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (OSError, UnicodeDecodeError):
        return ""
