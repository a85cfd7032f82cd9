"""Whatever changes between two runs: with the cache the findings are those of a run without it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocmlint.config.settings import Settings
from rocmlint.lint import workers
from rocmlint.lint.run import Options, Outcome, run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

USES = """\
def helper():
    from transformers.generation.beam_search import BeamSearchScorer

    return BeamSearchScorer
"""
PROGRAM = "import job\n\nif __name__ == '__main__':\n    job.{}()\n"
MODULES = (
    *(USES, f"{USES}# changed\n", PROGRAM.format("helper"), PROGRAM.format("main"), "# helper()\n"),
    "from .job import helper\n\n__all__ = ['helper']\n",
    "import transformers\n\ntransformers.generation.beam_search = None\n",
    "import runpy\n",
)
PINS = ("transformers==5.2.0\n", "transformers==5.2.0 # pinned\n", "transformers==4.50.0\n", "")
PROSE = ("", "Call `helper`.\n", "This project is no longer maintained.\n", "Run old/job.py.\n")
IMAGES = (
    "FROM rocm/pytorch:rocm6.4_ubuntu24.04_py3.12\nCOPY run.sh .\nRUN pip install torch==2.6\n",
    "FROM nvidia/cuda:12.4.1-base\nCOPY run.sh .\n",
    "FROM python:3.8\n",
)
TEXTS = {
    **dict.fromkeys(("job.py", "main.py", "old/job.py", "pkg/__init__.py", "pkg/job.py"), MODULES),
    **dict.fromkeys(("requirements.txt", "old/requirements.txt", "requirements/gpu.txt"), PINS),
    **dict.fromkeys(("README.md", "old/README.md", "docs/use.md", "x.tmp"), PROSE),
    "run.sh": ("python old/job.py\n", "pip install transformers==4.50\n", "echo helper\n"),
    "setup.py": ("from setuptools import setup\nsetup(name='pkg')\n", ""),
    **dict.fromkeys(("Dockerfile", "docker/Dockerfile"), IMAGES),
    "pyproject.toml": ("[project]\nname = 'pkg'\ndependencies = ['transformers==4.50']\n", ""),
    **dict.fromkeys(("LICENSE", "old/LICENSE"), ("MIT License\n(c) A\n", "Apache\n(c) B\n")),
}
"""What may stand in the files of a project, by their paths."""
FIRST = {"job.py": USES, "main.py": PROGRAM.format("helper"), "requirements.txt": PINS[0]}


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
    config = Settings(root=str(root), preview=True, select=("ROC2",))
    options = Options(jobs=1, cache_dir=None if cache is None else str(cache))
    return run([str(root)], lambda _: config, options)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    before=st.lists(WRITE, max_size=4),
    rounds=st.lists(st.lists(WRITE | MOVE, min_size=1, max_size=2), min_size=2, max_size=5),
)
def test_a_run_with_a_cache_finds_what_one_without_it_does(
    tmp_path_factory: pytest.TempPathFactory,
    before: Sequence[Step],
    rounds: Sequence[Sequence[Step]],
) -> None:
    root, cache = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("cache")
    os.mkdir(root / ".git")
    first = [Step(path, text) for path, text in FIRST.items()]
    for steps in ([*first, *before], *rounds):
        for step in steps:
            change(root, step)
        assert lint(root, cache).findings == lint(root, None).findings, steps


@pytest.mark.parametrize(
    "step",
    [Step("main.py", MODULES[6]), Step("README.md", PROSE[2])],
    ids=["a search", "a question"],
)
def test_another_answer_is_noticed_and_the_same_is_not_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: Step
) -> None:
    root, cache = tmp_path / "project", tmp_path / "cache"
    (root / ".git").mkdir(parents=True)
    for path, text in FIRST.items():
        change(root, Step(path, text))
    assert lint(root, cache).findings != []
    change(root, step)
    assert lint(root, cache).findings == []
    change(root, Step("notes.tmp", "helper"))
    monkeypatch.setattr(workers, "lint_files", lambda *_, **__: pytest.fail("linted again"))
    lint(root, cache)
