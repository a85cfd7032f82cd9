"""How versions of ROCm, torch and Python may be written, and what is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.versions import (
    VersionError,
    labelled_rocm,
    read_python_version,
    read_rocm,
    read_torch_version,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("7.1", "7.1"),
        ("7.1.1", "7.1.1"),
        (" 7.1 ", "7.1"),
        ("v7.1", "7.1"),
        ("rocm7.1", "7.1"),
        ("ROCm7.1", "7.1"),
        ("ROCm 7.1.1", "7.1.1"),
        ("rocm-7.1.0", "7.1.0"),  # the folder
        ("7.1.0-98", "7.1.0"),  # /opt/rocm/.info/version
        ("7.1.0.70100-20", "7.1.0"),  # the Debian package rocm-core
    ],
)
def test_a_rocm_may_be_written_as_people_and_packages_write_it(text: str, version: str) -> None:
    assert str(read_rocm(text)) == version


@pytest.mark.parametrize("text", ["seven", "", "7.x", "latest", "7.1rc1", "1!7.1", "7.1+a", "11"])
def test_what_is_no_rocm_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(VersionError, match=r"not a released ROCm version; write one such as 7\.1"):
        read_rocm(text)


@pytest.mark.parametrize(
    ("major", "minors"),
    [("7", "7.0, 7.1, 7.2, 7.11, 7.12, 7.13, 7.14"), ("10", "10.0, 10.1")],
)
def test_a_major_version_is_refused_with_those_that_it_may_mean(major: str, minors: str) -> None:
    with pytest.raises(VersionError, match=rf"ambiguous; write one of {re.escape(minors)}$"):
        read_rocm(major)


@pytest.mark.parametrize("read", [read_rocm, read_torch_version, read_python_version])
def test_a_text_of_any_length_is_refused_in_a_short_line(read: Callable[[str], object]) -> None:
    with pytest.raises(VersionError) as caught:
        read("2." + "9" * 5_000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.10", "2.10"),
        ("v2.10.0", "2.10.0"),
        ("torch==2.10.0", "2.10.0"),
        ("torch 2.10", "2.10"),
        ("2.10.*", "2.10"),
        ("2.4.1+rocm6.1", "2.4.1+rocm6.1"),
        ("2.15.0.dev20261101+rocm7.14", "2.15.0.dev20261101+rocm7.14"),
    ],
)
def test_a_torch_may_be_written_as_requirements_write_it(text: str, version: str) -> None:
    assert str(read_torch_version(text)) == version


@pytest.mark.parametrize("text", ["two", "", "2", "2.x", "1!2.0", "torch", "torch>=2.4"])
def test_what_is_no_torch_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(VersionError, match=r"not a valid torch version; write one such as 2\.10"):
        read_torch_version(text)


@pytest.mark.parametrize("text", ["3.11", "3.11.7", "python3.11"])
def test_a_python_is_reduced_to_its_minor_version(text: str) -> None:
    assert read_python_version(text) == "3.11"


@pytest.mark.parametrize("text", ["three", "3", "", "311"])
def test_what_is_no_python_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(VersionError, match=r"not a valid Python version; write one such as 3\.11"):
        read_python_version(text)


@pytest.mark.parametrize(
    ("version", "rocm"),
    [
        ("2.4.1+rocm6.1", "6.1"),
        ("2.6.0+rocm6.2.4", "6.2.4"),
        ("2.15.0.dev20261101+rocm7.14", "7.14"),
        ("2.5.1+rocm6.3.4.git7cecbf6d", "6.3.4"),  # a build of AMD's
        ("2.10.0+cu128", ""),
        ("2.10.0", ""),
    ],
)
def test_the_label_of_a_build_names_its_rocm(version: str, rocm: str) -> None:
    assert labelled_rocm(version) == rocm
