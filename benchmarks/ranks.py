"""How long ``rocmlint verify ranks`` takes for a job of a thousand ranks, and how much memory.

    python -m benchmarks.ranks [--ranks 1000]

One real process that has imported torch and transformers is watched; its witness is the template of
all ranks, which have a process, a node, a GPU and times of their own. Three are wrong: one has
another version of a package, one another source of the watched module, and one is missing.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

JOB = "import torch, transformers\nimport transformers.modeling_utils\nimport watched\n"
COMMAND = [sys.executable, "-m", "rocmlint"]
ON_A_NODE = 8
MODULES = ["watched", "transformers.modeling_utils", "torch.nn.functional"]


def template(folder: Path) -> dict[str, Any]:
    """Return what the witness of a real process says."""
    (folder / "job.py").write_text(JOB)
    (folder / "watched.py").write_text("def f():\n    return 1\n")
    flags = [flag for name in MODULES for flag in ("--module", name)]
    subprocess.run(
        [*COMMAND, "verify", "run", *flags, "--keep", "kept", "--", sys.executable, "job.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    found = sorted((folder / "kept").rglob("witness.*.json"), key=lambda each: each.stat().st_size)
    document: dict[str, Any] = json.loads(found[-1].read_text())
    return document


def of_rank(known: dict[str, Any], rank: int, size: int) -> dict[str, Any]:
    """Return what the witness of a rank would say."""
    own = copy.deepcopy(known)
    node, local = divmod(rank, ON_A_NODE)
    own |= {"rank": rank, "world_size": size, "host": f"node{node:03}", "pid": 40_000 + 7 * rank}
    own["parent"] = 39_000 + node
    own["began"] += rank / 1000
    own["written"] += rank / 500
    for name in ("environment", "environment_at_start"):
        own[name] = {**own.get(name, {}), "HIP_VISIBLE_DEVICES": str(local)}
    for each in own["libraries"]:
        each["inode"] = int(each.get("inode") or 0) + 1_000_000 * node
    if rank == size // 2:
        own["versions"]["numpy"] = "1.26.4"
    if rank == size // 2 + 1:
        own["modules"]["watched"]["now"]["sha256"] = "0" * 64
    return own


def main() -> None:
    """Write the witnesses, then judge them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ranks", type=int, default=1000, metavar="N")
    size = parser.parse_args().ranks
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known = template(folder)
        (folder / "job").mkdir()
        written = 0
        for rank in range(size):
            if rank != size - 3:
                path = folder / "job" / f"witness.{rank}.json"
                written += path.write_text(json.dumps(of_rank(known, rank, size)))
        print(f"{size:,} ranks, {written / size / 1e3:.0f} KB each")
        began = time.perf_counter()
        with (folder / "report.txt").open("w") as report:
            ran = subprocess.Popen(
                [*COMMAND, "verify", "ranks", "job", *(f"--module={each}" for each in MODULES)],
                cwd=folder,
                stdout=report,
                stderr=report,
            )
            # Of this child alone: the job that was the template took more.
            _, status, used = os.wait4(ran.pid, 0)
        took = time.perf_counter() - began
        code = os.waitstatus_to_exitcode(status)
        print(f"{took:.1f} s, {used.ru_maxrss / 1e3:.0f} MB at most, exit code {code}")
        lines = (folder / "report.txt").read_text().splitlines()
        print(f"{len(lines):,} lines, the longest of {max(map(len, lines)):,} characters\n")
        print(*(line[:200] for line in lines[:80]), sep="\n")


if __name__ == "__main__":
    main()
