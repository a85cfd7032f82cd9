"""The functions that a program calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rocmlint

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
from PIL import Image, ImageOps


def load(path):
    image = Image.open(path)
    ImageOps.exif_transpose(image)
    return image
"""


def test_paths_are_linted_with_the_nearest_configuration(tmp_path: Path) -> None:
    for name in ("a.py", "inner/b.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SOURCE)
    (tmp_path / "inner" / "rocmlint.toml").write_text("ignore = ['ROC602']\n")
    found = rocmlint.lint_paths([tmp_path])
    assert [(each.path, each.line, each.code) for each in found] == [
        (str(tmp_path / "a.py"), 6, "ROC602")
    ]
    assert len(rocmlint.lint_paths([tmp_path], isolated=True)) == 2


def test_options_are_laid_over_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    assert rocmlint.lint_paths([tmp_path], options={"ignore": ["ROC602"]}) == []


def test_a_configuration_file_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    other = tmp_path / "other.toml"
    other.write_text("ignore = ['ROC602']\n")
    assert rocmlint.lint_paths([tmp_path], config=other) == []


def test_what_is_wrong_is_raised(tmp_path: Path) -> None:
    with pytest.raises(rocmlint.RocmlintError, match="no such file"):
        rocmlint.lint_paths([tmp_path / "gone.py"])
    with pytest.raises(rocmlint.RocmlintError, match="unknown key 'selct'"):
        rocmlint.lint_source("", options={"selct": []})
    with pytest.raises(rocmlint.RocmlintError, match="unknown rule 'ROC777'"):
        rocmlint.lint_source("", options={"select": ["ROC777"]})


@pytest.mark.parametrize(
    "source",
    [SOURCE, SOURCE.replace("\n", "\r\n"), "\ufeff" + SOURCE, SOURCE.encode()],
    ids=["text", "crlf", "bom", "bytes"],
)
def test_a_source_is_linted_without_a_file(source: str | bytes) -> None:
    assert [(each.line, each.code) for each in rocmlint.lint_source(source)] == [(6, "ROC602")]


def test_text_is_text_whatever_encoding_it_declares() -> None:
    source = SOURCE.replace("from", "# coding: latin-1\nfrom", 1).replace("image", "bild_ä")
    (finding,) = rocmlint.lint_source(source)
    assert finding.end_column - finding.column == len("ImageOps.exif_transpose(bild_ä)")


def test_the_path_of_a_source_decides_its_settings(tmp_path: Path) -> None:
    (tmp_path / "rocmlint.toml").write_text("per-file-ignores = {'old/' = ['ROC602']}\n")
    assert rocmlint.lint_source(SOURCE, tmp_path / "new" / "a.py")
    assert not rocmlint.lint_source(SOURCE, tmp_path / "old" / "a.py")


@pytest.mark.parametrize("source", ["import PIL as (\n", b"# coding: none\n" + SOURCE.encode()])
def test_a_source_that_cannot_be_read_is_a_finding(source: str | bytes) -> None:
    assert [each.code for each in rocmlint.lint_source(source)] == ["ROC900"]
