"""The laws of suppression, on every fixture: what is ignored with a reason stays ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.change.add_ignore import ignore_bytes
from rocmlint.change.fix import fix_bytes
from rocmlint.findings import UNREADABLE_FILE, Finding
from tests.rules.test_fixtures import files, linter_of, project_path, projects

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["projects"]

REASON = "known: broken on AMD (gfx90a), not supported yet, see https://example.org/issues/12"
"""Words that rules take for the reason of the code itself."""
each_bad_file = pytest.mark.parametrize("path", files("bad"), ids=lambda path: str(path.name))


def lint_as(path: Path) -> Callable[[bytes], list[Finding]]:
    return lambda data: list(linter_of(path).lint(str(path), data, folds=False).findings)


@each_bad_file
def test_a_run_is_clean_after_add_ignore_and_stays_clean_after_fix(
    path: Path, projects: Path
) -> None:
    copy = projects / project_path(path)
    lint = lint_as(copy)
    data = copy.read_bytes()
    if any(each.code == UNREADABLE_FILE for each in lint(data)):
        pytest.skip("what cannot be parsed gets no comment")
    ignored = ignore_bytes(str(copy), data, lint, REASON).after
    assert lint(ignored) == []
    fixed = fix_bytes(str(copy), ignored, lint, unsafe=True).after
    assert fixed == ignored


@each_bad_file
def test_no_safe_fix_deletes_the_words_of_a_person(path: Path, projects: Path) -> None:
    copy = projects / project_path(path)
    lint = lint_as(copy)
    lines = copy.read_bytes().split(b"\n")
    words = b"# rocmlint: ignore[ROC501] words of a person"
    last = max((each.line for each in lint(copy.read_bytes())), default=1)
    if path.suffix != ".py":
        pytest.skip("a line of its own may be no comment there")
    text = b"\n".join([*lines[:last], words, *lines[last:]])
    assert b"words of a person" in fix_bytes(str(copy), text, lint, unsafe=False).after
