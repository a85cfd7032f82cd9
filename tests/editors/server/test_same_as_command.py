"""Whatever the command finds in the fixtures of the rules, an editor shows, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rocmlint
from tests.rules.test_fixtures import FIXTURES, PROFILES, files, project_path, projects
from tests.support.editor import Editor

if TYPE_CHECKING:
    from pathlib import Path

    Shown = list[tuple[str, str, int, int]]

pytest.importorskip("pygls")
__all__ = ["projects"]  # a fixture


CHARACTERS = {"general": {"positionEncodings": ["utf-32"]}}


def by_profile(profile: str | None) -> list[Path]:
    """Return the fixtures with findings of the rules that a profile turns on."""
    family = {path: path.relative_to(FIXTURES).parts[0] for path in files("bad")}
    return [path for path in family if PROFILES.get(family[path]) == profile]


@pytest.mark.parametrize("profile", [None, *sorted({*PROFILES.values()})])
def test_an_editor_shows_what_the_command_finds(projects: Path, profile: str | None) -> None:
    options: dict[str, object] = {"preview": True}
    options |= {} if profile is None else {"profile": profile}
    flags = ["--preview", *([] if profile is None else [f"--profile={profile}"])]
    editor = Editor(projects, *flags, capabilities=CHARACTERS)
    found = {}
    for path in by_profile(profile):
        name = project_path(path).as_posix()
        editor.open(name, (projects / name).read_text())
        shown: Shown = [
            (each["code"], each["message"], *each["range"]["start"].values())
            for each in editor.diagnostics(name)
        ]
        found[name] = shown
        assert shown == command(projects / name, options), name
    assert len([name for name, shown in found.items() if shown]) > 10
    assert editor.close() == 0
    assert editor.logged == []


def command(path: Path, options: dict[str, object]) -> Shown:
    """Return what the command finds in a file."""
    return [
        (
            each.code,
            "\n".join(filter(None, (each.message, each.help))),
            each.file_line - 1,
            each.column - 1 if each.cell is None else 0,
        )
        for each in rocmlint.lint_paths([path], options=options, jobs=1)
    ]
