"""``fixable`` and ``unfixable``: whose fixes are offered and applied."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.scripts import CLEAN, SAFE

if TYPE_CHECKING:
    from tests.support.project import Project

NOTEBOOK = json.dumps(
    {
        "cells": [{"cell_type": "code", "metadata": {}, "source": [SAFE], "outputs": []}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
)


@pytest.mark.parametrize(
    ("flags", "is_fixed"),
    [
        ([], True),
        (["--unfixable", "ROC9"], False),
        (["--unfixable", "unused-suppression"], False),
        (["--unfixable", "ALL"], False),
        (["--unfixable", "ROC9", "--fixable", "ROC901"], True),
        (["--unfixable", "ROC9", "--extend-fixable", "ROC901"], True),
        (["--unfixable", "ROC901", "--fixable", "ROC901"], False),
        (["--fixable", "ROC6"], False),
        (["--fixable", "ROC6", "--extend-fixable", "ROC9"], True),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_more_specific_selector_decides(
    project: Project, flags: list[str], *, is_fixed: bool
) -> None:
    project.write("a.py", SAFE)
    assert project.code("--fix", *flags) == int(not is_fixed)
    assert project.read("a.py") == (CLEAN if is_fixed else SAFE)


def test_a_fix_that_is_not_wanted_is_not_offered_either(project: Project) -> None:
    project.write("a.py", SAFE)
    project.write("b.ipynb", NOTEBOOK)
    project.write("rocmlint.toml", "unfixable = ['ROC9']\n")
    for _ in range(2):  # once from the cache
        ended = project.run()
        assert ended.returncode == 1
        assert "2 warnings" in ended.stderr
        assert "--fix" not in ended.stdout + ended.stderr
    assert "2 can be fixed with --fix" in project.run("--isolated").stderr
