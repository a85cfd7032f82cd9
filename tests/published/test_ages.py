"""How old the shipped tables are, as they say themselves."""

from __future__ import annotations

from datetime import date

import pytest
from packaging.version import Version

from rocmlint.cli import table_ages
from rocmlint.published import (
    amd_wheels,
    deepspeed,
    deprecated,
    requirements,
    rocm_wheels,
    variables,
)
from rocmlint.published.ages import ABOUT, OLD, Table, age, ages, days_since, is_old
from rocmlint.published.name_data import FOLDER, NameFile


def test_every_table_names_a_row_and_a_day_that_has_been() -> None:
    assert [each.table for each in ages()] == [*ABOUT]
    for each in ages():
        assert each.row
        assert date(2026, 8, 1) < date.fromisoformat(each.date) <= date.today()  # noqa: DTZ011


@pytest.mark.parametrize(
    ("table", "day"),
    [
        ("requirements", requirements.AS_OF),
        ("rocm_wheels", rocm_wheels.as_of()),
        ("amd_wheels", amd_wheels.as_of()),
        ("variables", variables.SEARCHED),
    ],
)
def test_a_table_with_dates_is_as_old_as_its_newest_row(table: Table, day: str) -> None:
    assert age(table).date == day


def test_the_row_of_the_names_is_the_newest_of_its_package() -> None:
    package, _, version = age("names").row.partition(" ")
    versions = NameFile(f"{FOLDER}/{package.replace('-', '_')}.names").head["versions"]
    assert version == str(max(map(Version, versions)))


def test_the_row_of_the_requirements_is_in_them() -> None:
    package, _, version = age("requirements").row.partition(" ")
    assert requirements.releases(package)[-1] == Version(version)


def test_the_rows_of_sources_are_the_newest_releases_that_were_read() -> None:
    assert age("deprecated").row == f"torch {deprecated.releases()[-1]}"
    assert age("deepspeed").row == f"deepspeed {max(deepspeed.releases())}"


def test_a_table_is_old_after_ninety_days() -> None:
    assert OLD == 90
    assert days_since("2026-09-02", date(2026, 12, 1)) == 90
    assert not is_old("2026-09-02", date(2026, 12, 1))
    assert is_old("2026-09-02", date(2026, 12, 2))


def test_the_version_says_when_tables_are_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_ages, "is_old", lambda day: day < "2026-10-01")
    *_, note = table_ages.version_lines()
    assert note.startswith("note: 2 tables older than 90 days, up to ")
    assert "rocmlint stack update" in note
