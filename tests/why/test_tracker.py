"""Where nothing explains a failure, the tracker of whose code failed is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.situations import Situation

if TYPE_CHECKING:
    from pathlib import Path

FRAME = 'Traceback (most recent call last):\n  File "SITE/{}/a.py", line 3, in f\n    g()\n'
LOGS = {
    FRAME.format("vllm") + "ValueError: odd": "https://github.com/vllm-project/vllm/issues",
    FRAME.format("flash_attn") + "ValueError: odd": (
        "https://github.com/Dao-AILab/flash-attention/issues"
    ),
    FRAME.format("acme") + "ValueError: odd": "https://acme.example/tracker",
    "rocBLAS error: something new": "https://github.com/ROCm/rocm-libraries/issues",
    "NCCL WARN something new": "https://github.com/ROCm/rocm-systems/issues",
    "amdgpu 0000:03:00.0: something new": "https://github.com/ROCm/ROCm/issues",
    "nothing of the kind": "",
}


@pytest.mark.parametrize("log", LOGS)
def test_the_innermost_package_or_the_library_decides(log: str, tmp_path: Path) -> None:
    situation = Situation(tmp_path)
    situation.install({"vllm": "0.11.0", "flash-attn": "2.8.3", "acme": "1.0"})
    situation.write(
        "acme-1.0.dist-info/METADATA",
        "Name: acme\nVersion: 1.0\nProject-URL: Documentation, https://acme.example/docs\n"
        "Project-URL: Bug Tracker, https://acme.example/tracker\nHome-page: https://acme.example\n",
    )
    answer = situation.why(log)
    assert (answer.verdict, answer.tracker) == ("unknown", LOGS[log])
