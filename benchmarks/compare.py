"""Compare the time and memory of rocmlint with other linters on a real package, in one run."""

import argparse
import itertools
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.sources import download_package

PACKAGE = "transformers==5.23.0"
CHANGED = "transformers/modeling_utils.py"
CLEAN = "transformers/models/bert/configuration_bert.py"
WORK = """\
# /// script
# dependencies = ["transformers==5.0.0"]
# ///
from transformers import AutoModelForVision2Seq

model = AutoModelForVision2Seq.from_pretrained("model")
"""
"""A file in which a rule finds something."""
SAMPLE_STEP = 9  # the slow linters get every ninth file
MEBIBYTE = 1024  # in the kibibytes that the system reports
HERE = Path(__file__).resolve().parent.parent
TOOLS = {
    "rocmlint": [str(HERE)],
    "ruff": ["ruff"],
    "torchfix": ["torchfix"],
    "fixit": ["fixit"],
    "flake8": ["flake8"],
    "flake8-rocmlint": ["flake8", str(HERE)],
}


@dataclass(frozen=True)
class Sample:
    """What one run of a command took, all of its processes together."""

    cpu: float
    wall: float
    peak: float


@dataclass
class Case:
    """A command, what to do before each run of it, and what the runs took."""

    name: str
    command: list[str]
    prepare: Callable[[], object] = lambda: None
    samples: list[Sample] = field(default_factory=list)
    ends: tuple[int, ...] = (0, 1)
    """The exit codes that it may end with: 1 for findings."""

    def run(self, log: Path) -> None:
        """Run the command once, its output thrown away and its messages kept in the log."""
        self.prepare()
        with log.open("ab") as messages:
            start = time.perf_counter()
            process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=messages)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in self.ends:
            message = f"{self.name} ended with exit code {process.returncode}, see {log}"
            raise SystemExit(message)
        cpu = usage.ru_utime + usage.ru_stime
        self.samples.append(Sample(cpu, wall, usage.ru_maxrss / MEBIBYTE))

    @property
    def cpu(self) -> float:
        """The median of the CPU seconds of all runs."""
        return statistics.median(sample.cpu for sample in self.samples)

    @property
    def wall(self) -> float:
        """The median of the wall seconds of all runs."""
        return statistics.median(sample.wall for sample in self.samples)

    @property
    def peak(self) -> float:
        """The most memory that one process took in any run."""
        return max(sample.peak for sample in self.samples)


@dataclass(frozen=True)
class Goal:
    """A figure that rocmlint wants to reach."""

    name: str
    figure: float
    limit: float

    @property
    def is_met(self) -> bool:
        """Whether the figure is small enough."""
        return self.figure <= self.limit


@dataclass(frozen=True)
class Workplace:
    """The folder with the installed tools and the files to lint."""

    root: Path

    @property
    def package(self) -> Path:
        """The unpacked wheel."""
        return self.root / "package"

    @property
    def log(self) -> Path:
        """Where the messages of all runs are kept."""
        return self.root / "messages.txt"

    def program(self, tool: str, name: str) -> str:
        """Return the path of a program in a tool's own environment."""
        return str(self.root / "environments" / tool / "bin" / name)

    def install(self, tool: str, requirements: Sequence[str]) -> str:
        """Install a tool into an environment of its own and return the versions there."""
        environment = self.root / "environments" / tool
        if not environment.exists():
            venv.create(environment, with_pip=True)
        pip = [self.program(tool, "python"), "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", *requirements], check=True)
        command = [*pip, "freeze", "--all"]
        freeze = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        versions = (line.replace("==", " ").split(" @ ")[0] for line in freeze.splitlines())
        names = (tool.partition("-")[0], "libcst")
        return ", ".join(line for line in versions if line.lower().startswith(names))

    def copy(self, name: str, files: Iterable[Path]) -> Path:
        """Copy files of the package into a fresh folder and return it."""
        folder = self.root / name
        shutil.rmtree(folder, ignore_errors=True)
        for file in files:
            target = folder / file.relative_to(self.package)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        return folder


