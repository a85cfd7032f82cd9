"""``rocmlint stack compatible``: the newest libraries that fit a torch, and why no newer ones."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema  # type: ignore[import-untyped]
import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.published.fitting import SearchError, fit
from rocmlint.stack.compatible import Compatible, FittingLibrary, compatible
from rocmlint.stack.versions import VersionError
from tests.support.stacks import library

if TYPE_CHECKING:
    from tests.support.project import Project

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "stack.json"
OFFLINE = ("--offline", "--python-version", "3.11")


def shipped(torch: str, *packages: str, python: str = "3.11") -> Compatible:
    return compatible(torch, packages, python=python, ask_uv=False)


# What the shipped metadata answer.


@pytest.mark.parametrize(
    ("torch", "version", "following", "reason"),
    [
        ("2.4.1", "5.14.1", "5.15.0", "transformers 5.15.0 requires torch>=2.5"),
        ("2.5", "5.19.0", "5.20.0", "transformers 5.20.0 requires torch>=2.6"),
        ("2.0.1", "4.51.3", "4.52.1", "transformers 4.52.1 requires torch>=2.1,<2.7"),
        ("2.4.1+rocm6.1", "5.14.1", "5.15.0", "transformers 5.15.0 requires torch>=2.5"),
    ],
)
def test_the_newest_and_why_not_the_next(
    torch: str, version: str, following: str, reason: str
) -> None:
    found = library(shipped(torch, "transformers"), "transformers")
    assert found == FittingLibrary("transformers[torch]", "fits", version, following, reason)


def test_the_newest_there_is_needs_no_reason() -> None:
    newest = requirements.releases("accelerate")[-1]
    found = library(shipped("2.14", "accelerate"), "accelerate")
    assert found == FittingLibrary("accelerate", "fits", str(newest), None, "")


def test_torch_itself_is_what_was_asked_for() -> None:
    assert library(shipped("2.4", "torch"), "torch") == FittingLibrary(
        "torch", "fits", "2.4.1", None, ""
    )


def test_another_library_may_be_the_reason() -> None:
    found = library(shipped("2.4.1", "transformers", "huggingface_hub"), "huggingface-hub")
    assert found.version == "1.33.0"
    assert found.reason == "transformers 5.14.1 requires huggingface-hub>=1.5.0,<2.0"


def test_python_may_be_the_reason() -> None:
    found = library(shipped("2.10", "transformers", python="3.10"), "transformers")
    assert (found.version, found.following) == ("5.20.2", "5.21.0")
    assert found.reason == "transformers 5.21.0 requires Python>=3.11.0"


def test_a_minor_version_is_the_patch_release_that_most_goes_with() -> None:
    answer = shipped("2.4", "vllm")
    assert answer.torch == "2.4.0"
    assert library(answer, "vllm").version == "0.6.3.post1"


def test_a_patch_release_that_a_package_pins_weighs_more_than_a_newer_one() -> None:
    answer = shipped("2.14", "transformers", "diffusers", "vllm")
    assert answer.torch == "2.14.0"
    assert [each.answer for each in answer.libraries] == ["fits"] * 3
    assert shipped("2.14", "transformers", "diffusers").torch == "2.14.1"


@pytest.mark.parametrize(
    ("torch", "reason"),
    [
        ("2.14.1", "vllm 0.33.0 requires torch==2.14.0"),
        ("2.15", "vllm 0.33.0 requires torch==2.14.0"),
        ("2.4.1", "vllm 0.6.3.post1 requires torch==2.4.0"),  # the newest about a torch 2.4
    ],
)
def test_a_release_that_is_years_older_than_the_torch_is_no_answer(torch: str, reason: str) -> None:
    found = library(shipped(torch, "vllm"), "vllm")
    assert found == FittingLibrary("vllm", "none fits", None, None, reason)


def test_the_newest_that_takes_the_torch_is_explained_and_not_the_one_after() -> None:
    found = library(shipped("2.13", "transformers", "vllm"), "vllm")
    assert (found.version, found.following) == ("0.30.0", "0.32.0")
    assert found.reason == "vllm 0.32.0 requires transformers>=5.16.1,<5.20.0"


@pytest.mark.slow
def test_a_search_that_two_packages_make_hopeless_ends_with_their_names() -> None:
    asked = ("transformers", "diffusers", "accelerate", "huggingface-hub<1", "peft", "trl", "vllm")
    answer = shipped("2.13", *asked, "sentence-transformers", "bitsandbytes")
    assert not answer.together
    newest = requirements.releases("transformers")[-1]
    assert f"transformers {newest} requires huggingface-hub>=1.31.0,<3.0" in answer.notes


@pytest.mark.parametrize(
    ("torch", "name", "version", "following"),
    [
        ("2.4.1", "torchaudio", "2.4.1", "2.5.0"),
        ("2.10.0", "torchaudio", "2.10.0", "2.11.0"),  # which names no torch
        ("2.13.0", "torchaudio", "2.11.0", None),  # the last one
        ("2.14.0", "torchvision", "0.29.0", "0.29.1"),
        ("2.13.0+rocm10.1.0", "torchaudio", "2.11.0.2", None),  # AMD's own
    ],
)
def test_a_companion_is_the_one_that_install_command_takes(
    torch: str, name: str, version: str, following: str | None
) -> None:
    found = library(compatible(torch, [name], python="3.11", ask_uv=False), name)
    assert (found.version, found.following) == (version, following)


def test_a_companion_of_a_newer_torch_does_not_fit() -> None:
    answer = compatible("2.9.1", ["torchaudio>=2.10"], python="3.11", ask_uv=False)
    assert library(answer, "torchaudio").reason == "torchaudio 2.9.1 belongs to torch 2.9.1"


def test_a_specifier_bounds_the_answer() -> None:
    found = library(shipped("2.6", "transformers<5"), "transformers")
    assert found.version is not None
    assert Version("4") < Version(found.version) < Version("5")
    assert found.following is None


def test_another_torch_than_the_one_asked_about_does_not_fit() -> None:
    (found,) = shipped("2.9.1", "torch==2.14").libraries
    assert (found.answer, found.reason) == (
        "none fits",
        "this is about torch 2.9.1, not torch==2.14",
    )


def test_what_is_said_twice_of_a_package_counts_together() -> None:
    (found,) = shipped("2.14", "transformers<5", "Transformers[sentencepiece]>=4").libraries
    assert found.package == "transformers[sentencepiece,torch]"
    assert (found.version or "").startswith("4.")


def test_what_does_not_fit_together_stands_alone() -> None:
    answer = shipped("2.10.0", "vllm==0.17.1", "transformers>=5")
    assert not answer.together
    assert "vllm 0.17.1 requires transformers>=4.56.0,<5" in answer.notes
    assert library(answer, "vllm").version == "0.17.1"
    assert library(answer, "transformers").version is not None


def test_a_library_that_never_fits_is_told_and_the_rest_answered() -> None:
    answer = shipped("2.4.1", "transformers", "vllm>=0.7")
    assert library(answer, "transformers").version == "5.14.1"
    none = library(answer, "vllm")
    assert none.answer == "none fits"
    assert none.reason.startswith("vllm ")
    assert "requires torch==" in none.reason


def test_unknown_packages_are_told_and_the_rest_answered() -> None:
    answer = shipped("2.4.1", "no-such-package", ">>x", "transformers")
    assert [each.answer for each in answer.libraries] == ["unknown", "unknown", "fits"]


def test_a_nightly_build_is_answered_from_what_is_known() -> None:
    answer = shipped("2.16.0.dev20261101+rocm10.0", "transformers")
    assert library(answer, "transformers").version is not None
    assert answer.notes[0] == (
        "torch 2.16.0.dev20261101 is not a release, so its own requirements are unknown"
    )


def test_without_uv_the_answer_says_that_no_wheels_were_looked_at() -> None:
    assert "against Requires-Python only" in shipped("2.4.1", "peft").notes[-1]


@pytest.mark.parametrize(
    ("torch", "message"),
    [
        ("2.4.7", r"there is no torch 2\.4\.7; releases of 2\.4: 2\.4\.0, 2\.4\.1"),
        ("99.0", "is unknown .*; uv knows newer releases"),
    ],
)
def test_a_torch_that_never_was(torch: str, message: str) -> None:
    with pytest.raises(VersionError, match=message):
        shipped(torch, "transformers")


def test_a_torch_that_has_no_wheel_for_this_python() -> None:
    with pytest.raises(VersionError, match=r"torch 2\.15\.0 requires Python>=3\.11"):
        shipped("2.15.0", "transformers", python="3.10")


def test_a_minor_version_is_the_patch_release_that_has_wheels_for_this_python() -> None:
    assert shipped("2.3", "peft", python="3.12").torch == "2.3.1"


def test_a_release_that_never_was_is_told() -> None:
    answer = library(shipped("2.4.1", "transformers==99"), "transformers")
    assert (answer.answer, answer.reason) == (
        "none fits",
        "no release for Python 3.11 satisfies ==99",
    )


@pytest.mark.slow
def test_a_search_that_takes_too_long_ends_without_an_answer() -> None:
    every = [each for each in requirements.packages() if each != "torch"]
    with pytest.raises(
        SearchError, match=r"no answer was found .*: ask for fewer packages, or install uv"
    ):
        shipped("2.8", *every)


def test_a_choice_holds_all_that_its_packages_require() -> None:
    goals = [Requirement(each) for each in ("lmdeploy", "trl", "torch==2.4.1")]
    chosen = fit(goals, "3.11")
    assert chosen is not None
    for name, version in chosen.items():
        required = requirements.requirements(name, version)
        for each in requirements.applicable(required or (), python="3.11"):
            assert chosen[each.name] in each.specifier


# The command.


def test_the_table_and_what_to_type(project: Project) -> None:
    done = project.run("stack", "compatible", "--torch", "2.4.1", *OFFLINE)
    assert done.returncode == 0, done.stderr
    assert "transformers[torch]  5.14.1" in done.stdout
    assert "transformers 5.15.0 requires torch>=2.5" in done.stdout
    assert f"from the metadata in rocmlint ({requirements.AS_OF})" in done.stdout
    assert "PyTorch's index has torch 2.4 for ROCm 6.0 and 6.1." in done.stdout
    assert "pip install transformers==5.14.1 diffusers==0.38.0" in done.stdout


def test_what_pypi_has_for_cuda_only_is_not_to_be_typed(project: Project) -> None:
    asked = ("vllm", "torchvision", "diffusers[training]", "--python-version", "3.11")
    done = project.run("stack", "compatible", "--torch", "2.4.0", *asked, "--offline")
    assert done.returncode == 0, done.stderr
    assert "install a ROCm build of vllm==0.6.3.post1 with --no-deps" in done.stdout
    assert "torchvision==0.19.0: rocmlint stack install-command" in done.stdout
    assert [each for each in done.stdout.splitlines() if each.startswith("pip install")] == [
        "pip install 'diffusers[training]==0.38.0' torch==2.4.0"
    ]


def test_json_is_as_its_schema_says(project: Project) -> None:
    done = project.run("stack", "compatible", "--torch", "2.4", "--output-format", "json", *OFFLINE)
    document = json.loads(done.stdout)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert document["rocm_wheels"] == ["6.0", "6.1"]
    first = document["compatible"]["libraries"][0]
    assert first["package"] == "transformers[torch]"
    assert first["reason"] == "transformers 5.15.0 requires torch>=2.5"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--torch", "2.4.1", "transformers"), 0),
        (("--torch", "2.4.1", "transformers", "vllm>=0.7"), 1),
        (("--torch", "2.4.1", "transformers", "no-such-package"), 3),
        (("--torch", "2.4.7"), 2),
        (("--torch", "nonsense"), 2),
        (("--no-such-flag",), 2),
    ],
)
def test_exit_codes(project: Project, arguments: tuple[str, ...], code: int) -> None:
    done = project.run("stack", "compatible", *arguments, *OFFLINE)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_wrong_version_is_one_line(project: Project) -> None:
    done = project.run("stack", "compatible", "--torch", "2.4.7", *OFFLINE)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


def test_the_installed_torch_is_read_without_importing_it(project: Project) -> None:
    torch = project.root / "site" / "torch"
    project.write("site/torch/__init__.py", "raise SystemExit('imported')")
    project.write("site/torch/version.py", "__version__ = '2.4.1+rocm6.1'\nhip = '6.1.4'\n")
    project.write("site/torch-2.4.1.dist-info/METADATA", "Name: torch\nVersion: 2.4.1\n")
    done = project.run("stack", "compatible", *OFFLINE, PYTHONPATH=os.fspath(torch.parent))
    assert "compatible with torch 2.4.1 on Python 3.11" in done.stdout


def test_without_a_torch_it_says_what_to_type(project: Project) -> None:
    project.write("python", f'#!/bin/sh\nexec {sys.executable} -S -s "$@"\n').chmod(0o755)
    done = project.run("stack", "compatible", "--python", "./python", "--offline", PYTHONPATH="")
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith("has no torch; name a version: --torch 2.10")


def test_releases_that_cannot_be_imported_together_are_not_compatible() -> None:
    """By its metadata peft 0.17 takes any transformers, and asks it for HybridCache."""
    answer = shipped("2.9.1", "transformers==5.5.3", "peft==0.17.1")
    assert not answer.together
    assert answer.notes[0] == (
        "peft 0.17.1 imports transformers.HybridCache, which transformers 5.5.3 does not have; "
        "peft>=0.18.0 can be imported with it"
    )


@pytest.mark.parametrize(
    ("asked", "version", "chosen"),
    [
        (("transformers", "peft==0.17.1"), 0, "4.57.6"),
        (("transformers==5.5.3", "peft<0.19"), 1, "0.18.1"),
        (("transformers==4.57.1", "peft==0.17.1"), 1, "0.17.1"),
    ],
)
def test_the_newest_that_can_be_imported_with_the_others_is_chosen(
    asked: tuple[str, ...], version: int, chosen: str
) -> None:
    answer = shipped("2.9.1", *asked)
    assert answer.together
    assert answer.libraries[version].version == chosen
