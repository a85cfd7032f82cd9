"""Releases that fit together, and those that are too old to be meant for a torch."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.published.fitting import fit, up_to_date


def considered(package: str, torch: str, specifier: str = "") -> list[str]:
    return [*map(str, up_to_date(package, Version(torch), SpecifierSet(specifier)))]


def test_what_came_long_before_a_torch_is_not_for_it_where_later_ones_pin_an_older_one() -> None:
    assert fit([Requirement("vllm"), Requirement("torch==2.14.1")], "3.11") is None
    assert "0.2.5" not in considered("vllm", "2.14.1")


def test_a_nightly_build_is_newer_than_all_that_is_known() -> None:
    nightly = {"torch": Version("2.17.0.dev20261101+rocm10.1")}
    assert fit([Requirement("vllm")], "3.11", nightly) is None


def test_an_old_release_is_for_an_old_torch() -> None:
    assert "0.2.5" in considered("vllm", "2.1.1")


def test_what_puts_no_bound_on_torch_is_considered_however_old() -> None:
    known = [str(each) for each in reversed(requirements.releases("accelerate"))]
    assert considered("accelerate", "2.15.0") == known


def test_only_what_was_asked_for_counts() -> None:
    chosen = fit([Requirement("diffusers[torch]<0.31"), Requirement("torch==2.14.1")], "3.11")
    assert chosen is not None


@pytest.mark.parametrize(("torch", "version"), [("2.14.0", "0.33.0"), ("2.4.0", "0.6.3.post1")])
def test_a_release_that_pins_the_torch_is_chosen(torch: str, version: str) -> None:
    chosen = fit([Requirement("vllm"), Requirement(f"torch=={torch}")], "3.11")
    assert chosen is not None
    assert str(chosen["vllm"]) == version


def test_a_torch_that_is_the_only_one_is_not_blamed_on_what_demands_it() -> None:
    """Else all that demand it are tried anew, which takes longer than anybody waits."""
    asked = (
        *("transformers[torch]", "diffusers[torch]", "accelerate", "huggingface-hub", "peft"),
        *("trl", "vllm", "sentence-transformers", "bitsandbytes", "torch==2.0.0"),
    )
    chosen = fit([*map(Requirement, asked)], "3.9")
    assert chosen is not None
    assert str(chosen["transformers"]) == "4.51.3"
