"""What every rule says of its fixtures: a short message that names the fault, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.rules.test_fixtures import files, lint_copy, project_path, projects

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.findings import Finding

__all__ = ["projects"]

LONGEST_MESSAGE = 100
SENTENCE_END = re.compile(r"[.!?](?=\s+[A-Z`]|$)")
BAD = files("bad")


def found(projects: Path, path: Path) -> list[Finding]:
    return lint_copy(projects / project_path(path))


each_bad_file = pytest.mark.parametrize("path", BAD, ids=lambda path: str(project_path(path)))


@each_bad_file
def test_a_message_is_one_short_sentence_without_a_full_stop(path: Path, projects: Path) -> None:
    for finding in found(projects, path):
        assert len(finding.message) <= LONGEST_MESSAGE, finding.message
        assert not finding.message.endswith("."), finding.message
        assert not SENTENCE_END.search(finding.message.rstrip(".")), finding.message
        assert finding.message.isprintable(), finding.message


@each_bad_file
def test_help_says_what_to_do_in_at_most_two_sentences(path: Path, projects: Path) -> None:
    for finding in found(projects, path):
        assert finding.help, finding.message
        assert finding.help.endswith("."), finding.help
        assert len(SENTENCE_END.findall(finding.help)) <= 2, finding.help
        assert finding.help.isprintable(), finding.help
