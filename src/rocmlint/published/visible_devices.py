"""What lists of visible GPUs mean: ROCr takes its own first, and HIP counts what that leaves.

HIP takes HIP_VISIBLE_DEVICES before CUDA_VISIBLE_DEVICES (ROCm/clr rocclr/device), and torch
refuses a HIP list that is longer than ROCr's (torch 2.13 torch/cuda/__init__.py:865).
"""

from __future__ import annotations

ROCR, HIP, CUDA = "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"
VISIBILITY = (ROCR, HIP, CUDA)


def entries(devices: str) -> list[str]:
    """Return the devices of a list; a negative number ends it."""
    found = [each.strip() for each in devices.split(",") if each.strip()]
    ends = next((index for index, each in enumerate(found) if each.startswith("-")), None)
    return found[:ends]


def missing(left: list[str], wanted: list[str]) -> list[str]:
    """Return the numbers of a list for HIP that ROCr's list leaves no device for."""
    return [each for each in wanted if each.isdecimal() and int(each) >= len(left)]


def is_short(left: list[str], wanted: list[str]) -> bool:
    """Return whether ROCr's list leaves HIP too few devices for its own list."""
    return bool(missing(left, wanted)) or len(wanted) > len(left)
