"""What is judged where two lists of a project allow versions that differ in what they have."""

from __future__ import annotations

import pytest

from rocmlint.api import lint_paths
from tests.support.repositories import GONE, write

pytestmark = pytest.mark.usefixtures("in_repository")

CALL = (
    "from transformers import TrainingArguments\n"
    "arguments = TrainingArguments('out', evaluation_strategy='no')\n"
)


def found(*paths: str) -> list[tuple[str, str, str]]:
    findings = lint_paths(paths or ["."], options={"select": ["ROC204", "ROC205"]})
    return [(each.path, each.code, each.severity) for each in findings]


@pytest.mark.parametrize("pin", ["4.30.0", "4.48.1"])
def test_what_no_release_has_had_for_long_is_reported_beside_a_list_for_one_purpose(
    pin: str,
) -> None:
    write("requirements.txt", "transformers\n")
    write("requirements-chapter7.txt", f"transformers=={pin}\n")
    write("job.py", GONE)
    (finding,) = lint_paths(["job.py"], options={"select": ["ROC204"]})
    assert finding.severity == "warning"
    assert f"requirements-chapter7.txt allows {pin}" in finding.help


def test_what_two_lists_for_every_purpose_disagree_on_is_a_note_once_a_project() -> None:
    write("requirements.txt", "transformers==4.48.1\n")
    write("environment.yml", "dependencies:\n  - pip:\n      - transformers==5.10.1\n")
    for name in "abc":
        write(f"{name}.py", GONE + CALL)
    assert found() == [("a.py", "ROC204", "note")]
    (note,) = lint_paths(["."], options={"select": ["ROC204", "ROC205"]})
    assert "environment.yml and requirements.txt disagree on transformers" in note.message
    assert "the same holds for 5 more places, 4 of them in 2 other files" in note.help


def test_what_the_lists_agree_on_is_judged_as_ever() -> None:
    write("requirements.txt", "transformers==5.12.0\n")
    write("environment.yml", "dependencies:\n  - pip:\n      - transformers==5.10.1\n")
    write("job.py", GONE)
    assert found() == [("job.py", "ROC204", "error")]


def test_extras_of_one_project_are_no_disagreement() -> None:
    write(
        "pyproject.toml",
        '[project]\nname = "a"\nversion = "1"\n[project.optional-dependencies]\n'
        'old = ["transformers==4.48.1"]\nnew = ["transformers==5.10.1"]\n',
    )
    write("job.py", GONE)
    assert found() == []
