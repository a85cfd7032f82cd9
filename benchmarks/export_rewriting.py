"""Rewrite every file of installed packages, and check what must hold for each.

usage: python -m benchmarks.export_rewriting DIR [DIR ...]

Each changed file must compile, must not change when it is rewritten again, and all its lines that
no rewritten statement covers must be there as before. Prints how many statements are rewritten.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.rewrite import rewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.models.control_flow.rewrite import Rewritten

IMPORTS = {"import rocmlint.export", "import torch", ""}


def faults(path: Path, done: Rewritten) -> Iterator[str]:
    """Yield what is wrong with a rewritten file."""
    try:
        compile(done.text, str(path), "exec")
    except SyntaxError as error:
        yield f"does not compile: {error}"
        return
    if rewrite(done.text).text != done.text:
        yield "changes when it is rewritten again"
    before, after = done.before.split("\n"), done.text.split("\n")
    covered = {
        number
        for each in done.statements
        if each.is_rewritten
        for number in range(each.line, each.end_line + 1)
    }
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        removed = set(range(start + 1, end + 1))
        if kind != "equal" and removed - covered:
            yield f"line {min(removed - covered)} is not as it was"
        if kind == "insert" and {start, start + 1}.isdisjoint(covered):
            if not set(after[first:last]) <= IMPORTS:
                yield f"something is inserted after line {start}"


def main(folders: list[str]) -> int:
    """Rewrite all files, and print what is wrong, and the numbers."""
    warnings.simplefilter("ignore")
    wrong = 0
    for folder in folders:
        numbers: Counter[tuple[str, str, bool]] = Counter()
        reasons: Counter[str] = Counter()
        changed, start = 0, time.monotonic()
        for path in sorted(Path(folder).rglob("*.py")):
            text = path.read_text()
            if "torch" not in text:
                continue
            done = rewrite(text)
            for each in done.statements:
                numbers[each.reach, each.what, each.is_rewritten] += 1
                reasons[each.reason or ""] += 1
            if done.text != text:
                changed += 1
                for fault in faults(path, done):
                    print(f"{path}: {fault}")
                    wrong += 1
        print(f"{folder}: {changed} files changed in {time.monotonic() - start:.0f} s")
        for reach, what in sorted({each[:2] for each in numbers}):
            right = numbers[reach, what, True]
            print(f"  {reach:12} {what:8} {right:4} of {right + numbers[reach, what, False]}")
        print(f"  {dict(reasons.most_common())}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
