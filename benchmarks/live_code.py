"""Compare the live code of every importable module of some packages with their source.

Counts the functions and the differences, of which untouched packages must show none, and what is
behind another object, of which they should show next to none; and the time.
"""

import argparse
import contextlib
import importlib
import io
import pkgutil
import platform
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

INSIDE = Path(__file__).resolve().parent.parent / "src" / "rocmlint" / "interpreter" / "inside"
FAULTS = ("differing", "replaced", "missing", "stale", "literals", "altered")
NOTES = ("wrapped", "behind", "opaque")
NOT_IMPORTED = {"__main__", "antigravity", "this", "idlelib", "test", "tests", "lib2to3", "turtle"}
"""What starts something, takes over the process or the screen, or ends it."""
NOT_STOCK = {"distutils"}
"""setuptools replaces it as soon as it is imported."""


def main() -> int:
    """Run the benchmark; say whether there was any difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=["torch", "transformers"])
    parser.add_argument("--stdlib", action="store_true", help="the standard library instead")
    parser.add_argument("--calls", type=int, default=2_000_000, help="to measure --executed with")
    options = parser.parse_args()
    live, executed = inside("live.compare"), inside("live.executed")
    roots = standard_library() if options.stdlib else options.packages
    names, failed = imported(sorted({name for root in roots for name in modules_of(root)}))
    wall, cpu = time.perf_counter(), time.process_time()
    comparisons = live.compare_all(names)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    told = "" if sys.flags.optimize == 0 else f" -{'O' * sys.flags.optimize}"
    print(f"Python {platform.python_version()}{told}: {', '.join(roots)[:60]}")
    print(f"modules: {len(names):,} imported, {len(failed):,} cannot be imported here")
    print(f"functions that are the source: {sum(each['matched'] for each in comparisons):,}")
    print(
        f"seconds: {wall:.1f} ({cpu:.1f} of CPU), {1000 * cpu / max(len(names), 1):.1f} ms a module"
    )
    reasons = Counter(each["unprovable"] for each in comparisons if each["unprovable"])
    for reason, count in reasons.items():
        print(f"without source: {count} ({reason})")
    for kind in (*FAULTS, *NOTES):
        print(f"{kind}: {sum(len(each[kind]) for each in comparisons)}")
    for each in comparisons:
        for kind in (*FAULTS, "behind"):
            for fault in each[kind]:
                print(f"  {kind}: {each['module']}: {fault}")
        if each["loads_other"]:
            print(f"  an import would run other code: {each['module']}")
    print_overhead(executed, options.calls)
    return int(any(each[kind] for each in comparisons for kind in FAULTS))


def inside(name: str) -> Any:
    """Load a module that runs in the user's interpreter as verify does: by its path."""
    package = "rocmlint_inside"
    if package not in sys.modules:
        spec = spec_from_file_location(
            package, INSIDE / "__init__.py", submodule_search_locations=[str(INSIDE)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[package] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[package])
    return importlib.import_module(f"{package}.{name}")


def standard_library() -> list[str]:
    """Return the names that come with Python."""
    return sorted(sys.stdlib_module_names - NOT_IMPORTED - NOT_STOCK)


def modules_of(root: str) -> Iterator[str]:
    """Yield the modules below a package, without importing any."""
    spec = PathFinder.find_spec(root)
    yield root
    yield from below(root, spec)


def below(name: str, spec: ModuleSpec | None) -> Iterator[str]:
    """Yield the modules of a package."""
    for each in pkgutil.iter_modules((spec and spec.submodule_search_locations) or []):
        if each.name not in NOT_IMPORTED:
            full = f"{name}.{each.name}"
            yield full
            if each.ispkg:
                yield from below(full, each.module_finder.find_spec(full, None))


def imported(names: list[str]) -> tuple[list[str], list[str]]:
    """Import what can be imported here, whatever it prints or warns of."""
    good, bad = [], []
    warnings.simplefilter("ignore")
    for name in names:
        noise = io.StringIO()
        with contextlib.redirect_stdout(noise), contextlib.redirect_stderr(noise):
            try:
                importlib.import_module(name)
            except BaseException:  # noqa: BLE001 - some leave the program
                bad.append(name)
                continue
        good.append(name)
    return good, bad


def print_overhead(executed: ModuleType, calls: int) -> None:
    """Print what watching costs a loop that does nothing but call."""
    plain = timed(calls)
    executed.start()
    watched = timed(calls)
    executed.stop()
    print(f"{calls:,} calls: {plain:.3f} s, watched {watched:.3f} s")


def timed(calls: int) -> float:
    """Return the best of three, in seconds."""
    best = float("inf")
    for _ in range(3):
        begun = time.perf_counter()
        for _ in range(calls):
            nothing()
        best = min(best, time.perf_counter() - begun)
    return best


def nothing() -> None:
    """Be called."""


if __name__ == "__main__":
    sys.exit(main())
