"""The numbers of torch's message tell apart what a GPU is full of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.situations import Situation, said

if TYPE_CHECKING:
    from pathlib import Path

BEGIN = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate "
HINT = "If reserved but unallocated memory is large try setting PYTORCH_HIP_ALLOC_CONF=x to avoid"
MESSAGES = {
    "a fraction, TheRock#2118": (
        (
            "2.00 GiB. GPU 0 has a total capacity of 255.98 GiB of which 244.65 GiB is free. "
            "1.05 GiB allowed; Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes "
            "is reserved by PyTorch but unallocated."
        ),
        ("may use 1.05 GiB only", "set_per_process_memory_fraction"),
    ),
    "other processes": (
        (
            "20.00 MiB. GPU 0 has a total capacity of 23.98 GiB of which 10.00 MiB is free. Of the "
            "allocated memory 1.00 GiB is allocated by PyTorch, and 12.00 MiB is reserved by PyTorch "
            f"but unallocated. {HINT}"
        ),
        ("other processes", "hold 22.96 GiB", "rocm-smi --showmeminfo vram --showpids"),
    ),
    "a named process": (
        (
            "20.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 18.00 MiB is free. Process "
            "77 has 60.00 GiB memory in use. Including non-PyTorch memory, this process has 19.00 GiB "
            "memory in use. Of the allocated memory 18.00 GiB is allocated by PyTorch, and 300.00 MiB "
            "is reserved by PyTorch but unallocated."
        ),
        ("hold 60",),
    ),
    "holes": (
        (
            "1.50 GiB. GPU 0 has a total capacity of 15.98 GiB of which 0.40 GiB is free. Of the "
            "allocated memory 10.00 GiB is allocated by PyTorch, and 5.10 GiB is reserved by PyTorch "
            f"but unallocated. {HINT}"
        ),
        ("fragmented", "PYTORCH_HIP_ALLOC_CONF=expandable_segments:True"),
    ),
    "one tensor": (
        (
            "64.00 GiB. GPU 0 has a total capacity of 23.98 GiB of which 20.00 GiB is free. Of the "
            "allocated memory 3.00 GiB is allocated by PyTorch, and 0.10 GiB is reserved by PyTorch "
            "but unallocated."
        ),
        ("one tensor of 64.00 GiB", "sdpa"),
    ),
    "the job, in older words": (
        (
            "512.00 MiB (GPU 0; 15.98 GiB total capacity; 15.20 GiB already allocated; 20.00 MiB free; "
            "15.40 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try"
        ),
        ("the job's own tensors fill the GPU", "batch size"),
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_the_numbers_prove_the_cause(name: str, tmp_path: Path) -> None:
    numbers, words = MESSAGES[name]
    answer = Situation(tmp_path).why(BEGIN + numbers)
    assert answer.verdict == "known"
    assert [each for each in words if each not in said(answer)] == [], said(answer)


def test_an_older_rocm_gets_no_expandable_segments(tmp_path: Path) -> None:
    """They do nothing before ROCm 7."""
    situation = Situation(tmp_path)
    situation.install({"torch": "2.6.0+rocm6.2.4"})
    answer = situation.why(BEGIN + MESSAGES["holes"][0])
    assert "PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:512" in said(answer)


def test_an_integrated_gpu_can_have_more_memory(tmp_path: Path) -> None:
    situation = Situation(tmp_path)
    situation.gpus("gfx1151")
    assert "firmware (UMA)" in said(situation.why(BEGIN + MESSAGES["the job, in older words"][0]))


def test_a_message_without_numbers_stays_open(tmp_path: Path) -> None:
    assert Situation(tmp_path).why("RuntimeError: out of memory").verdict != "known"
