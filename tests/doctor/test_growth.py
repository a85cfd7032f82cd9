"""How often interpreters are asked: not once more for each patch, nor for each switch."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.interpreter.ask import Interpreter
from rocmlint.rule.claims import fast_path as claim_of
from rocmlint.verify.claims.context import ClaimContext
from rocmlint.verify.claims.kernels import fast_path
from rocmlint.verify.manifest.read import Manifest, ManifestFile
from rocmlint.verify.patches.patches import check_all

if TYPE_CHECKING:
    from pathlib import Path

SWITCHES = ("enable_flash_sdp", "enable_mem_efficient_sdp", "enable_cudnn_sdp")


@dataclass(frozen=True)
class Counting(Interpreter):
    """An interpreter that counts its questions."""

    questions: list[str] = field(default_factory=list)

    def ask(self, task: str, *arguments: Any, **options: Any) -> Any:
        self.questions.append(task)
        return super().ask(task, *arguments, **options)


@pytest.mark.parametrize("number", [1, 2, 4])
def test_patches_are_one_question(tmp_path: Path, number: int) -> None:
    for each in range(number):
        (tmp_path / f"package{each}.py").write_text("")
    interpreter = Counting(sys.executable, 60, {"PYTHONPATH": str(tmp_path)})
    manifests = [
        Manifest(f"package{each}", "", (ManifestFile(f"package{each}.py", "0" * 64),))
        for each in range(number)
    ]
    results = check_all([*manifests, Manifest("none", "", ())], interpreter)
    assert [[it.verdict for it in each] for each in results] == [*[["contradicted"]] * number, []]
    assert interpreter.questions == ["packages.patches"]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_switches_of_one_operation_are_one_run(tmp_path: Path, number: int) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise ImportError('is not to be imported')")
    (tmp_path / "torch" / "version.py").write_text("__version__ = '2.9.0'\ncuda = hip = None\n")
    interpreter = Counting(sys.executable, 60, {"PYTHONPATH": str(tmp_path)})
    context = ClaimContext(interpreter)
    seen = [fast_path(claim_of(each, ""), context)[0].seen for each in SWITCHES[:number]]
    assert seen == ["no GPU"] * number
    assert interpreter.questions == ["probe"]
