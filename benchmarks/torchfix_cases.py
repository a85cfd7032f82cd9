"""Compare rocmlint with TorchFix, case by case, over TorchFix's fixtures or over other code.

python -m benchmarks.torchfix_cases FOLDER --torchfix "python -m torchfix": prints one row for each
place that one of the two reports. The fixtures are TorchFix's own and stay where they are: each
file is copied alone into a project that requires a recent torch and nothing older, as TorchFix
takes for granted.
--summary counts by code instead, for whole packages.
"""

import argparse
import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

QUOTED = re.compile(r"`(?:[\w.]+\.)?(\w+)`")
PLACE = re.compile(r"^(?P<path>.+?):(?P<line>\d+):\d+: (?P<code>TOR\d+) (?:\[\*\] )?(?P<text>.*)$")
REQUIRED = "torch>=2.8\ntorchvision>=0.23\n"
OURS = ("ROC204", "ROC205", "ROC213", "ROC216", "ROC218")
WHY_NOT = {
    "TOR002": "a misspelt attribute: a typo, not a version; linters for typos find it",
    "TOR102": "loads tensors, which torch 2.6 does as before; ROC216 reports what it refuses",
    "TOR104": "a private name that works in every torch",
    "TOR105": "a private name that works in every torch",
    "TOR106": "numerical advice, right only where x is small",
    "TOR107": "numerical advice, right only where x is small",
    "TOR108": "numerical advice; sums of positive numbers are stable as they are",
    "TOR202": "the data holds torch's functions and torchvision's models; the class itself warns",
    "TOR203": "style of an import",
    "TOR401": "0 workers are right for small sets, and in notebooks",
    "TOR402": "what the code asks for may be meant: gradients that are zero, not None",
    "TOR901": "for PyTorch's own tests only",
}
SPECIAL = (
    ("TOR101", "torch.norm", "its documentation says so and no call warns; it has no equal"),
    ("TOR201", "pretrained=pretrained", "what `weights` has to be depends on a value at run time"),
    ("TOR103", "", "reported once, at the import or at the call"),
)


def main() -> int:
    """Print the table; 1 if a case has neither a finding nor a reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--torchfix", required=True, help="the command that runs TorchFix")
    parser.add_argument("--rocmlint", default="rocmlint")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    files = sorted(path for path in options.folder.rglob("*.py") if ".out" not in path.name)
    if options.summary:
        return summary(options)
    rows, missing, ours = [], 0, 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        theirs, found, named = alone(path, options)
        imported = reported_imports(text, found, named)
        names = sorted({*theirs, *found})
        label = path.relative_to(options.folder).as_posix()
        if not names:
            rows.append((label, "", "nothing", "nothing", ""))
        for line in names:
            told = found.get(line, [])
            reason = "" if told else why_not(theirs[line], lines[line - 1], imported, named)
            missing += not told and not reason
            ours += bool(told)
            shown = ", ".join(theirs.get(line, ["-"]))
            rows.append((label, str(line), shown, ", ".join(told) or "-", reason))
    print("| fixture | line | TorchFix | rocmlint | why not |")
    print("|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    places = sum(1 for row in rows if row[1])
    print(
        f"\n{len(files)} files, {places} places: {ours} found, {places - ours - missing} not ours"
    )
    return min(missing, 1)


def alone(
    path: Path, options: argparse.Namespace
) -> tuple[dict[int, list[str]], dict[int, list[str]], set[str]]:
    """Return what both report of one file, by line, and the words that messages quote."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name.replace(".in.py", ".py")
        shutil.copy(path, copy)
        (Path(folder) / ".git").mkdir()
        (Path(folder) / "requirements.txt").write_text(REQUIRED, encoding="utf-8")
        found = rocmlint(copy, options)
        named = {word for *_, message in found for word in QUOTED.findall(message)}
        ours = by_line([(line, code) for line, code, _ in found])
        return by_line(torchfix(copy, options)), ours, named


def torchfix(path: Path, options: argparse.Namespace) -> list[tuple[int, str]]:
    """Run TorchFix; line and code of each of its findings."""
    command = [*shlex.split(options.torchfix), "--select=ALL", "-j", "1", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    matches = map(PLACE.match, done.stdout.splitlines())
    return [(int(each["line"]), each["code"]) for each in matches if each]


def rocmlint(path: Path, options: argparse.Namespace) -> list[tuple[int, str, str]]:
    """Run rocmlint; line, code and message of each finding, "(preview)" behind the code of some."""
    found = []
    default = Counter(lint(path, options))
    for line, code, message in lint(path, options, "--preview"):
        is_default = default[line, code, message] > 0
        default[line, code, message] -= 1
        found.append((line, code if is_default else f"{code} (preview)", message))
    return found


def lint(path: Path, options: argparse.Namespace, *more: str) -> list[tuple[int, str, str]]:
    """Return line, code and message of what one run of rocmlint reports."""
    command = [options.rocmlint, "check", "--no-cache", "--isolated", "--output-format", "json"]
    done = subprocess.run([*command, *more, str(path)], capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    return [
        (each["line"], each["code"], each["message"])
        for each in report["findings"]
        if each["code"] in OURS
    ]


def by_line(found: list[tuple[int, str]]) -> dict[int, list[str]]:
    """Return the codes of each line."""
    lines: dict[int, list[str]] = defaultdict(list)
    for line, code in found:
        lines[line].append(code)
    return dict(lines)


def why_not(codes: list[str], line: str, imported: set[str], named: set[str]) -> str:
    """Return why rocmlint does not report what TorchFix does; "" where there is no reason."""
    told = {*re.findall(r"\w+", line)}
    for code in codes:
        if code in WHY_NOT:
            return WHY_NOT[code]
        for special, words, reason in SPECIAL:
            if special == code and words in line:
                return reason
    if imported & told:
        return "reported once, at the import"
    if named & told or (named & {"pretrained", "pretrained_backbone"} and "TOR201" in codes):
        return "reported once a project, at the first place"
    return ""


def reported_imports(text: str, found: dict[int, list[str]], named: set[str]) -> set[str]:
    """Return the names that import statements bind with a finding, or to what a finding names."""
    return {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in named or {*range(node.lineno, (node.end_lineno or 0) + 1)} & found.keys()
    }


def summary(options: argparse.Namespace) -> int:
    """Count by code what both report in each package below a folder."""
    print("| package | TorchFix | rocmlint, default | rocmlint, preview besides |")
    print("|---|---|---|---|")
    for package in sorted(each for each in options.folder.iterdir() if each.is_dir()):
        theirs = Counter(code for _, code in torchfix(package, options))
        found = Counter(code for _, code, _ in rocmlint(package, options))
        default = {code: number for code, number in found.items() if "(" not in code}
        preview = {code[:6]: number for code, number in found.items() if "(" in code}
        print(f"| {package.name} | {shown(theirs)} | {shown(default)} | {shown(preview)} |")
    return 0


def shown(counts: dict[str, int]) -> str:
    """Write counts by code in one cell."""
    return ", ".join(f"{code} {number}" for code, number in sorted(counts.items())) or "-"


if __name__ == "__main__":
    sys.exit(main())
