"""What comes with a release, and the way from it to code for CUDA."""

from __future__ import annotations

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.published.closure import closure, ways_to_cuda
from rocmlint.published.rocm_wheels import is_for_cuda


def ways(name: str, version: str, torch: str | None = None) -> list[str]:
    found = closure(name, Version(version), python="3.11")
    kept = Version(torch) if torch else None
    return [" -> ".join(each) for each in ways_to_cuda(found, kept)]


def test_the_release_itself_comes_first_and_then_what_it_brings() -> None:
    first, *brought = closure("timm", Version("1.0.31"), python="3.11")
    assert (str(first), first.through) == ("timm==1.0.31", ())
    assert ("torchvision",) in [each.through for each in brought]
    assert "torch" not in [each.name for each in brought]


def test_what_is_there_brings_nothing() -> None:
    found = closure("timm", Version("1.0.31"), python="3.11", there={"torchvision"})
    assert "torchvision" not in [each.name for each in found]


def test_all_that_comes_goes_with_one_torch() -> None:
    name = "unsloth"
    newest = requirements.newest(name, SpecifierSet())
    assert newest is not None
    demands = [each.torch for each in closure(name, newest) if each.torch is not None]
    torches = requirements.releases("torch")
    assert any(all(each.contains(torch) for each in demands) for torch in torches)


def test_a_release_for_another_python_is_not_brought() -> None:
    brought = {
        python: {each.name: each.version for each in closure("peft", Version("0.17.1"), (), python)}
        for python in ("3.9", "3.11")
    }
    assert brought["3.9"]["transformers"] < Version("5") <= brought["3.11"]["transformers"]


@pytest.mark.parametrize(
    ("name", "version", "way"),
    [
        ("unsloth", "2026.10.9", "unsloth==2026.10.9 -> xformers==0.0.35 -> torch==2.14.1"),
        ("whisperx", "3.8.6", "whisperx==3.8.6 -> torch==2.8.0"),
        ("timm", "1.0.31", "timm==1.0.31 -> torchvision==0.29.2 -> torch==2.15.0"),
    ],
)
def test_the_way_to_another_torch(name: str, version: str, way: str) -> None:
    assert way in ways(name, version, "2.9.1")


def test_what_takes_the_torch_and_has_code_for_cuda_is_a_way_too() -> None:
    assert "unsloth==2026.10.9 -> xformers==0.0.35" in ways("unsloth", "2026.10.9", "2.13.0")


@pytest.mark.parametrize(
    ("name", "version"), [("peft", "0.21.2"), ("accelerate", "1.15.0"), ("trl", "1.16.0")]
)
def test_what_takes_any_torch_has_no_way(name: str, version: str) -> None:
    assert ways(name, version, "2.9.1") == []


def test_an_unknown_release_brings_nothing_that_is_known() -> None:
    assert closure("no-such-package", Version("1")) == ()
    assert closure("timm", Version("0.0.0.1")) == ()


@pytest.mark.parametrize(
    ("version", "expected"), [("0.48.2", True), ("0.49.0", False), ("0.50.2", False)]
)
def test_bitsandbytes_has_code_for_rocm_from_a_release_on(version: str, expected: bool) -> None:
    assert is_for_cuda("bitsandbytes", Version(version)) is expected
