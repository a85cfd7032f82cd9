"""Whose settings hold, and what is linted again when they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.acme import RULE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.editors.server.conftest import Start
    from tests.support.editor import Editor

pytest.importorskip("pygls")
INSTALLS = "import os\n\nos.system('pip install vllm')\n"
TURNED = """\
from PIL import Image, ImageOps

image = Image.open("a.png")
ImageOps.exif_transpose(image)
image.save("b.png")
"""
WATCHES = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
ASKED = {"workspace": {"configuration": True}}


def changed(editor: Editor, name: str) -> None:
    """Tell that a file has changed on disk."""
    params = {"changes": [{"uri": editor.uri(name), "type": 2}]}
    editor.notify("workspace/didChangeWatchedFiles", params)


def test_opening_a_folder_runs_nothing_of_it(project: Path, start: Start) -> None:
    (project / "own" / "no_vllm.py").write_text("open('ran', 'w')\n" + RULE)
    editor = start("--stdio")
    editor.open("a.py", INSTALLS + TURNED)
    assert editor.codes("a.py") == []  # its own rules alone are selected
    assert not (project / "ran").exists()
    (told,) = editor.logged
    assert told.startswith(f"{project / 'own'}: local rules are not loaded")


def test_an_option_that_is_not_valid_is_told(start: Start) -> None:
    editor = start(options={"preview": "yes"})
    editor.open("a.py", INSTALLS)
    assert editor.codes("a.py") == []
    assert any("preview must be true or false, not 'yes'" in each for each in editor.logged)


def test_the_user_may_trust_a_folder_at_the_start(start: Start) -> None:
    editor = start("--stdio", options={"localRules": True})
    editor.open("a.py", INSTALLS)
    assert editor.codes("a.py") == ["ACME001"]


def test_an_answer_of_the_editor_can_only_take_trust_away(start: Start) -> None:
    editor = start("--stdio", capabilities=ASKED, settings={"localRules": True, "preview": True})
    editor.open("a.py", INSTALLS)
    assert editor.codes("a.py") == []
    editor = start(capabilities=ASKED, settings={"localRules": False})
    editor.open("a.py", INSTALLS)
    editor.wait_for_codes("a.py")


def test_the_nearest_configuration_counts(project: Path, start: Start) -> None:
    (project / "inner").mkdir()
    (project / "inner" / "rocmlint.toml").write_text('select = ["ROC6"]\n')
    editor = start()
    editor.open("inner/a.py", TURNED + INSTALLS)
    editor.open("a.py", TURNED + INSTALLS)
    assert editor.codes("inner/a.py") == ["ROC602"]
    assert editor.codes("a.py") == ["ACME001"]


@pytest.mark.parametrize("way", ["save", "watch"])
def test_a_changed_configuration_counts_at_once(project: Path, start: Start, way: str) -> None:
    editor = start(capabilities=WATCHES)
    editor.wait(lambda: editor.registered)
    editor.open("a.py", TURNED + INSTALLS)
    assert editor.codes("a.py") == ["ACME001"]
    (project / "rocmlint.toml").write_text('select = ["ROC6"]\n')
    changed(editor, "rocmlint.toml") if way == "watch" else editor.save("rocmlint.toml")
    editor.wait_for_codes("a.py", "ROC602")


def test_a_changed_local_rule_counts_at_once(project: Path, start: Start) -> None:
    editor = start()
    editor.open("a.py", INSTALLS)
    assert editor.codes("a.py") == ["ACME001"]
    # Python itself does not see a change of the same size within a second.
    (project / "own" / "no_vllm.py").write_text(f"{RULE.replace('ACME001', 'ACME002')}# changed")
    editor.save("own/no_vllm.py")
    editor.wait_for_codes("a.py", "ACME002")


def test_a_wrong_configuration_is_told_once_until_it_is_right(project: Path, start: Start) -> None:
    (project / "rocmlint.toml").write_text('selct = ["ROC6"]\n')
    editor = start("--stdio")
    editor.open("a.py", TURNED)
    assert editor.codes("a.py") == []
    editor.change("a.py", {"text": TURNED + "\n"})
    assert editor.codes("a.py") == []
    (told,) = editor.logged
    assert told.endswith("rocmlint.toml:1: unknown key 'selct'; did you mean 'select'?")
    (project / "rocmlint.toml").write_text('select = ["ROC6"]\n')
    editor.save("rocmlint.toml")
    editor.wait_for_codes("a.py", "ROC602")


def test_options_of_the_command_and_of_the_editor_are_laid_over_files(start: Start) -> None:
    editor = start("--select=ROC6")
    editor.open("a.py", TURNED + INSTALLS)
    assert editor.codes("a.py") == ["ROC602"]
    editor = start(options={"settings": {"select": ["ROC6"], "traceServer": "off"}})
    editor.open("a.py", TURNED + INSTALLS)
    assert editor.codes("a.py") == ["ROC602"]
    editor = start(options={"isolated": True})
    editor.open("a.py", TURNED + INSTALLS)
    assert editor.codes("a.py") == ["ROC602"]


def test_settings_that_change_later_count_at_once(start: Start) -> None:
    editor = start(capabilities=ASKED, settings={"enable": True})
    editor.open("a.py", TURNED + INSTALLS)
    editor.wait_for_codes("a.py", "ACME001")
    for settings, codes in (({"select": ["ROC6"]}, ["ROC602"]), ({"enable": False}, [])):
        editor.settings = settings
        editor.notify("workspace/didChangeConfiguration", {"settings": None})
        editor.wait_for_codes("a.py", *codes)


def test_settings_may_come_without_being_asked_for(start: Start) -> None:
    editor = start()
    editor.open("a.py", TURNED + INSTALLS)
    assert editor.codes("a.py") == ["ACME001"]
    sent = {"settings": {"rocmlint": {"select": ["ROC6"]}}}
    editor.notify("workspace/didChangeConfiguration", sent)
    editor.wait_for_codes("a.py", "ROC602")


def test_the_first_load_is_shown(start: Start) -> None:
    editor = start(capabilities={"window": {"workDoneProgress": True}})
    editor.wait(lambda: len(editor.progress) == 2)
    assert [each["kind"] for each in editor.progress] == ["begin", "end"]
