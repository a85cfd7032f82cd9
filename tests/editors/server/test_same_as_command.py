"""Whatever the command finds in the fixtures of the rules, an editor shows, and no more."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rocmlint
from tests.support.editor import Editor
from tests.support.fixtures import BUILT_IN, fixtures

pytest.importorskip("pygls")
Shown = list[tuple[str, str, int, int]]
CHARACTERS = {"general": {"positionEncodings": ["utf-32"]}}
PROFILES = sorted({each.profile for each in BUILT_IN.rules})


@pytest.mark.parametrize("profile", PROFILES)
def test_an_editor_shows_what_the_command_finds(profile: str) -> None:
    copies = [each.copy for each in fixtures("bad") if each.rule.profile == profile]
    top = Path(os.path.commonpath(copies))
    options: dict[str, object] = {"preview": True}
    options |= {"profile": profile} if profile else {}
    flags = ["--preview", *([f"--profile={profile}"] if profile else [])]
    editor = Editor(top, *flags, capabilities=CHARACTERS)
    found = {}
    for copy in copies:
        name = copy.relative_to(top).as_posix()
        editor.open(name, copy.read_text())
        shown: Shown = [
            (each["code"], each["message"], *each["range"]["start"].values())
            for each in editor.diagnostics(name)
        ]
        found[name] = shown
        assert shown == command(copy, options), name
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
