"""The command below a finding: it is printed only where it works as it is printed."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.lint.run import Options, run
from rocmlint.rule.claims import fast_path, origin, placed, replacement

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.findings import Claim

APPEND = "import sys\n\nsys.path.append('/w/Megatron-LM')\nfrom megatron.core import mpu\nmpu.f()\n"
IN_FUNCTION = """\
import sys

def load():
    sys.path.append("/workspace/Megatron-LM")
    from megatron.core import mpu
    return mpu
"""
PROGRAM = IN_FUNCTION + '\nif __name__ == "__main__":\n    load()\n'


def commands(root: Path, name: str, text: str) -> list[str]:
    """Lint one file of a project and return the commands that are printed."""
    (root / ".git").mkdir()
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    configuration = Configuration({"preview": True}, isolated=True)
    findings = run([str(path)], configuration.settings_for, Options()).findings
    assert findings
    return [each for finding in findings for each in finding.commands]


@pytest.mark.parametrize("text", [APPEND, PROGRAM])
def test_a_namespace_package_is_confirmed_by_the_module_that_is_imported(
    tmp_path: Path, text: str
) -> None:
    (command,) = commands(tmp_path, "tools/convert.py", text)
    path = tmp_path / "tools" / "convert.py"
    assert command == f"rocmlint verify run --module megatron.core -- python {path}"


def test_a_plug_in_has_no_command_since_to_run_it_runs_nothing(tmp_path: Path) -> None:
    assert commands(tmp_path, "tools/loader_llama.py", IN_FUNCTION) == []


def test_a_command_with_a_placeholder_is_not_printed(tmp_path: Path) -> None:
    text = (
        "from peft import PeftModel\n\n\n"
        "def load(base, adapter):\n"
        "    model = PeftModel.from_pretrained(base, adapter)\n"
        "    return model.half()\n"
    )
    assert commands(tmp_path, "job.py", text) == []


def test_a_switch_of_the_project_s_own_extension_has_no_command(tmp_path: Path) -> None:
    (tmp_path / "studio").mkdir()
    (tmp_path / "studio" / "ext.py").write_text("kernels = None\n")
    text = "from studio.ext import kernels\n\n# kernels.enable_flash_attention()\nprint(kernels)\n"
    assert commands(tmp_path, "job.py", text) == []
    other = "from vision import kernels\n\n# kernels.enable_flash_attention()\nprint(kernels)\n"
    (tmp_path / ".git").rmdir()
    assert commands(tmp_path, "other.py", other) == [f"rocmlint verify {tmp_path / 'other.py'}"]


@pytest.mark.parametrize(
    "claim",
    [
        fast_path("preferred_blas_library", "x; touch y"),
        replacement("x; touch y", "f"),
        origin("x; touch y"),
    ],
)
def test_what_a_file_says_is_one_word_of_the_command(claim: Claim) -> None:
    assert "x; touch y" in shlex.split(placed(claim, "a; b.py", 1).command)
