"""A report of ``rocm examine --json`` goes before what is here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.errors import ConfigError
from rocmlint.why.diagnose import diagnose
from rocmlint.why.host.examined import read_examination
from tests.support.situations import Situation, said

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocmlint.why.answer import Answer

LINUX: Mapping[str, Any] = {
    "os_family": "linux",
    "is_wsl": False,
    "gpus": [
        {"name": "Radeon RX 7900 XTX", "gfx_target": "gfx1100", "is_apu": False, "is_amd": True},
        {"name": "Raphael", "gfx_target": "gfx1036", "is_apu": True, "is_amd": True},
    ],
    "has_amd_gpu": True,
    "has_nvidia_gpu": False,
    "amdgpu_loaded": True,
    "amdgpu_blacklisted_in": [],
    "iommu_kernel_param": "",
    "kfd": {
        "path": "/dev/kfd",
        "exists": True,
        "mode": "0660",
        "owner_group": "render",
        "user_can_read": False,
        "user_can_write": False,
    },
    "render_devices": [{"path": "/dev/dri/renderD128", "exists": True}],
    "user_groups": ["ann", "video"],
    "rocm_version": "6.4.1",
    "rocm_path": "/opt/rocm",
    "rocminfo_present": False,
    "env": {"HSA_OVERRIDE_GFX_VERSION": "10.3.0"},
    "in_container": False,
}
"""The keys of an examination that count here (crates/rocm-core/src/examine.rs)."""
WINDOWS: Mapping[str, Any] = {
    "os_family": "windows",
    "has_amd_gpu": True,
    "gpus": [],
    "hip_sdk_version": "",
    "adrenalin_version": "24.3.1",
}


def asked(log: str, report: Mapping[str, Any], tmp_path: Path) -> Answer:
    path = tmp_path / "examination.json"
    path.write_text(json.dumps(report))
    context = Situation(tmp_path).context(log)
    context.examination = read_examination(str(path), context.machine)
    return diagnose(context)


@pytest.mark.parametrize(
    ("log", "report", "entry", "repair", "word"),
    [
        (
            "RuntimeError: No HIP GPUs are available",
            {**LINUX, "env": {}},
            "no-gpu-visible",
            "fix-4-render-group",
            "not in the group render",
        ),
        (
            "Memory access fault by GPU node-1 (Agent handle: 0x5f) on address 0x7f.",
            LINUX,
            "memory-access-fault",
            "fix-2-unset-override",
            "HSA_OVERRIDE_GFX_VERSION=10.3.0",
        ),
        (
            "Memory access fault by GPU node-1 (Agent handle: 0x5f) on address 0x7f.",
            {**LINUX, "env": {}},
            "memory-access-fault",
            "fix-9-igpu-dgpu",
            "gfx1036",
        ),
        (
            "bash: rocminfo: command not found",
            LINUX,
            "rocm-program-not-found",
            "fix-6-path",
            "ROCm 6.4.1 is installed",
        ),
        (
            "'hipInfo' is not recognized as an internal or external command",
            WINDOWS,
            "windows-hip-sdk-missing",
            "fix-13-hip-sdk-missing",
            "HIP runtime for Windows",
        ),
        (
            "hipInfo: no agents were found",
            WINDOWS,
            "windows-driver-too-old",
            "fix-14-adrenalin-too-old",
            "24.3.1",
        ),
    ],
)
def test_its_facts_decide_and_repairs_are_those_of_the_program(  # noqa: PLR0913, PLR0917 - a table
    log: str, report: Mapping[str, Any], entry: str, repair: str, word: str, tmp_path: Path
) -> None:
    answer = asked(log, report, tmp_path)
    assert answer.explanation is not None
    assert answer.explanation.entry == entry
    assert answer.explanation.actions[0].text == f"rocm fix {repair}"
    assert word in said(answer)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a report of rocm examine --json"),
        ("{}", "is not a report of rocm examine --json"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_another_file_is_refused_in_one_line(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    machine = Situation(tmp_path).here.machine
    with pytest.raises(ConfigError, match=complaint):
        read_examination(str(path), machine)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_examination(str(tmp_path / "missing.json"), machine)


def test_fields_of_another_type_count_as_missing(tmp_path: Path) -> None:
    wrong = dict.fromkeys(LINUX, 7) | {"os_family": "linux", "gpus": [3, {"gfx_target": "x"}]}
    answer = asked("RuntimeError: No HIP GPUs are available", wrong, tmp_path)
    assert answer.verdict in {"likely", "unknown"}
