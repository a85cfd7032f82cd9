"""Tables that ``rocmlint stack update`` fetched, as they are found in the user's data folder."""

from __future__ import annotations

import json
import sys
from datetime import date
from typing import TYPE_CHECKING

import pytest

from rocmlint.cli.stack.ages import about_tables
from rocmlint.published import requirement_lines, requirements, rocm_wheels, tables
from rocmlint.published.requirement_lines import packed
from rocmlint.published.tables import Use
from rocmlint.stack import newer_wheels
from tests.support.fetched_tables import data_of, fetched

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

LINES = requirements.lines()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x1f\x8b\x08\x00 half", id="cut"),
        pytest.param(packed("2030-01-01", {"peft": "{}"}), id="no rows"),
        pytest.param(packed("2030-01-01", {"peft": "[" * 9999}), id="nested"),
        pytest.param(
            packed("2030-01-01", {"peft": LINES["peft"].replace("[0,", '["x",')}), id="types"
        ),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="the folder is another one elsewhere")
def test_a_damaged_table_is_passed_over_with_a_line(project: Project, content: bytes) -> None:
    path = fetched(project, requirement_lines.NAME)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    asked = (
        "stack",
        "compatible",
        "--offline",
        "--torch",
        "2.10",
        "--python-version",
        "3.12",
        "peft",
    )
    done = project.run(*asked, **data_of(project))
    assert (done.returncode, done.stdout) == (0, project.run(*asked).stdout)
    (line,) = [each for each in done.stderr.splitlines() if "days old" not in each]
    assert line.startswith(f"note: {path} cannot be read (")
    assert line.endswith("the table that ships with rocmlint is used")


def test_a_table_that_is_older_than_the_shipped_one_is_not_used(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(project.root / "data"))
    monkeypatch.setattr(tables, "_folder", [str(fetched(project, ""))])
    monkeypatch.setattr(tables, "_used", {})
    path = fetched(project, requirement_lines.NAME)
    path.parent.mkdir(parents=True)
    path.write_bytes(packed("2026-01-01", {"peft": LINES["peft"]}))
    as_of, lines = requirements._data.__wrapped__()
    assert (as_of, len(lines)) == (requirements.AS_OF, len(LINES))
    assert tables.used() == (Use(requirement_lines.NAME, requirements.AS_OF),)


def test_rows_of_wheels_are_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tables, "_folder", [str(tmp_path)])
    monkeypatch.setattr(tables, "_used", {})
    rows = json.loads(newer_wheels.written(rocm_wheels.rows()))["rows"]
    rows[-1] = {**rows[-1], "date": "2030-01-01", "gfx": {"7.2": ["gfx90a"]}}
    (tmp_path / rocm_wheels.NAME).write_text(json.dumps({"rows": rows}))
    assert rocm_wheels.rows.__wrapped__() == rocm_wheels.rows()
    assert "TypeError" in tables.used()[0].problem


def test_old_tables_are_told_after_ninety_days() -> None:
    use = Use("rocm_wheels.json", "2026-09-02")
    assert [*about_tables([use], date(2026, 12, 1))] == []
    (note,) = about_tables([use], date(2026, 12, 2))
    assert note.startswith("PyTorch's ROCm wheels: the newest row is 91 days old (2026-09-02); ")
    assert "rocmlint stack update" in note