def rocmlint_cases(place: Workplace, files: Sequence[Path]) -> list[Case]:
    """Return the runs of rocmlint itself, and of a Python that does nothing."""
    package, tree = str(place.package), place.copy("changing", files)
    rocmlint = [place.program("rocmlint", "rocmlint"), "check", "--isolated"]
    warm = [*rocmlint, "--cache-dir", str(place.root / "cache" / "warm"), package]
    changed = [*rocmlint, "--cache-dir", str(place.root / "cache" / "changed"), str(tree)]
    clean = [str(place.package / CLEAN), "--cache-dir", str(place.root / "cache" / "clean")]
    known = [str(place.package / CLEAN), "--cache-dir", str(place.root / "cache" / "known")]
    work = place.root / "work" / "job.py"  # alone: all modules of its project would be looked at
    work.parent.mkdir(exist_ok=True)
    work.write_text(WORK, encoding="utf-8")
    numbers = itertools.count()

    def change() -> None:
        with (tree / CHANGED).open("a", encoding="utf-8") as file:
            file.write(f"# change {next(numbers)}\n")

    def forget() -> None:
        shutil.rmtree(place.root / "cache" / "clean", ignore_errors=True)

    shutil.rmtree(place.root / "cache", ignore_errors=True)
    return [
        Case("rocmlint, cold", [*rocmlint, "--no-cache", package]),
        Case("rocmlint, cold, with preview", [*rocmlint, "--preview", "--no-cache", package]),
        Case("rocmlint, warm", warm),
        Case("rocmlint, one changed file", changed, change),
        Case("rocmlint, one clean file, new", [*rocmlint, *clean], forget),
        Case(
            "rocmlint, one file with a finding, new",
            [*rocmlint, "--no-cache", str(work)],
            ends=(1,),
        ),
        Case("rocmlint, one clean file, seen before", [*rocmlint, *known]),
        Case("python -c pass", [place.program("rocmlint", "python"), "-c", "pass"]),
    ]


def ruff_cases(place: Workplace) -> list[Case]:
    """Return the runs of Ruff."""
    ruff = [place.program("ruff", "ruff"), "check", "--isolated", "--no-cache", "--quiet"]
    everything = [*ruff, "--select", "ALL", str(place.package)]
    return [
        Case("ruff, all rules", everything),
        Case("ruff, all rules, statistics", [*everything, "--statistics"]),
        Case("ruff, default rules", [*ruff, str(place.package)]),
    ]


def slow_cases(place: Workplace, folder: Path) -> list[Case]:
    """Return the runs of the linters written in Python, and rocmlint on the same files."""
    paths = [str(folder)]
    flake8 = ["--isolated", *paths]
    rocmlint = [place.program("rocmlint", "rocmlint"), "check", "--isolated", "--no-cache"]
    return [
        Case("rocmlint, cold", [*rocmlint, *paths]),
        Case("TorchFix", [place.program("torchfix", "torchfix"), "--select", "ALL", *paths]),
        Case("Fixit", [place.program("fixit", "fixit"), "lint", *paths]),
        Case("flake8", [place.program("flake8", "flake8"), *flake8]),
        Case("flake8 with rocmlint", [place.program("flake8-rocmlint", "flake8"), *flake8]),
    ]


def growth_cases(place: Workplace, files: Sequence[Path]) -> list[Case]:
    """Return cold runs over one, two and four copies of the package."""
    rocmlint = [place.program("rocmlint", "rocmlint"), "check", "--isolated", "--no-cache"]
    copies = [str(place.copy(f"copy{number}", files)) for number in range(4)]
    return [Case(f"{count}x", [*rocmlint, *copies[:count]]) for count in (1, 2, 4)]


def run_interleaved(cases: Sequence[Case], runs: int, log: Path) -> None:
    """Run all cases in turn, so that a busy moment of the machine hits all of them."""
    for number, case in itertools.product(range(1, runs + 1), cases):
        sys.stderr.write(f"run {number} of {runs}: {case.name}\n")
        case.run(log)


def warm_up(cases: Sequence[Case], log: Path) -> None:
    """Run each case once and forget the figures."""
    run_interleaved(cases, 1, log)
    for case in cases:
        case.samples.clear()


