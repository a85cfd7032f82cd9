"""The laws of suppression, on every fixture: what is ignored with a reason stays ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.change.add_ignore import ignore_bytes
from rocmlint.change.fix import fix_bytes
from rocmlint.findings import UNREADABLE_FILE, Finding
from tests.support.fixtures import fixtures, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocmlint.testing.code import Fixture

REASON = "known: broken on AMD (gfx90a), not supported yet, see https://example.org/issues/12"
"""Words that rules take for the reason of the code itself."""
each_bad_file = pytest.mark.parametrize("fixture", fixtures("bad"), ids=named)


def lint_as(fixture: Fixture) -> Callable[[bytes], list[Finding]]:
    path = str(fixture.copy)
    return lambda data: list(fixture.linter.lint(path, data, folds=False).findings)


@each_bad_file
def test_a_run_is_clean_after_add_ignore_and_stays_clean_after_fix(
    fixture: Fixture,
) -> None:
    copy, lint = fixture.copy, lint_as(fixture)
    data = copy.read_bytes()
    if any(each.code == UNREADABLE_FILE for each in lint(data)):
        pytest.skip("what cannot be parsed gets no comment")
    ignored = ignore_bytes(str(copy), data, lint, REASON).after
    assert lint(ignored) == []
    fixed = fix_bytes(str(copy), ignored, lint, unsafe=True).after
    assert fixed == ignored


@each_bad_file
def test_no_safe_fix_deletes_the_words_of_a_person(fixture: Fixture) -> None:
    copy, lint = fixture.copy, lint_as(fixture)
    lines = copy.read_bytes().split(b"\n")
    words = b"# rocmlint: ignore[ROC501] words of a person"
    last = max((each.line for each in lint(copy.read_bytes())), default=1)
    if copy.suffix != ".py":
        pytest.skip("a line of its own may be no comment there")
    text = b"\n".join([*lines[:last], words, *lines[last:]])
    assert b"words of a person" in fix_bytes(str(copy), text, lint, unsafe=False).after
