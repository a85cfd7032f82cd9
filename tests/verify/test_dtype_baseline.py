"""``rocmlint verify dtype``: baselines, and what usage is refused."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.errors import ConfigError
from rocmlint.verify.dtype.judge import compared
from tests.support.dtype_models import Cast, Wrapped, ask, floats, linear, nn, torch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dtype")]


def saved(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what a baseline keeps of an answer, as JSON gives it back."""
    kept = {"tensors": answer["tensors"], "boundaries": answer["forward"]["boundaries"]}
    back: dict[str, Any] = json.loads(json.dumps(kept))
    return back


def test_a_baseline_hides_what_was_so_before() -> None:
    answer = ask(lambda: (nn.Sequential(linear(), Cast()), (floats(),)))
    assert {each.verdict for each in compared(answer, saved(answer))} == {"proven"}


def test_a_baseline_shows_the_first_module_that_differs() -> None:
    before = ask(lambda: (nn.Sequential(linear(), nn.Identity(), Cast()), (floats(),)))
    now = ask(lambda: (nn.Sequential(linear(), Cast(), Cast()), (floats(),)))
    tensors, forward = compared(now, saved(before))
    assert tensors.verdict == "proven"
    assert forward.seen == "1: bfloat16 to float32"


def test_a_baseline_shows_a_tensor_that_differs() -> None:
    before = ask(lambda: (nn.Sequential(linear()), (floats(),)))
    now = ask(lambda: (nn.Sequential(nn.Linear(8, 8)), (floats(torch.float32),)))
    tensors, _ = compared(now, saved(before))
    assert tensors.seen == "0.weight: float32"


def test_the_command_saves_and_compares_a_baseline(project: Project) -> None:
    project.write(
        "model.py",
        "import os, torch\n"
        "class Part(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        return x.float() if os.environ.get('SICK') else x\n"
        "def build():\n"
        "    model = torch.nn.Sequential(torch.nn.Linear(2, 2), Part())\n"
        "    return model.to(torch.bfloat16), (torch.ones(1, 2, dtype=torch.bfloat16),)\n",
    )
    command = ("verify", "dtype", "model:build")
    written = project.run(*command, "--write-baseline", "healthy.json")
    assert written.returncode == 0, written
    assert json.loads(project.read("healthy.json"))["version"] == 1
    sick = project.run(*command, "--baseline", "healthy.json", SICK="1")
    assert sick.returncode == 1, sick
    assert f"cast: {project.root / 'model.py'}:4" in sick.stdout


@pytest.mark.parametrize(
    "text",
    [
        *("", "{}", "[]", '{"version": 2, "tensors": {}, "boundaries": {}}', "\0"),
        '{"version": 1, "tensors": [], "boundaries": {}}',
        '{"version": 1, "tensors": {"weight": 3}, "boundaries": {}}',
        '{"version": 1, "tensors": {}, "boundaries": {"": [3]}}',
        '{"version": 1, "tensors": {}, "boundaries": {}, "matmuls": {"": 3}}',
    ],
)
def test_a_file_that_is_no_baseline_is_told(project: Project, text: str) -> None:
    project.write("odd.json", text)
    run = project.run("verify", "dtype", "model:build", "--baseline", "odd.json")
    assert run.returncode == 2
    assert run.stderr.startswith("error: odd.json: ")


# Usage


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("model",),
        ("model:",),
        ("../model:build",),
        ("nowhere:build",),
        ("json:nothing",),
        ("json:dumps",),
        ("json:JSONDecoder",),
        ("model:build", "--write-baseline", "no/such/folder.json"),
    ],
)
def test_wrong_usage_is_exit_code_2(project: Project, arguments: tuple[str, ...]) -> None:
    run = project.run("verify", "dtype", *arguments, "--python", sys.executable)
    assert run.returncode == 2
    assert run.stderr.startswith("error: ")


@pytest.mark.parametrize("factory", ["nowhere:build", "json:nothing"])
def test_a_factory_that_is_not_there_is_one_line(project: Project, factory: str) -> None:
    run = project.run("verify", "dtype", factory, "--python", sys.executable)
    assert run.stderr.count("\n") == 1


def test_a_crashed_run_is_no_baseline(tmp_path: Path) -> None:
    from rocmlint.verify.dtype.judge import _write_baseline  # noqa: PLC0415

    answer = ask(lambda: (Wrapped(lambda _, x: x.missing), (floats(),)))
    with pytest.raises(ConfigError, match="not written"):
        _write_baseline(str(tmp_path / "healthy.json"), answer)
    assert not list(tmp_path.iterdir())
