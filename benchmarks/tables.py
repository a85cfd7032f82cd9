"""What linting Parquet shards costs, with one worker and with two, and whether it finds the same.

    python -m benchmarks.tables --work FOLDER [--rounds 3] [--command]

The shards hold the packages that are installed beside this Python, each as a repository.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

import rocmlint

COMMAND = [str(Path(sys.executable).with_name("rocmlint"))]
SHARDS = 24
LARGEST = 1_000_000
SUFFIXES = frozenset(
    (".py", ".pyi", ".ipynb", ".toml", ".txt", ".md", ".cfg", ".ini", ".yaml", ".yml", ".json")
)
DOLLARS_AN_HOUR = 0.05
"""The price of one core for an hour that the cost is worked out with."""


class Measured(NamedTuple):
    """What a run over all shards took; ``cpu`` is that of all workers."""

    wall: float
    cpu: float
    megabytes: float
    tables: list[Any]


def packages() -> dict[str, dict[str, Path]]:
    """Return the files of each installed package, by their paths in it."""
    found: dict[str, dict[str, Path]] = {}
    for site in (Path(each) for each in sys.path if each.endswith("site-packages")):
        for folder in sorted(each for each in site.iterdir() if each.is_dir()):
            if folder.name in found or folder.name.startswith(("__", "rocmlint")):
                continue
            files = {
                path.relative_to(folder.parent).as_posix(): path
                for path in sorted(folder.rglob("*"))
                if path.suffix in SUFFIXES and path.is_file() and path.stat().st_size < LARGEST
            }
            if files:
                found[folder.name] = files
    return found


def write_shards(work: Path) -> list[Path]:
    """Write the packages into shards of about the same size, each package into one of them."""
    known = packages()
    sizes = {name: sum(each.stat().st_size for each in its.values()) for name, its in known.items()}
    shards: list[list[str]] = [[] for _ in range(SHARDS)]
    full = [0] * SHARDS
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):
        emptiest = full.index(min(full))
        shards[emptiest].append(name)
        full[emptiest] += sizes[name]
    paths = []
    for number, names in enumerate(shards):
        rows = [
            {"repository": name, "path": path, "content": file.read_bytes()}
            for name in names
            for path, file in known[name].items()
        ]
        paths.append(work / f"files-{number:02}.parquet")
        pq.write_table(pa.Table.from_pylist(rows), paths[-1])
    print(
        f"{sum(map(len, known.values())):,} files in {len(known):,} repositories, "
        f"{sum(sizes.values()) / 1e6:,.0f} MB, in {SHARDS} shards"
    )
    return sorted(paths, key=lambda path: path.stat().st_size, reverse=True)


def lint(path: Path) -> tuple[Any, float, float, int]:
    """Lint a shard; return the findings, CPU seconds, memory in MB, and the process."""
    began = time.process_time()
    found = rocmlint.lint_table(pq.read_table(path, use_threads=False))
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return found, time.process_time() - began, used, os.getpid()


def measured(paths: list[Path], workers: int, smallest: Path) -> Measured:
    """Lint all shards with some workers, which have loaded what they need before."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context) as pool:
        list(pool.map(lint, [smallest] * workers * 2))
        began = time.perf_counter()
        results = list(pool.map(lint, paths))
        wall = time.perf_counter() - began
    tables = [found for found, *_ in results]
    cpu = sum(seconds for _, seconds, *_ in results)
    return Measured(wall, cpu, max(used for _, _, used, _ in results), tables)


def of_command(tables: list[Any], work: Path) -> int:
    """Compare the rows with what the command finds in the same trees; return the differences."""
    found: dict[str, list[dict[str, object]]] = defaultdict(list)
    for table in tables:
        for row in table.to_pylist():
            found[str(row.pop("repository"))].append(row)
    different = 0
    for name, files in packages().items():
        tree = work / "trees" / name
        (tree / ".git").mkdir(parents=True, exist_ok=True)
        for path, file in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(file.read_bytes())
        ran = subprocess.run(
            [*COMMAND, "--isolated", "--no-cache", "--output-format", "json", "."],
            cwd=tree,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        told = json.loads(ran.stdout)["findings"]
        ours = [row for row in found[name] if row.pop("problem") is None]
        fields = [{key: each[key] for key in ours[0]} for each in told] if ours else told
        if fields != ours:
            different += 1
            print(f"{name}: {len(told)} findings of the command, {len(ours)} of the table")
    return different


def main() -> None:
    """Write the shards, lint them some times, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--command", action="store_true", help="compare with the command too")
    flags = parser.parse_args()
    flags.work.mkdir(parents=True, exist_ok=True)
    paths = write_shards(flags.work)
    files = sum(pq.read_metadata(path).num_rows for path in paths)
    size = sum(path.stat().st_size for path in paths)
    best: dict[int, Measured] = {}
    for _ in range(flags.rounds):
        for workers in (1, 2):
            run = measured(paths, workers, paths[-1])
            best[workers] = min(run, best.get(workers, run), key=lambda each: each.wall)
            print(
                f"{workers} worker{'s' * (workers > 1)}: {run.wall:.1f} s, {run.cpu:.1f} CPU "
                f"seconds, {run.megabytes:.0f} MB",
                flush=True,
            )
    one, two = best[1], best[2]
    hours = one.cpu / files * 1e6 / 3600
    print(f"efficiency of two workers: {one.wall / two.wall / 2:.2f} (goal: 0.9)")
    print(f"by CPU time: {one.cpu / two.cpu:.2f}")
    print(f"{files / one.wall:,.0f} files a second and worker; {size / 1e6:.0f} MB of Parquet")
    print(f"a million files: {hours:.1f} CPU hours, ${hours * DOLLARS_AN_HOUR:.2f}")
    print(f"the same rows: {all(map(pa.Table.equals, one.tables, two.tables))}")
    print(f"findings: {sum(each.num_rows for each in one.tables):,}")
    if flags.command:
        print(f"repositories that differ from the command: {of_command(one.tables, flags.work)}")


if __name__ == "__main__":
    main()
