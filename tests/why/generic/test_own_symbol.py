"""An undefined symbol is the package's own function, or that of another library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.why.report import lines_of
from tests.support.fake_site import FakeSite

if TYPE_CHECKING:
    from pathlib import Path

MLA = "_Z18cutlass_mla_decodeRKN2at6TensorES2_S2_S2_S2_S2_d"
NAMESPACE = "_ZN4vllm10moe_alignERN2at6TensorE"
WRAP = "_Z16THPVariable_WrapN2at10TensorBaseE"
MEMBER = "_ZN16PackedConvWeightILi2EE10apply_reluERKN2at6TensorEdl"
POINTS = "_Z12knn_cudaIdeaN2at6TensorES0_"


@pytest.mark.parametrize(
    ("file", "symbol", "torch", "verdict", "entry", "says"),
    [
        (
            "SITE/vllm/_C.abi3.so",
            MLA,
            "2.6.0+rocm6.2",
            "known",
            "own-function-left-out",
            ("vllm 0.8.5", "a kernel for NVIDIA", "another torch does not help"),
        ),
        (
            "SITE/vllm/_C.abi3.so",
            NAMESPACE,
            "2.9.0+cu130",
            "known",
            "own-function-left-out",
            ("vllm::moe_align",),
        ),
        (
            "/home/u/ext/knn.cpython-311-x86_64-linux-gnu.so",
            POINTS,
            "2.9.0+cu130",
            "likely",
            "own-function-left-out",
            ("from a clean directory", "sources="),
        ),
        (
            "SITE/vllm/_C.abi3.so",
            WRAP,
            "2.6.0+cu124",
            "known",
            "binary-of-another-torch",
            (),
        ),
        ("SITE/vllm/_C.abi3.so", "_ZN5arrow6StatusC1Ev", "2.6.0+cu124", "unknown", "", ()),
        ("SITE/vllm/_C.abi3.so", MEMBER, "2.6.0+cu124", "unknown", "", ()),
        ("SITE/torch/lib/libx.so", POINTS, "2.6.0+cu124", "unknown", "", ()),
    ],
)
def test_whose_function_a_symbol_is(  # noqa: PLR0913, PLR0917 - the columns
    file: str,
    symbol: str,
    torch: str,
    verdict: str,
    entry: str,
    says: tuple[str, ...],
    tmp_path: Path,
) -> None:
    site = FakeSite(tmp_path, {"torch": torch, "vllm": "0.8.5"})
    answer = site.why(f"ImportError: {file}: undefined symbol: {symbol}")
    shown = "\n".join(lines_of(answer))
    assert answer.verdict == verdict, shown
    assert (answer.explanation.entry if answer.explanation else "") == entry, shown
    assert [each for each in says if each not in shown] == []
