"""Jobs of workflows that run for one owner only, and the owner of the checkout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repositories import Repository

WORKFLOW = """\
jobs:
  gpu:
    if: github.repository_owner == 'pytorch'
    steps:
      - run: pip install {}
"""
PATH = ".github/workflows/gpu.yaml"


def config(folder: Path, url: str) -> None:
    (folder / "config").write_text(
        f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n\tfetch = +refs\n'
    )


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://github.com/pytorch/torchtune.git", ["ROC208"]),
        ("git@github.com:PyTorch/torchtune", ["ROC208"]),
        ("https://github.com/someone/torchtune.git", []),
    ],
)
def test_the_remote_tells_whether_the_job_runs_here(
    repository: Repository, url: str, found: list[str]
) -> None:
    config(repository.root / ".git", url)
    assert repository.codes(PATH, WORKFLOW.format("lm-eval>=0.4,<0.5")) == found


@pytest.mark.parametrize(
    ("written", "found"),
    [("lm-eval>=0.4.5", []), ("lm-eval<0.5", ["ROC208"]), ("lm-eval>=0.4,<0.5", ["ROC208"])],
)
def test_where_the_owner_is_unknown_only_what_costs_something_is_reported(
    repository: Repository, written: str, found: list[str]
) -> None:
    assert repository.codes(PATH, WORKFLOW.format(written)) == found


def test_a_worktree_has_the_remote_of_its_main_tree(repository: Repository, tmp_path: Path) -> None:
    main = tmp_path / "main" / ".git"
    (main / "worktrees" / "one").mkdir(parents=True)
    config(main, "https://github.com/pytorch/torchtune")
    (repository.root / ".git").rmdir()
    (repository.root / ".git").write_text(f"gitdir: {main}/worktrees/one\n")
    assert repository.codes(PATH, WORKFLOW.format("lm-eval<0.5")) == ["ROC208"]


@pytest.mark.parametrize(
    ("needs", "condition", "found"),
    [
        ("gpu", "", []),
        ("[build, gpu]", "", []),
        ("later", "", []),
        ("gpu", "always()", ["ROC208"]),
        ("gpu", "${{ !cancelled() }}", ["ROC208"]),
        ("gpu", "github.event_name == 'push'", []),
        ("build", "", ["ROC208"]),
        ("itself", "", ["ROC208"]),
    ],
)
def test_a_job_that_needs_one_for_another_owner_does_not_run_either(
    repository: Repository, needs: str, condition: str, found: list[str]
) -> None:
    config(repository.root / ".git", "https://github.com/someone/torchtune")
    jobs = f"""\
  later:
    needs: gpu
    steps: []
  build:
    steps: []
  itself:
    needs: {needs}
    if: {condition}
    steps:
      - run: pip install "wheel" lm-eval<0.5
"""
    assert repository.codes(PATH, WORKFLOW.format("peft") + jobs) == found


def test_a_command_in_a_container_of_a_step_is_reported(repository: Repository) -> None:
    step = 'docker exec build bash -c "pip install ninja>=1.11.1"'
    assert repository.codes(PATH, f"jobs:\n  test:\n    steps:\n      - run: {step}\n") == [
        "ROC208"
    ]


@pytest.mark.parametrize(
    ("written", "container", "found"),
    [
        ("lm-eval<0.5", "", ["ROC208"]),
        ("lm-eval>=0.4.5", "", []),
        ("lm-eval>=0.4.5", "rocm/pytorch:latest", ["ROC208"]),
        ("lm-eval>=0.4.5", "python:3.12-slim", []),
        ("lm-eval<0.5", "python:3.12-slim", ["ROC208"]),
    ],
)
def test_a_machine_that_starts_empty_gets_the_newest_release(
    repository: Repository, written: str, container: str, found: list[str]
) -> None:
    text = WORKFLOW.format(written).replace("if: github.repository_owner == 'pytorch'", "{}")
    assert repository.codes(PATH, text.format(f"container: {container}")) == found