def table(cases: Sequence[Case]) -> Iterator[str]:
    """Yield the lines of a Markdown table; ratios are to the first case."""
    yield "| run | CPU s | wall s | peak MB | CPU ratio |"
    yield "|---|---:|---:|---:|---:|"
    for case in cases:
        cpu = spread([sample.cpu for sample in case.samples])
        wall = spread([sample.wall for sample in case.samples])
        ratio = case.cpu / cases[0].cpu
        yield f"| {case.name} | {cpu} | {wall} | {case.peak:.0f} | {ratio:.3g} |"


def spread(values: Sequence[float]) -> str:
    """Return the median with the least and the greatest value."""
    middle = f"{statistics.median(values):.3g}"
    return f"{middle} ({min(values):.3g} to {max(values):.3g})" if len(values) > 1 else middle


def goals(fast: Sequence[Case], slow: Sequence[Case]) -> Iterator[Goal]:
    """Yield what rocmlint wants to reach, with what was measured: CPU, if nothing else is said."""
    by_name = {case.name: case for case in fast}
    peers = {case.name: case for case in slow}
    ruff, nothing = by_name["ruff, all rules, statistics"], by_name["python -c pass"]
    new, seen = (
        by_name[f"rocmlint, one {file}"]
        for file in ("file with a finding, new", "clean file, seen before")
    )
    flake8, plugin = peers["flake8"], peers["flake8 with rocmlint"]
    torchfix, sample = peers["TorchFix"], peers["rocmlint, cold"]
    own = [case for case in (*fast, *slow) if case.name.startswith("rocmlint")]
    yield Goal("cold, to ruff with all rules", by_name["rocmlint, cold"].cpu / ruff.cpu, 0.7)
    yield Goal("cold, to TorchFix", sample.cpu / torchfix.cpu, 0.01)
    yield Goal("warm, wall seconds", by_name["rocmlint, warm"].wall, 0.1)
    yield Goal("one new file with a finding, to python -c pass", new.cpu / nothing.cpu, 8)
    yield Goal("one file seen before, to python -c pass", seen.cpu / nothing.cpu, 3)
    yield Goal("flake8 with the plugin, to flake8", plugin.cpu / flake8.cpu, 1.1)
    yield Goal("largest process, MB", max(case.peak for case in own), 100)


def verdicts(measured: Iterable[Goal]) -> Iterator[str]:
    """Yield the lines of a table that says which goals are met."""
    yield "| goal | measured | at most | |"
    yield "|---|---:|---:|---|"
    for goal in measured:
        verdict = "met" if goal.is_met else "missed"
        yield f"| {goal.name} | {goal.figure:.3g} | {goal.limit:g} | {verdict} |"


def main() -> None:
    """Install the tools, run everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder for tools and files")
    parser.add_argument("--runs", type=int, default=5, help="runs of each fast command")
    parser.add_argument("--slow-runs", type=int, default=1, help="runs of each slow linter")
    parser.add_argument("--whole", action="store_true", help="slow linters over all files too")
    arguments = parser.parse_args()
    place = Workplace(arguments.work.resolve())
    place.root.mkdir(parents=True, exist_ok=True)
    if not place.package.exists():
        download_package(PACKAGE, place.package)
    versions = [place.install(tool, requirements) for tool, requirements in TOOLS.items()]
    files = sorted(place.package.rglob("*.py"))
    chosen = files if arguments.whole else files[::SAMPLE_STEP]
    fast = [*rocmlint_cases(place, files), *ruff_cases(place)]
    slow = slow_cases(place, place.copy("sample", chosen))
    growth = growth_cases(place, files)
    warm_up([*fast, *growth], place.log)
    run_interleaved([*fast, *growth], arguments.runs, place.log)
    run_interleaved(slow, arguments.slow_runs, place.log)
    size = sum(file.stat().st_size for file in files) / 1e6
    title = f"{PACKAGE}, {len(files)} files, {size:.1f} MB"
    report = [
        f"Python {platform.python_version()}, {os.cpu_count()} processors; {'; '.join(versions)}",
        f"{title}: median of {arguments.runs} runs (least to greatest)",
        "\n".join(table(fast)),
        f"{len(chosen)} of these files, number of runs: {arguments.slow_runs}",
        "\n".join(table(slow)),
        "rocmlint, cold, on copies of all files",
        "\n".join(table(growth)),
        "\n".join(verdicts(goals(fast, slow))),
    ]
    sys.stdout.write("\n\n".join(report) + "\n")


if __name__ == "__main__":
    main()
