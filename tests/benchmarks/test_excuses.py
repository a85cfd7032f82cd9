"""Counting excuses: each that a rule has is in the table, also where it never holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.excuses import main
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TIMED = """\
import time
import torch

for batch in loader:
    optimizer.step()
    torch.cuda.synchronize()  # because the other process reads the buffer
    times.append(time.time())
"""


def test_each_excuse_has_a_row_with_its_number_and_first_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for folder in folders:
        (folder / ".git").mkdir(parents=True)
    for folder in folders[:2]:
        (folder / "train.py").write_text(TIMED)
    assert main([str(each) for each in folders]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split("\t") == ["rule", "excuse", "held", "repositories", "example"]
    rows = {tuple(line.split("\t")[:2]): line.split("\t")[2:] for line in lines}
    assert rows["ROC501", "is_explained"] == ["2", "2", "one/train.py:6:5"]
    excuses = {(rule.code, each.__name__) for rule in load_rules(()) for each in rule.excuses}
    assert excuses <= set(rows)
    assert ["0", "0", ""] in rows.values()
