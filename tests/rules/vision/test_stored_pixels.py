"""What a project has to do with stored pixels is found in its other files, and may change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

SAMPLE = """\
from PIL import Image, ImageOps


class Sample:
    def __init__(self, path):
        self.photo = ImageOps.exif_transpose(Image.open(path))
"""
DETECT = """\
from PIL import Image


def find_boxes(model, path):
    return [bbox for bbox in model(Image.open(path))]
"""
BUCKET = """\
from sample import Sample


def bucket(path, found):
    return Sample(path).photo, found["bbox"]
"""


@pytest.fixture
def photos(project: Project) -> Project:
    project.write(".git/HEAD", "")
    project.write("sample.py", SAMPLE)
    project.write("data/detect.py", DETECT)
    project.write("data/bucket.py", BUCKET)
    return project


def test_the_finding_names_the_place_that_opens_images_as_they_are_stored(photos: Project) -> None:
    (found,) = json.loads(photos.run("--output-format", "json").stdout)["findings"]
    assert (found["path"], found["line"], found["code"]) == ("sample.py", 6, "ROC601")
    assert "data/detect.py:5" in found["help"]


@pytest.mark.parametrize(
    ("folder", "expected"), [("models/sam", []), ("models/flux", ["ROC601"]), ("data", ["ROC601"])]
)
def test_boxes_of_another_model_say_nothing(
    folder: str, expected: list[str], project: Project
) -> None:
    project.write(".git/HEAD", "")
    project.write("sample.py", SAMPLE)
    project.write(f"{folder}/detect.py", DETECT)
    project.write("models/flux/bucket.py", BUCKET)
    assert [each[1] for each in project.findings()] == expected


def test_boxes_beside_a_prompt_are_for_the_image_that_the_user_sees(project: Project) -> None:
    project.write(".git/HEAD", "")
    load = "from PIL import Image, ImageOps\n\n\ndef load(path):\n"
    load += "    return ImageOps.exif_transpose(Image.open(path))\n\n\n"
    project.write(
        "paint.py", f"{load}def paint(path, prompt, boxes):\n    return load(path), boxes\n"
    )
    project.write("crop.py", f"{load}def crop(path, boxes):\n    return load(path), boxes\n")
    assert project.findings() == [("crop.py", "ROC601")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data/detect.py", DETECT.replace("bbox", "word").replace("boxes", "words")),
        ("data/detect.py", DETECT.replace("Image.open(path)", "Image.open(mask_path)")),
        ("data/detect.py", DETECT + "\n\ndef turned(photo):\n    return photo.getexif()\n"),
        ("data/bucket.py", BUCKET.replace("bbox", "caption")),
        ("data/bucket.py", BUCKET.replace("Sample(path)", "Other(path)")),
        ("data/bucket.py", BUCKET.replace("from sample import", "from other import")),
        ("data/bucket.py", BUCKET.replace("Sample(path)", "found.Sample(path)")),
    ],
    ids=[
        *("no boxes", "masks", "orientation", "no boxes beside", "not turned"),
        *("another one", "a method"),
    ],
)
def test_without_boxes_on_stored_pixels_beside_turned_images_it_is_silent(
    photos: Project, name: str, text: str
) -> None:
    photos.write(name, text)
    assert photos.findings() == []


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("import sample", "sample.Sample(path)"),
        ("import sample as one", "one.Sample(path)"),
        ("from sample import Sample as Photo", "Photo(path)"),
        ("from .. import sample", "sample.Sample(path)"),
        ("from ..sample import Sample", "Sample(path)"),
    ],
)
def test_what_turns_images_is_known_however_it_is_imported(
    photos: Project, imported: str, call: str
) -> None:
    text = BUCKET.replace("from sample import Sample", imported)
    photos.write("data/bucket.py", text.replace("Sample(path)", call))
    assert photos.findings() == [("sample.py", "ROC601")]


@pytest.mark.parametrize("name", ["data/detect.py", "data/bucket.py"])
def test_a_cached_finding_goes_with_the_other_file(photos: Project, name: str) -> None:
    assert photos.findings() == [("sample.py", "ROC601")]
    (photos.root / name).unlink()
    assert photos.findings() == []


def test_boxes_of_tests_and_examples_say_nothing_of_the_data(photos: Project) -> None:
    (photos.root / "data" / "detect.py").unlink()
    photos.write("examples/detect.py", DETECT)
    assert photos.findings() == []


def test_another_file_that_cannot_be_parsed_says_nothing(photos: Project) -> None:
    photos.write("data/bucket.py", BUCKET + "def (:\n")
    assert ("sample.py", "ROC601") not in photos.findings()


def test_the_fix_of_a_thrown_away_result_makes_no_finding(photos: Project) -> None:
    text = SAMPLE.replace(
        "self.photo = ImageOps.exif_transpose(Image.open(path))", "self.open(path)"
    )
    method = """
    def open(self, path):
        self.photo = Image.open(path)
        ImageOps.exif_transpose(self.photo)
"""
    photos.write("sample.py", text + method)
    photos.run("--fix", "--unsafe-fixes")
    assert photos.findings() == []
    assert "exif_transpose" not in photos.read("sample.py")
