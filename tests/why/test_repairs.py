"""AMD's program ``rocm`` repairs a host on consent: each of its 15 modes has an entry here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.why.entries.load import built_in
from rocmlint.why.facts.all import NAMES
from tests.support.situations import Situation

if TYPE_CHECKING:
    from pathlib import Path

MODES = {
    "fix-1-arch",
    "fix-2-unset-override",
    "fix-3-rocm-kernel",
    "fix-4-render-group",
    "fix-5-amdgpu-load",
    "fix-6-path",
    "fix-7-stale-repos",
    "fix-8-wheel-rocm",
    "fix-9-igpu-dgpu",
    "fix-10-container",
    "fix-11-iommu",
    "fix-12-installer",
    "fix-13-hip-sdk-missing",
    "fix-14-adrenalin-too-old",
    "fix-15-msvc-redist",
}
"""The closed list of ROCm/rocm-cli, crates/rocm-core/src/fix.rs."""
NOT_LOADED = "ROCk module is NOT loaded, possibly no GPU devices"


def test_each_mode_has_a_case_and_no_other_name_is_used() -> None:
    used = {case.rocm_fix for symptom in built_in(NAMES) for case in symptom.cases} - {""}
    assert used == MODES


def test_a_repair_is_named_only_where_the_program_is_installed(tmp_path: Path) -> None:
    situation = Situation(tmp_path)
    explained = situation.why(NOT_LOADED).explanation
    assert explained is not None
    assert not any(each.text.startswith("rocm fix") for each in explained.actions)
    situation.here.program("rocm", "rocm 0.3.0\n")
    explained = situation.why(NOT_LOADED).explanation
    assert explained is not None
    assert explained.actions[0].text == "rocm fix fix-5-amdgpu-load"
    assert explained.actions[0].is_command
