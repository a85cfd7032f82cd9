"""Compare what ROC204, ROC205 and ROC207 report with the packages themselves.

python -m benchmarks.removed_names --work FOLDER TREE [TREE ...]

Each tree is linted; each name, keyword or attribute that is said to be missing is asked for in a
child process that has the wheel of that version before everything else on its path; uv installs
it. torch, whatever its version, is that of the Python that runs this, which must have one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from benchmarks.linting import lint

CODES = "ROC204,ROC205,ROC207"
NAME = re.compile(r"(?P<package>\w+) (?P<version>\d\S*), .* has no `(?P<dotted>[\w.]+)`")
CALL = re.compile(
    r"`(?P<dotted>[\w.]+)` of (?P<package>\w+) (?P<version>\d\S*), .* "
    r"takes no keyword (?P<keywords>.*): this call"
)
KEYWORD = re.compile(r"`(\w+)`")
LIMIT = 600
CHILD = """
import importlib, inspect, json, sys, warnings
warnings.simplefilter("ignore")

def find(dotted):
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        try:
            found = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
                continue
            raise
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(dotted)

def answer(dotted, keyword):
    try:
        found = find(dotted)
    except AttributeError:
        return "gone"
    except ModuleNotFoundError as error:
        return "gone" if error.args == (dotted,) else "unknown: " + str(error)
    except BaseException as error:
        return "unknown: " + type(error).__name__ + ": " + str(error).strip()[:200]
    if not keyword:
        return "there"
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return "unknown: no signature"
    if any(each.kind == each.VAR_KEYWORD for each in parameters):
        return "there"
    return "there" if keyword in {each.name for each in parameters} else "gone"

questions = json.load(sys.stdin)
print("\\n" + json.dumps([answer(*each) for each in questions]))
"""


@dataclass(frozen=True)
class Report:
    """A finding, and what it says is missing in which version."""

    place: str
    code: str
    release: tuple[str, str]
    dotted: str
    keyword: str


def reports(tree: Path) -> list[Report]:
    """Lint a tree with its own requirements."""
    found = lint(tree, "--select", CODES, ".")["findings"]
    return [each for finding in found for each in reports_of(tree, finding)]


def reports_of(tree: Path, finding: dict[str, str]) -> list[Report]:
    """Read a finding's message: a call may have several keywords."""
    match = NAME.match(finding["message"]) or CALL.match(finding["message"])
    if match is None:
        message = f"no name in {finding['message']!r}"
        raise SystemExit(message)
    found = match.groupdict()
    place = f"{tree.name}/{finding['path']}:{finding['line']}"
    release = (found["package"], found["version"])
    keywords = KEYWORD.findall(found.get("keywords", "")) or [""]
    return [Report(place, finding["code"], release, found["dotted"], each) for each in keywords]


def installed(package: str, version: str, work: Path) -> Path:
    """Install a release and what it needs, but no torch."""
    target = work / f"{package}-{version}"
    if not target.exists():
        overrides = work / "overrides.txt"
        overrides.write_text("torch ; sys_platform == 'never'\n")
        uv = ["uv", "pip", "install", "--quiet", "--target", str(target)]
        beside = [] if package == "transformers" else ["transformers"]
        options = ["--overrides", str(overrides), "--python", sys.executable]
        subprocess.run([*uv, *options, f"{package}=={version}", *beside], check=True)
    return target


def answers(found: list[Report], work: Path) -> dict[Report, str]:
    """Ask the packages: one child for each release."""
    by_release = defaultdict(list)
    for each in found:
        by_release[each.release].append(each)
    result: dict[Report, str] = {}
    for release, group in sorted(by_release.items()):
        result |= dict(zip(group, asked(release, group, work), strict=True))
    return result


def asked(release: tuple[str, str], group: list[Report], work: Path) -> list[str]:
    """Ask one release; what cannot be asked is unknown."""
    try:
        target = work if release[0] == "torch" else installed(*release, work)
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(target)!r})\n{CHILD}"],
            input=json.dumps([(each.dotted, each.keyword) for each in group]),
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        return [f"unknown: {error}"] * len(group)
    answered: list[str] = json.loads(done.stdout.strip().splitlines()[-1])
    return answered


def main() -> None:
    """Lint, ask, count; what is there after all is listed, and what could not be asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True, help="folder for installed releases")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    total: Counter[str] = Counter()
    sys.stdout.write(
        "| tree | reports | gone | there (false) | unknown |\n|---|---:|---:|---:|---:|\n"
    )
    listed = []
    for tree in options.trees:
        told = answers(reports(tree), options.work.resolve())
        counts = Counter(each.partition(":")[0] for each in told.values())
        total += counts
        row = (counts["gone"], counts["there"], counts["unknown"])
        sys.stdout.write(f"| {tree.name} | {len(told)} | {' | '.join(map(str, row))} |\n")
        listed += [(each, answer) for each, answer in told.items() if answer != "gone"]
    row = (total["gone"], total["there"], total["unknown"])
    sys.stdout.write(f"| all | {total.total()} | {' | '.join(map(str, row))} |\n\n")
    for each, answer in listed:
        what = f"{each.dotted}({each.keyword})" if each.keyword else each.dotted
        sys.stdout.write(f"{each.place}: {each.code} {what} in {each.release}: {answer}\n")


if __name__ == "__main__":
    main()
