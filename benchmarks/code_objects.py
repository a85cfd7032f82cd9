"""Read the device code of public packages: the targets beside known ones, speed and memory."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sources import unpack
from rocmlint.verify.code_objects.file_report import FileReport, read_file
from rocmlint.verify.code_objects.find import find_files

MEGABYTE = 1e6
KIBIBYTE = 1024
IMPORT = "import sys; from rocmlint.verify.code_objects.file_report import read_file"
READ = f"{IMPORT}; read_file(sys.argv[1])"
PEAK = (
    "print(next(each for each in open('/proc/self/status') if each.startswith('VmHWM')).split()[1])"
)

NAVI = "gfx1030 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1200 gfx1201"
MORE = "gfx1010 gfx1011 gfx1012 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 gfx1250"
CDNA3 = f"{NAVI} gfx908 gfx90a gfx942"
FIFTEEN = f"{CDNA3} gfx950"
TWENTY_FIVE = f"{FIFTEEN} {MORE}"
TWENTY_SEVEN = f"{TWENTY_FIVE} gfx900 gfx906"
NINE = "gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1101 gfx1200 gfx1201"
DEBIAN = "gfx803 gfx900:xnack- gfx906:xnack- gfx908:xnack- gfx90a:xnack+ gfx90a:xnack- gfx1030"


@dataclass(frozen=True)
class Known:
    """What a file is known to hold, found with other means than rocmlint."""

    package: str
    file: str
    """A regular expression that its path ends with."""
    bundles: int
    form: str
    version: int
    targets: str


KNOWN = (
    Known("bitsandbytes==0.50.2", "rocm64.so", 2, "CCOB v2 zstd", 6, CDNA3),
    Known("bitsandbytes==0.50.2", "rocm70.so", 2, "CCOB v2 zstd", 6, FIFTEEN),
    Known("bitsandbytes==0.50.2", "rocm7[12].so", 2, "CCOB v3 zstd", 6, FIFTEEN),
    Known("bitsandbytes==0.50.2", "rocm71[45].so", 2, "CCOB v3 zstd", 6, TWENTY_FIVE),
    Known("cupy-rocm-7-0==14.2.0", "/(cub|thrust).*", 1, "plain bundle", 6, NINE),
    Known("jax-rocm7-plugin==0.12.0", "_(linalg|prng).so", 1, "CCOB v3 zstd", 6, TWENTY_SEVEN),
    Known("jax-rocm7-plugin==0.12.0", "_solver.so", 2, "CCOB v3 zstd", 6, TWENTY_SEVEN),
    Known("jax-rocm7-pjrt==0.12.0", "plugin.so", 45, "CCOB v3 zstd", 6, TWENTY_SEVEN),
    Known("librocrand1", "librocrand.so.1.1", 1, "plain bundle", 4, DEBIAN),
)


def main() -> int:
    """Print a row for each file with device code, then what the largest took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="where packages are kept")
    folder = parser.parse_args().work
    reports: dict[str, tuple[str, FileReport]] = {}
    for package in dict.fromkeys(each.package for each in KNOWN):
        try:
            get(package, folder / package)
        except (subprocess.CalledProcessError, OSError) as error:
            sys.stderr.write(f"{package}: {error}\n")
            continue
        reports |= {each.path: (package, each) for each in with_code(folder / package)}
    wrong = 0
    for path, (package, report) in reports.items():
        known = known_of(path, package)
        problems = [*(differences(report, known) if known else ()), *filter(None, [report.error])]
        wrong += bool(problems)
        verdict = "wrong" if problems else "right" if known else "new"
        print(f"{verdict:5} {os.path.relpath(path, folder)}: {told(report)}", *problems, sep="\n  ")
    if reports:
        measure(max(reports, key=lambda each: Path(each).stat().st_size))
    return 1 if wrong else 0


def get(package: str, target: Path) -> None:
    """Download and unpack a wheel, or a package of Debian where its tools are."""
    if target.exists():
        return
    if "==" in package:
        with tempfile.TemporaryDirectory() as folder:
            pip = [
                sys.executable,
                "-m",
                "pip",
                "--quiet",
                "download",
                "--no-deps",
                "--dest",
                folder,
            ]
            only = ["--only-binary", ":all:", "--python-version", "3.12"]
            subprocess.run([*pip, *only, package], check=True)
            (wheel,) = Path(folder).iterdir()
            unpack(wheel, target)
        return
    target.mkdir(parents=True)
    subprocess.run(["apt-get", "download", package], cwd=target, check=True, capture_output=True)
    (archive,) = target.glob("*.deb")
    subprocess.run(["dpkg", "-x", str(archive), str(target)], check=True)


def with_code(folder: Path) -> Iterator[FileReport]:
    """Yield the reports of files with code for AMD GPUs."""
    for found in find_files([str(folder)]):
        report = read_file(found.path)
        if report.is_for_amd or report.error:
            yield report


def told(report: FileReport) -> str:
    """Return what a file holds."""
    forms = sorted({f"{each.form} v{each.version}" for each in report.entries})
    bundles = len({each.bundle for each in report.entries})
    targets = len({each.target for each in report.entries})
    return f"{bundles} bundles, {', '.join(forms)}, {targets} targets"


def known_of(path: str, package: str) -> Known | None:
    """Find what is known of a file."""
    of_package = (each for each in KNOWN if each.package == package)
    return next((each for each in of_package if re.search(f"{each.file}$", path)), None)


def differences(report: FileReport, known: Known) -> Iterator[str]:
    """Yield how a file differs from what is known of it."""
    for entry in report.entries:
        if (entry.form, entry.version) != (known.form, known.version):
            yield f"{entry.target} is {entry.form} v{entry.version}"
    bundles = {each.bundle for each in report.entries}
    if len(bundles) != known.bundles:
        yield f"{len(bundles)} bundles instead of {known.bundles}"
    targets = {str(each.target) for each in report.entries}
    for target in sorted(targets ^ set(known.targets.split())):
        yield f"{target} is {'more' if target in targets else 'missing'}"


def measure(path: str) -> None:
    """Print seconds, megabytes a second and peak memory of reading a file, beside cat."""
    size = Path(path).stat().st_size / MEGABYTE
    decoded = sum(each.size for each in read_file(path).entries) / MEGABYTE
    print(f"\n{Path(path).name}: {size:,.0f} MB, device code decoded {decoded:,.0f} MB")
    for name, command in {
        "cat": ["cat", path],
        "read_file": [sys.executable, "-c", f"{READ}; {PEAK}", path],
        "only its imports": [sys.executable, "-c", f"{IMPORT}; {PEAK}"],
    }.items():
        wall, cpu, peak = min(took(command) for _ in range(3))
        speed = f"{size / wall:6,.0f} MB/s" if path in command else ""
        memory = f"{peak:5.0f} MB peak" if peak else ""
        print(f"{name:17} {wall:6.2f} s wall {cpu:6.2f} s CPU {speed:>12} {memory}")


def took(command: Sequence[str]) -> tuple[float, float, float]:
    """Return the wall and CPU seconds of a command, and the peak memory in MB if it prints that.

    The peak that the system keeps of a child is at least that of this process, so it must be told.
    """
    before, start = os.times(), time.perf_counter()
    is_ours = command[0] == sys.executable
    out = subprocess.PIPE if is_ours else subprocess.DEVNULL
    printed = subprocess.run(command, check=True, stdout=out).stdout
    wall, after = time.perf_counter() - start, os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return wall, cpu, int(printed) * KIBIBYTE / MEGABYTE if printed else 0.0


if __name__ == "__main__":
    sys.exit(main())
