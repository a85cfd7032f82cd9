"""What lists of visible GPUs mean."""

from __future__ import annotations

import pytest

from rocmlint.published.visible_devices import entries, is_short


@pytest.mark.parametrize(
    ("devices", "found"),
    [("", []), ("0, 1", ["0", "1"]), ("0,-1,2", ["0"]), ("GPU-1a2b,3", ["GPU-1a2b", "3"])],
)
def test_a_negative_number_ends_a_list(devices: str, found: list[str]) -> None:
    assert entries(devices) == found


@pytest.mark.parametrize(
    ("left", "wanted", "short"),
    [("0,1", "0,1", False), ("6", "0", False), ("6", "6", True), ("0", "GPU-1,GPU-2", True)],
)
def test_numbers_count_what_the_first_filter_leaves(left: str, wanted: str, short: bool) -> None:
    assert is_short(entries(left), entries(wanted)) is short
