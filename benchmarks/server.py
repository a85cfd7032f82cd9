"""How soon the language server shows something: after a start, an opening, an edit.

    python -m benchmarks.server [--lines N] [--times N] [FILE ...]

It opens each FILE (default: one of N lines, with findings), edits it and asks for actions, in a
server that is warm, and prints the median and the slowest of some times in milliseconds.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.editor import Editor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOALS = {"opened": 300, "edited": 100}
"""Milliseconds for a file of 1,000 lines."""
HEAD = """\
import json
from pathlib import Path

import torch
from PIL import ImageOps
from transformers import AutoModelForCausalLM


def load(path):
    model = AutoModelForCausalLM.from_pretrained(
        path,
        # attn_implementation="flash_attention_2",
    )
    # model.set_use_aiter_attention(True)
    return model


def prepare(image):
    ImageOps.exif_transpose(image)
    return image
"""
TRAINING = '''

def step_{0}(model, batch, optimizer, losses):
    """Do one step."""
    for index, inputs in enumerate(batch):
        inputs = {{name: value.to(model.device) for name, value in inputs.items()}}
        output = model(**inputs)
        loss = output.loss / {0}.5
        losses.append(loss.detach())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return [each / len(batch) for each in losses]
'''
OTHER = '''

def read_{0}(folder, names=("train", "test")):
    """Read the records of some files."""
    records = {{}}
    for name in names:
        path = Path(folder) / f"{{name}}_{0}.json"
        if not path.exists():
            raise FileNotFoundError(path)
        for number, line in enumerate(path.read_text().splitlines()):
            record = json.loads(line)
            if record.get("skip") or not record["text"].strip():
                continue
            records[name, number] = {{**record, "length": len(record["text"].split())}}
    return records
'''
EACH = 6
"""One of so many functions trains."""


def example(lines: int) -> str:
    """Return Python with some findings, of about so many lines."""
    text = HEAD
    number = 0
    while text.count("\n") < lines:
        text += (OTHER if number % EACH else TRAINING).format(number)
        number += 1
    return text


def milliseconds(work: Callable[[], object]) -> float:
    """Return how long something takes."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def measured(editor: Editor, name: str, text: str, times: int) -> Iterator[tuple[str, float]]:
    """Yield what was measured, and how long it took."""
    top = {"line": 0, "character": 0}
    line = {"range": {"start": top, "end": top}, "text": "\n"}

    def edited(own: str, often: int) -> float:
        def edit() -> None:
            for _ in range(often):
                editor.change(own, line)
            editor.diagnostics(own)

        return milliseconds(edit)

    def opened(own: str, turn: int) -> None:
        editor.open(own, text + "\n" * turn, "python")
        editor.diagnostics(own)

    for turn in range(times):
        own = f"{turn}/{name}"
        yield "opened", milliseconds(partial(opened, own, turn))
        for _ in range(5):
            yield "edited", edited(own, 1)
        yield "20 edits at once", edited(own, 20)
        for found in editor.diagnostics(own)[-1:]:
            place = found["range"]
            yield "actions", milliseconds(partial(editor.actions, own, place))
            only = ("source.fixAll",)
            yield "fix all", milliseconds(partial(editor.actions, own, place, only))
        editor.shut(own)


def main() -> int:
    """Measure, print, and return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--times", type=int, default=10)
    given = parser.parse_args()
    texts = {path.name: path.read_text() for path in given.files}
    texts = texts or {"train.py": example(given.lines)}
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / ".git").mkdir()
        for name, text in texts.items():
            start = time.perf_counter()
            editor = Editor(root)
            answered = time.perf_counter()
            editor.open(name, text, "python")
            shown = len(editor.diagnostics(name))
            cold = time.perf_counter()
            print(f"{name}: {text.count(chr(10))} lines, {shown} findings")
            first = [(each - start) * 1000 for each in (answered, cold)]
            print("  started {:.0f}, first shown {:.0f}".format(*first))
            taken: dict[str, list[float]] = {}
            for what, time_taken in measured(editor, name, text, given.times):
                taken.setdefault(what, []).append(time_taken)
            for what, all_taken in taken.items():
                worst, goal = max(all_taken), GOALS.get(what)
                verdict = ("met" if worst <= goal else "missed") if goal else ""
                missed |= verdict == "missed"
                print(f"  {what:17}{statistics.median(all_taken):7.1f}{worst:8.1f}  {verdict}")
            print(*(f"  log: {each}" for each in editor.logged), sep="\n", end="")
            editor.close()
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
