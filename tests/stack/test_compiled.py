"""Which ROCm a package was compiled for, by its label and by its files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.checks.compiled import CompiledFor, built_for, labelled
from rocmlint.stack.installed.distributions import Distribution

if TYPE_CHECKING:
    from pathlib import Path

ROCM_7 = b"\x7fELF\x00libamdhip64.so.7\x00libc10_hip.so\x00"
CUDA = b"\x7fELF\x00libcudart.so.12\x00libc10_cuda.so\x00"


@pytest.mark.parametrize(
    ("version", "rocm"),
    [
        ("0.31.0+rocm723", "7.2.3"),
        ("0.14.1+rocm700", "7.0.0"),
        ("0.27.1.dev5+rocm10.0.0.gf46a9dfe2", "10.0.0"),
        ("0.8.2+rocm7.12.0", "7.12.0"),
        ("1.0+rocm1000", "10.0.0"),
        ("0.31.0+cu129", ""),
        ("0.31.0", ""),
    ],
)
def test_a_label_names_the_rocm_with_and_without_dots(version: str, rocm: str) -> None:
    assert labelled(version) == rocm


def test_what_a_record_lists_is_read_whatever_it_is(tmp_path: Path) -> None:
    place = tmp_path / "vllm-1.0.dist-info"
    place.mkdir()
    os.mkfifo(tmp_path / "pipe.so")
    (tmp_path / "folder.so").mkdir()
    (tmp_path / "empty.so").touch()
    (tmp_path / "good.so").write_bytes(b"libamdhip64.so was not found" + ROCM_7)
    (tmp_path.parent / "outside.so").write_bytes(CUDA)
    outside = ("../outside.so", "folder.so/../../outside.so", "/etc/x.so")
    names = (*outside, "pipe.so", "folder.so", "empty.so", "gone.so", "\x00.so")
    (place / "RECORD").write_text("\n".join([*names, "good.so,sha256=x,1"]))
    package = Distribution("vllm", "1.0", place=str(place))
    assert built_for(package) == CompiledFor("ROCm", str(tmp_path / "good.so"), "7")


def test_a_package_without_files_and_label_tells_nothing(tmp_path: Path) -> None:
    assert built_for(Distribution("vllm", "1.0", place=str(tmp_path))) is None
