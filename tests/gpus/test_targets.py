"""Targets: how they are written, and which code runs on which GPU."""

from __future__ import annotations

import pytest

from rocmlint.gpus import target as targets
from rocmlint.gpus.target import Target, parse_target


@pytest.mark.parametrize("text", ["gfx942", "gfx90a:sramecc+:xnack-", "gfx9-4-generic:xnack+"])
def test_a_target_is_written_as_it_was_read(text: str) -> None:
    assert str(parse_target(text)) == text


def test_a_target_is_read_from_an_isa_name() -> None:
    assert parse_target("amdgcn-amd-amdhsa--gfx90a:xnack-") == Target("gfx90a", ("xnack-",))


@pytest.mark.parametrize("text", ["", "gfx", "sm_90", "gfx942:xnack", "gfx942:xnack+:xnack-"])
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"target|twice"):
        parse_target(text)


@pytest.mark.parametrize(
    ("code", "device", "runs"),
    [
        ("gfx942", "gfx942:sramecc+:xnack-", True),
        ("gfx942:xnack-", "gfx942:sramecc+:xnack-", True),
        ("gfx942:xnack+", "gfx942:sramecc+:xnack-", False),
        ("gfx1030", "gfx1031", False),
    ],
)
def test_code_runs_on_its_own_processor_under_its_own_settings(
    code: str, device: str, *, runs: bool
) -> None:
    assert targets.is_native(parse_target(code), parse_target(device)) is runs


@pytest.mark.parametrize(
    ("code", "device", "runs"),
    [
        ("gfx9-4-generic", "gfx942:sramecc+:xnack-", True),
        ("gfx9-4-generic:xnack+", "gfx942:sramecc+:xnack-", False),
        ("gfx11-generic", "gfx1153", True),
        ("gfx9-generic", "gfx90a", False),
        ("gfx9-generic", "gfx908", False),
        ("gfx9-generic", "gfx942", False),
    ],
)
def test_generic_code_runs_on_the_processors_of_its_family(
    code: str, device: str, *, runs: bool
) -> None:
    assert targets.is_generic_for(parse_target(code), parse_target(device)) is runs


def test_a_device_is_tried_under_each_setting_that_code_asks_for() -> None:
    codes = [parse_target("gfx90a:xnack+"), parse_target("gfx906:sramecc+")]
    tried = {str(each) for each in targets.settings(parse_target("gfx90a"), codes)}
    assert tried == {"gfx90a:xnack+", "gfx90a:xnack-"}
