"""What a path says of a file: a test, a benchmark, an example, or of the docs."""

from __future__ import annotations

import pytest

from rocmlint.source.kinds import kinds


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("tests/Dockerfile", "test"),
        ("Dockerfile.test", "test"),
        ("requirements-test.txt", "test"),
        ("test-requirements.txt", None),
        ("requirements/tests.txt", None),
        ("scripts/run_tests.sh", "test"),
        ("test_model.ipynb", "test"),
        ("attest.sh", None),
        ("test.sh", None),
        ("contest.ipynb", None),
        (".github/workflows/test.yml", None),
        ("core/optimizer_smoke.py", "test"),
        ("smoke_train.sh", "test"),
        ("bench-attention.ipynb", "benchmark"),
        ("run_benchmark.sh", "benchmark"),
        ("workbench.sh", None),
        ("examples/serve.ipynb", "example"),
        ("docs/requirements.txt", "docs"),
    ],
)
def test_paths_say_what_kind_of_file_it_is(path: str, kind: str | None) -> None:
    known = kinds(path) & {"test", "benchmark", "example", "docs"}
    assert known == ({kind} if kind else set())


@pytest.mark.parametrize(
    "folder",
    ["Archive", "legacy", "_old", "old_code", "unused", "src/trash", "v1/failed-attempt"],
)
def test_a_folder_of_what_nobody_runs_is_an_archive(folder: str) -> None:
    assert "archive" in kinds(f"{folder}/train.py")


@pytest.mark.parametrize("path", ["golden/train.py", "old_models/train.py", "train_old.py"])
def test_what_is_only_called_like_that_is_no_archive(path: str) -> None:
    assert "archive" not in kinds(path)
