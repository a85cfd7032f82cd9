"""Builds the data of rocmlint.published.amd_wheels: AMD's indexes, their torch, and the GPUs.

What is not on an index (families, products, other packages, what AMD's pages list) comes from
``tools/data/amd_wheels.toml``, where each fact has a public page and its date. The builds of torch
and the GPUs with a device package are read from the indexes themselves (PEP 503), and recorded in
that file for where they cannot be reached.

    python -m tools.build_amd_wheels            # reads AMD's indexes where they answer
    python -m tools.build_amd_wheels --offline  # the recorded facts only
"""

from __future__ import annotations

import argparse
import json
import sys
import urllib.request
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocmlint.stack.indexes.amd_index import refreshed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RECORDED = Path(__file__).parent / "data" / "amd_wheels.toml"
OUTPUT = Path(__file__).parents[1] / "src/rocmlint/published/data/amd_wheels.json"
TIMEOUT = 20.0
Row = dict[str, Any]


def main() -> None:
    """Write the data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--offline", action="store_true", help="ask no index")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    flags = parser.parse_args()
    today = datetime.now(timezone.utc).date().isoformat()
    fetch = None if flags.offline else fetched
    data = table(recorded_facts(), fetch, today)
    flags.output.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def recorded_facts() -> Row:
    """Return what was recorded from public pages."""
    return tomllib.loads(RECORDED.read_text(encoding="utf-8"))


def table(recorded: Row, fetch: Callable[[str], str] | None, today: str) -> Row:
    """Return the data: what the indexes have where ``fetch`` reaches them, else what is recorded.

    ``fetch`` gives the page at an address; it raises OSError where there is none.
    """
    sources = {
        name: {"url": each["url"], "date": str(each["date"])}
        for name, each in recorded["sources"].items()
    }
    data = {
        "as_of": "",
        "sources": sources,
        "indexes": recorded["index"],
        "builds": [row for each in recorded["build"] for row in by_system(each)],
        "devices": [dict(each) for each in _devices(recorded["device"])],
        "elsewhere": recorded["elsewhere"],
    }
    made, problems = refreshed(data, fetch or _nothing, today)
    for each in problems if fetch else ():
        print(f"{each}; the recorded facts are used", file=sys.stderr)
    return made


def _nothing(url: str) -> str:
    """Ask no index. Raises OSError."""
    raise OSError(url)


def by_system(build: Row) -> Iterator[Row]:
    """Yield a recorded build once for each system that it is for."""
    for system in ("linux", "windows"):
        if system in build:
            shared = {
                name: each for name, each in build.items() if name not in {"linux", "windows"}
            }
            yield {**shared, "system": system, "listed": build[system]}


def _devices(recorded: Row) -> Iterator[Row]:
    windows = recorded["windows"].split()
    for gfx, families in recorded["families"].items():
        products = recorded["products"][gfx]
        yield {"gfx": gfx, "families": families, "products": products, "windows": gfx in windows}


def fetched(url: str) -> str:
    """Return the page at an address. Raises OSError."""
    request = urllib.request.Request(url, headers={"Accept": "text/html"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
        text: str = answer.read().decode()
    return text


if __name__ == "__main__":
    main()
