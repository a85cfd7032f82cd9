"""A whole model, rewritten: both regimes of BART in half precision in one exported program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def test_bart_in_float16_exports_with_both_branches() -> None:
    script = Path(__file__).parent / "bart.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=True
    )
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer == {
        "conditions": 2,
        "normal": {"clamped": False, "eager": True, "exported": True},
        "overflow": {"clamped": True, "eager": True, "exported": True},
    }
