"""The numbers of torch's message tell apart what a GPU is full of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.situations import Situation, said

if TYPE_CHECKING:
    from pathlib import Path

BEGIN = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate "
HINT = "If reserved but unallocated memory is large try setting PYTORCH_HIP_ALLOC_CONF=x to avoid"


def numbers(tried: str, total: str, free: str, of_torch: tuple[str, str], more: str = "") -> str:
    """Return a message of torch 2.2 and later."""
    allocated, unused = of_torch
    return (
        f"{BEGIN}{tried}. GPU 0 has a total capacity of {total} of which {free} is free. {more}Of "
        f"the allocated memory {allocated} is allocated by PyTorch, and {unused} is reserved by "
        f"PyTorch but unallocated. {HINT}"
    )


PROCESSES = (
    "Process 77 has 60.00 GiB memory in use. Including non-PyTorch memory, this process has "
    "19.00 GiB memory in use. "
)
HOLES = numbers("1.50 GiB", "15.98 GiB", "0.40 GiB", ("10.00 GiB", "5.10 GiB"))
OLDER = (
    f"{BEGIN}512.00 MiB (GPU 0; 15.98 GiB total capacity; 15.20 GiB already allocated; 20.00 MiB "
    "free; 15.40 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try"
)
MESSAGES = {
    "other processes": (
        numbers("20.00 MiB", "23.98 GiB", "10.00 MiB", ("1.00 GiB", "12.00 MiB")),
        ("other processes", "hold 22.96 GiB", "rocm-smi --showmeminfo vram --showpids"),
    ),
    "a named process": (
        numbers("20.00 MiB", "79.15 GiB", "18.00 MiB", ("18.00 GiB", "300.00 MiB"), PROCESSES),
        ("hold 60",),
    ),
    "holes": (HOLES, ("fragmented", "PYTORCH_HIP_ALLOC_CONF=expandable_segments:True")),
    "one tensor": (
        numbers("64.00 GiB", "23.98 GiB", "20.00 GiB", ("3.00 GiB", "0.10 GiB")),
        ("one tensor of 64.00 GiB", "sdpa"),
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_the_numbers_prove_the_cause(name: str, tmp_path: Path) -> None:
    message, words = MESSAGES[name]
    answer = Situation(tmp_path).why(message)
    assert answer.verdict == "known"
    assert [each for each in words if each not in said(answer)] == [], said(answer)


def test_an_older_rocm_gets_no_expandable_segments(tmp_path: Path) -> None:
    """They do nothing before ROCm 7."""
    situation = Situation(tmp_path)
    situation.install({"torch": "2.6.0+rocm6.2.4"})
    answer = situation.why(HOLES)
    assert "PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:512" in said(answer)


def test_an_integrated_gpu_can_have_more_memory(tmp_path: Path) -> None:
    situation = Situation(tmp_path)
    situation.gpus("gfx1151")
    assert "firmware (UMA)" in said(situation.why(OLDER))


STRIX_HALO = numbers("1.16 GiB", "15.49 GiB", "512.00 MiB", ("14.60 GiB", "12.00 MiB"))
VRAM = "/sys/class/drm/card1/device/mem_info_vram_total"


@pytest.mark.parametrize(
    ("release", "verdict", "words"),
    [
        ("6.14.0-33-generic", "known", "boot kernel 6.16.9 or later"),
        ("6.17.0-8-generic", "likely", "its share in the firmware is not the limit"),
    ],
)
def test_memory_that_the_gpu_was_given_rules_the_firmware_out(
    release: str, verdict: str, words: str, tmp_path: Path
) -> None:
    situation = Situation(tmp_path)
    situation.gpus("gfx1151")
    situation.here.file("/proc/version", f"Linux version {release} (gcc-13)\n")
    situation.here.file(VRAM, f"{96 << 30}\n")
    answer = situation.why(STRIX_HALO)
    assert (answer.verdict, words in said(answer)) == (verdict, True)


@pytest.mark.parametrize(
    "message",
    [
        OLDER,
        numbers(
            "2.00 GiB", "255.98 GiB", "244.65 GiB", ("0 bytes", "0 bytes"), "1.05 GiB allowed; "
        ),
    ],
)
def test_numbers_that_prove_nothing_are_left_to_entries(message: str, tmp_path: Path) -> None:
    """The job's own tensors fill the GPU, or somebody set a limit."""
    answer = Situation(tmp_path).why(message)
    assert answer.explanation is None or answer.explanation.entry != "gpu-out-of-memory"


def test_a_message_without_numbers_stays_open(tmp_path: Path) -> None:
    assert Situation(tmp_path).why("RuntimeError: out of memory").verdict != "known"
