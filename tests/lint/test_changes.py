"""Whatever changes between two runs: with the cache the findings are those of a run without it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocmlint.config.settings import Settings
from rocmlint.lint.run import Options, Outcome, run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.slow

GONE = "from transformers.generation.beam_search import BeamSearchScorer\n"
STEP = """\
import torch
from PIL import ImageOps


def prepare(image):
    ImageOps.exif_transpose(image)
    return torch.load(image)
"""
PROGRAM = "from load import prepare\n\nif __name__ == '__main__':\n    prepare(None)\n"
MODULES = (
    *("", "import torch\n", GONE, STEP, PROGRAM, f"# prepare\n{STEP}", f"{STEP}\n# changed\n"),
    "def prepare(image):\n    return image\n",
    "import load\nimport transformers\n\ntransformers.generation.beam_search = load.prepare\n",
    "import runpy\nfrom torch.serialization import safe_globals\n",
    "from .load import prepare\n\n__all__ = ['prepare']\n",
)
TEXTS = {
    **dict.fromkeys(("load.py", "train.py", "old/load.py", "pkg/__init__.py"), MODULES),
    **dict.fromkeys(("pkg/load.py", "tests/test_load.py", "tools/deep/use.py"), MODULES),
    **dict.fromkeys(
        ("requirements.txt", "old/requirements.txt", "requirements/gpu.txt"),
        ("", "torch==2.5.1\n", "torch>=2.6\n", "transformers==5.2.0\n", "transformers==4.50.0\n"),
    ),
    **dict.fromkeys(
        ("README.md", "old/README.md", "docs/use.md"),
        ("", "pip install transformers==4.40.0\n", "This project is no longer maintained.\n")
        + ("Run `python load.py`, which calls prepare.\n", "Needs ROCm 6.2 on gfx90a.\n"),
    ),
    **dict.fromkeys(("Dockerfile", "docker/Dockerfile"), ("FROM rocm/pytorch:latest\n", "\n")),
    "run.sh": ("python old/load.py\n", "pip install torch==2.4\n", "echo prepare\n"),
    "setup.py": ("from setuptools import setup\nsetup(name='pkg')\n", ""),
    "LICENSE": ("MIT License\nCopyright (c) 2024 Somebody\n", ""),
    "old/LICENSE": ("Apache License\nCopyright 2023 Others\n", ""),
    **dict.fromkeys(("x.tmp", "pkg/x.so", "configs/a.yaml"), ("a", "prepare: load.py\n")),
}
"""What may stand in the files of a project, by their paths."""


class Step(NamedTuple):
    """A change: the text that a file gets, or the path that it gets instead; "" takes it away."""

    path: str
    text: str | None = None
    moved: str | None = None


WRITE = st.sampled_from([Step(path, text) for path, texts in TEXTS.items() for text in texts])
MOVE = st.builds(Step, st.sampled_from([*TEXTS]), moved=st.sampled_from(["", "", *TEXTS]))


def change(root: Path, step: Step) -> None:
    path = root / step.path
    if step.text is not None:
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(step.text)
    elif not path.exists():
        return
    elif step.moved:
        (root / step.moved).parent.mkdir(exist_ok=True, parents=True)
        path.replace(root / step.moved)
    else:
        path.unlink()


def lint(root: Path, cache: Path | None) -> Outcome:
    config = Settings(root=str(root), preview=True)
    options = Options(jobs=1, cache_dir=None if cache is None else str(cache))
    return run([str(root)], lambda _: config, options)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    before=st.lists(WRITE, min_size=8, max_size=16),
    rounds=st.lists(st.lists(WRITE | MOVE, min_size=1, max_size=3), min_size=1, max_size=4),
    is_repository=st.booleans(),
)
def test_a_run_with_a_cache_finds_what_one_without_it_does(
    tmp_path_factory: pytest.TempPathFactory,
    before: Sequence[Step],
    rounds: Sequence[Sequence[Step]],
    is_repository: bool,
) -> None:
    root, cache = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("cache")
    if is_repository:
        os.mkdir(root / ".git")
    for steps in (before, *rounds):
        for step in steps:
            change(root, step)
        assert lint(root, cache).findings == lint(root, None).findings, steps
        assert lint(root, cache).findings == lint(root, None).findings, "and once more"
