"""Tables that ``rocmlint stack update`` fetched, as they are found in the user's data folder."""

from __future__ import annotations

import json
import sys
from datetime import date, datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from rocmlint.cli.stack.ages import about_tables
from rocmlint.published import amd_wheels, requirement_lines, requirements, rocm_wheels, tables
from rocmlint.published.requirement_lines import packed
from rocmlint.published.tables import Use
from rocmlint.stack.indexes import newer_wheels
from tests.support.fetched_tables import data_of, fetched

if TYPE_CHECKING:
    from types import ModuleType

    from tests.support.project import Project

TODAY = datetime.now(timezone.utc).date().isoformat()
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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that fetched tables are read from."""
    monkeypatch.setattr(tables, "_folder", [str(tmp_path)])
    monkeypatch.setattr(tables, "_used", {})
    return tmp_path


def test_a_table_that_is_older_than_the_shipped_one_is_not_used(folder: Path) -> None:
    (folder / requirement_lines.NAME).write_bytes(packed("2026-01-01", LINES))
    as_of, lines = requirements._data.__wrapped__()
    assert (as_of, len(lines)) == (requirements.AS_OF, len(LINES))
    assert tables.used() == (Use(requirement_lines.NAME, requirements.AS_OF),)


def line_of_peft(**changed: object) -> dict[str, str]:
    """Return the shipped lines, with another one of peft."""
    return {**LINES, "peft": json.dumps({**json.loads(LINES["peft"]), **changed})}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(packed("9999-12-31", LINES), "which is in the future", id="a day to come"),
        pytest.param(packed("2026-99-99", LINES), "(ValueError)", id="no day"),
        pytest.param(packed(TODAY, {"peft": LINES["peft"]}), "does not have accelerate", id="few"),
        pytest.param(packed(TODAY, {}), "does not have accelerate", id="none"),
        pytest.param(
            packed(TODAY, line_of_peft(releases="", unknown=[], yanked=[], requires={}, python={})),
            "does not have peft",
            id="no releases",
        ),
    ],
)
def test_a_table_that_cannot_take_the_place_of_the_shipped_one_is_not_used(
    folder: Path, content: bytes, problem: str
) -> None:
    (folder / requirement_lines.NAME).write_bytes(content)
    assert requirements._data.__wrapped__() == (requirements.AS_OF, LINES)
    assert problem in tables.used()[0].problem


def test_a_fetched_table_without_some_facts_is_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = line_of_peft(requires={"torch>>1": [0, 0], "numpy": [0, 0]}, python={})
    (folder / requirement_lines.NAME).write_bytes(packed(TODAY, line))
    found = requirements._data.__wrapped__()
    monkeypatch.setattr(requirements, "_data", lambda: found)
    for name in ("_package", "_requirements", "_requires_python"):  # not what others were told
        monkeypatch.setattr(requirements, name, getattr(requirements, name).__wrapped__)
    first = requirements.releases("peft")[0]
    assert requirements.requirements("peft", first) == (Requirement("numpy"),)
    assert requirements.requires_python("peft", first) == SpecifierSet()


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"gfx": {"7.2": ["gfx90a"]}}, "TypeError"),
        ({"python": "new"}, "InvalidSpecifier"),
        ({"rocm": []}, "it does not have torch"),
        ({"status": "nightly"}, "it does not have torch"),
        ({"a newer field": 1}, "TypeError"),
    ],
)
def test_rows_of_wheels_are_checked(folder: Path, changed: dict[str, object], problem: str) -> None:
    rows = json.loads(newer_wheels.written(rocm_wheels.rows()))["rows"]
    rows[0] |= changed
    rows[-1]["date"] = TODAY
    (folder / rocm_wheels.NAME).write_text(json.dumps({"rows": rows}))
    assert rocm_wheels.rows.__wrapped__() == rocm_wheels.rows()
    assert problem in tables.used()[0].problem


@pytest.mark.parametrize(
    ("part", "changed", "problem"),
    [
        ("builds", {"torchvision": "new"}, "InvalidVersion"),
        ("builds", {"index": []}, "TypeError"),
        ("indexes", {"devices": 7}, "TypeError"),
        ("indexes", {"url": "https://a.org/{0}/{of}"}, "IndexError"),
    ],
)
def test_rows_of_amds_wheels_are_checked(
    folder: Path, part: str, changed: dict[str, object], problem: str
) -> None:
    data = {**amd_wheels.data(), "as_of": TODAY}
    data[part] = [{**each, **changed} for each in data[part]]
    (folder / amd_wheels.NAME).write_text(json.dumps(data))
    assert amd_wheels._data.__wrapped__() == amd_wheels.data()
    assert problem in tables.used()[0].problem


@pytest.mark.parametrize("module", [requirements, rocm_wheels, amd_wheels])
def test_the_shipped_tables_can_take_their_own_place(folder: Path, module: ModuleType) -> None:
    name = module.NAME
    (folder / name).write_bytes((Path(tables.SHIPPED) / name).read_bytes())
    read = getattr(module, "_data", None) or module.rows
    read.__wrapped__()
    (use,) = tables.used()
    assert (use.fetched, use.problem) == (True, "")


def test_old_tables_are_told_after_ninety_days() -> None:
    use = Use("rocm_wheels.json", "2026-09-02")
    assert [*about_tables([use], date(2026, 12, 1))] == []
    (note,) = about_tables([use], date(2026, 12, 2))
    assert note.startswith("PyTorch's ROCm wheels: the newest row is 91 days old (2026-09-02); ")
    assert "rocmlint stack update" in note
