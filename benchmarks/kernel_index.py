"""Index the kernels of public packages: how many, beside what symbol tables say, and how fast."""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.code_objects import get
from rocmlint.verify.trace.index import KernelIndex, build, demangled


@dataclass(frozen=True)
class Known:
    """What is known of the files of a package whose paths a regular expression matches."""

    package: str
    files: str
    target: str
    kernels: int
    in_more_files: int
    """How many names more than one of the files has."""


KNOWN = (
    Known("amd-aiter==0.1.7.post2.dev18", "/gfx942/.*", "gfx942", 1256, 21),
    Known("bitsandbytes==0.50.2", "rocm72.so", "gfx942", 175, 0),
    Known("jax-rocm7-pjrt==0.12.0", "plugin.so", "gfx942", 14107, 0),
)


def main() -> int:
    """Print a row for each set of files, then what the readable names take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="where packages are kept")
    folder = parser.parse_args().work
    wrong = 0
    for package in dict.fromkeys(each.package for each in KNOWN):
        try:
            get(package, folder / package)
        except (subprocess.CalledProcessError, OSError) as error:
            sys.stderr.write(f"{package}: {error}\n")
            continue
        index = measure(package, folder / package)
        for known in (each for each in KNOWN if each.package == package):
            wrong += not compare(known, index)
    return 1 if wrong else 0


def measure(package: str, folder: Path) -> KernelIndex:
    """Print the seconds for reading a package without and with a cache."""
    with tempfile.TemporaryDirectory() as cache:
        start = time.perf_counter()
        index = build([str(folder)], cache)
        cold = time.perf_counter() - start
        start = time.perf_counter()
        build([str(folder)], cache)
        warm = time.perf_counter() - start
    start = time.perf_counter()
    mangled = [demangled(each) for each in index.names if each.startswith("_Z")]
    names = time.perf_counter() - start
    print(
        f"{package}: {len(index.files):,} files, {len(index.names):,} kernels: {cold:.2f} s, "
        f"from the cache {warm:.2f} s; {len(mangled):,} names made readable in {names:.2f} s"
    )
    for path, why in index.problems.items():
        print(f"  {path}: {why}")
    return index


def compare(known: Known, index: KernelIndex) -> bool:
    """Print the numbers of some files beside the known ones, and say whether they are equal."""
    files = {
        path: contents for path, contents in index.files.items() if re.search(known.files, path)
    }
    holders_of = KernelIndex(files).names.values()
    paths = [
        {each.path for each in holders if known.target in each.targets} for holders in holders_of
    ]
    kernels, shared = (sum(1 for each in paths if len(each) > count) for count in (0, 1))
    right = (kernels, shared) == (known.kernels, known.in_more_files)
    print(
        f"  {'right' if right else 'wrong'}: {known.files}: {kernels:,} kernels for {known.target} "
        f"in {len(files):,} files, {shared:,} in more than one"
    )
    return right


if __name__ == "__main__":
    sys.exit(main())
