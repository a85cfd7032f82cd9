"""Boxes that a project has beside images say whether a call of `exif_transpose` is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.project import Project

LOAD = """\
from PIL import Image, ImageOps


def load(path):
    return ImageOps.exif_transpose(Image.open(path))


"""
DISCARDED = """\
from PIL import Image, ImageOps


def crops(path, boxes):
    photo = Image.open(path)
    ImageOps.exif_transpose(photo)
    return [photo.crop(box) for box in boxes]
"""


def test_boxes_beside_a_prompt_are_for_the_image_that_the_user_sees(project: Project) -> None:
    project.write(
        "paint.py", f"{LOAD}def paint(path, prompt, boxes):\n    return load(path), boxes\n"
    )
    project.write("crop.py", f"{LOAD}def crop(path, boxes):\n    return load(path), boxes\n")
    assert project.findings() == [("crop.py", "ROC601")]


def test_the_fix_of_a_thrown_away_result_makes_no_finding(project: Project) -> None:
    project.write("sample.py", DISCARDED)
    project.run("--fix", "--unsafe-fixes")
    assert project.findings() == []
    assert "exif_transpose" not in project.read("sample.py")
