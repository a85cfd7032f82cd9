"""Versions, requirements and markers that others wrote: nothing raises."""

from __future__ import annotations

import pytest
from packaging.version import Version

from rocmlint.text.written import (
    fault_of,
    holds,
    minor_release,
    requirement_of,
    version_of,
)


def nested(depth: int) -> str:
    return f'torch; {"(" * depth}python_version > "3"{")" * depth}'


@pytest.mark.parametrize("text", ["torch", "torch>=2,<3", "a[b] @ https://x/a.whl", nested(40)])
def test_a_valid_requirement_is_read(text: str) -> None:
    requirement = requirement_of(text)
    assert requirement is not None
    assert requirement.name == text[: len(requirement.name)]
    assert fault_of(text) == ""


@pytest.mark.parametrize(
    "text",
    ["", "torch=2", "torch>=", "torch; x", "torch; python_version < '3\r", "\0", nested(1200),
     "torch; " + "(" * 100_000, f"torch=={'9' * 5000}"],
)  # fmt: skip
def test_what_is_not_a_valid_requirement_is_none_and_has_a_reason(text: str) -> None:
    assert requirement_of(text) is None
    reason = fault_of(text)
    assert reason
    assert "\n" not in reason


def test_many_parentheses_side_by_side_are_read() -> None:
    marker = " or ".join(['(python_version > "3")'] * 200)
    assert requirement_of(f"torch; {marker}") is not None


@pytest.mark.parametrize(
    ("marker", "expected"),
    [
        ("python_version > '3'", True),
        ("python_version < '3'", False),
        ("extra == 'x'", False),
        ("'a' ~= 'b'", False),
        ("python_version ~= 'x'", False),
    ],
)
def test_a_marker_that_cannot_be_evaluated_does_not_hold(marker: str, expected: bool) -> None:
    requirement = requirement_of(f"torch; {marker}")
    assert requirement is not None
    assert holds(requirement.marker, {"python_version": "3.11", "extra": ""}) is expected


def test_a_requirement_without_a_marker_holds() -> None:
    assert holds(None, {})


@pytest.mark.parametrize("text", ["", "x", "2.*", "9" * 5000])
def test_what_is_not_a_valid_version_is_none(text: str) -> None:
    assert version_of(text) is None


@pytest.mark.parametrize("text", ["2.10", "2.10.1", "2.10.0+rocm7.1"])
def test_a_version_has_a_minor_release(text: str) -> None:
    assert version_of(text) == Version(text)
    assert minor_release(Version(text)) == "2.10"
