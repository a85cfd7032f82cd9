"""Time and memory that the index of names takes for a file that imports transformers."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

from tabulate import tabulate

from rocmlint.published import name_data, names

RUNS = 11

# What rules ask for in one file, each in a fresh interpreter.
LOOKUPS = {
    "nothing": "",
    "from transformers import AutoModel, Trainer": """
package = names.names_of("transformers")
for name in ("AutoModel", "Trainer"):
    package.history("transformers." + name)
""",
    "the same, and a call of TrainingArguments(...)": """
package = names.names_of("transformers")
for name in ("AutoModel", "Trainer"):
    package.history("transformers." + name)
package.signature("transformers.TrainingArguments", package.versions[-1])
""",
    "the same, and a patch of Qwen2VLModel.forward": """
package = names.names_of("transformers")
for name in ("AutoModel", "Trainer"):
    package.history("transformers." + name)
package.signature("transformers.TrainingArguments", package.versions[-1])
package.member("transformers.Qwen2VLModel", "forward")
""",
    "where else a name is (reads all pieces)": """
package = names.names_of("transformers")
package.elsewhere("LlamaConfig", package.versions[-1])
""",
}
CHILD = """
import sys, time, tracemalloc
from rocmlint.published import names
if sys.argv[1] == "memory":
    tracemalloc.start()
start = time.process_time()
{}
took = time.process_time() - start
print(tracemalloc.get_traced_memory()[1] if tracemalloc.is_tracing() else took)
"""


def main() -> int:
    """Print what each package takes on disk, then what look-ups take."""
    print(tabulate(sizes(), headers=["package", "versions", "from", "to", "modules", "kB"]))
    print()
    rows = [(title, *measured(code)) for title, code in LOOKUPS.items()]
    print(
        tabulate(rows, headers=["look-up", "CPU ms (median)", "most", "MiB (peak)"], floatfmt=".1f")
    )
    return 0


def sizes() -> list[tuple[object, ...]]:
    """Return a row for each package and one for all."""
    rows: list[tuple[object, ...]] = []
    total = 0
    for name in names.packages():
        found = names.names_of(name)
        assert found is not None
        size = os.path.getsize(os.path.join(name_data.FOLDER, name + names.ENDING))
        total += size
        first, last = found.versions[0], found.versions[-1]
        modules = len(found.modules())
        rows.append((name, len(found.versions), first, last, modules, size // 1000))
    return [*rows, ("all", None, None, None, None, total // 1000)]


def measured(code: str) -> tuple[float, float, float]:
    """Return milliseconds (median, most) and MiB of a look-up in fresh interpreters."""
    milliseconds = [asked(code, "time") * 1000 for _ in range(RUNS)]
    return statistics.median(milliseconds), max(milliseconds), asked(code, "memory") / 2**20


def asked(code: str, what: str) -> float:
    """Return the seconds of CPU time, or the bytes, of one run."""
    command = [sys.executable, "-c", CHILD.format(code), what]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    sys.exit(main())
